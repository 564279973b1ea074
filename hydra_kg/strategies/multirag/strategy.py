"""MultiRAG (paper 003, §II–III): homologous data of many sources, weighed by multi-level confidence."""

from __future__ import annotations

from hydra_kg.domain import Exploration
from hydra_kg.fusion.truth_discovery.mcc import THETA, Mcc
from hydra_kg.fusion.truth_discovery.multi_level_confidence import ALPHA, BETA
from hydra_kg.steps.answering.select_and_judge import attempt
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import analysed
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.multirag.homologous import gather_homologous, homologous, search_of
from hydra_kg.strategies.multirag.mklgp import PHASE, conclude_fused, weigh_statements
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True)
class MultiRag:
    """Multi-source knowledge line graph prompting (MKLGP, Algorithm 2).

    The question's logic form says which attribute of which entity is asked for. The statements of all sources about it
    are grouped, weighed (Algorithm 1) and answered. No model excludes a source (Algorithm 2 line 3), and a statement in
    a text is a node like any other. A language model judges the authority of sources; without one it is computed from
    the graph.

    ``printed`` uses Eq. 5 and 10 as printed, by which single values never agree; the setting ``verification.printed``
    does the same. Otherwise S reaches 1 and authority is centred on its mean. ``theta`` is θ of Algorithm 1.
    ``graph_threshold`` is what C(G) must exceed; 0 accepts every group, and -1 takes the setting
    ``verification.graph_level``. ``alpha`` and ``beta`` are those of Eq. 9 and 10. Without ``line_graph``, claims of
    different sources are not compared (an ablation). ``authority_scale`` is C_LLM of Eq. 10 for the best score that a
    model gives. The paper prints no value: with 1 the model changes C(v), which goes up to 2, by at most .06, with 10
    by .25.

    A question whose path does not end in an attribute (it goes through a mediator or backwards) is answered from the
    path alone. At most four calls of a model are made, in addition to those that name topics and read text: analysis,
    selection, authority, judgement.
    """

    name: str = "multirag"
    paper: str = "MultiRAG, §II–III, Algorithms 1–2"
    printed: bool = False
    theta: float = THETA
    graph_threshold: float = -1.0
    alpha: float = ALPHA
    beta: float = BETA
    line_graph: bool = True
    authority_scale: float = 1.0

    def run(self, context: Context) -> Outcome:
        """Make one exploration, then judge the homologous data of its best path."""
        context = replace(context, settings=context.settings.changed(agent={"selector": "off"}))
        with context.phase("link"):
            mentions, analysis = analysed(context)
        with context.phase("initial"):
            found = gather_homologous(context, analysis)
        analysis, pool, state = found.analysis, found.candidates, found.state
        with context.phase("select"):
            evidence, most = [c.evidence for c in pool], context.settings.pruning.w_max
            picked = context.agent.select_paths(analysis, evidence, most=most, state=state)
        search = search_of(context, pool[picked[0].place]) if picked else None
        with context.phase("homologous"):
            stated = homologous(context, search, pool) if search is not None else []
        if search is None or not stated:
            tried = attempt(context, analysis, pool, phase="initial", state=state, selected=picked)
            return Outcome(mentions, analysis, tried.conclusion, tried.judgement, (found.exploration,))
        with context.phase(PHASE):
            trust = weigh_statements(
                context,
                analysis,
                search,
                stated,
                self._method(context),
                line_graph=self.line_graph,
                authority_scale=self.authority_scale,
            )
        with context.phase("judge"):
            judgement = context.agent.judge(analysis, trust.evidence, state=state)
        with context.phase("answer"):
            end = conclude_fused(context, search, trust, judgement)
        topics, depth = found.exploration.topics, found.exploration.depth
        exploration = Exploration(
            PHASE, topics, analysis.indicator, depth, trust.counts, trust.evidence, claims=trust.claims
        )
        return Outcome(mentions, analysis, end, judgement, (found.exploration, exploration))

    def _method(self, context: Context) -> Mcc:
        least = context.settings.verification.graph_level if self.graph_threshold < 0 else self.graph_threshold
        whole = Mcc(theta=self.theta, graph_threshold=least, alpha=self.alpha, beta=self.beta)
        printed = self.printed or context.settings.verification.printed
        return replace(whole, printed=printed, centred=not printed, history=context.services.records())
