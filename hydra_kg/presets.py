"""Define named sets of settings: the default, one for each paper as printed, and HydraRAG's published code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hydra_kg.errors import UsageError
from hydra_kg.settings import Settings

PAPER: Final = "paper"
"""The preset that stands for the paper of the strategy that is used."""

_PRINTED: Final[Mapping[str, Any]] = {
    "retrieval.d_max": 3,
    "pruning.w_max": 3,
    "model.reply_tokens": 256,
    # A mediator is a node of the SPARQL queries that the papers print.
    "retrieval.hops": "paper",
    # Nothing learned or tuned takes part in relevance.
    "relevance.learned_weight": 0.0,
    "relevance.hint_weight": 0.0,
    "relevance.noun_weight": 0.0,
    "relevance.topic_bonus": 0.0,
    "relevance.touch_weight": 0.0,
    "relevance.hop_penalty": 0.0,
    "relevance.composed_penalty": 0.0,
    "relevance.clauses": False,
    "relevance.hearsay": 1.0,
    # No planner, reader or check of ours runs before or after a paper's own steps.
    "answering.plan": False,
    "answering.own_words": False,
    "answering.read": False,
    "answering.joined": False,
    "verification.text": False,
    "verification.rivals": False,
    "agent.graph_first": 1.0,
    "agent.plan": "off",
    # Prompts show everything that was found, and no budget ends a question.
    "agent.prompt_paths": 0,
    "agent.prompt_chars": 0,
    "agent.choice_chars": 0,
    "agent.options": 0,
    "agent.excerpts": 0,
    "retrieval.ranked_texts": 0,
    "budget.calls": 0,
    "budget.tokens": 0,
    # The last call answers from what the model knows as well.
    "model.alone": True,
}
"""Settings that the presets of all papers share."""

_HYDRA: Final[Mapping[str, Any]] = {
    **_PRINTED,
    # Appendix C
    "pruning.w1": 100,
    "pruning.w2": 20,
    "verification.alpha_cross": 0.7,
    "relevance.lambda_sem": 0.7,
    "model.explore_temperature": 0.4,
    "web.pages": 3,
    # §4.1: entities are matched by their vectors
    "linking.entities_by": "meaning",
    # §4.2.1: every level grows from the W_1 best paths, and the lengths are a window
    "retrieval.beam": 100,
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
    # §4.3: h(p) is the sentence embedding of a path's text; support is found among the paths and counts kinds of source
    "relevance.path_vectors": "text",
    "verification.support": "paths",
    "verification.independence": "kind",
    "verification.gamma": 0.8,  # not printed; the published code's
    "verification.f2": "support",
    "verification.f3": "entities",
    "verification.mix_over": 0,
    # Algorithms 1–4, Appendix E: every step is a call of its own
    "agent.name_topics": True,
    "agent.indicator": "skyline",
    "agent.selector": "call",
    "agent.selection": "list",
    "agent.refine": "call",
    "agent.summarise": True,
}

_POG: Final[Mapping[str, Any]] = {
    **_PRINTED,
    "pruning.w1": 80,  # §5
    "pruning.w2": 20,  # §5.2
    "retrieval.beam": 80,
    "model.explore_temperature": 0.4,
    # §4.1: one subgraph of the knowledge graph; topics are matched by their vectors
    "retrieval.kinds": "kg",
    "linking.entities_by": "meaning",
    "agent.name_topics": True,
    # §4.2: paths through all topics, every length of Algorithm 1
    "retrieval.joint": "only",
    "retrieval.window": False,
    "retrieval.level_score": "relevance",
    "retrieval.predictions": "similarity",
    # §4.3: paths are compared with the indicator by vectors alone
    "relevance.path_vectors": "text",
    "relevance.lambda_sem": 1.0,
    "verification.alpha_cross": 1.0,
    "agent.indicator": "skyline",
    "agent.selector": "off",
    "agent.selection": "list",
    # §4.4: paths are summarised before they are judged
    "agent.refine": "call",
}

_TOG: Final[Mapping[str, Any]] = {
    **_PRINTED,
    "retrieval.kinds": "kg",
    "model.explore_temperature": 0.4,  # ToG §3.1
    "agent.shares": True,  # ToG §2.2: the scores of one call sum to 1
    "agent.refine": "off",
}

_TOG_2: Final[Mapping[str, Any]] = {
    **_PRINTED,
    "retrieval.kinds": "kg,wiki",
    "model.explore_temperature": 0.0,  # §4.2: all generations
    "agent.shots": 2,  # §4.3
    # Eq. 7: the call that judges writes the clues that the next prompt shows
    "agent.refine": "joined",
}

_MULTIRAG: Final[Mapping[str, Any]] = {
    **_PRINTED,
    "agent.name_topics": True,  # Algorithm 2 line 2: the model writes the logic form
    "agent.selector": "off",  # Algorithm 2 line 3: all sources are searched; none is left out by a model
    "agent.refine": "off",
    "retrieval.phases": 1,
    "verification.graph_level": 0.5,  # §IV.A
    "verification.printed": True,  # Eq. 5 and 10
}

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "default": {},
    PAPER: _HYDRA,
    "paper:hydra": _HYDRA,
    "paper:pog": _POG,
    "paper:tog": _TOG,
    "paper:tog-2": _TOG_2,
    "paper:multirag": _MULTIRAG,
    # What the published code does otherwise, as far as it is known; all lengths up to |Topic(q)| · D are kept.
    "code": {
        **_HYDRA,
        "verification.f2": "code",
        "verification.f3": "code",
        "verification.mix_over": 40,
        "retrieval.window": False,
    },
}
"""Preset names, each with the settings that it changes. ``paper`` without a strategy is HydraRAG's."""

PAPER_OF: Final[Mapping[str, str]] = {
    "pog": "paper:pog",
    "pog-e": "paper:pog",
    "tog": "paper:tog",
    "tog-r": "paper:tog",
    "tog-2": "paper:tog-2",
    "multirag": "paper:multirag",
}
"""Strategies whose paper is not HydraRAG's, each with the preset of its paper."""


def preset_of(name: str, strategy: str) -> str:
    """Return the preset that ``name`` means for a strategy: ``paper`` chooses the one of the strategy's paper."""
    return PAPER_OF.get(strategy.partition("+")[0], "paper:hydra") if name == PAPER else name


def with_preset(settings: Settings, name: str, *, strategy: str = "") -> Settings:
    """Return the settings with a preset on top; ``paper`` means the preset of the strategy's paper.

    Settings of a person come later: ``load_settings(…, base=with_preset(…))``. Raise UsageError for an unknown name.
    """
    if name not in PRESETS:
        raise UsageError(f"There is no preset {name!r}.", remedy=f"Presets: {', '.join(PRESETS)}.")
    return settings.changed(**PRESETS[preset_of(name, strategy)])
