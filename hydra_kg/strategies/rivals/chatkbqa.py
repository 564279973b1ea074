"""ChatKBQA (Luo et al., ACL Findings 2024): a model writes a logical form, whose names are then looked up."""

from __future__ import annotations

from hydra_kg.domain import Judgement
from hydra_kg.questions.plan_outcome import plan_outcome
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.steps.operators import execute
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass

PHASE = "logical form"


@dataclass(frozen=True)
class ChatKbqa:
    """Generate, then retrieve: the model writes a logical form, which is executed over the graph.

    The logical form uses the question's own words. Its entities and relations are replaced by the nearest ones of the
    graph.

    The paper trains the model that writes, and tries the forms of a beam. Here a prompt with examples asks for one plan
    (docs/plans.md), whose words need not be those of the question. There is no answer if no plan expresses the question
    or the graph lacks the facts: nothing is explored. One call is made. The strategy is not defined without a model.
    """

    name: str = "chatkbqa"
    paper: str = "ChatKBQA (ACL 2024, arXiv:2310.08975), by a prompt"
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Ask for one logical form and execute it."""
        mentions = mentions_of(context)
        analysis = context.agent.analyse(context.question, mentions, d_max=context.settings.retrieval.d_max, form=True)
        with context.phase(PHASE):
            done = execute(context, analysis.plan) if analysis.plan is not None else None
        if done is None:
            missing = "no logical form of the question could be carried out over these sources"
            return Outcome(mentions, analysis, NOTHING, Judgement(False, 0.0, missing))
        return plan_outcome(context, mentions, analysis, done, phase=PHASE, counts={"operators": len(done.steps)})
