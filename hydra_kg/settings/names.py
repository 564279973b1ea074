"""The names of settings: the full one, ``group.name``, and the short one that was its name before there were groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel

from hydra_kg.settings.former_names import FORMER_GROUPS

SHORT: Final[Mapping[str, str]] = {
    "d_max": "retrieval.d_max",
    "w1": "pruning.w1",
    "w2": "pruning.w2",
    "w_max": "pruning.w_max",
    "alpha_cross": "verification.alpha_cross",
    "gamma": "verification.gamma",
    "lambda_sem": "relevance.lambda_sem",
    "f2": "verification.f2",
    "f3": "verification.f3",
    "mix_over": "verification.mix_over",
    "window": "retrieval.window",
    "support": "verification.support",
    "independence": "verification.independence",
    "hops": "retrieval.hops",
    "edge_budget": "retrieval.edge_budget",
    "hub_cap": "retrieval.hub_cap",
    "beam": "retrieval.beam",
    "frontier": "retrieval.frontier",
    "topic_bonus": "relevance.topic_bonus",
    "touch_weight": "relevance.touch_weight",
    "noun_weight": "relevance.noun_weight",
    "learned_weight": "relevance.learned_weight",
    "hint_weight": "relevance.hint_weight",
    "composed_penalty": "relevance.composed_penalty",
    "plan": "answering.plan",
    "clauses": "relevance.clauses",
    "hop_penalty": "relevance.hop_penalty",
    "answer_threshold": "answering.threshold",
    "max_answers": "answering.max_answers",
    "question_characters": "linking.question_characters",
    "link_candidates": "linking.candidates",
    "passages": "retrieval.passages",
    "kinds": "retrieval.kinds",
    "phases": "retrieval.phases",
    "refine": "agent.refine",
    "selector": "agent.selector",
    "selection": "agent.selection",
    "indicator": "agent.indicator",
    "name_topics": "agent.name_topics",
    "summarise": "agent.summarise",
    "relations": "retrieval.relations",
    "join_text": "retrieval.join_text",
    "model": "model.name",
    "base_url": "model.base_url",
    "model_alone": "model.alone",
    "reply_tokens": "model.reply_tokens",
    "explore_temperature": "model.explore_temperature",
    "model_timeout": "model.timeout",
    "model_retries": "model.retries",
    "model_rate": "model.rate",
    "reply_cache": "model.reply_cache",
    "prices": "model.prices",
    "budget_calls": "budget.calls",
    "budget_tokens": "budget.tokens",
    "budget_money": "budget.money",
    "budget_seconds": "budget.seconds",
    "web": "web.engine",
    "web_url": "web.url",
    "web_results": "web.results",
    "web_pages": "web.pages",
    "web_timeout": "web.timeout",
    "web_days": "web.days",
    "kg_share": "retrieval.kg_share",
    "history": "verification.history",
}
"""The full name of each short one. Short names are taken wherever a setting is named; no new one is added."""


def full_names(values: Mapping[str, Any], *, groups: Iterable[str]) -> dict[str, Any]:
    """The values under their full names, whether they are given by group (``{"pruning": {"w1": 7}}``), by full name
    (``{"pruning.w1": 7}``) or by short name (``{"w1": 7}``). Names that are none stay as they are."""
    known, found = {*groups, *FORMER_GROUPS}, dict[str, Any]()
    for name, value in values.items():
        inside = dict(value) if isinstance(value, BaseModel) else value
        if name in known and isinstance(inside, Mapping):
            found |= {f"{name}.{field}": v for field, v in inside.items()}
        else:
            found[SHORT.get(name, name)] = value
    return found


def by_group(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values under full names as one mapping for each group."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        group, dot, field = name.partition(".")
        if dot:
            found.setdefault(group, {})[field] = value
        else:
            found[name] = value
    return found
