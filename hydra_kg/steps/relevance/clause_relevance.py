"""Questions inside questions: each hop of a path is compared with its own clause (HydraRAG §4.1, sub-questions)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, Clause, Floats
from hydra_kg.settings.search import RelevanceSettings
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.question_graph import PerQuestion
from hydra_kg.steps.relevance.path_relevance import Codes, Relevance, relevance_of
from hydra_kg.util.fast_dataclass import dataclass, replace

CLAUSE_GAIN: Final = 0.1  # gain of a path that explains the clauses one after the other
CLAUSE_MERGE: Final = 0.1  # cost of each further clause that one hop is to explain
CLAUSE_STEP: Final = 0.1  # cost of a hop that only leads to the kind of thing that a clause yields


_RELEVANCE: Final = PerQuestion()


@dataclass(frozen=True, slots=True)
class Clauses:
    """A chain of clauses (see ``Chain``) that scores a path by the best assignment of its hops, in order, to clauses.

    The score is the mean of the hops' scores less the prices of ``settings``.

    Args:
        count: The number of clauses.
        parts: ``parts[a, b]`` is the relevance to clauses a … b - 1.
        kinds: ``kinds[b]`` is the relevance to the noun of clause b - 1.
    """

    count: int
    parts: Mapping[tuple[int, int], Relevance]
    kinds: Mapping[int, Relevance]
    settings: RelevanceSettings

    def scores(self, codes: Codes) -> Floats:
        """Return the score of each path's best alignment of hops to clauses that covers all clauses."""
        best: Floats = self._ways(codes)[self.count] / codes.shape[1] + np.float32(CLAUSE_GAIN)
        return best

    def lead(self, codes: Codes) -> Floats:
        """Return the score of each path's best alignment that covers the first clauses, one or more."""
        best: Floats = np.max([w for b, w in self._ways(codes).items() if b], axis=0) / codes.shape[1]
        return best

    def reached(self, codes: Codes) -> dict[int, int]:
        """Return the hop at which each clause ends in the best alignment.

        A clause that one hop explains together with the next clause is left out.
        """
        every: dict[int, tuple[float, tuple[tuple[int, int], ...]]] = {0: (0.0, ())}
        for at, code in enumerate(codes.tolist(), 1):
            hop = np.array([[code]], np.int64)
            ways: dict[int, list[tuple[float, tuple[tuple[int, int], ...]]]] = {}
            for a, b, score in self._hops(hop):
                if a in every:
                    ways.setdefault(b, []).append((every[a][0] + float(score[0]), (*every[a][1], (b, at))))
            every = {b: max(found) for b, found in ways.items()}
        return dict(every[self.count][1]) if self.count in every else {}

    def unexplained(self, codes: Codes) -> float:
        """Return how much relevance the worst explained clause after the first lacks.

        Of all alignments, the one where it lacks least counts.
        """
        each = [self.parts[j, j + 1] for j in range(1, self.count)]
        lack = {0: 0.0}
        for code in codes.tolist():
            hop = np.array([[code]], np.int64)
            lacks = [0.0, *(max(0.0, float(r.fits.max(initial=0.0)) - float(r(hop)[0])) for r in each)]
            ends = {b: lack[b] for b in self.kinds if b in lack}
            for b in range(1, self.count + 1):
                ways = [max(worst, *lacks[a:b]) for a, worst in lack.items() if a < b]
                ends[b] = min([*ways, ends.get(b, np.inf)])
            lack = ends
        return lack[self.count]

    def _hops(self, single: Codes) -> Iterator[tuple[int, int, Floats]]:
        """Yield (a, b, scores) for each step from a to b explained clauses: float32 (n,) for hops int64 (n, 1)."""
        for (a, b), part in self.parts.items():
            yield a, b, part(single) - np.float32(CLAUSE_MERGE * (b - a - 1))
        for b, kind in self.kinds.items():
            yield b, b, kind(single) - np.float32(CLAUSE_STEP)

    def _ways(self, codes: Codes) -> dict[int, Floats]:
        """Return, by the number of clauses explained, the best sum of the hops' scores, float32 (k,) each."""
        distinct, inverse = np.unique(codes, return_inverse=True)
        hops = list(self._hops(distinct[:, None]))
        best = {0: np.zeros(len(codes), np.float32)}
        for place in inverse.reshape(codes.shape).T:
            ways: dict[int, list[Floats]] = {}
            for a, b, hop_scores in hops:
                if a in best:
                    ways.setdefault(b, []).append(best[a] + hop_scores[place])
            best = {b: np.max(found, axis=0) for b, found in ways.items()}
        none = np.full(len(codes), -np.inf, np.float32)
        return {**dict.fromkeys(range(1, self.count + 1), none), **best}


def relevance_to(context: Context, analysis: Analysis) -> Relevance:
    """Return the cached relevance to the question, as one or clause by clause."""
    wording = analysis.indicator, analysis.hints, analysis.answer_noun, analysis.composed, analysis.clauses
    return _RELEVANCE.get(context.graph, wording, lambda: _to_wording(context, analysis))


def _to_wording(context: Context, analysis: Analysis) -> Relevance:
    clauses = analysis.clauses
    if len(clauses) < 2 or not context.settings.relevance.clauses:
        return relevance_of(context, analysis)
    last = len(clauses)
    parts = {
        (a, b): _relevance(context, analysis, clauses[a:b], "" if b < last else analysis.answer_noun)
        for a in range(last)
        for b in range(a + 1, last + 1)
    }
    kinds = {
        b: relevance_of(context, replace(analysis, indicator=c.noun, hints=(), answer_noun=""))
        for b, c in enumerate(clauses, 1)
        if c.noun
    }
    return relevance_of(context, analysis, chain=Clauses(last, parts, kinds, context.settings.relevance))


def _relevance(context: Context, analysis: Analysis, clauses: tuple[Clause, ...], noun: str) -> Relevance:
    """Return the relevance to clauses as one; each clause takes the place that the next one has for it."""
    text = clauses[0].text
    for clause in clauses[1:]:
        text = clause.text.replace("_", text, 1)
    hints = tuple(dict.fromkeys(h for c in clauses for h in c.hints))
    words = " ".join(text.replace("_", " ").split())
    return relevance_of(context, replace(analysis, indicator=words, hints=hints, answer_noun=noun or clauses[-1].noun))
