"""What a model knows by itself: IO, chain of thought, self-consistency (baselines of all four papers)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hydra_kg.steps.answering.recall import agreed, recalled
from hydra_kg.steps.context import Context
from hydra_kg.strategies.base import Outcome


@dataclass(frozen=True)
class IO:
    """The question alone, answered at once. Not defined without a model."""

    name: str = "io"
    paper: str = "baseline (Brown et al. 2020, direct prompting)"
    think: bool = False
    samples: int = 1
    needs_model: bool = True

    def run(self, context: Context) -> Outcome:
        """One call, or one for each sample; what is answered rests on the model's knowledge."""
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
    """A chain of thought, then the answer; six examples, or ``agent.shots``. Not defined without a model."""

    name: str = "cot"
    paper: str = "baseline (Wei et al. 2022, chain of thought)"
    think: bool = True


@dataclass(frozen=True)
class SC(CoT):
    """The answer that most of several drawn chains of thought give. Not defined without a model."""

    name: str = "sc"
    paper: str = "baseline (Wang et al. 2023, self-consistency)"
    samples: int = 5
