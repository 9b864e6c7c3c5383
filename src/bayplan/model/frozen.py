"""An immutable mapping that can be hashed, and hashes once.

Labels and amounts are mappings inside frozen dataclasses that serve as cache keys a hundred
thousand times a second, so the hash is kept.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, TypeVar

V = TypeVar("V")


class FrozenMap(Mapping[str, V]):
    """`FrozenMap({"b": 1, "a": 2})`: sorted by key, so equal contents look and hash the same."""

    __slots__ = ("_data", "_hash")

    def __init__(self, data: Mapping[str, V] | None = None):
        self._data: dict[str, V] = dict(sorted(data.items())) if data else {}
        self._hash: int | None = None

    def __getitem__(self, key: str) -> V:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, key: object) -> bool:
        return key in self._data

    # Mapping would build these from __getitem__ and __iter__, several times slower.

    def keys(self) -> KeysView[str]:
        return self._data.keys()

    def values(self) -> ValuesView[V]:
        return self._data.values()

    def items(self) -> ItemsView[str, V]:
        return self._data.items()

    def get(self, key: str, default: Any = None) -> Any:
        return self._data.get(key, default)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(tuple(self._data.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._data == other._data
        return self._data == other if isinstance(other, Mapping) else NotImplemented

    def __repr__(self) -> str:
        return repr(self._data)

    def __reduce__(self) -> tuple[type, tuple[dict[str, V]]]:
        return type(self), (self._data,)
