"""Candidates of the agent (HydraRAG Algorithm 4): the W_2 best of relation, literal-ended and written paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Entity, Evidence, Node, RelationCompetition
from hydra_kg.steps.answering.literal_paths import ValuePath
from hydra_kg.steps.answering.results import named
from hydra_kg.steps.context import Context
from hydra_kg.steps.relevance.path_relevance import CEILING, Relevance
from hydra_kg.steps.retrieval.graph_retrieval import JudgedPath, RetrievalResult
from hydra_kg.steps.retrieval.topic_constraint import RelationPath
from hydra_kg.steps.verification.relation_competition import relation_competition
from hydra_kg.util.fast_dataclass import dataclass, replace

_CANDIDATE_ENDS: Final = 40  # ends of a relation path that are answers of its candidate


SHOWN = 8
"""Names of a set that a model is shown."""

Leading = Callable[[Evidence, Sequence[Node]], Sequence[Evidence]]
"""A piece of evidence for a set as one path for each of some of its ends."""


def alone(evidence: Evidence, nodes: Sequence[Node]) -> Sequence[Evidence]:
    """Return the evidence for one end, with the path that leads to it."""
    return [replace(evidence, answers=(n,)) for n in nodes]


@dataclass(frozen=True, slots=True, eq=False)
class Structured:
    """The structured retrieval of an exploration: relation paths, literal-ended paths, scorer and evidence."""

    found: RetrievalResult
    values: tuple[ValuePath, ...]
    relevance: Relevance
    value_evidence: tuple[Evidence, ...] = ()

    @property
    def values_first(self) -> bool:
        """Return True if the best literal-ended path is more relevant than the best relation path."""
        judged = self.found.judged
        return bool(self.values) and (not judged or self.values[0].score > judged[0].relation.score)

    @property
    def best(self) -> RelationPath | ValuePath | None:
        """Return the best path, whatever it ends in, or None without a path."""
        return self.values[0] if self.values_first else next((j.relation for j in self.found.judged), None)

    @property
    def competition(self) -> RelationCompetition | None:
        """Return how the best path compares with competing relations, or None without a path."""
        return None if self.best is None else self.competition_of(self.best)

    @property
    def unexplained(self) -> float:
        """Return how much the best path lacks to explain each clause, in [0, 1].

        It is also more than 0 if the path passes a thing of another kind than a clause names.
        """
        chain, best = self.relevance.chain, self.best
        if chain is None or best is None:
            return 0.0
        path = np.array(best.codes, np.int64)
        other = float(self.relevance(path[None, :])[0]) - best.score
        return min(1.0, (chain.unexplained(path) + max(0.0, other)) / CEILING)

    def competition_of(self, path: RelationPath | ValuePath) -> RelationCompetition:
        """Return how one of the paths compares with competing relations."""
        return relation_competition(self.relevance, path.codes, path.score, self.found, [v.code for v in self.values])


@dataclass(frozen=True, slots=True, eq=False)
class RelationCandidate:
    """A relation path that the agent may select, by its ``place`` in ``of.found.judged``."""

    evidence: Evidence
    of: Structured
    place: int

    @property
    def judged(self) -> JudgedPath:
        """Return the relation path with its scores."""
        return self.of.found.judged[self.place]

    @property
    def competition(self) -> RelationCompetition | None:
        """Return how the path compares with competing relations."""
        return self.of.competition_of(self.judged.relation)


@dataclass(frozen=True, slots=True, eq=False)
class ValueCandidate:
    """A literal-ended path that the agent may select."""

    evidence: Evidence
    of: Structured
    value: ValuePath

    @property
    def competition(self) -> RelationCompetition | None:
        """Return how the path compares with competing relations."""
        return self.of.competition_of(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class TextCandidate:
    """A path written from text that the agent may select."""

    evidence: Evidence

    @property
    def competition(self) -> RelationCompetition | None:
        """Return None, because only paths that are stated as facts compete with relations."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class OwnCandidate:
    """A candidate of a strategy's own search, judged without a selection; ``leading`` gives its paths."""

    evidence: Evidence
    leading: Leading = alone


PathCandidate = RelationCandidate | ValueCandidate | TextCandidate
"""A path that the agent may select."""


def candidates(
    context: Context, structured: Structured | None, text: Sequence[Evidence], *, phase: str
) -> tuple[PathCandidate, ...]:
    """Return at most W_2 candidates, best first.

    Literal-ended paths come first if they are more relevant. Paths from text are placed by cross-score.
    """
    stated: list[PathCandidate] = []
    if structured is not None:
        relations = [
            RelationCandidate(e, structured, i)
            for i, e in enumerate(_relation_evidence(context, structured.found, phase))
        ]
        pairs = zip(structured.value_evidence, structured.values, strict=False)
        literals = [ValueCandidate(e, structured, v) for e, v in pairs]
        stated = [*literals, *relations] if structured.values_first else [*relations, *literals]
    from_text = [TextCandidate(e) for e in text]
    merged = list(_merged(stated, from_text))
    return tuple(merged[: context.settings.pruning.w2])


def joined(pools: Iterable[Sequence[PathCandidate]], *, most: int) -> tuple[PathCandidate, ...]:
    """Merge the candidates of several explorations (Algorithm 3 line 27).

    Each path is returned once. The ``most`` with the best cross-scores are returned, best first.
    """
    best: dict[str, PathCandidate] = {}
    for candidate in (c for pool in pools for c in pool):
        text = candidate.evidence.path.text
        if text not in best or candidate.evidence.scores.cross > best[text].evidence.scores.cross:
            best[text] = candidate
    ranked = sorted(best.values(), key=lambda c: (-c.evidence.scores.cross, c.evidence.path.text))
    return tuple(ranked[:most])


def _merged(stated: Sequence[PathCandidate], from_text: Sequence[TextCandidate]) -> Iterator[PathCandidate]:
    """Yield the candidates of two lists, each in its own order.

    A path from text precedes the first stated path with a lower cross-score.
    """
    waiting = list(from_text)
    for candidate in stated:
        while waiting and waiting[0].evidence.scores.cross > candidate.evidence.scores.cross:
            yield waiting.pop(0)
        yield candidate
    yield from waiting


def _relation_evidence(context: Context, found: RetrievalResult, phase: str) -> list[Evidence]:
    judged, graph = found.judged[: context.settings.pruning.w2], found.hops
    most = _CANDIDATE_ENDS
    sets = [_sets(j) for j in judged]
    shown = {n for columns in sets for column in columns for n in column}
    ends = {n for j in judged for n in j.relation.ends[:most].tolist()}
    known = context.entities([int(graph.ids[n]) for n in shown | ends])
    evidence = []
    for j, columns in zip(judged, sets, strict=True):
        reached = [known[int(graph.ids[n])] for n in j.relation.ends[:most].tolist()]
        answers = tuple(e.node for e in reached if named(e))
        names = [_names(known[int(graph.ids[n])] for n in column) for column in columns]
        backers = tuple(sorted(j.origins))
        evidence.append(Evidence(j.path, j.scores, phase, True, "cross-score", answers, backers, "", _line(j, names)))
    return evidence


def _sets(judged: JudgedPath) -> list[list[int]]:
    """Return the local nodes at each place of the relation path, each once, at most one more than are shown."""
    nodes = judged.relation.shown.nodes(judged.relation.rows)
    columns = []
    for place in range(nodes.shape[1]):
        column = judged.relation.ends if place == judged.relation.hops else nodes[:, place]
        columns.append(list(dict.fromkeys(column.tolist()))[: SHOWN + 1])
    return columns


def _names(entities: Iterable[Entity]) -> list[str]:
    return [e.node.name for e in entities if named(e)]


def _line(judged: JudgedPath, names: Sequence[Sequence[str]]) -> str:
    parts = ["{" + ", ".join(names[0][:SHOWN]) + "}"]
    for hop, column in zip(judged.path.hops, names[1:], strict=False):
        more = ", …" if len(column) > SHOWN else ""
        parts.append(f"{hop.text} → {{{', '.join(column[:SHOWN])}{more}}}")
    aside = judged.path.hops[judged.relation.shown.depth :]
    touching = (f"{h.subject.name} — {h.text} → {h.object.name}" for h in aside)
    return " → ".join(parts) + "".join(f"; {t}" for t in touching)
