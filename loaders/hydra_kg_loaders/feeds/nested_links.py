"""Join the tables of a nested document: keys, a column for the parent row, and lists of keys as pairs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.feeds import column_phrases
from hydra_kg_loaders.nested.files import shred_file
from hydra_kg_loaders.nested.rows import NestedRows
from hydra_kg_loaders.nested.shred import KEY, NAME, VALUE, NestedTable, Parent
from hydra_kg_loaders.table_files.canonical_rows import FoundTable
from hydra_kg_loaders.tables.text_rows import header

_LONGEST: Final = 200
_NUMBER: Final = re.compile(r"-?\d+([.]\d+)?")
_NAMED: Final = frozenset({"name", "title", "label"})
_LEAST: Final = 0.8
"""Share of a column's distinct values that must be keys of another table for the column to refer to it."""

_TYPES: Final = 40
_TYPE: Final = re.compile(r"[A-Za-z]+(?:[_ -][A-Za-z]+)*")

Pairs = dict[tuple[str, str, str], list[tuple[str, str, str]]]


@dataclass(slots=True)
class _Linked:
    """A table with its key and references (column, table, column). ``also`` is another identifying column."""

    table: NestedTable
    key: str = ""
    also: str = ""
    references: list[tuple[str, str, str]] = field(default_factory=list)


def link_tables(
    tables: Sequence[NestedTable], file: Path, *, bad: Sequence[tuple[str, str]] = (), max_line: int = 1 << 20
) -> list[FoundTable]:
    """Return tables with the keys of their parents. Lists of keys and named edges become tables of pairs.

    ``bad`` has records that are not rows, which are counted with the first table.
    """
    linked = [_Linked(table) for table in tables]
    _rename_root(tables)
    parents = {id(p[0]) for one in linked for p in one.table.parents if p is not None}
    for one in linked:
        one.also = _name_by_path(one.table)
        one.key = _natural_key(one.table)
        if not one.key and id(one.table) in parents and not _is_root(one.table):
            one.key = _number_rows(one.table)
    by_table = {id(one.table): one for one in linked}
    for one in linked:
        _add_parents(one, by_table)
    pairs = _refer(linked)
    for one in linked:
        one.table.note_columns()
    taken = {one.table.name.casefold() for one in linked}
    found = [
        _make_found_table(one, file, bad if n == 0 else (), max_line)
        for n, one in enumerate(linked)
        if one.table.columns
    ]
    return [*found, *_make_pair_tables(pairs, linked, taken, file, max_line)]


def read_nested_tables(file: Path, head: bytes, *, max_line: int) -> list[FoundTable]:
    """Return the tables of a nested file as they are staged. Raises FormatError."""
    tables, bad = shred_file(file, head)
    return link_tables(tables, file, bad=bad, max_line=max_line)


def _is_root(table: NestedTable) -> bool:
    """Return True for the single row of the document itself, to which nothing needs to be joined."""
    return not table.path and len(table.cells) == 1 and table.parents == [None]


def _rename_root(tables: Sequence[NestedTable]) -> None:
    """Rename the row of the document itself if rows in it have the same name: "orders" of orders is "orders file"."""
    nouns = {column_phrases.noun(table.name) for table in tables if not _is_root(table)}
    for table in tables:
        if _is_root(table) and column_phrases.noun(table.name) in nouns:
            table.name += " file"


def _natural_key(table: NestedTable) -> str:
    """Return the first column called like a key, else like a name, that identifies all rows, or ""."""
    ranked = [
        (not column_phrases.is_id_like(_last(c)), n, c) for c, n in table.columns.items() if _tells_apart(table, c)
    ]
    fits = [r for r in ranked if (not r[0] and (column_phrases.is_own_id(_last(r[2])) or r[2].count(".") == 0))]
    names = [r for r in ranked if _last(r[2]).casefold() in _NAMED and r[2].count(".") == 0]
    return min(fits or names)[2] if fits or names else ""


def _last(column: str) -> str:
    return column.rpartition(".")[2].lstrip("@$")


def _tells_apart(table: NestedTable, column: str) -> bool:
    seen: set[str] = set()
    for row in table.cells:
        texts = row.get(column, ())
        if len(texts) != 1 or texts[0] in seen or len(texts[0]) > _LONGEST:
            return False
        seen.add(texts[0])
    return bool(seen)


def _number_rows(table: NestedTable) -> str:
    """Give the rows of a table numbers as keys. Return the name of the column."""
    column = f"{column_phrases.noun(table.name)} number"
    while column in table.columns:
        column += " here"
    for number, row in enumerate(table.cells, 1):
        row[column] = [str(number)]
    table.columns[column] = len(table.columns)
    return column


def _add_parents(one: _Linked, linked: Mapping[int, _Linked]) -> None:
    """Give each row the key of its parent row."""
    columns: dict[int, str] = {}
    for row, parent in zip(one.table.cells, one.table.parents, strict=True):
        if parent is None or _is_root(parent[0]):
            continue
        column = columns.get(id(parent[0])) or _parent_column(one.table, parent)
        if id(parent[0]) not in columns:
            columns[id(parent[0])] = column
            one.references.append((column, parent[0].name, linked[id(parent[0])].key))
        above = linked[id(parent[0])]
        row[column] = parent[0].cells[parent[1]][above.key]


def _parent_column(table: NestedTable, parent: Parent) -> str:
    noun = column_phrases.noun(parent[0].name)
    column = f"parent {noun}" if parent[0] is table or noun in table.columns else noun
    while column in table.columns:
        column = f"{column} of it"
    return column


def _refer(linked: Sequence[_Linked]) -> Pairs:
    """Find columns with keys of other tables, and turn lists of such keys and typed edges into pairs."""
    owners: dict[str, _Linked] = {}
    for one in sorted(linked, key=_is_described, reverse=True):
        named = [value for column in (one.key, one.also) if column for value in one.table.values(column)]
        for value in (*named, *_root_keys(one)):
            if not _NUMBER.fullmatch(value):
                owners.setdefault(value, one)
    pairs: Pairs = {}
    for one in linked:
        done = {column for column, _, _ in one.references}
        own = [c for c in one.table.columns if c not in done]
        lists = []
        for column in own:
            if _is_root(one.table) or (column == one.key and _owns(one, owners)) or _repeats_key(one, column):
                continue
            distinct = set(one.table.values(column))
            there = [owners[v] for v in distinct if v in owners and (owners[v] is not one or column != one.key)]
            if len(distinct) < 2 and not any(len(v) >= 6 for v in distinct):
                continue
            if not there or len(there) < _LEAST * len(distinct):
                continue
            if one.table.is_single(column):
                target = max(there, key=lambda t: sum(t is other for other in there))
                to = _key_column(target, next(v for v in distinct if owners.get(v) is target))
                one.references.append((column, target.table.name, to))
            else:
                lists.append(column)
        for column in lists:
            _take_list(one, column, owners, pairs)
        _join_entries(one, owners, pairs)
        _take_edges(one, owners, pairs)
    return pairs


def _repeats_key(one: _Linked, column: str) -> bool:
    """Return True for a column that repeats the key of its own row, or a part of it."""
    if column == one.also:
        return True
    rows = [row for row in one.table.cells if column in row]
    same = sum(row[column] == row.get(one.key) for row in rows)
    return column != one.key and bool(one.key) and same * 2 > len(rows)


def _name_by_path(table: NestedTable) -> str:
    """Name the rows of a map whose keys are paths by the last part: "node_modules/a" is "a". Return the column."""
    keys = [row.get(KEY, [""])[0] for row in table.cells]
    folders = Counter(key.rpartition("/")[0] for key in keys if "/" in key)
    folder = folders.most_common(1)[0][0].split("/")[0] + "/" if folders else ""
    if not folder or sum(key.startswith(folder) for key in keys) < _LEAST * (len(keys) - 1):
        return ""
    for row, key in zip(table.cells, keys, strict=True):
        if key and NAME not in row:
            row[NAME] = [key.rpartition(folder)[2]]
    table.columns.setdefault(NAME, len(table.columns))
    return NAME if _tells_apart(table, NAME) else ""


def _is_described(one: _Linked) -> tuple[bool, int]:
    """Return how well a table describes a key that two tables have: by names for its rows, then by more columns."""
    named = any(_last(c).casefold() in _NAMED for c in one.table.columns if c != one.key)
    return named or _is_root(one.table), len(one.table.columns)


def _owns(one: _Linked, owners: Mapping[str, _Linked]) -> bool:
    values = one.table.values(one.key)
    return sum(owners.get(v) is one for v in values) > (1 - _LEAST) * len(values)


def _root_keys(one: _Linked) -> set[str]:
    """Return values of the document's own row to which other rows may refer: those of columns called like keys."""
    if not _is_root(one.table):
        return set()
    named = [c for c in one.table.columns if column_phrases.is_id_like(_last(c)) and one.table.is_single(c)]
    return {v for c in named for v in one.table.values(c)}


def _key_column(owner: _Linked, value: str) -> str:
    """Return the column of a table with the value by which rows are referred to."""
    if _is_root(owner.table):
        return next(c for c, texts in owner.table.cells[0].items() if texts == [value])
    known = owner.also and value not in owner.table.values(owner.key)
    return owner.also if known else owner.key


def _take_list(one: _Linked, column: str, owners: Mapping[str, _Linked], pairs: Pairs) -> None:
    """Move the keys in a column of lists to a table of pairs of the row and its references."""
    if not one.key:
        one.key = _number_rows(one.table)
    refers = {c for c, _, _ in one.references}
    for row, place in zip(one.table.cells, one.table.places, strict=True):
        source = row[one.key][0]
        owner = owners.get(source, one) if one.key in refers or not _owns(one, owners) else one
        left = []
        for n, target in enumerate(row.get(column, ())):
            if target in owners and (owner.key or _is_root(owner.table)):
                kind = (_end(owner, source), column, _end(owners[target], target))
                pairs.setdefault(kind, []).append((source, target, _below(place, column, n)))
            else:
                left.append(target)
        if left:
            row[column] = left
        else:
            row.pop(column, None)


def _end(owner: _Linked, value: str) -> str:
    """Return a table and the column of its key, as one text."""
    return f"{owner.table.name}\0{_key_column(owner, value)}"


def _below(place: str, column: str, n: int) -> str:
    return f"{place}/{column.replace('.', '/')}/{n}" if place.startswith("/") else place


def _join_entries(one: _Linked, owners: Mapping[str, _Linked], pairs: Pairs) -> None:
    """Join a map's parents to the rows that its keys name. These rows stay for the map's values."""
    to = {column: (table, key) for column, table, key in one.references}
    if not one.table.path or list(one.table.columns)[:2] != [NAME, VALUE] or len(to) != 2 or NAME not in to:
        return
    parent = next(c for c in to if c != NAME)
    for row, place in zip(one.table.cells, one.table.places, strict=True):
        if parent in row and (target := row[NAME][0]) in owners:
            kind = ("\0".join(to[parent]), one.table.path[-1], _end(owners[target], target))
            pairs.setdefault(kind, []).append((row[parent][0], target, place))


def _take_edges(one: _Linked, owners: Mapping[str, _Linked], pairs: Pairs) -> None:
    """Move rows of two keys and a relation word to a table of pairs named by that word."""
    ends = [c for c, _, _ in one.references if c in one.table.columns]
    others = [c for c in one.table.columns if c not in ends]
    if len(ends) != 2 or len(others) != 1 or one.key in others:
        return
    types = set(one.table.values(others[0]))
    if len(types) > _TYPES or not all(_TYPE.fullmatch(t) and len(t) <= 60 for t in types):
        return
    cells, places, parents = [], [], []
    for row, place, parent in zip(one.table.cells, one.table.places, one.table.parents, strict=True):
        source, kind, target = (row.get(c, [""])[0] for c in (ends[0], others[0], ends[1]))
        if source in owners and target in owners and kind and not any(len(texts) > 1 for texts in row.values()):
            named = (_end(owners[source], source), kind, _end(owners[target], target))
            pairs.setdefault(named, []).append((source, target, place))
        else:
            cells.append(row)
            places.append(place)
            parents.append(parent)
    one.table.cells, one.table.places, one.table.parents = cells, places, parents


def _make_found_table(one: _Linked, file: Path, bad: Sequence[tuple[str, str]], max_line: int) -> FoundTable:
    keys = list(one.table.columns)
    columns = header(keys, file)
    named = dict(zip(keys, columns, strict=True))
    rows = NestedRows(columns, keys, one.table.cells, one.table.places, max_line, bad)
    references = tuple(((named[c],), to, (column,)) for c, to, column in one.references if c in named)
    called = _last(one.key).casefold() in _NAMED  # found again as what tells the rows apart and names them
    own = ((named[one.key],),) if one.key in named and not called else ()
    return FoundTable(one.table.name, rows, own, references)


def _make_pair_tables(
    pairs: Pairs, linked: Sequence[_Linked], taken: set[str], file: Path, max_line: int
) -> list[FoundTable]:
    """Return a table for each kind of pair of keys."""
    out = []
    for (source, said, target), rows in pairs.items():
        (own, own_column), (to, to_column) = source.split("\0"), target.split("\0")
        first = f"{column_phrases.noun(own)} from" if column_phrases.noun(own) == said else column_phrases.noun(own)
        keys = [first, said]
        cells = [{first: [a], said: [b]} for a, b, _ in rows]
        name = base = f"{own} {column_phrases.phrase(said)}"
        number = 2
        while name.casefold() in taken:
            name, number = f"{base} {number}", number + 1
        taken.add(name.casefold())
        found = NestedRows(header(keys, file), keys, cells, [place for _, _, place in rows], max_line)
        references = (((first,), own, (own_column,)), ((found.columns[1],), to, (to_column,)))
        out.append(FoundTable(name, found, (), references))
    return out
