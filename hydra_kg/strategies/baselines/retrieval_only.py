"""Baselines that every other strategy has to beat: cosine alone, and titles of passages."""

from __future__ import annotations

from hydra_kg.domain import UNSEARCHED, AnswerValue, Evidence, Path, Scores
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import PASSAGES, Context
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass, replace

PHASE = "initial"


@dataclass(frozen=True)
class Cosine:
    """The relation path that is nearest to the question by cosine.

    It uses no hints, no constraints and no verification, and one phase.
    """

    name: str = "cosine"
    paper: str = "baseline (dense path retrieval)"

    def run(self, context: Context) -> Outcome:
        """Return the outcome of Hydra's first exploration with everything but the cosine switched off."""
        plain = context.settings.changed(
            retrieval={"phases": 1},
            relevance={
                "hint_weight": 0.0,
                "noun_weight": 0.0,
                "learned_weight": 0.0,
                "touch_weight": 0.0,
                "topic_bonus": 0.0,
                "hop_penalty": 0.0,
            },
            verification={"alpha_cross": 1.0},
            answering={"plan": False},
        )
        from hydra_kg.strategies.hydra.strategy import HydraRag  # titles are found without it

        return HydraRag().run(replace(context, settings=plain))


@dataclass(frozen=True)
class Titles:
    """The title of the first passage that full-text search finds and that the question does not name."""

    name: str = "titles"
    paper: str = "baseline (passage retrieval)"

    def run(self, context: Context) -> Outcome:
        """Search the full text and return the entity of the best passage as the answer."""
        mentions = mentions_of(context)
        analysis = context.agent.analyse(context.question, mentions, d_max=context.settings.retrieval.d_max)
        with context.step("retrieve_text"):
            found = context.snapshot.passages([], query=context.question, limit=PASSAGES)
        evidence: list[Evidence] = []
        for p in found:
            may = not context.allowed or p.source.name in context.allowed
            if may and p.node and p.node not in analysis.topics:
                node = context.entities([p.node])[p.node].node
                score = Scores(1.0 / (len(evidence) + 1))
                evidence.append(
                    Evidence(Path((), p), score, PHASE, True, "full text", (node,), (p.source.group,), p.text)
                )
        best = tuple(evidence[: context.settings.pruning.w_max])
        answers = tuple(AnswerValue(e.answers[0].name, e.answers[0]) for e in best[:1])
        judgement = context.agent.judge(analysis, best, state=UNSEARCHED)
        end = uncontested(answers, best)
        return Outcome(mentions, analysis, end, replace(judgement, sufficient=bool(answers)), ())
