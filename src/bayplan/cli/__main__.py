"""`python -m bayplan.cli`: the command line without an installed command."""

from bayplan.cli import main

main()
