"""Pending work: it waits here and is tried again only when a change could have helped it.

A kind of workload that found no node is re-examined on the rows that changed since: one row after
one release. Where its fate also hangs on domain counts or global numbers, it is simply decided again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bayplan.engine.pipeline import Pipeline
from bayplan.engine.query import Query
from bayplan.model.group import Group, Request, all_ids, members
from bayplan.model.workload import Workload


class Pending:
    """Requests in order of arrival, found by the id of any member."""

    def __init__(self) -> None:
        self._requests: dict[int, Request] = {}
        self._number_of: dict[str, int] = {}
        self._reserved: dict[str, int] = {}
        """Ids that a group's fallbacks may come to use."""
        self._checked: dict[int, int] = {}
        self._next = 0
        self.examined = 0
        """How many rows or requests were looked at by retries: what an event costs."""

    def __contains__(self, workload_id: str) -> bool:
        return workload_id in self._number_of or workload_id in self._reserved

    def isdisjoint(self, ids: Iterable[str]) -> bool:
        return self._number_of.keys().isdisjoint(ids) and self._reserved.keys().isdisjoint(ids)

    def __getitem__(self, workload_id: str) -> Request:
        number = self._number_of.get(workload_id, self._reserved.get(workload_id))
        if number is None:
            raise KeyError(workload_id)
        return self._requests[number]

    def __len__(self) -> int:
        return len(self._requests)

    def __iter__(self) -> Iterator[Request]:
        """In order of arrival."""
        return iter([self._requests[number] for number in sorted(self._requests)])

    @property
    def ids(self) -> list[str]:
        return sorted(self._number_of, key=self._number_of.__getitem__)

    def get(self, workload_id: str) -> Request | None:
        number = self._number_of.get(workload_id)
        return None if number is None else self._requests[number]

    def add(self, request: Request, pipeline: Pipeline) -> None:
        number, self._next = self._next, self._next + 1
        self._requests[number] = request
        self._checked[number] = pipeline.snapshot.log.end
        for one in members(request):
            self._number_of[one.id] = number
        self._reserved.update((one, number) for one in all_ids(request) if one not in self._number_of)

    def forget(self, request: Request) -> int:
        """Its number in the queue is returned."""
        number = self._number_of[members(request)[0].id]
        for one in all_ids(request):
            self._number_of.pop(one, None)
            self._reserved.pop(one, None)
        del self._requests[number]
        del self._checked[number]
        return number

    def keep_turn(self, request: Request, number: int) -> None:
        """A request that was tried again in vain has waited no less for it: it gets its old number back."""
        new = self._number_of[members(request)[0].id]
        self._requests[number], self._checked[number] = self._requests.pop(new), self._checked.pop(new)
        for known in (self._number_of, self._reserved):
            known.update((one, number) for one in all_ids(request) if one in known)

    def worth_trying(self, pipeline: Pipeline) -> list[Request]:
        """Requests that the changes since their last try could have helped: most important first, then by arrival."""
        verdicts: dict[tuple[object, int], bool] = {}
        found = []
        for number, request in self._requests.items():
            checked = self._checked[number]
            key = (request.kind if isinstance(request, Workload) else number, checked)
            if key not in verdicts:
                verdicts[key] = self._could_help(pipeline, request, checked)
            if verdicts[key]:
                found.append((-request.priority, number, request))
            else:
                self._checked[number] = pipeline.snapshot.log.end
        return [request for _, _, request in sorted(found, key=lambda one: one[:2])]

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
        twin._reserved = self._reserved.copy()
        # A fork's change log starts afresh, so everything counts as never checked.
        twin._checked = dict.fromkeys(self._checked, -1)
        twin._next = self._next
        return twin
