"""Every table of questions of the papers, on a few questions with a scripted model."""

from __future__ import annotations

import pytest
from helpers.scripted_tables import shown_whole

from hydra_kg.evaluate.papers.catalog import paper_tables

HALVES = {"hydra": "first", "tog-2": "first", "pog": "second", "multirag": "second"}
"""By paper, which tables share what they asked; the others may run beside them."""

TABLES = [
    pytest.param(t, id=f"{t.paper} {t.name}", marks=pytest.mark.group(f"{HALVES[t.paper]} half of the tables"))
    for t in paper_tables()
    if t.kind == "questions"
]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_questions_is_asked_and_shown(table, ten_topics, answers_of_all):
    shown_whole(table, ten_topics, answers_of_all)
