"""Pending work: it waits here and is tried again only when a change could have helped it.

A kind of workload that found no node is re-examined on the rows that changed since: one row after
one release. Where its fate also hangs on domain counts or global numbers, it is simply decided again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bayplan.engine.pipeline import Pipeline
from bayplan.engine.query import Query
from bayplan.model.group import Group, Request, members
from bayplan.model.workload import Workload


class Pending:
    """Requests in order of arrival, found by the id of any member."""

    def __init__(self) -> None:
        self._requests: dict[int, Request] = {}
        self._number_of: dict[str, int] = {}
        self._checked: dict[int, int] = {}
        self._next = 0
        self.originals: dict[str, tuple[Request, int]] = {}
        """What was asked for by workloads that were placed by a fallback, and which one."""
        self.examined = 0
        """How many rows or requests were looked at by retries: what an event costs."""

    def __contains__(self, workload_id: str) -> bool:
        return workload_id in self._number_of

    def isdisjoint(self, ids: Iterable[str]) -> bool:
        return self._number_of.keys().isdisjoint(ids)

    def __getitem__(self, workload_id: str) -> Request:
        return self._requests[self._number_of[workload_id]]

    def __len__(self) -> int:
        return len(self._requests)

    def __iter__(self) -> Iterator[Request]:
        return iter(list(self._requests.values()))

    @property
    def ids(self) -> list[str]:
        return list(self._number_of)

    def get(self, workload_id: str) -> Request | None:
        number = self._number_of.get(workload_id)
        return None if number is None else self._requests[number]

    def add(self, request: Request, pipeline: Pipeline) -> None:
        number, self._next = self._next, self._next + 1
        self._requests[number] = request
        self._checked[number] = pipeline.snapshot.log.end
        for one in members(request):
            self._number_of[one.id] = number

    def forget(self, request: Request) -> None:
        for one in members(request):
            number = self._number_of.pop(one.id)
        del self._requests[number]
        del self._checked[number]

    def worth_trying(self, pipeline: Pipeline) -> list[Request]:
        """Requests that the changes since their last try could have helped, most important first."""
        verdicts: dict[tuple[object, int], bool] = {}
        found = []
        for number, request in self._requests.items():
            checked = self._checked[number]
            key = (request.kind if isinstance(request, Workload) else number, checked)
            if key not in verdicts:
                verdicts[key] = self._could_help(pipeline, request, checked)
            if verdicts[key]:
                found.append(request)
            else:
                self._checked[number] = pipeline.snapshot.log.end
        return sorted(found, key=lambda request: -request.priority)

    def _could_help(self, pipeline: Pipeline, request: Request, checked: int) -> bool:
        rows = pipeline.snapshot.log.since(checked)
        if rows is None:
            return True
        if not rows:
            return False
        if isinstance(request, Group):
            self.examined += 1
            return True
        return any(self._row_helps(pipeline.query(one), rows) for one in request.alternatives())

    def _row_helps(self, query: Query, rows: list[int]) -> bool:
        beyond_rows = any(stamp is not None for stamp in query.stamps())
        if query.coarse_checks or beyond_rows:
            self.examined += 1
            return True
        distinct = set(rows)
        self.examined += len(distinct)
        return any(query.passes(row) for row in distinct)

    def copy(self) -> Pending:
        twin = Pending()
        twin._requests, twin._number_of = self._requests.copy(), self._number_of.copy()
        # A fork's change log starts afresh, so everything counts as never checked.
        twin._checked = dict.fromkeys(self._checked, -1)
        twin._next, twin.originals = self._next, self.originals.copy()
        return twin
