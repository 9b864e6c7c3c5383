"""Run every case of the files and folders that are named, and say how many agree."""

from __future__ import annotations

import sys

from tests.conformance.report import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
