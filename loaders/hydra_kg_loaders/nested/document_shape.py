"""Find out what the objects and arrays of a document are: fields of a row, rows of a table, or maps by key."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.errors import FormatError
from hydra_kg_loaders.nested.element import MOST_DEPTH, Value, is_empty

Path = tuple[str, ...]
"""The keys from the root to a value. Elements of arrays and the keys of maps add none."""

_FIELD: Final = re.compile(r"[@$]?[^\W\d][\w$:-]*(?: [\w-]+){0,3}")
_ALIKE: Final = 0.5
"""Share of keys that cannot be field names, or of common fields, from which an object is a map by key."""

_SAME: Final = 0.8
"""Share of common fields from which the two or three objects under keys of a document are rows."""

_KEYS: Final = 8
_RECUR: Final = 3
_SINGLE: Final = 4
_ONCE: Final = 0.75


class Shape:
    """The paths of a document that are tables, and those that are maps.

    Raises FormatError if it is nested too deeply.
    """

    def __init__(self, root: Value, *, maps: bool = True) -> None:
        """Look at a document. ``maps`` says whether objects may be maps by key, as in JSON.

        In XML a schema names the elements, so they are never maps.
        """
        self._maps: set[Path] = set()
        self._tables: set[Path] = set()
        self._mixed: set[Path] = set()
        self._may_map = maps
        self._look((), [root], 0)

    def is_map(self, path: Path) -> bool:
        """Return True if the objects there are tables whose rows are identified by the keys."""
        return path in self._maps

    def is_table(self, path: Path) -> bool:
        """Return True if the arrays are tables: not single elements, nor one value per element."""
        return path in self._tables

    def is_mixed(self, path: Path) -> bool:
        """Return True for arrays of one-value objects under different keys, such as licences by id or name."""
        return path in self._mixed

    def _look(self, path: Path, values: Sequence[Value], depth: int) -> None:
        """Decide what the values at one path are, then go on with their contents."""
        if depth > MOST_DEPTH:
            raise FormatError(
                f"The records are nested too deeply: more than {MOST_DEPTH} levels at {'.'.join(path[:5])}.",
                remedy="Save the inner records as a file of their own.",
            )
        objects = [v for v in values if isinstance(v, dict)]
        arrays = [v for v in values if isinstance(v, list)]
        if self._may_map and not arrays and are_maps(objects, whole_file=not path):
            self._maps.add(path)
            objects = [inner for v in objects for entry in v.values() for inner in _objects_in(entry)]
        elif arrays:
            rows = [inner for array in arrays for inner in array if isinstance(inner, dict)]
            longest = max(sum(isinstance(inner, dict) for inner in array) for array in arrays)
            several = longest > 1 and any(_has_leaves(row, 2) for row in rows)
            objects = objects + rows
            again = _recurring(path, objects)
            if rows and (len(path) < 2 or several or again):
                self._tables.add(path)
            elif longest > 1 and len({tuple(_leaf_path(row)) for row in rows}) > 1:
                self._mixed.add(path)
            objects += again
        inside: defaultdict[str, list[Value]] = defaultdict(list)
        for value in objects:
            for key, inner in value.items():
                if isinstance(inner, dict | list) and inner and below(path, key, inner) != path:
                    inside[key].append(inner)
        for key, found in inside.items():
            self._look((*path, key), found, depth + 1)


def below(path: Path, key: str, value: Value) -> Path:
    """Return the path of a value under a key. An array of children of children has the path of the children."""
    return path if path and path[-1] == key and isinstance(value, list) else (*path, key)


def _recurring(path: Path, objects: Sequence[dict[str, Value]]) -> list[dict[str, Value]]:
    """Return the objects in arrays under the same key again, at any depth: components of components."""
    found: list[dict[str, Value]] = []
    layer = list(objects) if path else []
    for _ in range(MOST_DEPTH):
        arrays = [v[path[-1]] for v in layer if isinstance(v.get(path[-1]), list)]
        layer = [inner for array in arrays for inner in array if isinstance(inner, dict)]
        if not layer:
            return found
        found += layer
    raise FormatError(
        f"The records are nested too deeply: more than {MOST_DEPTH} levels of {path[-1]}.",
        remedy="Save the inner records as a file of their own.",
    )


def are_maps(objects: Sequence[dict[str, Value]], *, whole_file: bool = False) -> bool:
    """Return True if the keys of the objects are data, such as package names, and not field names.

    Keys are data if they cannot be field names ("node_modules/a"), if few of them recur, or if their values are objects
    with equal fields. If the document has them once, three such objects are enough, and two if they are all of
    it: ``{"North bed": {…}, "South bed": {…}}``.
    """
    keys = Counter(key for value in objects for key, inner in value.items() if not is_empty(inner))
    filled, total, distinct = sum(map(bool, objects)), sum(keys.values()), len(keys)
    if distinct < 2:
        return False
    entries = [v for value in objects for v in value.values() if not is_empty(v)]
    inner = [one for v in entries for one in _objects_in(v)]
    whole = all(map(_objects_in, entries))
    if inner and not whole:
        return False
    if sum(not _FIELD.fullmatch(key) for key in keys) >= _ALIKE * distinct:
        return True
    if whole:
        fields = Counter(key for v in inner for key in v)
        alike = sum(fields.values()) >= _ALIKE * len(inner) * len(fields)
        same = len(fields) > 1 and sum(fields.values()) >= _SAME * len(inner) * len(fields)
        if filled == 1 and same and distinct >= (2 if whole_file else 3):
            return True
        return alike and (distinct >= _SINGLE if filled == 1 else distinct > 1.5 * total / filled)
    rare = distinct > _KEYS and distinct > _RECUR * total / filled
    return filled >= _RECUR and (rare or (distinct >= _SINGLE and distinct > _ONCE * total))


def _objects_in(value: Value) -> list[dict[str, Value]]:
    """Return a value that is an object, or the objects of an array."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict) and one]


def leaves(value: Value) -> Iterator[Value]:
    """Yield the scalars in a value that are not empty."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    elif not is_empty(value):
        yield value


def _leaf_path(value: Value) -> Iterator[str]:
    """Yield the keys that lead to the first scalar in an object."""
    while isinstance(value, dict):
        key = next((key for key, inner in value.items() if not is_empty(inner)), None)
        if key is None:
            return
        yield key
        value = value[key]


def _has_leaves(value: Value, least: int) -> bool:
    """Return True if a value holds at least so many scalars."""
    left, stack = least, [value]
    while stack and left > 0:
        one = stack.pop()
        if isinstance(one, dict | list):
            stack.extend(one.values() if isinstance(one, dict) else one)
        elif not is_empty(one):
            left -= 1
    return left <= 0
