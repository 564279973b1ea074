"""Finds passages about classes and by full text, ranked as the embedded store ranks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Locator, Passage
from hydra_kg.stores.common.passages import bm25, passage_id, rarest, stem_passages, words
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader
from hydra_kg.text.quoting import lucene_phrases

PROPOSED: Final = 4
"""Passages that Lucene proposes per requested passage, plus 100, because it does not rank exactly as we do."""

Row = list[Any]  # load, n, node, title, url, text, line, words
Ranked = tuple[float, int, int, Row]  # -score, place of the load, place in it


def passages(reader: GraphReader, nodes: Sequence[int], *, query: str, limit: int) -> list[Passage]:
    """See :meth:`hydra_kg.ports.Snapshot.passages`.

    Those about the classes come first; within both groups the best score (bm25 among the passages of a load, 0 without
    a query) first, then by load and place in it.
    """
    found, known = reader.classes_of(nodes)
    members = reader.classes.members(np.unique(found[known]))
    about = reader.many("passages_about", members.tolist(), {"loads": reader.numbers})
    asked = list(map(tuple, stem_passages([("", w) for w in words(query)])))
    asked = [stems for stems in asked if stems]
    near = {(row[0], row[1]) for row in about}
    ranked: list[list[Ranked]] = [[], []]
    counts = _counts(reader, asked)
    for place, load in enumerate(reader.pinned.loads):
        if not load.texts.get("passages"):
            continue
        own = [row for row in about if row[0] == load.number]
        stats = {
            "found": counts.get(load.number, {}),
            "passages": load.texts["passages"],
            "tokens": load.texts.get("tokens", 0),
        }
        scores = _scores(own, asked, stats)
        ranked[0] += [(-score, place, row[1], row) for score, row in zip(scores, own, strict=True)]
        others = _search_load(reader, place, asked, limit + len(own), stats) if asked else []
        ranked[1] += [entry for entry in others if (entry[3][0], entry[3][1]) not in near]
    best = [entry for group in ranked for entry in sorted(group, key=lambda e: e[:3])]
    return _passages(reader, best[:limit])


def _counts(reader: GraphReader, asked: Sequence[Sequence[str]]) -> dict[int, dict[str, int]]:
    out: dict[int, dict[str, int]] = {}
    stems = sorted({s for word in asked for s in word})
    if stems:
        for load, text, count in reader.db.read("passage_words", {"loads": reader.numbers, "words": stems}):
            out.setdefault(load, {})[text] = count
    return out


def _search_load(
    reader: GraphReader, place: int, asked: Sequence[Sequence[str]], limit: int, stats: Mapping[str, Any]
) -> list[Ranked]:
    """Return the passages of one load that contain a word, best first, searched by the rarest of the words."""
    counted = ((min(stats["found"].get(s, 0) for s in stems), stems) for stems in asked)
    chosen, common = rarest(counted)
    if not chosen:
        return []
    rows = reader.db.read(
        "passages_first" if common else "passages_found",
        {
            "query": lucene_phrases(" ".join(stems) for stems in chosen),
            "load": reader.numbers[place],
            "limit": limit if common else PROPOSED * limit + 100,
        },
    )
    scores = [0.0] * len(rows) if common else _scores(rows, chosen, stats)
    ranked = [(-score, place, row[1], row) for score, row in zip(scores, rows, strict=True)]
    return sorted(ranked, key=lambda e: e[:3])[:limit]


def _scores(rows: Sequence[Row], asked: Sequence[Sequence[str]], stats: Mapping[str, Any]) -> list[float]:
    if not asked:
        return [0.0] * len(rows)
    titles = map(len, stem_passages([(row[3], "") for row in rows]))
    return [bm25(row[7].split(" "), asked, title=n, **stats) for row, n in zip(rows, titles, strict=True)]


def _passages(reader: GraphReader, ranked: Sequence[Ranked]) -> list[Passage]:
    """Return the passages of ranked nodes, with their texts."""
    nodes = np.array([row[2] for *_, row in ranked], np.int64)
    classes = np.where(nodes != 0, reader.classes.of(nodes), 0).tolist()
    out = []
    for node, (score, place, _, (_, _, _, title, url, text, line, _)) in zip(classes, ranked, strict=True):
        load = reader.pinned.loads[place]
        source = load.info.sources[0]
        out.append(
            Passage(
                passage_id(source.name, url, title, text),
                title,
                text,
                source,
                Locator(file=load.file, line=line, page=title, url=url),
                node,
                -score,
            )
        )
    return out
