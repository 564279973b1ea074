"""All statements of one load as cells (entity, column, text), to compare whole feeds row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from difflib import get_close_matches
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Ids, Index
from hydra_kg.errors import NotFoundError
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.reads.snapshot_graph import extents, ranges
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.segments.load_texts import KINDS
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.text.literals import literal_text

NAME: Final = "name"
OWN_KEY: Final = "key"
"""Column for names that are the entity's key: a text if the load has one column for both, otherwise an id."""

DESCRIPTION: Final = "description"

_PAGE: Final = 100_000  # nodes read at a time


class Cells(NamedTuple):
    """Cells as columns: ids of entities, and for each the number of its column's name and of its text."""

    node: Ids
    column: Index
    text: Index
    columns: Sequence[str]
    texts: Sequence[str]


def feed_entities(pinned: PinnedGeneration, load: str) -> Ids:
    """Return the ids, ascending, of the entities that a load states something about, without mediators.

    Raises NotFoundError.
    """
    segment = pinned.loads[_place(pinned, load)][1]
    return np.asarray(segment.nodes, np.int64)[_rows(segment)]


def feed_cells(pinned: PinnedGeneration, load: str, *, predicates: Sequence[str]) -> Iterator[Cells]:
    """Yield a load's literals, names and descriptions as cells.

    ``predicates`` are the names of the generation's predicates. Raises NotFoundError.
    """
    place = _place(pinned, load)
    segment = pinned.loads[place][1]
    names = [predicates[p] for p in pinned.generation.maps[place].to_pred.tolist()]
    rows = _rows(segment)
    for low in range(0, len(rows), _PAGE):
        page = rows[low : low + _PAGE]
        yield _literals(segment, page, names)
        yield _ends(segment, page, names)
    yield from _read_named_cells(segment, rows)


def _place(pinned: PinnedGeneration, load: str) -> int:
    for place, (info, _) in enumerate(pinned.loads):
        if info.name == load:
            return place
    known = [info.name for info, segment in pinned.loads if len(_rows(segment))]
    near = get_close_matches(load, known, n=1)
    guess = f"Did you mean {near[0]}? " if near else ""
    raise NotFoundError(f"No feed is loaded as {load}.", remedy=f"{guess}There are: {', '.join(known) or 'none'}.")


def _rows(segment: Segment) -> npt.NDArray[np.int64]:
    """Return the local nodes with facts of their own, and those that only have a name and no links to them."""
    values, links, back = (np.diff(off.astype(np.int64)) for off in (segment.voff, segment.foff, segment.roff))
    named = segment.are_named()
    return np.flatnonzero(((values + links > 0) | (named & (back == 0))) & (segment.mediator == 0))


def _literals(segment: Segment, rows: npt.NDArray[np.int64], names: Sequence[str]) -> Cells:
    low, count = extents(segment.voff, rows)
    at = ranges(low, count)
    distinct, code = np.unique(segment.vobj[at], return_inverse=True)
    inline = [ids.decode(i) for i in distinct.tolist()]
    texts = [literal_text(a or b or "") for a, b in zip(inline, segment.terms(distinct), strict=True)]
    node = np.repeat(np.asarray(segment.nodes[rows], np.int64), count)
    return Cells(node, segment.vpred[at].astype(np.int32), code.astype(np.int32), names, texts)


def _ends(segment: Segment, rows: npt.NDArray[np.int64], names: Sequence[str]) -> Cells:
    low, count = extents(segment.foff, rows)
    at = ranges(low, count)
    distinct, code = np.unique(segment.fdst[at], return_inverse=True)
    node = np.repeat(np.asarray(segment.nodes[rows], np.int64), count)
    return Cells(node, segment.fpred[at].astype(np.int32), code.astype(np.int32), names, segment.labels(distinct))


def _read_named_cells(segment: Segment, rows: npt.NDArray[np.int64]) -> Iterator[Cells]:
    """Yield the names and descriptions of rows as columns of cells."""
    wanted = np.zeros(len(segment.nodes), np.bool_)
    wanted[rows] = True
    for column, fetched in _read_texts(segment):
        page = [row for row in fetched if wanted[row[0]]]
        nodes = np.asarray(segment.nodes[np.array([node for node, _ in page], np.int64)], np.int64)
        tails = [(key or "").partition(":")[2] for key in segment.terms(nodes)]
        own = np.array([text == tail for (_, text), tail in zip(page, tails, strict=True)], np.int32)
        code = np.arange(len(page), dtype=np.int32)
        yield Cells(nodes, own, code, [column, OWN_KEY], [text for _, text in page])


def _read_texts(segment: Segment) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield the names and descriptions of local nodes, many at a time, each with the name of their column."""
    names = names_of(segment)
    for low in range(0, names.count, _PAGE):
        found = names.read(np.arange(low, min(low + _PAGE, names.count)))
        yield NAME, [(node, text) for node, kind, text in found if kind != KINDS["alias"]]
    with closing(segment.open_texts()) as db:
        described = db.execute("SELECT node, text FROM description")
        while fetched := described.fetchmany(_PAGE):
            yield DESCRIPTION, fetched
