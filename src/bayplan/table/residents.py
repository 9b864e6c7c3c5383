"""Who is where: residents by label class, and counts of them per topology domain.

A label class knows the watches that count it and the holders that repel it, so a placement
updates exactly those. Both are found through an index over (label, value), whichever comes later.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial

from bayplan.model.frozen import FrozenMap
from bayplan.model.neighbours import Apart, Namespaces, Near
from bayplan.model.selector import Selector
from bayplan.table.allowed import Allowed, AllowedTally
from bayplan.table.index import LabelColumn, LabelIndex
from bayplan.table.tally import Tally
from bayplan.table.watching import Admirers, Holders, Index, LabelClass, Pair, Watch, covers, pairs_of, resolve

WATCH_LIMIT = 4096
"""Watches are forgotten together past this many, and made again when asked for."""

Carriers = Holders | Admirers


class Residents:
    """All label classes, watches and holders of one snapshot."""

    def __init__(self, labels: LabelIndex):
        self._labels = labels
        self.classes: list[LabelClass] = []
        self.holders: list[Carriers] = []
        """Those who carry conditions about others, by number."""
        self._class_of: dict[tuple[str, FrozenMap[str]], LabelClass] = {}
        self._classes_by_pair: dict[Pair, list[LabelClass]] = {}
        self._watches: dict[tuple[Selector, Namespaces, str], Watch] = {}
        self._allowed: dict[tuple[Selector, Namespaces, str, Hashable], Watch] = {}
        """Watches that count residents of some rows only; see `watch_allowed`."""
        self._watch_index: Index[Watch] = Index()
        self._holder_of: dict[tuple[Apart, Namespaces, bool], Holders] = {}
        self._holder_index: Index[Holders] = Index()
        self._admirer_of: dict[tuple[Near | Apart, Namespaces], Admirers] = {}
        self._admirer_index: Index[Admirers] = Index()
        self.topologies: set[str] = set()
        """The keys that anything was ever counted by."""
        self.epoch = 0
        """Moves when compiled requests must look up their watches anew."""

    def label_class(self, namespace: str, labels: FrozenMap[str]) -> LabelClass:
        found = self._class_of.get((namespace, labels))
        if found is None:
            found = LabelClass(len(self.classes), namespace, labels)
            found.watches = self._watch_index.matching(namespace, labels)
            found.repellers = self._holder_index.matching(namespace, labels)
            found.admirers = self._admirer_index.matching(namespace, labels)
            self._class_of[namespace, labels] = found
            self.classes.append(found)
            for pair in labels.items():
                self._classes_by_pair.setdefault(pair, []).append(found)
        return found

    def watch(self, peers: Selector, namespaces: Namespaces, by: str) -> Watch:
        """The counts of residents matching `peers`; backfilled from those already here."""
        key = (peers, namespaces, by)
        found = self._watches.get(key)
        if found is None:
            if len(self._watches) >= WATCH_LIMIT:
                self._forget_watches()
            self.topologies.add(by)
            found = self._watches[key] = Watch(peers, namespaces, Tally(self._labels[by]))
            self._watch_index.add(found)
            for one in self._matching_classes(found):
                one.watches.append(found)
                for row, count in one.rows.items():
                    found.tally.add(row, count)
        return found

    def watch_allowed(self, peers: Selector, namespaces: Namespaces, by: str, rows: Allowed) -> AllowedTally:
        """As `watch`, but only residents of the rows that are allowed count."""
        key = (peers, namespaces, by, rows.key)
        found = self._allowed.get(key)
        if found is None:
            if len(self._watches) + len(self._allowed) >= WATCH_LIMIT:
                self._forget_watches()
            self.topologies.add(by)
            found = self._allowed[key] = Watch(peers, namespaces, AllowedTally(self._labels[by], rows))
            assert isinstance(found.tally, AllowedTally)
            found.tally.rows_with = partial(self._rows_with, found)
            self._watch_index.add(found)
            for one in self._matching_classes(found):
                one.watches.append(found)
        assert isinstance(found.tally, AllowedTally)
        found.tally.catch_up()
        return found.tally

    def _rows_with(self, watch: Watch) -> Iterator[tuple[int, int]]:
        """Rows, and how many residents of them a watch is about."""
        for one in self._matching_classes(watch):
            yield from one.rows.items()

    def holder(self, apart: Apart, owner: LabelClass) -> Holders:
        namespaces = resolve(apart.namespaces, owner.namespace)
        counts_itself = covers(namespaces, owner.namespace) and apart.peers.matches(owner.labels)
        key = (apart, namespaces, counts_itself)
        found = self._holder_of.get(key)
        if found is None:
            watch = self.watch(apart.peers, namespaces, apart.by) if apart.at_most > 1 else None
            found = Holders(len(self.holders), apart, namespaces, counts_itself, Tally(self._labels[apart.by]), watch)
            self.topologies.add(apart.by)
            self._holder_of[key] = found
            self.holders.append(found)
            self._holder_index.add(found)
            for one in self._matching_classes(found):
                one.repellers.append(found)
        return found

    def admirer(self, term: Near | Apart, owner: LabelClass) -> Admirers:
        namespaces = resolve(term.namespaces, owner.namespace)
        found = self._admirer_of.get((term, namespaces))
        if found is None:
            by = term.by if isinstance(term, Apart) else term.by[0]
            found = self._admirer_of[term, namespaces] = Admirers(len(self.holders), term, namespaces, Tally(self._labels[by]))
            self.topologies.add(by)
            self.holders.append(found)
            self._admirer_index.add(found)
            for one in self._matching_classes(found):
                one.admirers.append(found)
        return found

    def _matching_classes(self, selecting: Watch | Carriers) -> list[LabelClass]:
        pairs = pairs_of(selecting.peers)
        candidates: Iterable[LabelClass] = self.classes
        if pairs is not None:
            candidates = {one.id: one for pair in pairs for one in self._classes_by_pair.get(pair, ())}.values()
        return [one for one in candidates if selecting.matches(one.namespace, one.labels)]

    def _forget_watches(self) -> None:
        kept = [one.watch for one in self.holders if isinstance(one, Holders) and one.watch is not None]
        self._watches = {(w.peers, w.namespaces, w.tally.label.key): w for w in kept}
        self._forget_allowed()

    def _forget_allowed(self) -> None:
        self._allowed.clear()
        self._watch_index = Index()
        for watch in self._watches.values():
            self._watch_index.add(watch)
        kept = set(map(id, self._watches.values()))
        for one in self.classes:
            one.watches = [watch for watch in one.watches if id(watch) in kept]
        self.epoch += 1

    def count(self, class_id: int, holder_ids: tuple[int, ...], row: int, change: int) -> None:
        """`change` more residents of this kind on one row."""
        one = self.classes[class_id]
        left = one.rows.get(row, 0) + change
        if left:
            one.rows[row] = left
        else:
            del one.rows[row]
        for watch in one.watches:
            watch.tally.add(row, change)
        for holder_id in holder_ids:
            self.holders[holder_id].tally.add(row, change)

    def count_many(self, class_id: int, holder_ids: tuple[int, ...], rows: list[int], counts: list[int]) -> None:
        """More residents of one kind on many rows."""
        one = self.classes[class_id]
        here = one.rows
        for row, count in zip(rows, counts, strict=True):
            here[row] = here.get(row, 0) + count
        tallies = [watch.tally for watch in one.watches] + [self.holders[holder_id].tally for holder_id in holder_ids]
        for tally in tallies:
            for row, count in zip(rows, counts, strict=True):
                tally.add(row, count)

    def shift(self, label: LabelColumn, class_id: int, holder_ids: tuple[int, ...], row: int, change: int) -> None:
        """As `count`, but only over one topology key: a node moves between its domains."""
        for watch in self.classes[class_id].watches:
            if watch.tally.label is label:
                watch.tally.add(row, change)
        for holder_id in holder_ids:
            if self.holders[holder_id].tally.label is label:
                self.holders[holder_id].tally.add(row, change)

    def recount(self, label: LabelColumn, holder_rows: Callable[[int], Iterable[int]]) -> None:
        """The topology turned fine or coarse: count it again in the other form."""
        self._forget_allowed()
        for watch in self._watches.values():
            if watch.tally.label is label:
                watch.tally = Tally(label)
                for one in self._matching_classes(watch):
                    for row, count in one.rows.items():
                        watch.tally.add(row, count)
        for holder in self.holders:
            if holder.tally.label is label:
                holder.tally = Tally(label)
                for row in holder_rows(holder.id):
                    holder.tally.add(row, 1)
        self.epoch += 1

    def copy(self, labels: LabelIndex) -> Residents:
        twin = Residents(labels)
        twin.epoch, twin.topologies = self.epoch, self.topologies.copy()
        watch_twin = {
            id(w): Watch(w.peers, w.namespaces, w.tally.copy(labels[w.tally.label.key])) for w in self._watches.values()
        }
        twin._watches = {key: watch_twin[id(w)] for key, w in self._watches.items()}
        for one in twin._watches.values():
            twin._watch_index.add(one)
        for h in self.holders:
            twin._take(h, None if isinstance(h, Admirers) or h.watch is None else watch_twin[id(h.watch)], labels)
        for c in self.classes:
            copied = LabelClass(c.id, c.namespace, c.labels)
            copied.rows = c.rows.copy()
            copied.watches = [watch_twin[id(w)] for w in c.watches if id(w) in watch_twin]
            copied.repellers = [twin._holder_of[h.apart, h.namespaces, h.counts_itself] for h in c.repellers]
            copied.admirers = [twin._admirer_of[a.term, a.namespaces] for a in c.admirers]
            twin.classes.append(copied)
            twin._class_of[c.namespace, c.labels] = copied
            for pair in c.labels.items():
                twin._classes_by_pair.setdefault(pair, []).append(copied)
        return twin

    def _take(self, one: Carriers, watch: Watch | None, labels: LabelIndex) -> None:
        """A copy of another table's, under the same number."""
        tally = one.tally.copy(labels[one.tally.label.key])
        if isinstance(one, Admirers):
            found = self._admirer_of[one.term, one.namespaces] = Admirers(one.id, one.term, one.namespaces, tally)
            self._admirer_index.add(found)
            self.holders.append(found)
            return
        held = Holders(one.id, one.apart, one.namespaces, one.counts_itself, tally, watch)
        self._holder_of[one.apart, one.namespaces, one.counts_itself] = held
        self._holder_index.add(held)
        self.holders.append(held)
