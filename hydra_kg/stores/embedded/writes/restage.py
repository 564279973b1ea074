"""A written load as a stage again: complete, to be copied, or without one of its sources, to drop that source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, Array
from hydra_kg.stores.embedded.segments.fact_details import all_details
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.segments.load_texts import KINDS
from hydra_kg.stores.embedded.segments.name_rows import names_of

_BATCH = 50_000


class SegmentStage:
    """A written load as a stage (port Stage), complete or ``without`` one source.

    Left out are the facts of that source, the nodes that had no other facts, and the names, terms and predicates that
    are then unused.
    """

    def __init__(self, segment: Segment, *, without: int | None = None) -> None:
        self._s, self._without = segment, -1 if without is None else without
        self._rest = len(segment.manifest["sources"]) - (without is not None)

    def counts(self) -> Mapping[str, int]:
        counts: dict[str, int] = dict(self._s.manifest["counts"])
        return counts | {"links": int(self._keep("source").sum()), "values": int(self._keep("vsource").sum())}

    def links(self) -> Iterator[Mapping[str, Array]]:
        s = self._s
        return self._facts(s.foff, s.fpred, s.fdst, s.source, s.detail, links=True)

    def values(self) -> Iterator[Mapping[str, Array]]:
        s = self._s
        return self._facts(s.voff, s.vpred, s.vobj, s.vsource, s.vdetail, links=False)

    def nodes(self) -> Iterator[Ids]:
        yield self._s.nodes[self._node_mask]

    def mediators(self) -> Iterator[Ids]:
        yield self._s.nodes[self._node_mask & (self._s.mediator != 0)]

    def terms(self) -> Iterator[tuple[Ids, Sequence[str]]]:
        """Yield terms that are still used, or that no node or value used before."""
        s, keep = self._s, self._keep("vsource")
        gone = np.setdiff1d(
            np.concatenate((s.nodes[~self._node_mask], s.vobj[~keep])),
            np.concatenate((s.nodes[self._node_mask], s.vobj[keep])),
        )
        for ids in _split(s.term_id[~np.isin(s.term_id, gone)]):
            yield ids, [t or "" for t in s.terms(ids)]

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        kinds = {v: k for k, v in KINDS.items()}
        names = names_of(self._s)
        for low in range(0, names.count, _BATCH):
            found = names.read(np.arange(low, min(low + _BATCH, names.count)))
            yield [(self._id(n), kinds[kind], text) for n, kind, text in found if self._node_mask[n]]
        for rows in self._rows("SELECT node, text FROM description ORDER BY node"):
            yield [(self._id(n), "description", text) for n, text in rows if self._node_mask[n]]

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        """Return the predicates that are still used, or that were not used before."""
        s = self._s
        used = np.zeros(len(s.preds), np.bool_)
        used[s.fpred[self._keep("source")]] = True
        used[s.vpred[self._keep("vsource")]] = True
        remaining = set(s.preds[used | (s.pcount == 0)].tolist())
        rows = [r for batch in self._rows("SELECT id, key, text, inverse FROM predicate ORDER BY id") for r in batch]
        return [r for r in rows if r[0] in remaining]

    def passages(self) -> Iterator[Sequence[tuple[int, str, str, str, int]]]:
        for rows in self._rows("SELECT node, title, url, text, line FROM passage ORDER BY id"):
            yield [(self._id(n) if n >= 0 else 0, *rest) for n, *rest in rows]

    def same_as(self) -> Iterator[Mapping[str, Array]]:
        yield {"a": self._s.same_a, "b": self._s.same_b, "line": self._s.same_line}

    def details(self) -> Iterator[Sequence[tuple[int, str, float, str, str]]]:
        links, values = self._keep("source"), self._keep("vsource")
        new, vnew = np.cumsum(links) - 1, np.cumsum(values) - 1
        for rows in all_details(self._s, literal=False):
            yield [(int(new[r]), rank, sure, more, at) for r, rank, sure, more, at in rows if links[r]]
        for rows in all_details(self._s, literal=True):
            yield [(~int(vnew[~r]), rank, sure, more, at) for r, rank, sure, more, at in rows if values[~r]]

    @cached_property
    def _node_mask(self) -> npt.NDArray[np.bool_]:
        """Return which nodes stay: those with facts, same-as links or passages left, and those that had none before."""
        s, n = self._s, len(self._s.nodes)
        had, has = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        for off in (s.foff, s.roff, s.voff):
            had |= off[1:] > off[:-1]
        for off, keep in ((s.foff, self._keep("source")), (s.voff, self._keep("vsource"))):
            before = np.zeros(len(keep) + 1, np.int64)
            np.cumsum(keep, out=before[1:])
            has |= before[off[1:]] != before[off[:-1]]
        has[s.fdst[self._keep("source")]] = True
        named = np.isin(s.nodes, np.concatenate((s.same_a, s.same_b)))
        for rows in self._rows("SELECT DISTINCT node FROM passage WHERE node >= 0"):
            named[[r[0] for r in rows]] = True
        return has | named | ~had

    def _keep(self, column: str) -> npt.NDArray[np.bool_]:
        source: npt.NDArray[np.uint16] | None = getattr(self._s, column)
        if source is None:  # all of the first source
            return np.full(len(self._s.fdst if column == "source" else self._s.vobj), self._without != 0)
        mask: npt.NDArray[np.bool_] = source != self._without
        return mask

    def _facts(
        self,
        off: Array,
        pred: Array,
        ends: Array,
        source: npt.NDArray[np.uint16] | None,
        detail: Array | None,
        *,
        links: bool,
    ) -> Iterator[Mapping[str, Array]]:
        """Yield batches of the facts whose sources stay."""
        nodes, preds, keep = self._s.nodes, self._s.preds, self._keep("source" if links else "vsource")
        for low in range(0, len(pred), CHUNK):
            rows = np.flatnonzero(keep[low : low + CHUNK]) + low
            subject = np.searchsorted(off, rows, "right") - 1
            o = ends[rows]
            line = self._s.lines(rows, subject, literal=not links)
            batch = {"s": nodes[subject], "p": preds[pred[rows]], "o": nodes[o] if links else o, "line": line}
            if source is not None and self._rest > 1:
                moved = self._without >= 0
                batch["source"] = source[rows] - (moved & (source[rows] > self._without)).astype(np.uint16)
            if detail is not None:
                batch["detail"] = (detail[rows >> 3] >> (rows & 7).astype(np.uint8) & 1).astype(np.bool_)
            yield batch

    def _id(self, local: int) -> int:
        return int(self._s.nodes[local])

    def _rows(self, sql: str) -> Iterator[list[Any]]:
        with closing(self._s.open_texts()) as db:
            found = db.execute(sql)
            while rows := found.fetchmany(_BATCH):
                yield rows


def _split(ids: Ids) -> Iterator[Ids]:
    for i in range(0, len(ids), _BATCH):
        yield ids[i : i + _BATCH]
