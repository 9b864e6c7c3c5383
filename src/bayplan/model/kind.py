"""Kinds: workloads that differ only by name get the same answers, so what they share is a key to caches."""

from __future__ import annotations


class KindKey:
    """Fields of a workload as a cache key that hashes once."""

    __slots__ = ("_hash", "fields")

    def __init__(self, values: tuple[object, ...]):
        self.fields = values
        self._hash = hash(values)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, KindKey) or self._hash != other._hash:
            return False
        if self.fields is not other.fields and self.fields != other.fields:
            return False
        other.fields = self.fields  # equal, and from now on seen to be so at a glance
        return True

    def __reduce__(self) -> tuple[type, tuple[tuple[object, ...]]]:
        return KindKey, (self.fields,)  # a hash of text is good for one process only
