"""Every example does what its page says: the commands are run, and print exactly what is shown.

UPDATE_GOLDEN=1 python -m pytest tests/test_examples.py      writes what they print into the pages
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.golden.compare import UPDATE, plain, run

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PAGES = sorted(EXAMPLES.glob("[0-9]*/README.md"))
BLOCK = re.compile(r"```console\n(.*?)```\n", re.DOTALL)


def performed(block: str, folder: Path) -> str:
    """The block with the output of its commands as they print it now."""
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    shown = []
    for command in commands:
        ran = run(command, folder)
        assert ran.returncode in (0, 1), (command, ran.stderr)
        # How a foreign configuration was read is said on standard error; on a screen it comes first.
        assert "error" not in ran.stderr, (command, ran.stderr)
        shown.append(f"$ {command}\n{plain(ran.stderr + ran.stdout)}\n")
    return "\n".join(shown)


def test_there_are_examples() -> None:
    assert len(PAGES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_an_example_prints_what_its_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    now = BLOCK.sub(lambda found: f"```console\n{performed(found[1], page.parent)}```\n", text)
    assert BLOCK.search(text), "an example shows at least one command"
    if UPDATE:
        page.write_text(now, encoding="utf-8")
    else:
        assert text == now
