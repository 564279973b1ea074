"""What a strategy is, and what it gives back: the outcome that becomes an Answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hydra_kg.domain import Analysis, AnswerValue, Exploration, Judgement, Mention
from hydra_kg.plan.model import Root, Step
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a strategy found and how the agent judged it; its answers count only if the judgement is sufficient."""

    mentions: tuple[Mention, ...]
    analysis: Analysis
    conclusion: Conclusion
    judgement: Judgement
    explorations: tuple[Exploration, ...] = ()
    recalled: bool = False
    """Whether the strategy asks the model what it knows, and no source."""
    planned: bool = False
    """Whether the operators of the question's plan gave the conclusion."""
    steps: tuple[Step, ...] = ()
    """What each of them did."""
    query: Root | None = None
    """What was computed; None for an answer that a search for paths or a page gave."""
    read: bool = False
    """Whether a sentence of a page gave the conclusion, which then holds all that the question says."""
    unchecked: tuple[str, ...] = ()
    """Conditions that could not be checked, in the question's words."""
    in_doubt: tuple[str, ...] = ()
    """What the paths may not say, in the question's words; the answer is given all the same, as partial."""

    perhaps: tuple[AnswerValue, ...] = ()
    """Values that may be right although nothing is answered; set by `hydra_kg.questions.abstention`."""

    without_model: bool = False
    """Whether no model that there is had a say: what is not met was said by who judged."""

    offline: Outcome | None = None
    """The outcome without a model, where the strategy has it already."""

    @property
    def looked_up(self) -> bool:
        """Whether all that its plan did was to look up what is stated of one thing."""
        if not self.steps:
            return False
        operators, end = [s.operator for s in self.steps], self.conclusion
        one_hop = not end.computation and all(len(e.path.hops) == 1 for e in end.evidence)
        return operators == ["value"] or (operators == ["Words"] and one_hop)


class Strategy(Protocol):
    """Steps of one paper: a frozen dataclass whose fields are its parameters."""

    @property
    def name(self) -> str:
        """The name that ``--strategy`` takes."""

    @property
    def paper(self) -> str:
        """Paper and sections."""

    def run(self, context: Context) -> Outcome:
        """Explore and judge. Deterministic for the same snapshot, settings and agent replies."""
