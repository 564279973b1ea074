"""Beam search as ToG and ToG-2 do it: prune relations, then entities, by an agent's scores or by draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import Analysis, Option
from hydra_kg.steps.answering.results import named
from hydra_kg.steps.beam.frontier import Branch, Frontier, PathWalk
from hydra_kg.steps.context import Context
from hydra_kg.steps.snapshots.kg_sampling import mixed
from hydra_kg.text.folding import fold
from hydra_kg.util.recording import step


def prune_relations(
    context: Context,
    analysis: Analysis,
    grown: Sequence[Sequence[Branch]],
    *,
    width: int,
    threshold: float = 0.0,
    combined: bool = False,
    shares: bool = False,
    most: int = 0,
) -> list[Branch]:
    """Return the ``width`` best relations of each entity, by score of the relation × score of the walk.

    The agent is asked once per entity (ToG §2.2.2, ToG-2 Eq. 2), or once for all if ``combined`` (Eq. 3). A relation
    that two graphs state in similar words is offered, and counts, once.

    Args:
        grown: The branches of each walk.
        threshold: The lowest score that a relation may have.
        shares: Scale the scores of one call so that they sum to 1.
        most: The largest number of relations of all entities together, 0 for any number.
    """
    selected: list[list[Branch]] = []
    groups = [[b for branches in grown for b in branches]] if combined else [list(b) for b in grown]
    for group in groups:
        if not group:
            continue
        group.sort(key=lambda b: -b.relevance)
        entities = len({b.walk.end for b in group})
        same = same_relations(group) if context.agent.reads else [[b] for b in group]
        options = [Option(f"{{{_text(context, own[0].walk.end)}}} → {own[0].text}", own[0].relevance) for own in same]
        asked = width * entities if context.agent.reads else len(same)
        count_of: dict[int, int] = {}
        chosen: list[tuple[list[Branch], float]] = []
        for picked in context.agent.prune(analysis, "relations", options, most=asked):
            walk = id(same[picked.place][0].walk)
            if picked.score >= threshold and count_of.get(walk, 0) < width:
                count_of[walk] = count_of.get(walk, 0) + 1
                chosen.append((same[picked.place], picked.score))
        total = (sum(score for _, score in chosen) or 1.0) if shares else 1.0
        selected += [[replace(b, score=b.walk.score * score / total) for b in own] for own, score in chosen]
    selected.sort(key=lambda own: -own[0].score)
    return [b for own in selected[: most or None] for b in own]


def same_relations(branches: Sequence[Branch]) -> list[list[Branch]]:
    """Group the branches of one walk whose relations say the same.

    Two graphs may state one relation in different words, such as ``place of death`` and ``deceased person place of
    death``. The shortest wording comes first in each group. The groups are in the order of the branches.
    """
    groups: list[list[Branch]] = []
    for branch in branches:
        for own in groups:
            if own[0].walk is branch.walk and any(_ends_alike(branch, other) for other in own):
                own.append(branch)
                own.sort(key=lambda b: len(b.text))
                break
        else:
            groups.append([branch])
    return groups


def _ends_alike(one: Branch, other: Branch) -> bool:
    """Return True if one wording ends with the other and both lead to a common entity."""
    short, long = sorted((f" {fold(one.text)}", f" {fold(other.text)}"), key=len)
    return long.endswith(short) and not set(one.ends).isdisjoint(other.ends)


def prune_entities(
    search: Frontier, branches: Sequence[Branch], *, width: int, many: int, sample: int, shares: bool = False
) -> tuple[list[PathWalk], list[PathWalk]]:
    """Return the ``width`` best walks to the branches' entities by score × entity score, and the pruned ones.

    Over ``many`` entities, a ``sample`` drawn by seed is scored. There is one call per relation. Without a model, all
    entities count alike. With ``shares``, the scores of a call sum to 1. Entities without a name, such as mediators,
    are passed through, with equal scores and without a call, where a relation leads to no others (ToG's code).
    """
    context, found = search.context, list[PathWalk]()
    for own in same_relations(branches) if context.agent.reads else [[b] for b in branches]:
        branch = own[0]
        nodes = _named_first(context, dict.fromkeys(n for b in own for n in b.ends))
        if len(nodes) > many:
            nodes = _drawn(nodes, sample, context.settings.seed)
        nodes.sort(key=lambda n: (-context.entities([n])[n].degree, n))
        walks = {w.end: w for b in reversed(own) for w in search.walked(b, nodes)}
        start = f"{{{_text(context, branch.walk.end)}}} → {branch.text}"
        options = [Option(f"{start} → {{{_text(context, n)}}}", 1.0) for n in nodes]
        scores = dict.fromkeys(range(len(nodes)), 1.0 / len(nodes)) if nodes else {}
        if len(nodes) > 1 and named(context.entities(nodes[:1])[nodes[0]]):
            picked = context.agent.prune(search.analysis, "entities", options, most=len(nodes))
            total = (sum(p.score for p in picked) or 1.0) if shares else 1.0
            scores = {p.place: p.score / total for p in picked}
        found += [replace(walks[n], score=branch.score * scores.get(i, 0.0)) for i, n in enumerate(nodes)]
    found.sort(key=lambda w: -w.score)
    return found[:width], found[width:]


@step("draw_entities")
def draw_entities(search: Frontier, branches: Sequence[Branch], *, width: int) -> list[PathWalk]:
    """Draw an entity of each branch by seed, then a second of each, until there are ``width`` (ToG-R, random prune)."""
    context = search.context
    pools = [(b, _drawn(_named_first(context, b.ends), width, context.settings.seed)) for b in branches]
    chosen = [(b, pool[turn]) for turn in range(width) for b, pool in pools if turn < len(pool)][:width]
    return [w for b, n in chosen for w in search.walked(b, [n], score=b.score)]


def _drawn(nodes: Sequence[int], most: int, seed: int) -> list[int]:
    """Return ``most`` of the classes by the least 64-bit mix of id and seed, which is the same in every store."""
    keys = mixed(np.array(nodes, np.int64), seed=seed) if nodes else np.zeros(0, np.uint64)
    return [nodes[i] for i in np.argsort(keys, kind="stable")[:most].tolist()]


def _named_first(context: Context, nodes: Iterable[int]) -> list[int]:
    """Return the entities that have names, or all if none has."""
    ids = list(nodes)
    known = context.entities(ids)
    return [n for n in ids if named(known[n])] or ids


def _text(context: Context, node: int) -> str:
    entity = context.entities([node])[node]
    return entity.node.name if named(entity) else ""
