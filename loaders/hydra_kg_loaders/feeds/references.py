"""Find the columns that name rows of other tables, by declarations, names and shared values.

A reference needs both a fitting name and values that are found in the other table. Numbers that count from one are
found in any table's keys, so a column of numbers never becomes a reference by shared values alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hydra_kg.language.morphology import singular
from hydra_kg.language.people_headings import holds_persons, is_person_like
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg_loaders.feeds import column_phrases
from hydra_kg_loaders.feeds import key_columns as keys_
from hydra_kg_loaders.feeds.model import Reference
from hydra_kg_loaders.feeds.profile import Profile, each_value
from hydra_kg_loaders.feeds.staging import StagedTable

if TYPE_CHECKING:
    import duckdb

SURE: Final = 0.9
NAMED: Final = 0.7
"""Share of distinct values that must be found for a reference that is used without asking, if the names agree."""

MANY: Final = 20
"""Number of rows that two tables must both have to share one key if the names of the tables agree in part."""

LIKELY: Final = 0.5
"""Share of the distinct values that must be found for a reference to be shown to a person."""

BY_CODES: Final = 4
BY_VALUES: Final = 5
BY_NAMES: Final = 6
COUNTING: Final = 7
"""Levels of references that are based only on values: codes, other texts, names, numbers (never used unasked)."""

NAMED_THERE: Final = "its values are names there, whatever it is called"
"""The reason of a reference by names."""

LONGEST_CODE: Final = 40

MANY_TARGETS: Final = 2
"""Number of further tables whose keys contain the same numbers, from which the numbers are no evidence."""

FEW: Final = 3
"""Number of distinct values below which texts are no evidence without a fitting name, even if all are found."""

_RELATING: Final = frozenset(("to", "by"))
"""Last words of headings that name a relation to a person or another row: reports to, managed by."""

_GENERIC: Final = frozenset({("id",), ("key",), ("code",), ("number",), ("no",), ("uid",), ("name",), ("title",), ()})


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A possible reference. ``level`` says how well the names fit: the smaller, the better."""

    level: int
    child: StagedTable
    column: str
    parent: StagedTable
    to: str
    why: str


def comparable_cell(text: str) -> str:
    """Return SQL for a cell in the form in which it is compared with another table's: ``12.0`` is ``12``."""
    return f"regexp_replace({text}, '^(-?[0-9]+)[.]0+$', '\\1')"


def references(
    db: duckdb.DuckDBPyConnection,
    tables: Sequence[StagedTable],
    found: Mapping[str, Sequence[Profile]],
    keys: Mapping[str, tuple[str, ...]],
) -> tuple[list[Reference], list[Reference]]:
    """Return the references that are certain, and those that a person should check."""
    sure: list[Reference] = []
    doubtful: list[Reference] = []
    by_name = {t.name.casefold(): t for t in tables}
    for child in tables:
        done: set[str] = set()
        for own, to, others in child.references:
            parent = by_name.get(to.casefold())
            columns = others or (keys.get(parent.name, ()) if parent else ())
            if parent is None or len(columns) != len(own) or not set(columns) <= set(parent.columns):
                continue
            share, values = _share(db, child, own, parent, columns)
            sure.append(
                Reference(child.name, own, parent.name, columns, _phrase(own[0], parent), share, values, "declared")
            )
            done |= set(own)
        for column in child.columns:
            if column in done:
                continue
            best, others_ = _best(db, child, column, tables, found, keys)
            if best is not None and best.sure:
                sure.append(best)
            elif best is not None:
                doubtful.append(best)
            doubtful += others_
    return sure, doubtful


def find_referred(
    db: duckdb.DuckDBPyConnection,
    table: StagedTable,
    tables: Sequence[StagedTable],
    found: Mapping[str, Sequence[Profile]],
    keys: Mapping[str, tuple[str, ...]],
) -> tuple[str, ...]:
    """Return a keyless table's column that contains all repeated texts of a column elsewhere, or ().

    Example: ``Short`` of staff.
    """
    for to, other in zip(table.columns, found[table.name], strict=True):
        if not other.unique or other.longest > LONGEST_CODE or other.mostly("number", LIKELY):
            continue
        for child in tables:
            for column, own in zip(child.columns, found[child.name], strict=True):
                if child is table or own.unique or own.distinct < FEW or not _may_share(own, other):
                    continue
                if own.distinct > other.distinct or _share(db, child, (column,), table, (to,))[0] < 1.0:
                    continue
                single = [(t, keys[t.name]) for t in tables if t is not table and len(keys[t.name]) == 1]
                if not any(_share(db, child, (column,), t, key)[0] >= NAMED for t, key in single):
                    return (to,)
    return ()


def _best(
    db: duckdb.DuckDBPyConnection,
    child: StagedTable,
    column: str,
    tables: Sequence[StagedTable],
    found: Mapping[str, Sequence[Profile]],
    keys: Mapping[str, tuple[str, ...]],
) -> tuple[Reference | None, list[Reference]]:
    """Return the likeliest reference of a column, and the others if several are equally likely."""
    profile = found[child.name][child.columns.index(column)]
    if not profile.filled or profile.longest > 200:
        return None, []
    measured = []
    for one in _candidates(child, column, tables, found, keys):
        share, values = _share(db, child, (column,), one.parent, (one.to,))
        if share < LIKELY or (one.level >= BY_VALUES and values < FEW and not (share == 1.0 and one.level == BY_CODES)):
            continue
        if one.level == COUNTING and share < 1.0:
            continue
        if one.level >= BY_CODES and one.parent is child and _repeats_key(db, child, column, one.to):
            continue
        covered = values / max(found[one.parent.name][one.parent.columns.index(one.to)].distinct, 1)
        weak = one.level == COUNTING or share < (NAMED if one.level <= 2 else SURE)
        measured.append((one.level, weak, -share, -covered, one.parent.name, one, share, values))
    measured.sort(key=lambda m: (m[1] and m[0] > 2, *m[:5]))
    if not measured:
        return None, []
    level, weak, *_, one, share, values = measured[0]
    tied = [m for m in measured[1:] if m[0] == level and m[1] == weak and m[2] == -share and level >= 3]
    ambiguous = bool(tied) and len({m[4] for m in (*tied, measured[0])}) > 1

    def made(m: _Candidate, share: float, values: int, sure: bool) -> Reference:
        return Reference(
            child.name,
            (column,),
            m.parent.name,
            (m.to,),
            _phrase(column, m.parent),
            round(share, 4),
            values,
            m.why,
            sure,
        )

    if level == COUNTING and len(tied) >= MANY_TARGETS:
        return None, []  # numbers that any table has
    best = made(one, share, values, not weak and not ambiguous)
    return best, [made(m[5], m[6], m[7], False) for m in tied if ambiguous][:3]


def _candidates(
    child: StagedTable,
    column: str,
    tables: Sequence[StagedTable],
    found: Mapping[str, Sequence[Profile]],
    keys: Mapping[str, tuple[str, ...]],
) -> Iterator[_Candidate]:
    """Yield the keys to which a column may refer, with reasons."""
    own = column_phrases.normalise_words(column)
    stem = column_phrases.stem(column)
    profile = found[child.name][child.columns.index(column)]
    is_key = keys.get(child.name) == (column,)
    numbers = profile.mostly("number", 0.9)
    is_label = not is_key and column in keys_.name(child, found[child.name], taken=frozenset(), any_text=False)
    for parent in tables:
        noun = column_phrases.normalise_words(column_phrases.noun(parent.name))
        taken = frozenset(keys.get(parent.name, ()))
        called = keys_.name(parent, found[parent.name], taken=taken, any_text=False) if taken else ()
        for place, to in enumerate(parent.columns):
            if parent is child and to == column:
                continue
            other = found[parent.name][place]
            main = keys.get(parent.name) == (to,)
            if not (other.unique or main) or numbers != other.mostly("number", 0.9):
                continue
            if other.mostly("flag", 1.0) and not main:
                continue
            named = column_phrases.normalise_words(to)
            level, why = 9, ""
            if main and (stem == noun or (_is_glued(own, noun) and not is_key)):
                level, why = 0, "it is called like the table"
            elif own == named and own not in _GENERIC and (main or _tells_apart(stem, to, parent, keys, numbers)):
                level, why = (1 if main else 2), "equal names"
            elif _means(stem, noun) and (main or ((not numbers and named[-1:] == ("name",)) or named == noun)):
                level, why = (1 if main else 2), "it is called like the table"
            elif _means(stem, noun) and column_phrases.is_id_like(to):
                level, why = 3, "it is called like the table"
            elif not main and stem and stem == column_phrases.stem(to) and parent is not child:
                if not numbers and _tells_apart(stem, to, parent, keys, numbers):
                    level, why = 3, "similar names"
            elif main and not numbers and not is_label and _may_share(profile, other):
                coded = column_phrases.is_id_like(column) or _are_codes(profile, other)
                level, why = (BY_CODES if coded else BY_VALUES), "its values are found there, whatever it is called"
            elif called == (to,) and not numbers and not is_label and _may_share(profile, other):
                level, why = BY_NAMES, NAMED_THERE
            elif main and numbers and profile.mostly("integer", 1.0) and _may_count(profile, other, own):
                role = (stem or own)[-1]
                said = [word for heading in parent.columns for word in column_phrases.normalise_words(heading)]
                if is_person_like(role) and holds_persons(noun[-1], said):
                    level, why = BY_CODES, "it is called like a person, and all of its numbers are found there"
                elif own[-1] in _RELATING and (parent is child or holds_persons(noun[-1], said)):
                    level, why = BY_CODES, "it is called like a relation, and all of its numbers are found there"
                elif parent is child and column_phrases.OTHER_ROWS & set(stem):
                    level, why = BY_CODES, "it is called like another row, and all of its numbers are found there"
                elif profile.distinct >= FEW:
                    level, why = COUNTING, "all of its numbers are found there, as small numbers often are"
            if is_key and level < 9:
                # Both tell rows apart: the other table owns the column only if it is called after it.
                if parent is child or level > 1 or _owns(stem, parent) <= _owns(stem, child):
                    continue
            elif is_key and main and _same_rows(child, parent, profile, other):
                level, why = 3, "the same rows"
            if level < 9:
                yield _Candidate(level, child, column, parent, to, why)


def _repeats_key(db: duckdb.DuckDBPyConnection, table: StagedTable, column: str, key: str) -> bool:
    """Return True if a column mostly repeats the key of its own row."""
    own, other = (comparable_cell(f"c{table.columns.index(name)}") for name in (column, key))
    (share,) = db.execute(f"SELECT avg(({own} = {other})::DOUBLE) FROM {table.table}").fetchall()[0]
    return float(share or 0.0) >= LIKELY


def _may_share(own: Profile, other: Profile) -> bool:
    """Return False if the profiles of two columns show that they cannot share half of one's values."""
    if own.mostly("flag", 1.0) or own.length > other.longest or LIKELY * own.distinct > other.distinct:
        return False
    if any(own.mostly(shape, SURE) != other.mostly(shape, SURE) for shape in ("day", "moment", "email", "link")):
        return False
    return own.mixed >= LIKELY * SURE if other.mixed >= SURE else own.mixed <= 1 - LIKELY * (1 - other.mixed)


def _are_codes(own: Profile, other: Profile) -> bool:
    """Return True if the values of two columns look like codes: short, and with digits."""
    return min(own.mixed, other.mixed) >= SURE and own.longest <= LONGEST_CODE


def _may_count(own: Profile, other: Profile, parts: Sequence[str]) -> bool:
    """Return True if numbers may be ids of another table.

    There are several of them, they repeat, and their name is not that of years or amounts.
    """
    return (
        1 < own.distinct <= other.distinct
        and other.rows >= FEW
        and not (own.unique and not column_phrases.OTHER_ROWS & set(parts))
        and not own.mostly("year")
        and not own.mostly("flag", 1.0)
        and bool(parts)
        and singular(parts[-1]) == parts[-1]
    )


def _tells_apart(
    stem: Sequence[str], to: str, parent: StagedTable, keys: Mapping[str, tuple[str, ...]], numbers: bool
) -> bool:
    """Return True if a non-key column may identify rows: an id, the table's name, or a text if there is no key."""
    return column_phrases.is_id_like(to) or (not numbers and (not keys.get(parent.name) or _means(stem, _noun(parent))))


def _noun(table: StagedTable) -> tuple[str, ...]:
    return tuple(column_phrases.normalise_words(column_phrases.noun(table.name)))


def _is_glued(own: Sequence[str], noun: Sequence[str]) -> bool:
    """Return True if a column is a table's noun followed by ``id`` in one word: journalid."""
    return len(own) == 1 and own[0] == "".join(noun) + "id"


def _owns(stem: Sequence[str], table: StagedTable) -> int:
    """Return how well a column's name fits a table's: 2 if it is the same, 1 if it agrees in part."""
    noun = column_phrases.normalise_words(column_phrases.noun(table.name))
    return 2 if tuple(stem) == tuple(noun) else 1 if _means(stem, noun) else 0


def _same_rows(child: StagedTable, parent: StagedTable, own: Profile, other: Profile) -> bool:
    """Return True if two tables may be two halves of one.

    They have equally many rows and share a word in their names, and the other one comes first.
    """
    a, b = (set(column_phrases.normalise_words(column_phrases.noun(t.name))) for t in (child, parent))
    return own.rows == other.rows >= MANY and bool(a & b) and parent.name < child.name


def _means(stem: Sequence[str], noun: Sequence[str]) -> bool:
    """Return True if a column's words mean a table's: city → cities, winning pilot → pilot."""
    if not stem:
        return False
    if tuple(stem) == tuple(noun) or stem[-len(noun) :] == tuple(noun):
        return True
    glued, whole = "".join(stem), "".join(noun)
    if glued == whole:
        return True
    if len(stem) == 1 and len(stem[0]) >= 3:
        return noun[-1].startswith(stem[0]) or (len(stem[0]) >= 4 and noun[-1].endswith(stem[0]))
    return False


def measure(db: duckdb.DuckDBPyConnection, reference: Reference, tables: Sequence[StagedTable]) -> Reference:
    """Return a reference that a person gave, with the share of its values that are found."""
    by_name = {t.name: t for t in tables}
    child, parent = by_name[reference.table], by_name[reference.to]
    share, values = _share(db, child, reference.columns, parent, reference.to_columns)
    return replace(reference, share=round(share, 4), values=values)


def _share(
    db: duckdb.DuckDBPyConnection, child: StagedTable, own: Sequence[str], parent: StagedTable, to: Sequence[str]
) -> tuple[float, int]:
    """Return the share of a child's distinct values that the parent has, and how many there are."""
    rows = each_value(child, child.columns.index(own[0]))
    values = f"SELECT DISTINCT {_key(child, own)} AS v FROM {rows}"
    there = f"SELECT {_key(parent, to)} FROM {parent.table}"
    sql = f"SELECT avg((v IN ({there}))::DOUBLE), count(*) FROM ({values}) WHERE v IS NOT NULL"
    share, number = db.execute(sql).fetchall()[0]
    return float(share or 0.0), int(number)


def _key(table: StagedTable, columns: Sequence[str]) -> str:
    return " || '|' || ".join(comparable_cell(f"c{table.columns.index(c)}") for c in columns)


def composites(
    db: duckdb.DuckDBPyConnection,
    child: StagedTable,
    tables: Sequence[StagedTable],
    keys: Mapping[str, tuple[str, ...]],
    done: set[str],
) -> Iterator[Reference]:
    """Return references to composite keys by equal names.

    ``done`` has the columns that are references by themselves.
    """
    for parent in tables:
        columns = keys.get(parent.name, ())
        if parent is child or len(columns) < 2 or set(columns) <= done or not set(columns) <= set(child.columns):
            continue
        share, values = _share(db, child, columns, parent, columns)
        if values and share >= SURE:
            yield Reference(
                child.name,
                columns,
                parent.name,
                columns,
                column_phrases.noun(parent.name),
                round(share, 4),
                values,
                "equal names",
            )


def _phrase(column: str, parent: StagedTable) -> str:
    """Return the phrase of a reference: the column without ``id``, or the noun of the table's rows."""
    noun = column_phrases.noun(parent.name)
    stem = column_phrases.stem(column)
    plain = column_phrases.normalise_words(noun)
    short = len(stem) == 1 and stem[0] not in plain and any(word.startswith(stem[0]) for word in plain)
    if not stem or short:
        return noun
    found = column_phrases.words(column)
    if len(found) > 1 and stem == (*plain, "name"):
        return noun
    while len(found) > 1 and column_phrases.is_id_like(found[-1]):
        found.pop()
    return " ".join(found)
