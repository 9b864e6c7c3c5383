"""The pages tell the truth: links resolve, code runs, commands print what is shown.

    every *.md at the top, and docs/**/*.md
        links       a relative target exists, and so does the #heading it names (nothing is fetched)
    README.md and docs/**/*.md, with examples/ as the working directory
        ```python   all blocks of a page run in order, in one namespace; "```python not-run" does not
        ```console  every "$ bayplan ..." runs; the lines below it are its output. A line "..." stands
                    for any number of lines, "..." inside a line for any text. Other commands are not run.

Prints one line per mistake, file:line first, and exits with 1 if there is any.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)")
FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the words after the fence, its text, and the line of the page its text begins on."""

    info: tuple[str, ...]
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page, taken apart: prose (code blanked out, so that line numbers stay) and blocks."""

    path: Path
    prose: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def anchors(self) -> set[str]:
        """The names headings get: lower case, spaces as hyphens, punctuation gone, repeats numbered."""
        found: dict[str, int] = {}
        names = set()
        for line in self.prose:
            if heading := re.match(r"#{1,6}\s+(.+?)\s*#*$", line):
                slug = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
                names.add(slug if slug not in found else f"{slug}-{found[slug]}")
                found[slug] = found.get(slug, 0) + 1
        return names


def read(path: Path) -> Page:
    prose: list[str] = []
    blocks: list[Block] = []
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        prose.append(line)
        if fence := FENCE.match(line):
            indent, mark, info = fence.groups()
            begin = len(prose) + 1
            body = []
            for inside in lines:
                prose.append("")
                if inside.strip() == mark:
                    break
                body.append(inside.removeprefix(indent))
            blocks.append(Block(tuple(info.split()), "\n".join(body), begin))
    return Page(path, tuple(prose), tuple(blocks))


def broken_links(page: Page) -> Iterator[str]:
    for number, line in enumerate(page.prose, start=1):
        for found in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            target = found[1] or found[2]
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            path = (page.path.parent / file).resolve() if file else page.path
            if not path.exists():
                yield f"{page.name}:{number}: {target}: no such file"
            elif anchor and path.suffix == ".md" and anchor not in read(path).anchors:
                yield f"{page.name}:{number}: {target}: no such heading"


def failing_python(page: Page) -> Iterator[str]:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in page.blocks:
        if block.info != ("python",):
            continue
        source = "\n" * (block.line - 1) + block.text  # so that a traceback names the page's own line
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(source, page.name, "exec"), names)
        except Exception:
            yield f"{page.name}:{block.line}: the code fails\n{traceback.format_exc()}"
            return  # later blocks build on this one


def commands(block: Block) -> Iterator[tuple[int, str, list[str]]]:
    """(line, command, shown output) for every "$ ..." of a console block; a backslash continues a command."""
    at, command, shown = 0, "", list[str]()
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            if command:
                yield at, command, shown
            at, command, shown = number, line[2:], []
        elif command.endswith("\\") and not shown:
            command = f"{command[:-1]}{line.strip()}"
        else:
            shown.append(line)
    if command:
        yield at, command, shown


def tidy(lines: list[str]) -> list[str]:
    """Without trailing blanks: nobody sees them on a page."""
    return "\n".join(line.rstrip() for line in lines).rstrip().splitlines()


def matches(shown: list[str], printed: list[str]) -> bool:
    def pattern(line: str) -> str:
        return "(?:.*\n)*" if line.strip() == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"

    return re.fullmatch("".join(map(pattern, shown)), "".join(f"{line}\n" for line in printed)) is not None


def wrong_output(page: Page) -> Iterator[str]:
    for block in page.blocks:
        if block.info != ("console",):
            continue
        for line, command, output in commands(block):
            if command.split()[0] != "bayplan":
                continue
            ran = subprocess.run(command, shell=True, text=True, stdout=-1, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            shown, printed = tidy(output), tidy(ran.stdout.splitlines())
            if shown and not matches(shown, printed):
                diff = "\n".join(difflib.unified_diff(shown, printed, "shown", "printed", lineterm=""))
                yield f"{page.name}:{line}: {command}: prints something else\n{diff}\n"
            elif not shown and ran.returncode:
                yield f"{page.name}:{line}: {command}: exit code {ran.returncode}\n{ran.stdout}"


def main() -> int:
    pages = [read(path) for path in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")))]
    told = [page for page in pages if page.path.parent != ROOT or page.path.name == "README.md"]

    # The bayplan beside this Python, plain text, one width: the same output on every machine.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    os.environ.update(PATH=path, NO_COLOR="1", TERM="dumb", COLUMNS="100", LINES="40")
    os.chdir(ROOT / "examples" if (ROOT / "examples").is_dir() else ROOT)

    mistakes = [mistake for page in pages for mistake in broken_links(page)]
    for check in (failing_python, wrong_output):
        mistakes += [mistake for page in told for mistake in check(page)]
    print(*mistakes, f"{len(pages)} pages checked, {len(mistakes) or 'no'} mistakes", sep="\n")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
