"""Conversion of raw statements to claims, with values compared by kind and the original texts kept.

The kinds are times, codes, names, lists and places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice, pairwise
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.events import Event, Listener, ignore
from hydra_kg.fusion.model.claims import Claims, Codes, Numbered, StatementColumns, group_claims, pack_columns
from hydra_kg.fusion.normalisation.dates import code, isbn, moment, number
from hydra_kg.fusion.normalisation.entity_names import name_statements
from hydra_kg.fusion.normalisation.hierarchy import Hierarchy
from hydra_kg.fusion.normalisation.name_sets import same_people, usual_names
from hydra_kg.fusion.normalisation.person_names import resolve_html_entities
from hydra_kg.fusion.normalisation.value_kinds import SAMPLE, ValueKind, kind_of, says_nothing
from hydra_kg.fusion.normalisation.value_lists import ListEvidence
from hydra_kg.text.folding import fold
from hydra_kg.util.cancelling import ITEM_WORK, check
from hydra_kg.util.fast_dataclass import dataclass, replace

# Rows that are turned into columns at a time.
BATCH = 100_000
# More than there are days and years that a point in time may name.
DAYS, YEARS = 512, 16384
Row = tuple[str, str, str, str]
_Ints = npt.NDArray[np.int64]
_I = TypeVar("_I", np.int32, np.int64)


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """Normalised claims.

    - ``kinds``: the kind of each attribute.
    - ``original`` (N,): the index of each claim's text in ``texts``.
    - ``silent``: the number of rows without a value.
    """

    claims: Claims
    kinds: Mapping[str, ValueKind]
    original: Codes
    texts: tuple[str, ...]
    silent: int


def read_claims(
    rows: Iterable[Row],
    *,
    hierarchy: Hierarchy | None = None,
    entity: Callable[[str], str] = fold,
    raw_values: bool = False,
) -> ClaimReading:
    """Return claims from rows of (entity, attribute, source, value).

    Entities are one if ``entity`` gives the same key; a group has the entity's name from its first row. The attribute's
    kind (``value_kinds``) decides which values are equal. A time is its clock reading, with a missing day and year
    filled in from the group's other values. Places use the hierarchy, and lists become their members. With a hierarchy,
    the place in an entity's name is a statement too, of the source ``NAME_SOURCE``. With ``raw_values`` values are
    equal only if their texts are, and a list is one value.
    """
    if hierarchy is not None:
        rows = list(rows)
        rows = chain(rows, name_statements(rows, hierarchy))
    codes = tuple(Numbered[str]() for _ in range(4))
    rows, parts = iter(rows), [np.zeros((0, 4), np.int32)]
    while some := list(islice(rows, BATCH)):
        check(len(some) * ITEM_WORK)
        columns = zip(*some, strict=True)
        parts.append(np.column_stack([c.column(column) for c, column in zip(codes, columns, strict=True)]))
    names, attributes, sources, texts = map(tuple, codes)
    read = StatementColumns(np.concatenate(parts), (names, attributes, sources, texts))
    return read_columns(read, hierarchy=hierarchy, entity=entity, raw_values=raw_values)


def read_columns(
    rows: StatementColumns,
    *,
    hierarchy: Hierarchy | None = None,
    entity: Callable[[str], str] = fold,
    raw_values: bool = False,
    listener: Listener = ignore,
) -> ClaimReading:
    """Return claims from columns, as :func:`read_claims` does from rows. ``listener``: receives ``fuse.compare``."""
    spelled, attributes, sources, value_texts = rows.names
    number_of = Numbered[str]().column(map(entity, spelled))
    table = rows.codes.copy()
    table[:, 0] = number_of[table[:, 0]] if len(number_of) else 0
    _, at = np.unique(number_of, return_index=True)
    first = [spelled[i] for i in at.tolist()]
    read: list[_Part] = []
    kinds: dict[str, ValueKind] = {}
    moments = _Moments(value_texts)
    order = np.argsort(table[:, 1], kind="stable")
    ends = np.searchsorted(table[order, 1], np.arange(len(attributes) + 1))
    for attribute, (low, high) in zip(attributes, pairwise(ends.tolist()), strict=True):
        listener(Event("fuse.compare", {"done": low, "total": len(table), "unit": "statements"}, 0.0))
        own = table[order[low:high]]
        distinct = np.flatnonzero(np.bincount(own[:, 3], minlength=len(value_texts))).astype(np.int32)
        sample = distinct[:: max(1, len(distinct) // SAMPLE)]
        if raw_values:
            kinds[attribute] = ValueKind.TEXT
            read.append(_group_equal_texts(own, value_texts))
            continue
        kinds[attribute] = kind = kind_of((value_texts[i] for i in sample), hierarchy)
        read.append(_read(own, kind, value_texts, distinct, moments))
    return _concatenate_parts(read, table, attributes, first, sources, value_texts, kinds, hierarchy)


@dataclass(frozen=True, slots=True)
class _Part:
    """Claims on one attribute: (M, 5) entity, attribute, source, value key, text; and the texts of the value keys."""

    rows: Codes
    names: Sequence[str] | None  # of value keys; None: the text that most sources wrote


class _Moments(dict[int, int]):
    """Cache of the points in time that texts name, each as one number, by the number of the text.

    Attributes share many texts.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, text: int) -> int:
        m = moment(self._texts[text])
        self[text] = moment_code = ((m.minute + 1) * DAYS + m.day + 1) * YEARS + min(m.year, YEARS - 2) + 1
        return moment_code


def _fields(moment_codes: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    """Return minute, day and year of points in time, −1 where unknown."""
    rest, year = np.divmod(moment_codes, YEARS)
    minute, day = np.divmod(rest, DAYS)
    return minute - 1, day - 1, year - 1


def _read(own: Codes, kind: ValueKind, value_texts: Sequence[str], distinct: Codes, moments: _Moments) -> _Part:
    """Return values of one kind with equal keys where they mean the same."""
    if kind is ValueKind.PEOPLE:
        return _people(own, value_texts)
    keys = Numbered[str]()
    key_of = np.full(len(value_texts), -1, np.int32)
    if kind is ValueKind.TIME:
        return _Part(_with_keys(own, _times(own, moments, distinct)), None)
    for i in distinct.tolist():
        if not says_nothing(value_texts[i]) and (key := _key(value_texts[i], kind)):
            key_of[i] = keys[key]
    return _Part(_with_keys(own, key_of[own[:, 3]]), None)


def _group_equal_texts(own: Codes, value_texts: Sequence[str]) -> _Part:
    """Return claims whose values are equal only if their texts are."""
    silent = np.array([says_nothing(text) for text in value_texts], np.bool_)
    return _Part(_with_keys(own, np.where(silent[own[:, 3]], -1, own[:, 3]).astype(np.int32)), None)


def _with_keys(own: Codes, keys: Codes) -> Codes:
    valid = keys >= 0
    return np.column_stack((own[valid, :3], keys[valid], own[valid, 3]))


def _key(text: str, kind: ValueKind) -> str:
    if kind is ValueKind.CODE:
        return code(text)
    if kind is ValueKind.BOOK:
        return isbn(text) or fold(text)
    if kind is ValueKind.NUMBER:
        read = number(text)
        return fold(text) if read is None else f"{read[0]:.12g} {read[1]}"
    return fold(resolve_html_entities(text))


def _times(own: Codes, moments: _Moments, distinct: Codes) -> Codes:
    """Return keys of points in time, made of minute, day and year.

    A missing day or year is filled in from the group's other values.
    """
    moment_codes = np.fromiter(map(moments.__getitem__, distinct.tolist()), np.int64, len(distinct))
    minute, day, year = _fields(moment_codes[np.searchsorted(distinct, own[:, 3])])
    group = own[:, 0].astype(np.int64)
    has_clock = np.bincount(group, minute >= 0) > 0
    known = np.where(has_clock[group], minute >= 0, np.maximum(day, year) >= 0)
    for column, within in ((day, group * 1441 + minute + 1), (year, group)):
        _fill(column, within)
    key = pack_columns(minute + 1, day + 1, year + 1)
    _, keys = np.unique(key, return_inverse=True)
    return np.where(known, keys, -1).astype(np.int32)


def _fill(column: _Ints, within: _Ints) -> None:
    """Replace missing values (−1) by the most frequent value with the same ``within``, the least of equals."""
    given = column >= 0
    keys, values = _commonest(within[given], column[given])
    if len(keys):
        where = np.minimum(np.searchsorted(keys, within), len(keys) - 1)
        column[~given & (keys[where] == within)] = values[where][~given & (keys[where] == within)]


def _people(own: Codes, value_texts: Sequence[str]) -> _Part:
    """Return values that list people, split into their names."""
    names, found = Numbered[str](), []
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], list[tuple[int, int]]] = {}
    usual = usual_names(value_texts[i] for i in own[:, 3].tolist())
    silent = {i for i in np.unique(own[:, 3]).tolist() if says_nothing(value_texts[i])}
    ordered = own[np.argsort(own[:, 0], kind="stable")]
    ends = np.flatnonzero(np.diff(ordered[:, 0], append=-1)) + 1
    start = 0
    for end in ends.tolist():
        entity, attribute = ordered[start, :2].tolist()
        statements = [(s, t) for s, t in ordered[start:end, 2:].tolist() if t not in silent]
        start = end
        who, name_tuples = [s for s, _ in statements], tuple(t for _, t in statements)
        alike = name_tuples, () if len(set(who)) == len(who) else tuple(map(who.index, who))
        if (read := known.get(alike)) is None:  # many groups are stated in the same words, by whomever
            texts, rows = same_people([(s, value_texts[t]) for s, t in statements], usual)
            read = known[alike] = [(names[texts[person]], i) for _, person, i in rows]
        found += [(entity, attribute, who[i], name, name_tuples[i]) for name, i in read]
    return _Part(np.array(found, np.int32).reshape(-1, 5), tuple(names))


def _concatenate_parts(
    parts: Sequence[_Part],
    table: Codes,
    attributes: Sequence[str],
    first: Sequence[str],
    sources: tuple[str, ...],
    value_texts: tuple[str, ...],
    kinds: Mapping[str, ValueKind],
    hierarchy: Hierarchy | None,
) -> ClaimReading:
    """Return one set of claims from the parts, with groups in the order of entity and attribute."""
    keys: list[tuple[str, str]] = []
    texts: list[tuple[str, ...]] = []
    many: list[npt.NDArray[np.bool_]] = []
    outside_list: list[npt.NDArray[np.bool_]] = []
    tables: list[Codes] = []
    for part in parts:
        rows = part.rows[np.lexsort(part.rows.T[[4, 2, 3, 0]])]
        if not len(rows):
            continue
        new_group = np.diff(rows[:, 0], prepend=-1) != 0
        new_value = new_group | (np.diff(rows[:, 3], prepend=-1) != 0)
        group, slot = np.cumsum(new_group) - 1, np.cumsum(new_value) - 1
        value = slot - slot[new_group][group]
        shown = rows[new_value, 3] if part.names is not None else _commonest(slot, rows[:, 4])[1].astype(np.int32)
        spelled = part.names if part.names is not None else value_texts
        bounds = [*np.flatnonzero(new_group[new_value]).tolist(), int(slot[-1]) + 1]
        flat = [spelled[i] for i in shown.tolist()]
        texts += [tuple(flat[a:b]) for a, b in pairwise(bounds)]
        attribute = attributes[rows[0, 1]]
        base = len(keys)
        keys += [(first[i], attribute) for i in rows[new_group, 0].tolist()]
        speaker = pack_columns(group, rows[:, 2])
        _, at = np.unique(pack_columns(speaker, value), return_index=True)
        listing = ListEvidence.of(speaker, group, slot, rows[:, 4], at)
        many.append(np.full(int(group[-1]) + 1, listing.listing))
        outside_list.append(listing.outside_list)
        tables.append(np.column_stack((group[at] + base, rows[at, 2], value[at], rows[at, 4])).astype(np.int32))
    texts = _readings(keys, texts, kinds, hierarchy)
    whole = np.concatenate(tables) if tables else np.zeros((0, 4), np.int32)
    read = replace(
        group_claims(keys, sources, texts, np.ascontiguousarray(whole[:, :3])),
        many=np.concatenate(many) if many else np.zeros(0, np.bool_),
        outside_list=np.concatenate(outside_list) if outside_list else np.zeros(0, np.bool_),
        broader=_broader(keys, texts, kinds, hierarchy),
    )
    silent = len(table) - sum(_distinct(pack_columns(*part.rows[:, [0, 2, 4]].T)) for part in parts)
    return ClaimReading(read, MappingProxyType(dict(kinds)), whole[:, 3], value_texts, max(0, silent))


def _commonest(within: _Ints, values: npt.NDArray[_I]) -> tuple[_Ints, npt.NDArray[_I]]:
    """Return the distinct numbers of ``within``, ascending, and the most frequent value with each.

    Of equally frequent values it is the least.
    """
    _, at, counts = np.unique(pack_columns(within, values), return_index=True, return_counts=True)
    order = at[np.lexsort((values[at], -counts, within[at]))]
    keys, first = np.unique(within[order], return_index=True)
    return keys, values[order[first]]


def _distinct(values: _Ints) -> int:
    """Return the number of distinct values; sorting is faster here than numpy's hash table."""
    return int(np.count_nonzero(np.diff(np.sort(values)))) + bool(len(values))


def _readings(
    keys: Sequence[tuple[str, str]],
    texts: list[tuple[str, ...]],
    kinds: Mapping[str, ValueKind],
    hierarchy: Hierarchy | None,
) -> list[tuple[str, ...]]:
    """Return the texts with a name shared by a region and its city read as the city.

    It stays the region if another value is in the region.
    """
    if hierarchy is None or not hierarchy.seats:
        return texts
    found = []
    for (_, attribute), values in zip(keys, texts, strict=True):
        folded = [fold(v) for v in values] if kinds[attribute] is ValueKind.PLACE else []
        if any(f in hierarchy.seats for f in folded):
            names = [hierarchy.seats.get(f, v) for f, v in zip(folded, values, strict=True)]
            inside = [any(hierarchy.general(f, other) for other in folded) for f in folded]
            values = tuple(v if i or n in values else n for v, n, i in zip(values, names, inside, strict=True))
        found.append(values)
    return found


def _broader(
    keys: Sequence[tuple[str, str]],
    texts: Sequence[tuple[str, ...]],
    kinds: Mapping[str, ValueKind],
    hierarchy: Hierarchy | None,
) -> Codes:
    """Return rows (B, 3) of group, value and less specific value, for attributes whose values are places."""
    found: list[tuple[int, int, int]] = []
    if hierarchy is not None:
        for g, values in enumerate(texts):
            if len(values) > 1 and kinds[keys[g][1]] is ValueKind.PLACE:
                folded = [fold(v) for v in values]
                pairs = ((v, w) for v in range(len(values)) for w in range(len(values)) if v != w)
                found += [(g, v, w) for v, w in pairs if hierarchy.general(folded[w], folded[v])]
    return np.array(found, np.int32).reshape(-1, 3)
