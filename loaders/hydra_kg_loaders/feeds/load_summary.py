"""Say in a few lines what was guessed of a feed, what is doubtful, and which rows a person should look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hydra_kg_loaders.feeds.model import FeedModel, FeedTable, Reference

_SHOWN: Final = 6
_NOTES: Final = 4


def summarise(feed: FeedModel) -> Iterator[str]:
    """Yield at most eight lines. `hydra-kg load --dry-run` shows every column instead."""
    tables = [t for t in feed.tables if t.rows != "skip"]
    sizes = _listed(f"{t.name} ({t.size:,} {'row' if t.size == 1 else 'rows'})" for t in tables)
    yield (
        f"Read as {len(tables)} tables that belong together: {sizes}."
        if len(tables) > 1
        else f"Read as one table: {sizes}."
    )
    if keyed := [t for t in tables if t.key]:
        yield f"Keys: {_listed(_key(t) for t in keyed)}."
    if keyless := [t.name for t in tables if not t.key]:
        yield f"No column tells apart the rows of {_listed(keyless)}; they go by their numbers."
    if feed.references:
        yield f"References: {_listed(_references(feed.references))}."
    if feed.doubtful:
        doubtful = _listed(f"{_ends(r)} ({100 * r.share:.0f} % of {r.values:,} values found)" for r in feed.doubtful)
        yield f"Doubtful references, not taken: {doubtful}."
    if left := [f"{t.name}.{c.name}" for t in tables for c in t.columns if c.role == "skip"]:
        yield f"Left out, since empty or secret: {_listed(left)}."
    if feed.notes:
        more = f" And {len(feed.notes) - _NOTES} more: hydra-kg load --dry-run." if len(feed.notes) > _NOTES else ""
        yield f"Look at: {'. '.join(note.rstrip('.') for note in feed.notes[:_NOTES])}.{more}"


def _key(t: FeedTable) -> str:
    called = f" (shown as {' '.join(t.called)})" if t.called and t.called != t.key else ""
    return f"{t.name} by {'+'.join(t.key)}{called}"


def _references(references: Sequence[Reference]) -> list[str]:
    by_target: dict[str, list[str]] = {}
    for r in references:
        by_target.setdefault(r.to, []).append(f"{r.table}.{'+'.join(r.columns)}")
    return [f"{', '.join(own)} → {to}" for to, own in by_target.items()]


def _ends(r: Reference) -> str:
    return f"{r.table}.{'+'.join(r.columns)} → {r.to}.{'+'.join(r.to_columns)}"


def _listed(parts: Iterable[str]) -> str:
    found = list(parts)
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{'; '.join(found[:_SHOWN])}{more}"
