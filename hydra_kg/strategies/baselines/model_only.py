"""Strategies that use only the model's knowledge (baselines of all four papers).

They are IO, chain of thought and self-consistency.
"""

from __future__ import annotations

from hydra_kg.steps.answering.recall import agreed, recalled
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True)
class IO:
    """Direct prompting: the model answers the question at once, without sources.

    The strategy is not defined without a model.
    """

    name: str = "io"
    paper: str = "baseline (Brown et al. 2020, direct prompting)"
    think: bool = False
    samples: int = 1
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """Return what the model answers from its own knowledge, in one call or one for each sample."""
        analysis = context.agent.parse(context.question, (), d_max=1)
        if self.samples > 1:
            known = agreed(context, analysis, samples=self.samples, think=self.think)
            judgement = replace(known, confidence=round(known.confidence / 2, 4))
        else:
            judgement = context.agent.know(analysis, think=self.think)
        tried = recalled(context, judgement)
        return Outcome((), analysis, tried.conclusion, tried.judgement, recalled=True)


@dataclass(frozen=True)
class CoT(IO):
    """Chain of thought: the model reasons first and then answers.

    The prompt has six examples, or as many as ``agent.shots`` says. The strategy is not defined without a model.
    """

    name: str = "cot"
    paper: str = "baseline (Wei et al. 2022, chain of thought)"
    think: bool = True


@dataclass(frozen=True)
class SC(CoT):
    """Self-consistency: the answer that most of several sampled chains of thought give.

    The strategy is not defined without a model.
    """

    name: str = "sc"
    paper: str = "baseline (Wang et al. 2023, self-consistency)"
    samples: int = 5
