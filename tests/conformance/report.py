"""Files and folders into outcomes, and outcomes into lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.conformance.registry import KINDS, Case, Disagrees, Skips, Suite, learn, suites_in


@dataclass
class Outcome:
    """What came of one suite; `failed` and `skipped` hold (name of the case, reason)."""

    suite: str
    status: str = ""
    passed: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        status = f" [{self.status}]" if self.status else ""
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        yield f"{self.suite}{status}: {self.passed} passed, {len(self.failed)} failed{skipped}"
        yield from (f"    FAILED {name}: {reason}" for name, reason in self.failed)
        for reason, times in Counter(reason for _, reason in self.skipped).items():
            yield f"    skipped {times}: {reason}"


def files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(path.rglob("*.json"))
        else:
            yield path


def outcomes(path: Path) -> Iterator[Outcome]:
    """The suites of one file. A file that cannot be read is a failure like any other."""
    learn()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        suites = list(suites_in(path.name, data))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        yield Outcome(str(path), failed=[("the file", f"{type(error).__name__}: {error}")])
        return
    for suite in suites:
        yield judge(suite)


def judge(suite: Suite) -> Outcome:
    found = Outcome(suite.id, suite.status)
    for at, case in enumerate(suite.cases):
        name = str(case.get("name", at)) if isinstance(case, dict) else str(at)
        try:
            _judge(case, suite)
            found.passed += 1
        except Skips as skip:
            found.skipped.append((name, str(skip)))
        except Disagrees as error:
            found.failed.append((name, str(error)))
        except Exception as error:  # a malformed case must not end the run
            found.failed.append((name, f"{type(error).__name__}: {error}"))
    return found


def _judge(case: Case, suite: Suite) -> None:
    if not isinstance(case, dict):
        raise ValueError("a case is a mapping")
    kind = case.get("kind", suite.kind)
    if kind not in KINDS:
        raise Disagrees(f"nobody knows cases of kind {kind!r}")
    KINDS[kind](case, suite)


def run(paths: list[str]) -> int:
    """Print a line per suite and the totals; 0 when nothing failed."""
    if not paths:
        print("usage: python -m tests.conformance PATH...")
        return 2
    passed = failed = skipped = 0
    for path in files(paths):
        for outcome in outcomes(path):
            print(*outcome.lines(), sep="\n")
            passed, failed, skipped = passed + outcome.passed, failed + len(outcome.failed), skipped + len(outcome.skipped)
    if not passed + failed + skipped:
        print("there are no cases here")
        failed = 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0
