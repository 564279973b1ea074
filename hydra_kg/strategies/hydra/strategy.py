"""HydraRAG (paper 000, §4): three explorations of graphs, text and web, verified across sources, then judged."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Exploration, SearchState
from hydra_kg.questions.graph_and_text import join_graph_and_text
from hydra_kg.questions.page_answers import answer_from_pages, answer_from_passages
from hydra_kg.questions.plan_answers import answer_claim_by_plan, answer_from_graph
from hydra_kg.questions.plan_comparison import compare_with_plan
from hydra_kg.steps.answering.candidates import PathCandidate, joined
from hydra_kg.steps.answering.results import Attempt
from hydra_kg.steps.answering.select_and_judge import attempt
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import analysed, initial, predicted, refined
from hydra_kg.steps.exploration.gather import INITIAL, JOINT, PREDICTED, REFINED, Aim, gather
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.hydra.claim_parts import judge_claim_parts
from hydra_kg.strategies.hydra.offered_answers import keep_offered_answer
from hydra_kg.strategies.hydra.two_questions import answer_two_questions
from hydra_kg.util.fast_dataclass import dataclass, field, replace


@dataclass(slots=True)
class _HydraRun:
    """Search state of one question."""

    analysis: Analysis
    state: SearchState = UNSEARCHED
    pools: list[Sequence[PathCandidate]] = field(default_factory=list)
    explorations: list[Exploration] = field(default_factory=list)
    selected: list[Evidence] = field(default_factory=list)


@dataclass(frozen=True)
class HydraRag:
    """Cross-source verified exploration of graphs, text and web (HydraRAG §4, Algorithm 3)."""

    name: str = "hydra"
    paper: str = "HydraRAG, §4, Algorithms 1–4"

    def run(self, context: Context) -> Outcome:
        """Return the first sufficient attempt, otherwise the attempt over all paths together.

        The answer without a model is used if it is sure. Otherwise the attempts are, in this order: the question's
        plan, the initial exploration, the refined and the predicted exploration if a model asks for them, and all
        paths together. Without a model, a sentence of a page may answer if nothing else does, and graph and text may
        each answer one half of the question. The parts of a statement are judged separately.
        """
        if not context.agent.reads:
            return self._judged(context)
        from hydra_kg.strategies.hydra.graph_first import graph_first

        return graph_first(context, self._judged)

    def _judged(self, context: Context) -> Outcome:
        is_statement = context.question.rstrip().endswith(".")
        if is_statement:
            return judge_claim_parts(context, self._asked)
        return answer_two_questions(context, lambda own: keep_offered_answer(own, self._asked))

    def _asked(self, context: Context) -> Outcome:
        joined_or_alone = join_graph_and_text(context, self._explored(context), self._explored)
        return answer_from_passages(context, joined_or_alone)

    def _explored(self, context: Context) -> Outcome:
        """Return the outcome of up to three explorations, until one suffices."""
        with context.phase("link"):
            mentions, analysis = analysed(context)
        if (done := answer_from_graph(context, mentions, analysis)) is not None:
            return answer_from_pages(context, done)
        run = _HydraRun(analysis)
        tried = self._explore(context, run, INITIAL, [initial(context, analysis)])
        for phase, aims in ((REFINED, refined), (PREDICTED, predicted))[: context.settings.retrieval.phases - 1]:
            if tried is not None and tried.judgement.sufficient:
                break
            tried = self._explore(context, run, phase, aims(context, run.analysis, run.selected))
        if tried is None or not tried.judgement.sufficient:
            pool = joined(run.pools, most=context.settings.pruning.w2)
            tried = attempt(context, run.analysis, pool, phase=JOINT, state=run.state, last=True)
        found = Outcome(mentions, run.analysis, tried.conclusion, tried.judgement, tuple(run.explorations))
        return answer_from_pages(context, answer_claim_by_plan(context, compare_with_plan(context, found)))

    def _explore(self, context: Context, run: _HydraRun, phase: str, aims: Sequence[Aim]) -> Attempt | None:
        """Make one exploration: gather paths for each aim, then attempt an answer from all of them.

        The result is None without an aim.
        """
        if not aims:
            return None
        with context.phase(phase):
            found = [gather(context, replace(aim, state=run.state)) for aim in aims]
            pool = (
                joined([g.candidates for g in found], most=context.settings.pruning.w2)
                if found[1:]
                else found[0].candidates
            )
            run.analysis, run.state = found[0].analysis, found[0].state
            run.pools.append(pool)
            tried = attempt(context, run.analysis, pool, phase=phase, state=run.state, more=True)
            run.selected.extend(tried.selected)
            run.explorations.extend(g.exploration for g in found)
        return tried


@dataclass(frozen=True)
class HydraE(HydraRag):
    """HydraRAG-E (§5): the same strategy on a graph that keeps one random relation between any two classes."""

    name: str = "hydra-e"
    paper: str = "HydraRAG-E, §5"

    def run(self, context: Context) -> Outcome:
        """Return the outcome of HydraRAG with one relation for each edge of the clustered graph.

        The relation is drawn with the seed.
        """
        return super().run(replace(context, settings=context.settings.changed(retrieval={"relations": "one"})))
