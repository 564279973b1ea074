"""MetaRAG (Zhou et al., WWW 2024): an answer is monitored, evaluated and improved in rounds."""

from __future__ import annotations

from hydra_kg.domain import UNSEARCHED, Exploration, Judgement
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.rivals.passage_search import (
    add_evidence,
    answer_from_evidence,
    outcome,
    parse_question,
    round_of,
    search_sentences,
)
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True)
class MetaRag:
    """Metacognitive retrieval: an answer that is checked and improved for up to ``rounds`` rounds.

    The rounds end when the answer is similar to that of an expert. A round asks whether the model's knowledge suffices,
    whether the evidence suffices, and what is wrong with the answer. Accordingly it searches again, or answers again
    with the criticism. If the texts never suffice, the model's knowledge answers.

    The paper's expert and entailment model are small trained models. Here the expert is the model's own answer, so that
    one call is both the monitor and the check of inner knowledge, and the model judges whether the texts suffice.
    ``similarity`` is the cosine from which two answers are similar, and ``each`` the number of sentences of a search.
    At most 2 + 4 · ``rounds`` calls are made. The strategy is not defined without a model.
    """

    name: str = "metarag"
    paper: str = "MetaRAG (WWW 2024, arXiv:2402.11626), by prompts"
    rounds: int = 5
    each: int = 5
    most: int = 15
    similarity: float = 0.4
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Search and answer, then monitor, evaluate and plan in rounds."""
        analysis, agent = parse_question(context), context.agent
        found = search_sentences(context, analysis, context.question, most=self.each, phase="round 0")
        rounds: list[Exploration] = [round_of(context, analysis, "round 0", 0, found)]
        given = answer_from_evidence(context, analysis, found)
        expert = agent.know(analysis, think=True)
        notes, queries = "", list[str]()
        for number in range(1, self.rounds + 1):
            if self._alike(context, given[0], expert):
                break
            outer = agent.judge(analysis, found, refined=notes, state=UNSEARCHED).sufficient
            if not outer:
                new = agent.compose(analysis, "decompose", found, notes="; ".join(queries))
                new = tuple(q for q in new if q not in queries)[:3]
                if not new:
                    break
                queries += new
                for query in new:
                    more = search_sentences(context, analysis, query, most=self.each, phase=f"round {number}")
                    found = add_evidence(found, more, most=self.most)
            else:
                advice = agent.compose(analysis, "critique", found, notes=", ".join(given[0].answers))
                if not advice:
                    break  # what was found suffices, and nothing is wrong: the expert is
                notes = " ".join(advice)
            rounds.append(round_of(context, analysis, f"round {number}", number, found, queries=len(queries)))
            given = answer_from_evidence(context, analysis, found, refined=notes)
        if not given[0].sufficient and expert.sufficient:
            given = (expert, ())
        return outcome(context, analysis, given, rounds)

    def _alike(self, context: Context, given: Judgement, expert: Judgement) -> bool:
        """Return True if both judgements have an answer and the answers are nearly the same."""
        if not (given.sufficient and expert.sufficient):
            return False
        texts = [", ".join(sorted(j.answers)) for j in (given, expert)]
        if not all(texts):
            return False
        one, other = context.space.embedder.embed(texts)
        return float(one @ other) >= self.similarity
