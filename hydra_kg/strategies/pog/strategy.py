"""PoG, Paths-over-Graph (paper 004, §4, Algorithms 1 and 2): topic paths, LLM supplement, node expand."""

from __future__ import annotations

from typing import Literal

from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import analysed
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.pog.explorations import Paths
from hydra_kg.strategies.pog.pruning import Case
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True)
class PoG:
    """Paths-over-Graph: three explorations of paths, pruned, summarised and judged (PoG §4, Algorithm 1).

    The explorations are paths of the topics from D_predict to D_max, then paths towards what the model predicts, then
    one more hop from the selected paths. Each is pruned in three steps, summarised and judged. With two topics or more,
    the first paths go through all of them if the setting ``retrieval.joint`` says so.

    ``case`` is the beam strategy (Algorithm 2). ``summarise`` adds a call that summarises paths before each judgement
    (§4.4); judging also summarises unless the setting ``refine`` is off. ``window`` restricts the first phase to
    lengths in |Topic|(D − 1) … |Topic|·D (§4.2), where Algorithm 1 keeps shorter paths. ``depth`` is D_max, limited by
    the settings. With ``precise`` a model sees W_1 = 80 paths if ``agent.prompt_paths`` allows it, as in preset
    ``paper``. Without a model, paths are selected by vectors, and nothing is predicted or summarised.
    """

    name: str = "pog"
    paper: str = "PoG, §4, Algorithms 1 and 2"
    case: Case = "precise"
    w1: int = 80
    w2: int = 20
    width: int = 3
    depth: int = 3
    summarise: bool = True
    window: bool = False
    relations: Literal["all", "one"] = "all"

    def run(self, context: Context) -> Outcome:
        """Run the three explorations until the paths are sufficient, otherwise judge all paths together."""
        context = replace(
            context,
            settings=context.settings.changed(
                retrieval={
                    "kinds": "kg",
                    "d_max": min(self.depth, context.settings.retrieval.d_max),
                    "window": self.window,
                    "relations": self.relations,
                    "join_text": 0.0,
                    "level_score": "relevance",
                },
                relevance={"lambda_sem": 1.0},  # paths are compared by vectors alone (§4.3)
                pruning={"w1": self.w1, "w2": self.w1, "w_max": self.width},
                verification={"alpha_cross": 1.0},
                agent={"selector": "off", "refine": "call" if self.summarise else "off"},
            ),
        )
        with context.phase("link"):
            mentions, analysis = analysed(context)
        paths = Paths(context, analysis, self.case, self.w1, self.w2)
        for explore in (paths.topics, paths.supplement, paths.expand):
            tried = explore()
            if tried is not None and tried.judgement.sufficient:
                break
        else:
            tried = paths.all()
        return Outcome(mentions, paths.analysis, tried.conclusion, tried.judgement, tuple(paths.explorations))


@dataclass(frozen=True)
class PoGE(PoG):
    """PoG-E (§5): the same strategy on a graph with one relation between any two classes, drawn with the seed."""

    name: str = "pog-e"
    paper: str = "PoG-E, §5"
    relations: Literal["all", "one"] = "one"
