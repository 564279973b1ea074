"""HydraRAG (paper 000, §4), its initial exploration: link, analyse, retrieve, verify, prune, answer, judge."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hydra_kg.domain import Analysis, Exploration
from hydra_kg.steps.answer import choose
from hydra_kg.steps.compute import compute
from hydra_kg.steps.conclude import Conclusion, conclude
from hydra_kg.steps.context import Context
from hydra_kg.steps.link import mentions_of
from hydra_kg.steps.literal_answers import conclude_values
from hydra_kg.steps.prune import explored, shortfall, vectors_of, verified
from hydra_kg.steps.relevance import Relevance, relevance_of
from hydra_kg.steps.structured import Found, retrieve
from hydra_kg.steps.text_answers import answer_from_text
from hydra_kg.steps.values import value_paths
from hydra_kg.strategies.base import Outcome

PHASE = "initial"


@dataclass(frozen=True)
class Hydra:
    """Cross-source verified exploration of graphs and text (HydraRAG §4), judged by the agent."""

    name: str = "hydra"
    paper: str = "HydraRAG, §4, Algorithms 1–4"
    steps: tuple[str, ...] = ("link", "analyse", "cut", "explore", "constrain", "verify", "prune", "answer", "judge")

    def run(self, context: Context) -> Outcome:
        """Initial exploration (§4.2.1): D_predict hops, D_max if that finds nothing, then text."""
        with context.phase("link"):
            mentions = mentions_of(context)
            analysis = context.agent.analyse(context.question, mentions, d_max=context.settings.d_max)
        explorations: tuple[Exploration, ...] = ()
        conclusion = None
        if analysis.topics:
            relevance = relevance_of(context, analysis)
            found, conclusion, lacking = self._graph(context, analysis, relevance)
            analysis = replace(analysis, shortfall=lacking)
            explorations = (explored(context, found, analysis, phase=PHASE),)
        if conclusion is None:
            with context.phase("text"):
                conclusion = answer_from_text(context, analysis, phase=PHASE)
        others = explorations[0].evidence if explorations and conclusion.answers else ()
        judgement = context.agent.judge(analysis, (*conclusion.evidence, *others))
        return Outcome(mentions, analysis, conclusion, judgement, explorations)

    def _graph(
        self, context: Context, analysis: Analysis, relevance: Relevance
    ) -> tuple[Found, Conclusion | None, float]:
        with context.phase("explore"):
            found = retrieve(context, analysis, relevance, depth=context.depth or analysis.d_predict)
            if not found.paths and not context.depth:
                found = retrieve(context, analysis, relevance, depth=context.settings.d_max)
        with context.phase("verify"):
            found = verified(context, found, relevance)
            values = value_paths(context, found, relevance, answer_type=analysis.answer_type)
        with context.phase("answer"):
            if values and (not found.judged or values[0].score > found.judged[0].relation.score):
                lacking = shortfall(relevance, values[0].codes, values[0].score)
                return found, conclude_values(context, values, found, relevance, phase=PHASE), lacking
            if not found.judged:
                return found, None, 0.0
            best = found.judged[0].relation
            lacking = shortfall(relevance, best.codes, best.score)
            if analysis.selection:
                computed = compute(context, analysis.selection, found, relevance, phase=PHASE)
                if computed is not None:
                    return found, computed, lacking
            choice = choose(found.judged, vectors_of(found.judged, relevance), most=context.settings.max_answers)
            return found, conclude(context, choice, found, phase=PHASE), lacking
