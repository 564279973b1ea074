"""Literal facts, and facts by handle with all their provenance, read only for facts that survived pruning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Fact, Ids, Locator, Source, Values
from hydra_kg.stores.common.refusals import foreign_handle
from hydra_kg.stores.neo4j.connection.load_rows import LINKS, chunk_number
from hydra_kg.stores.neo4j.connection.queries import SPAN, type_name
from hydra_kg.stores.neo4j.reads.pinned_loads import BATCH, GraphReader, columns


def values(reader: GraphReader, nodes: Ids) -> Values:
    """See :meth:`hydra_kg.ports.Snapshot.values`: by place of the class in ``nodes``, then by load and row."""
    found, known = reader.classes_of(nodes)
    members = reader.classes.members(np.unique(found[known]))
    own: dict[int, list[tuple[int, int, int, str]]] = {}
    place = {int(i): n for n, i in enumerate(reader.predicates.ids.tolist())}
    owner = dict(zip(members.tolist(), reader.classes.of(members).tolist(), strict=True))
    for subject, load, row, predicate, literal in reader.many("values", owner, {"loads": reader.numbers}):
        own.setdefault(owner[subject], []).append((int(reader.segments[load]), row, place[predicate], literal))
    for facts in own.values():
        facts.sort()
    rows = [
        (c, pred, literal, segment, ~row)
        for c, is_known in zip(found.tolist(), known.tolist(), strict=True)
        if is_known
        for segment, row, pred, literal in own.get(c, ())
    ]
    node, predicate, literal, segment, row = columns((np.int64, np.int32, object, np.int16, np.int64), rows)
    return Values(node, predicate, tuple(literal.tolist()), segment, row)


def facts(reader: GraphReader, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
    """See :meth:`hydra_kg.ports.Snapshot.facts`. Raises UsageError for a handle of another snapshot."""
    places = list(zip(segment.tolist(), row.tolist(), strict=True))
    made: dict[tuple[int, int], Fact] = {}
    links = sorted({place for place in places if place[1] >= 0})
    literal = sorted({place for place in places if place[1] < 0})
    if any(not 0 <= n < len(reader.numbers) for n, _ in (*links, *literal)):
        raise foreign_handle()
    for i in range(0, len(links), BATCH):
        made.update(_links(reader, links[i : i + BATCH]))
    for n in sorted({n for n, _ in literal}):
        made.update(_literal(reader, n, [~at for m, at in literal if m == n]))
    if len(made) < len(links) + len(literal):
        reader.fail_if_closed()
        raise foreign_handle()
    return [made[place] for place in places]


def _links(reader: GraphReader, wanted: list[tuple[int, int]]) -> dict[tuple[int, int], Fact]:
    """Return the facts of links by (load, row)."""
    chunks: dict[tuple[int, int], list[int]] = {}
    for n, row in wanted:
        chunks.setdefault((n, row // reader.pinned.loads[n].rows), []).append(row)
    asked: list[Mapping[str, Any]] = []
    for (n, chunk), rows in chunks.items():
        load = reader.pinned.loads[n]
        asked.append(
            {
                "load": load.number,
                "n": chunk_number(LINKS, chunk),
                "first": chunk * load.rows,
                "rows": rows,
                "base": load.number * SPAN,
            }
        )
    made = {}
    keys = {type_name(key): key for key in reader.predicates.keys}
    for handle, fid, s, kind, o, source, line, *detail in reader.db.read("fact_links", {"chunks": asked}):
        n, row = int(reader.segments[handle // SPAN]), handle % SPAN
        made[n, row] = _fact(reader, n, fid, s, keys[kind], o, source, line, detail)
    return made


def _literal(reader: GraphReader, n: int, rows: list[int]) -> dict[tuple[int, int], Fact]:
    found = reader.db.read("fact_values", {"load": reader.numbers[n], "rows": rows})
    subjects = dict(zip((r[2] for r in found), reader.keys([r[2] for r in found]), strict=True))
    keys = dict(zip(reader.predicates.ids.tolist(), reader.predicates.keys, strict=True))
    return {
        (n, ~row): _fact(reader, n, fid, subjects[s], keys[p], o, source, line, detail)
        for row, fid, s, p, o, source, line, *detail in found
    }


def _fact(
    reader: GraphReader, n: int, fid: int, s: str, p: str, o: str, source: str, line: int, detail: Sequence[Any]
) -> Fact:
    """Return a fact with its source, details and place."""
    load = reader.pinned.loads[n]
    origin = next((x for x in load.info.sources if x.name == source), Source(source))
    rank, confidence, qualifiers, where = detail
    return Fact(
        fid,
        s,
        p,
        o,
        origin,
        Locator.at(where or "", file=load.file, line=line),
        rank or "",
        1.0 if confidence is None else confidence,
        tuple((str(k), str(v)) for k, v in json.loads(qualifiers or "[]")),
    )
