"""PoG, Paths-over-Graph (paper 004, §4, Algorithms 1 and 2): topic paths, LLM supplement, node expand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.analyse import analysed
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.pog.explorations import Paths
from hydra_kg.strategies.pog.pruning import Case


@dataclass(frozen=True)
class PoG:
    """Paths of the topics from D_predict to D_max, then towards what the model predicts, then one hop on from what was
    kept; pruned in three steps, summarised and judged each time (PoG §4, Algorithm 1).

    With two topics or more the first ones go through all of them where the setting ``retrieval.joint`` says so.

    ``case``: beam strategy (Algorithm 2) · ``summarise``: a call that summarises paths before each judgement (§4.4);
    judging summarises too unless the setting ``refine`` is off · ``window``: only lengths in |Topic|(D − 1) …
    |Topic|·D in the first phase (§4.2), where Algorithm 1 keeps shorter ones · ``depth``: D_max, limited by the
    settings. What ``precise`` shows a model is W_1 = 80 paths where ``agent.prompt_paths`` allows it, as in preset
    ``paper``. Without a model paths are selected by vectors, and nothing is predicted or summarised.
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
        """Return the three explorations, each until the paths are enough, then all paths together."""
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
    """PoG-E (§5): the same on a graph that keeps one relation, drawn with the seed, between any two classes."""

    name: str = "pog-e"
    paper: str = "PoG-E, §5"
    relations: Literal["all", "one"] = "one"
