"""Named sets of settings: the default, HydraRAG as printed, HydraRAG as published in code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.settings import Settings

_PAPER: Final[Mapping[str, Any]] = {
    # Appendix C
    "d_max": 3,
    "w1": 100,
    "w2": 20,
    "w_max": 3,
    "alpha_cross": 0.7,
    "lambda_sem": 0.7,
    "reply_tokens": 256,
    "explore_temperature": 0.4,
    "web_pages": 3,
    # §4.2.1: every level grows from the W_1 best paths, mediators are nodes, and the lengths are a window
    "beam": 100,
    "hops": "paper",
    "window": True,
    "phases": 3,
    # §4.3: relevance is a cosine and an overlap, support is found among the paths and counts kinds of source
    "learned_weight": 0.0,
    "hint_weight": 0.0,
    "noun_weight": 0.0,
    "topic_bonus": 0.0,
    "touch_weight": 0.0,
    "hop_penalty": 0.0,
    "composed_penalty": 0.0,
    "clauses": False,
    "plan": False,
    "support": "paths",
    "independence": "kind",
    "gamma": 0.8,  # not printed; the code's
    "f2": "support",
    "f3": "entities",
    "mix_over": 0,
    # Algorithms 1–4, Appendix E: every step is a call of its own, and no budget ends a question
    "name_topics": True,
    "indicator": "skyline",
    "selector": "call",
    "selection": "list",
    "refine": "call",
    "summarise": True,
    # §4.4: the last call answers from what the model knows as well
    "model_alone": True,
    "budget_calls": 0,
    "budget_tokens": 0,
}

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "default": {},
    "paper": _PAPER,
    # What the published code does otherwise, as far as it is known; all lengths up to |Topic(q)| · D are kept.
    "code": {**_PAPER, "f2": "code", "f3": "code", "mix_over": 40, "window": False},
}
"""By name, the settings that differ from those they are applied to."""


def with_preset(settings: Settings, name: str) -> Settings:
    """The settings with a preset on top. What a person set comes after: ``load_settings(…, base=with_preset(…))``.

    Raises UsageError for a name that is none.
    """
    if name not in PRESETS:
        raise UsageError(f"There is no preset {name!r}.", remedy=f"Presets: {', '.join(PRESETS)}.")
    return replace(settings, **PRESETS[name])
