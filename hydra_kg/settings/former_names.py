"""List former names of settings, to explain old files and variables. Some became constants, others had two names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

FORMER_GROUPS: Final = ("operators", "own_tables", "own_words")
"""Groups without any remaining setting."""


_REMOVED: Final = {
    "linking": (
        "acronym acronym_letters alias aside candidates capital coherent common_noun degree described described_within "
        "exact function_word further_word least least_repaired like_letters like_meaning lowercase misspelt "
        "misspelt_letters misspelt_ratio name near_candidate near_name other_reading other_readings part "
        "relation_word short"
    ),
    "retrieval": "bridge document_entities documents frontier hub_cap passages relation_entities sentence_names",
    "relevance": (
        "answer_kind answer_kind_ends answer_kind_paths clause_gain clause_kind clause_merge clause_step "
        "hint_against hint_coverage kind_facts kind_nodes kind_paths"
    ),
    "verification": (
        "homologous like_relation rival_relevance several several_share several_subjects single_share "
        "single_subjects text_against text_agreed text_agrees text_aside text_between text_clearer "
        "text_copied text_far_clearer text_measured text_page text_statements"
    ),
    "answering": (
        "candidate_ends candidate_values cypher_confidence in_doubt_at_most joining joining_called "
        "joining_entities joining_near joining_order joining_pages joining_passages joining_sentences "
        "lacking_at_most like_path odds_differ odds_equal odds_first odds_overlap odds_silent odds_slope "
        "odds_start odds_unplanned partial partial_from path_stands plan_confidence plan_first plan_kinds "
        "plan_lead plan_relevance property_cosine property_paths read_pages read_values reading relation_from "
        "relevance said_nearly said_plainly specific text_relevance unexplained value_ends value_fit "
        "value_from value_lag value_nodes value_paths value_unasked vote_sharpness votes"
    ),
    "agent": "enough sampling_temperature stated_relevance stated_share topics unsure",
}
"""Removed settings by group."""

_SHORT: Final = {
    "retrieval": ("d_max window hops edge_budget beam kinds phases relations join_text kg_share"),
    "pruning": "w1 w2 w_max",
    "verification": "alpha_cross gamma f2 f3 mix_over support independence history",
    "relevance": (
        "lambda_sem topic_bonus touch_weight noun_weight learned_weight hint_weight composed_penalty clauses "
        "hop_penalty"
    ),
    "answering": "plan max_answers",
    "linking": "question_characters",
    "agent": "refine selector selection indicator name_topics summarise",
    "model": "base_url reply_tokens explore_temperature reply_cache prices",
}
"""Settings by group that were also valid without the group's name."""

_RENAMED: Final = {
    **{name: f"{group}.{name}" for group, names in _SHORT.items() for name in names.split()},
    "answer_threshold": "answering.threshold",
    "model": "model.name",
    "model_alone": "model.alone",
    "model_timeout": "model.timeout",
    "model_retries": "model.retries",
    "model_rate": "model.rate",
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
}
"""The present name of a setting by its former one."""

_NAMES: Final = frozenset(
    [
        "enough",
        "frontier",
        "hint_coverage",
        "hub_cap",
        "link_candidates",
        "passages",
        *(f"{group}_{name}" for group, names in _REMOVED.items() for name in names.split()),
    ]
)


def explain_former_name(name: str, *, spell: Callable[[str], str] = str) -> str:
    """Return what happened to a former setting or variable (``own_tables_beam``), or "".

    ``spell`` writes its new name.
    """
    if name in _RENAMED:
        return f"is called {spell(_RENAMED[name])} now"
    name = name.replace(".", "_")
    if name in _NAMES or f"{name}_".startswith(tuple(f"{group}_" for group in FORMER_GROUPS)):
        return "is fixed in the program now, remove it"
    return ""
