"""Rounds of ToG-2 (§3.2, §3.3, Algorithm 1): relations, entities by their documents, reasoning with clues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Exploration, Mention, Option, SearchState
from hydra_kg.steps.answering.candidates import Leading, alone
from hydra_kg.steps.answering.results import Attempt, named
from hydra_kg.steps.answering.select_and_judge import explored, judge_evidence
from hydra_kg.steps.beam.beam_search import prune_relations
from hydra_kg.steps.beam.frontier import Branch, Frontier, PathWalk
from hydra_kg.steps.context import Context
from hydra_kg.steps.text.entity_contexts import best_chunks, chunk_evidence, entity_scores
from hydra_kg.steps.text.sentence_retrieval import PassageSentence, Ranker
from hydra_kg.util.fast_dataclass import dataclass, field, replace

_DOCUMENT_ENTITIES: Final = 60  # entities of one relation whose documents are looked at (tog-2)


def _thousandths(scores: Sequence[float]) -> int:
    """Return the mean score, in thousandths, of the relations that passed the threshold (App. B.5, Table 10)."""
    return round(1_000 * sum(scores) / len(scores)) if scores else 0


@dataclass(slots=True)
class TopicRounds:
    """Search state of ToG-2. ``beam`` has the next topics with their paths; ``query`` is what texts are ranked by."""

    context: Context
    analysis: Analysis
    width: int
    most: int
    threshold: float
    alpha: float
    ranker: Ranker
    combined: bool
    clues: bool
    explorations: list[Exploration] = field(default_factory=list)
    clue_text: str = ""
    query: str = ""
    beam: list[PathWalk] = field(default_factory=list)
    state: SearchState = UNSEARCHED
    latest: tuple[Sequence[Evidence], Leading] = ((), alone)

    def __post_init__(self) -> None:
        self.query = self.context.question
        self._start()

    def prune_topics(self, mentions: Sequence[Mention]) -> None:
        """Keep the entities that the agent would start from, or all if it names none (TP, §3.1)."""
        chosen = [m.chosen for m in mentions if m.chosen is not None]
        options = [Option(f"{c.node.name} ({c.description})" if c.description else c.node.name, 1.0) for c in chosen]
        if options:
            picked = self.context.agent.prune(self.analysis, "topics", options, most=len(options))
            places = sorted(p.place for p in picked)
            self.analysis = replace(self.analysis, topics=tuple(dict.fromkeys(chosen[i].node.id for i in places)))
        self._start()

    def _start(self) -> None:
        self.beam = [PathWalk(t) for t in dict.fromkeys(self.analysis.topics)][: self.width]

    def first(self, *, read: bool) -> Attempt:
        """Judge the documents of the topic entities alone.

        Without ``read`` or without documents there is no call and no answer.
        """
        chunks = self._chunks([w.end for w in self.beam], {}) if read else []
        return self._reason(0, chunk_evidence(chunks, phase="documents"), alone)

    def round(self, number: int, *, last: bool) -> Attempt:
        """Run one iteration. The ``last`` one is the agent's best effort (Algorithm 1)."""
        phase, search = f"round {number}", Frontier(self.context, self.analysis)
        with self.context.phase("explore"):
            grown = search.branches(self.beam)
            selected = prune_relations(
                self.context, self.analysis, grown, width=self.width, threshold=self.threshold, combined=self.combined
            )
            of = self._candidates(selected)
        with self.context.phase("text"):
            triples = {n: f"{self._name(b.walk.end)} {b.text} {self._name(n)}" for n, b in of.items()}
            chunks = self._chunks(list(of), triples)
        with self.context.phase("explore"):
            scored = entity_scores(chunks, alpha=self.alpha)
            order = sorted(of, key=lambda n: (-scored.get(n, 0.0), -of[n].score, n))
            self.beam = [w for n in order[: self.width] for w in search.walked(of[n], [n], score=of[n].score)]
            sets, leading = search.sets(sorted(selected, key=lambda b: -b.relevance), phase=phase)
        counts = {
            "relations": sum(map(len, grown)),
            "relations_kept": len(selected),
            "retained_score": _thousandths([b.score / (b.walk.score or 1.0) for b in selected]),
            "entities": len(of),
            "chunks": len(chunks),
            "kept": len(self.beam),
        }
        if sets:
            best = max(selected, key=lambda b: b.relevance)
            self.state = search.placed(best.codes)
        evidence: Sequence[Evidence] = [*sets[: self.most], *chunk_evidence(chunks, phase=phase)]
        walked = search.evidence(self.beam, phase=phase, reason="among the W best entities")
        self.explorations.append(explored(self.context, self.analysis, phase, number, counts, [*walked, *evidence]))
        if evidence:
            self.latest = evidence, leading
        elif last:  # the graph ended before: the best effort rests on what the round before found
            evidence, leading = self.latest
        return self._reason(number, evidence, leading, last=last)

    def _reason(self, number: int, evidence: Sequence[Evidence], leading: Leading, *, last: bool = False) -> Attempt:
        """Judge the evidence (Eq. 7), and between iterations ask for a new query about what is missing."""
        clues, state = self.clue_text, self.state
        tried = judge_evidence(
            self.context, self.analysis, evidence, state=state, last=last, clues=clues, leading=leading
        )
        if tried.judgement.sufficient or last or not self.clues:
            return tried
        self.clue_text = tried.judgement.clues or self.clue_text
        if number and evidence:
            follow = self.context.agent.follow_up(self.analysis, evidence)
            self.query = follow.question if follow else self.query
        return tried

    def _chunks(self, nodes: Sequence[int], triples: dict[int, str]) -> list[PassageSentence]:
        return best_chunks(self.context, self.analysis, self.query, nodes, triples, ranker=self.ranker, most=self.most)

    def _candidates(self, branches: Sequence[Branch]) -> dict[int, Branch]:
        """Return the named entities that the relations lead to, each with the best relation that does."""
        found: dict[int, Branch] = {}
        for branch in branches:
            ends = branch.ends[:_DOCUMENT_ENTITIES]
            known = self.context.entities(ends)
            for n in ends:
                if named(known[n]):
                    found.setdefault(n, branch)
        return found

    def _name(self, node: int) -> str:
        return self.context.entities([node])[node].node.name
