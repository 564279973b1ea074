"""Named sets of settings: the default, HydraRAG as printed, HydraRAG as published in code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.settings import Settings

_PAPER: Final[Mapping[str, Any]] = {
    # Appendix C
    "retrieval.d_max": 3,
    "pruning.w1": 100,
    "pruning.w2": 20,
    "pruning.w_max": 3,
    "verification.alpha_cross": 0.7,
    "relevance.lambda_sem": 0.7,
    "model.reply_tokens": 256,
    "model.explore_temperature": 0.4,
    "web.pages": 3,
    # §4.1: entities are matched by their vectors
    "linking.entities_by": "meaning",
    # §4.2.1: every level grows from the W_1 best paths, mediators are nodes, and the lengths are a window
    "retrieval.beam": 100,
    "retrieval.hops": "paper",
    "retrieval.window": True,
    "retrieval.joint": "only",
    "retrieval.level_score": "cross",
    "retrieval.phases": 3,
    # §4.2.3: predictions are matched to the entities of G_q
    "retrieval.predictions": "similarity",
    # §4.2.1: sentences are found by their vectors alone, and compared with the indicator
    "retrieval.sentences": 0,
    "retrieval.sentences_by": "indicator",
    # §4.2.2: new and historical documents are ranked by the new indicator
    "retrieval.earlier_pages": True,
    # §4.3: relevance is a cosine and an overlap, support is found among the paths and counts kinds of source
    "relevance.learned_weight": 0.0,
    "relevance.hint_weight": 0.0,
    "relevance.noun_weight": 0.0,
    "relevance.topic_bonus": 0.0,
    "relevance.touch_weight": 0.0,
    "relevance.hop_penalty": 0.0,
    "relevance.composed_penalty": 0.0,
    "relevance.clauses": False,
    "relevance.hearsay": 1.0,
    "answering.plan": False,
    "answering.own_words": False,
    "answering.read": False,
    "answering.joined": False,
    "verification.text": False,
    "verification.rivals": False,
    "verification.support": "paths",
    "verification.independence": "kind",
    "verification.graph_level": 0.5,  # MultiRAG §IV.A
    "verification.gamma": 0.8,  # not printed; the code's
    "verification.f2": "support",
    "verification.f3": "entities",
    "verification.mix_over": 0,
    # Algorithms 1–4, Appendix E: every step is a call of its own, and no budget ends a question
    "agent.graph_first": 1.0,
    "agent.plan": "off",
    "agent.name_topics": True,
    "agent.indicator": "skyline",
    "agent.selector": "call",
    "agent.selection": "list",
    "agent.refine": "call",
    "agent.summarise": True,
    # What was found is shown whole.
    "agent.prompt_paths": 0,
    "agent.prompt_chars": 0,
    "agent.choice_chars": 0,
    "agent.options": 0,
    "agent.excerpts": 0,
    "retrieval.ranked_texts": 0,
    "agent.shares": True,  # ToG §2.2
    # §4.4: the last call answers from what the model knows as well
    "model.alone": True,
    "budget.calls": 0,
    "budget.tokens": 0,
}

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "default": {},
    "paper": _PAPER,
    # What the published code does otherwise, as far as it is known; all lengths up to |Topic(q)| · D are kept.
    "code": {
        **_PAPER,
        "verification.f2": "code",
        "verification.f3": "code",
        "verification.mix_over": 40,
        "retrieval.window": False,
    },
}
"""By name, the settings that differ from those they are applied to."""


def with_preset(settings: Settings, name: str) -> Settings:
    """The settings with a preset on top. What a person set comes after: ``load_settings(…, base=with_preset(…))``.

    Raises UsageError for a name that is none.
    """
    if name not in PRESETS:
        raise UsageError(f"There is no preset {name!r}.", remedy=f"Presets: {', '.join(PRESETS)}.")
    return settings.changed(**PRESETS[name])
