"""Describe a feed as a document that people read and edit (``feeds.yaml``), and as a few lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg_loaders.feeds import column_phrases
from hydra_kg_loaders.feeds.model import ROLES, ROWS, FeedColumn, FeedModel, FeedTable, Reference
from hydra_kg_loaders.feeds.staging import StagedTable
from hydra_kg_loaders.table_files.yaml_rows import read_yaml

_SHOWN: Final = 40
_LISTED: Final = 6  # parts of a line of the summary
_NOTED: Final = 4  # notes on rows in it
_TABLE: Final = frozenset({"noun", "also", "rows", "key", "name", "columns", "metrics", "files", "size"})
_COLUMN: Final = frozenset({"role", "says", "also", "unit", "form"})
_REFERENCE: Final = frozenset({"table", "columns", "to", "to_columns", "says", "also", "found", "of", "why"})
_WHERE: Final = "hydra-kg load FOLDER --dry-run shows what is understood without a file."


def document(feed: FeedModel) -> dict[str, Any]:
    """Return a feed as plain values."""
    return {
        "tables": {
            t.name: {
                "noun": t.noun,
                **({"also": list(t.also)} if t.also else {}),
                "rows": t.rows,
                "key": list(t.key),
                "name": list(t.called),
                "files": list(t.files),
                "size": t.size,
                "columns": {c.name: _column(c) for c in t.columns if c.role != "reference"},
                **({"metrics": dict(t.metrics)} if t.metrics else {}),
            }
            for t in feed.tables
        },
        "references": [_reference(r) for r in feed.references],
        "doubtful": [_reference(r) for r in feed.doubtful],
    }


def read(path: Path, name: str) -> Mapping[str, Any]:
    """Read a feed's description. ``name`` is "" if it is the only one. Raises UsageError, FormatError."""
    found = read_yaml(path)
    feeds = _mapping(_mapping(found, "the file").get("feeds"), "feeds")
    name = name or (next(iter(feeds)) if len(feeds) == 1 else "")
    if name not in feeds:
        raise UsageError(
            f"{path.name} describes {', '.join(feeds) or 'nothing'}, and the feed is called {name or 'otherwise'}.",
            remedy="Write it under its name, or name the feed with --source.",
        )
    return _mapping(feeds[name], name)


def keys(said: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the key of each table that a description names."""
    tables = _mapping(said.get("tables") or {}, "tables")
    return {name: tuple(map(str, _mapping(t or {}, name).get("key") or ())) for name, t in tables.items()}


def apply_corrections(feed: FeedModel, said: Mapping[str, Any], staged: Sequence[StagedTable]) -> FeedModel:
    """Return the feed with the corrections ``said``. Raises UsageError for unknown tables, columns or roles."""
    described = _mapping(said.get("tables") or {}, "tables")
    known = {t.name: t for t in staged}
    _check_known(described, known, "table")
    references = feed.references
    if "references" in said:
        references = tuple(_read_reference(r, known) for r in _sequence(said["references"], "references"))
    tables = tuple(_correct_table(t, _mapping(described.get(t.name) or {}, t.name), references) for t in feed.tables)
    for t in tables:
        own = [r for r in references if r.table == t.name]
        if t.rows == "pair" and len(own) != 2:
            raise UsageError(
                f"{t.name} is declared as a pair but has {len(own)} references.", remedy="A pair has two; else: join."
            )
        if t.rows == "part" and not any(r.columns == t.key for r in own):
            raise UsageError(f"{t.name} is declared as a part, but its key refers to no table.", remedy="Add it.")
    taken = {(r.table, r.columns) for r in references}
    doubtful = tuple(r for r in feed.doubtful if (r.table, r.columns) not in taken)
    return FeedModel(feed.name, tables, references, doubtful, feed.notes)


def lines(feed: FeedModel) -> Iterator[str]:
    """Yield the feed in words: its tables, their references with the evidence, and the open decisions."""
    several = f"{len(feed.tables)} tables that belong together"
    yield f"Understood as {several if len(feed.tables) > 1 else 'one table'}."
    for t in feed.tables:
        key = f", identified by {', '.join(t.key)}" if t.key else _note_row_numbers(t)
        called = f", called by {' and '.join(t.called)}" if t.called else ""
        yield f"{t.name} ({t.size:,} rows): {_rows_text(t)}{key}{called}"
        about = [f"{c.name} ({_role_text(c)})" for c in t.columns if c.role not in {"key", "name", "reference", "skip"}]
        if about:
            more = f" and {len(about) - _SHOWN} more" if len(about) > _SHOWN else ""
            yield f"  {', '.join(about[:_SHOWN])}{more}"
        if left := [c.name for c in t.columns if c.role == "skip"]:
            yield f"  left out: {', '.join(left[:_SHOWN])}"
    for r in feed.references:
        yield f"{_reference_text(r)}, called “{r.phrase}”, backwards “{column_phrases.inverse_phrase(r.phrase)}”"
    yield from feed.notes
    if feed.doubtful:
        yield "Not taken, for you to decide (move them to references in feeds.yaml):"
        for r in feed.doubtful:
            yield f"  {_reference_text(r)}"


def summarise(feed: FeedModel) -> Iterator[str]:
    """Yield at most eight lines about the feed. `hydra-kg load --dry-run` shows every column instead."""
    tables = [t for t in feed.tables if t.rows != "skip"]
    sizes = _join_parts(f"{t.name} ({t.size:,} {'row' if t.size == 1 else 'rows'})" for t in tables)
    yield (
        f"Understood as {len(tables)} tables that belong together: {sizes}."
        if len(tables) > 1
        else f"Understood as one table: {sizes}."
    )
    if keyed := [t for t in tables if t.key]:
        yield f"Keys: {_join_parts(_key_text(t) for t in keyed)}."
    if keyless := [t.name for t in tables if not t.key]:
        yield f"No column identifies the rows of {_join_parts(keyless)}; row numbers do."
    if feed.references:
        yield f"References: {_join_parts(_list_by_target(feed.references))}."
    if feed.doubtful:
        doubtful = _join_parts(
            f"{_ends(r)} ({100 * r.share:.0f} % of {r.values:,} values found)" for r in feed.doubtful
        )
        yield f"Doubtful references, not taken: {doubtful}."
    if left := [f"{t.name}.{c.name}" for t in tables for c in t.columns if c.role == "skip"]:
        yield f"Left out, since empty or secret: {_join_parts(left)}."
    if feed.notes:
        more = f" And {len(feed.notes) - _NOTED} more: hydra-kg load --dry-run." if len(feed.notes) > _NOTED else ""
        yield f"Look at: {'. '.join(note.rstrip('.') for note in feed.notes[:_NOTED])}.{more}"


def _key_text(t: FeedTable) -> str:
    called = f" (shown as {' '.join(t.called)})" if t.called and t.called != t.key else ""
    return f"{t.name} by {'+'.join(t.key)}{called}"


def _list_by_target(references: Sequence[Reference]) -> list[str]:
    by_target: dict[str, list[str]] = {}
    for r in references:
        by_target.setdefault(r.to, []).append(f"{r.table}.{'+'.join(r.columns)}")
    return [f"{', '.join(own)} → {to}" for to, own in by_target.items()]


def _ends(r: Reference) -> str:
    return f"{r.table}.{'+'.join(r.columns)} → {r.to}.{'+'.join(r.to_columns)}"


def _join_parts(parts: Iterable[str]) -> str:
    found = list(parts)
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return f"{'; '.join(found[:_LISTED])}{more}"


def _note_row_numbers(t: FeedTable) -> str:
    return ", identified by row number, since no column does it" if t.rows in {"thing", "join"} else ""


def _rows_text(t: FeedTable) -> str:
    if t.rows == "thing":
        return f"each row is one {t.noun}"
    return ROWS[t.rows].replace("it has no name of its own", "no name of its own")


def _role_text(c: FeedColumn) -> str:
    return f"{c.role} in {c.unit}" if c.unit else c.role


def _reference_text(r: Reference) -> str:
    own, to = (f"{t}.{'+'.join(c)}" for t, c in ((r.table, r.columns), (r.to, r.to_columns)))
    return f"{own} → {to}: {100 * r.share:.0f} % of {r.values:,} values found; {r.why}"


def _column(c: FeedColumn) -> dict[str, Any]:
    more: dict[str, Any] = {"unit": c.unit, "form": c.form, "also": list(c.also)}
    return {"role": c.role, "says": c.phrase, **{k: v for k, v in more.items() if v}}


def _reference(r: Reference) -> dict[str, Any]:
    """Return a reference in the form of ``feeds.yaml``."""
    return {
        "table": r.table,
        "columns": list(r.columns),
        "to": r.to,
        "to_columns": list(r.to_columns),
        "says": r.phrase,
        **({"also": list(r.also)} if r.also else {}),
        "found": r.share,
        "of": r.values,
        "why": r.why,
    }


def _correct_table(t: FeedTable, said: Mapping[str, Any], references: Sequence[Reference]) -> FeedTable:
    """Return a table with the corrections of its entry. Raises UsageError."""
    _check_known(said, dict.fromkeys(_TABLE), "entry")
    names = {c.name: c for c in t.columns}
    columns = _mapping(said.get("columns") or {}, f"columns of {t.name}")
    _check_known(columns, names, f"column of {t.name}")
    referring = {name: r for r in references if r.table == t.name for name in r.columns}
    rows = str(said.get("rows", t.rows))
    if rows not in ROWS:
        raise UsageError(f"{t.name}: rows cannot be {rows}.", remedy=f"They are one of {', '.join(ROWS)}.")
    key = _columns(said.get("key", list(t.key)), names, t.name)
    called = _columns(said.get("name", list(t.called)), names, t.name)
    out = []
    for c in t.columns:
        new = _mapping(columns.get(c.name) or {}, c.name)
        _check_known(new, dict.fromkeys(_COLUMN), "entry")
        role = str(new.get("role", c.role))
        if c.name in referring:
            role = "reference"
        elif c.name in called:
            role = "name"
        elif role in {"reference", "name"}:
            role = "group"
        if role not in ROLES:
            raise UsageError(f"{t.name}.{c.name}: there is no role {role}.", remedy=f"Roles: {', '.join(ROLES)}.")
        out.append(
            FeedColumn(
                c.name,
                role,
                referring[c.name].phrase if c.name in referring else str(new.get("says", c.phrase)),
                str(new.get("unit", c.unit)),
                str(new.get("form", c.form)),
                _also(new, f"{t.name}.{c.name}"),
            )
        )
    noun = str(said.get("noun", t.noun))
    metrics = tuple((str(name), str(formula)) for name, formula in (said.get("metrics") or {}).items())
    t = replace(t, noun=noun, rows=rows, key=key, called=called, columns=tuple(out), metrics=metrics)
    return replace(t, also=_also(said, t.name))


def _read_reference(said: object, tables: Mapping[str, StagedTable]) -> Reference:
    """Return the reference of an entry. Raises UsageError."""
    found = _mapping(said, "a reference")
    _check_known(found, dict.fromkeys(_REFERENCE), "entry")
    for name in ("table", "columns", "to", "to_columns"):
        if name not in found:
            raise UsageError(f"A reference has no {name}.", remedy="It has table, columns, to and to_columns.")
    table, to = str(found["table"]), str(found["to"])
    _check_known({table: 0, to: 0}, tables, "table")
    own = _columns(found["columns"], dict.fromkeys(tables[table].columns), table)
    other = _columns(found["to_columns"], dict.fromkeys(tables[to].columns), to)
    if not own or len(own) != len(other):
        raise UsageError(f"A reference of {table} joins {len(own)} columns with {len(other)}.", remedy="Name as many.")
    says = str(found.get("says") or column_phrases.noun(to))
    share, values = (found.get(name) for name in ("found", "of"))
    evidence = (float(share), values) if isinstance(share, int | float) and isinstance(values, int) else (1.0, 0)
    why = str(found.get("why") or "feeds.yaml")
    return Reference(table, own, to, other, says, *evidence, why=why, also=_also(found, f"a reference of {table}"))


def _also(said: Mapping[str, Any], what: str) -> tuple[str, ...]:
    found = said.get("also") or []
    return tuple(str(word) for word in ([found] if isinstance(found, str) else _sequence(found, f"also of {what}")))


def _columns(found: object, known: Mapping[str, object], table: str) -> tuple[str, ...]:
    names = [found] if isinstance(found, str) else _sequence(found, f"columns of {table}")
    _check_known(dict.fromkeys(map(str, names)), known, f"column of {table}")
    return tuple(map(str, names))


def _check_known(found: Mapping[Any, Any], known: Mapping[str, object], what: str) -> None:
    if wrong := [str(name) for name in found if name not in known]:
        raise UsageError(
            f"feeds.yaml names an unknown {what}: {', '.join(wrong)}.", remedy=f"Known: {', '.join(known)}. {_WHERE}"
        )


def _mapping(found: object, what: str) -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise UsageError(
            f"In feeds.yaml, {what} must be a mapping of names to values, such as `feeds:` above `club:`.",
            remedy=_WHERE,
        )
    return {str(name): value for name, value in found.items()}


def _sequence(found: object, what: str) -> Sequence[Any]:
    if not isinstance(found, list):
        raise UsageError(f"In feeds.yaml, {what} must be a list.", remedy=_WHERE)
    return found
