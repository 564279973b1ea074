"""The interface of a strategy, and the outcome that it returns, from which an Answer is made."""

from __future__ import annotations

from typing import Protocol

from hydra_kg.domain import Analysis, AnswerValue, Exploration, Judgement, Mention
from hydra_kg.plan.model import Root, Step
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """Findings of a strategy and the agent's judgement of them.

    The answers count only if the judgement is sufficient.
    """

    mentions: tuple[Mention, ...]
    analysis: Analysis
    conclusion: Conclusion
    judgement: Judgement
    explorations: tuple[Exploration, ...] = ()
    recalled: bool = False
    """Whether the strategy asks the model what it knows instead of a source."""
    planned: bool = False
    """Whether the operators of the question's plan gave the conclusion."""
    steps: tuple[Step, ...] = ()
    """What each operator of the plan did."""
    query: Root | None = None
    """The query that was computed, or None if the answer comes from a search for paths or from a page."""
    read: bool = False
    """Whether a sentence of a page gave the conclusion. Such a sentence states everything that the question says."""
    unchecked: tuple[str, ...] = ()
    """Conditions that could not be checked, in the question's words."""
    in_doubt: tuple[str, ...] = ()
    """Parts of the question, in its words, that the paths may not state. The answer is still given, as partial."""
    repeated: tuple[str, ...] = ()
    """Whether repeated rows should count, or pieces, or which of equal ones: doubts that no other reading avoids."""

    perhaps: tuple[AnswerValue, ...] = ()
    """Values that may be right although nothing is answered, set by `hydra_kg.questions.abstention`."""

    without_model: bool = False
    """Whether the judge without a model decided although a model is available."""

    offline: Outcome | None = None
    """The outcome without a model, if the strategy has already computed it."""

    @property
    def looked_up(self) -> bool:
        """Whether the plan only looked up what is stated about one entity."""
        if not self.steps:
            return False
        operators, end = [s.operator for s in self.steps], self.conclusion
        one_hop = not end.computation and all(len(e.path.hops) == 1 for e in end.evidence)
        return operators == ["value"] or (operators == ["Words"] and one_hop)


class Strategy(Protocol):
    """Strategy of one paper: a frozen dataclass whose fields are its parameters."""

    @property
    def name(self) -> str:
        """The name that ``--strategy`` takes."""

    @property
    def paper(self) -> str:
        """The paper and its sections."""

    def run(self, context: Context) -> Outcome:
        """Explore, judge and return the outcome.

        The result is the same for the same snapshot, settings and agent replies.
        """
