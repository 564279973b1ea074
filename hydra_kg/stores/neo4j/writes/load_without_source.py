"""A load without one of its sources, read back from the graph: how a source of a table of many sources is dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Ids
from hydra_kg.stores.neo4j.connection.chunk_layout import KINDS, LINKS, NODES, SAME_AS, chunk_number
from hydra_kg.stores.neo4j.connection.queries import SPAN, Database, type_name
from hydra_kg.stores.neo4j.reads.nodes import MEDIATOR

_Fact = tuple[int, int, int, int, int, list[Any]]  # s, p, o, line, source, detail


@dataclass(slots=True)
class StageWithoutSource:
    """A load without one of its sources, as an in-memory stage (port Stage): only tables have several sources.

    A node goes when all its facts went; one that never had any, or stands in a same-as link or a passage, stays.
    Names and predicates go with the last thing that used them.
    """

    link_rows: list[_Fact]
    value_rows: list[_Fact]
    node_ids: Ids
    mediator_ids: Ids
    term_texts: dict[int, str]
    name_rows: list[tuple[int, str, str]]
    predicate_rows: list[tuple[int, str, str, str]]
    passage_rows: list[tuple[int, str, str, str, int]]
    same_as_rows: list[tuple[int, int, int]] = field(default_factory=list)

    def counts(self) -> Mapping[str, int]:
        """Rows per stream."""
        return {
            "links": len(self.link_rows),
            "values": len(self.value_rows),
            "nodes": len(self.node_ids),
            "terms": len(self.term_texts),
            "names": len(self.name_rows),
            "passages": len(self.passage_rows),
            "same_as": len(self.same_as_rows),
        }

    def links(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Kept links."""
        yield _columns(self.link_rows)

    def values(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Kept literal facts."""
        yield _columns(self.value_rows)

    def nodes(self) -> Iterator[Ids]:
        """Kept nodes."""
        yield self.node_ids

    def mediators(self) -> Iterator[Ids]:
        """Kept mediators."""
        yield self.mediator_ids

    def terms(self) -> Iterator[tuple[Ids, Sequence[str]]]:
        """Texts of hashed ids."""
        order = sorted(self.term_texts)
        yield np.array(order, np.int64), [self.term_texts[i] for i in order]

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        """Names and descriptions of kept nodes."""
        yield self.name_rows

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        """Kept predicates."""
        return self.predicate_rows

    def passages(self) -> Iterator[Sequence[tuple[int, str, str, str, int]]]:
        """All passages."""
        yield self.passage_rows

    def same_as(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """All same-as links."""
        table = np.array(self.same_as_rows, np.int64).reshape(-1, 3)
        yield {"a": table[:, 0], "b": table[:, 1], "line": table[:, 2]}

    def details(self) -> Iterator[Sequence[tuple[int, str, float, str, str]]]:
        """Details of kept facts, under their new rows."""
        for rows, sign in ((self.link_rows, False), (self.value_rows, True)):
            yield [
                (~n if sign else n, d[0] or "", 1.0 if d[1] is None else d[1], d[2] or "[]", d[3] or "")
                for n, (*_, d) in enumerate(rows)
                if any(x is not None for x in d)
            ]


def stage_without_source(db: Database, load: int, sources: Sequence[str], *, without: str) -> StageWithoutSource:
    """A load without the facts of one of its sources."""
    place = {name: n for n, name in enumerate(s for s in sources if s != without)}
    columns = db.read("predicates", {"loads": [load]})
    predicates = [row for column in columns for row in zip(*column[1:5], strict=True)]
    of_type = {type_name(key): i for i, key, _, _ in predicates}
    nodes = np.array(sorted(i for ids_ in _subjects(db, load, NODES) for i in ids_), np.int64)
    before: list[_Fact] = []
    before_values: list[_Fact] = []
    handles = {"low": load * SPAN, "high": (load + 1) * SPAN}
    seen: set[int] = set()
    for subjects in _subjects(db, load, LINKS):
        here = sorted(set(subjects) - seen)
        seen.update(here)
        for _, s, o, kind, source, line, *detail in sorted(db.read("rest_links", {"ids": here, **handles})):
            fact = (s, of_type[kind], o, line, place.get(source, -1), detail)
            before.append(fact)
    terms: dict[int, str] = {}
    for _, s, p, literal, source, line, *detail in db.read("rest_values", {"load": load}):
        o = ids.encode(literal)
        if not ids.is_inline(o):
            terms[o] = literal
        before_values.append((s, p, o, line, place.get(source, -1), detail))
    links, values = ([f for f in facts if f[4] >= 0] for facts in (before, before_values))
    same_as = [
        (a, b, line)
        for subjects in _subjects(db, load, SAME_AS)
        for a, b, line in db.read("rest_same_as", {"load": load, "ids": sorted(set(subjects))})
    ]
    passages = [(n, title, url, text, line) for n, title, url, text, line in db.read("rest_passages", {"load": load})]
    needed = {i for a, b, _ in same_as for i in (a, b)} | {p[0] for p in passages}
    gone = _nodes(before, before_values) - _nodes(links, values) - needed
    unused = {f[1] for f in (*before, *before_values)} - {f[1] for f in (*links, *values)}
    remaining = nodes[~np.isin(nodes, np.array(sorted(gone), np.int64))]
    hashed = [i for i in remaining.tolist() if not ids.is_inline(i)]
    terms |= {i: key for row in db.read("keys", {"ids": hashed}) for i, key in zip(*row, strict=True)}
    kinds = {number: kind for kind, number in KINDS.items()}
    names = [(n, kinds[kind], text) for n, kind, text in db.read("rest_names", {"load": load}) if n not in gone]
    return StageWithoutSource(
        links,
        values,
        remaining,
        _mediators(db, load, remaining),
        terms,
        sorted(names),
        [p for p in predicates if p[0] not in unused],
        passages,
        sorted(set(same_as)),
    )


def _subjects(db: Database, load: int, stream: int) -> list[list[int]]:
    between = {"low": chunk_number(stream, 0), "high": chunk_number(stream + 1, 0)}
    return [subjects for _, subjects in db.read("chunk_subjects", {"load": load, **between})]


def _mediators(db: Database, load: int, nodes: Ids) -> Ids:
    ((found, parts),) = db.read("nodes", {"ids": nodes.tolist()})
    ours = {i for i, part in zip(found, parts, strict=True) if part // SPAN == load and part & MEDIATOR}
    return np.array(sorted(ours), np.int64)


def _nodes(links: Sequence[_Fact], values: Sequence[_Fact]) -> set[int]:
    return {i for f in links for i in (f[0], f[2])} | {f[0] for f in values}


def _columns(rows: Sequence[_Fact]) -> Mapping[str, npt.NDArray[Any]]:
    table = np.array([row[:5] for row in rows], np.int64).reshape(-1, 5)
    detail = np.array([any(x is not None for x in row[5]) for row in rows], np.bool_)
    return {
        "s": table[:, 0],
        "p": table[:, 1],
        "o": table[:, 2],
        "line": table[:, 3],
        "source": table[:, 4].astype(np.uint16),
        "detail": detail,
    }
