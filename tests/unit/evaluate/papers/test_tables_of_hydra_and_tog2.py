"""Every table of questions of these papers, on ten questions with a scripted model (the others are another file, so
that they may run beside each other)."""

from __future__ import annotations

import pytest
from helpers.scripted_tables import shown_whole

from hydra_kg.evaluate.papers.catalog import paper_tables

TABLES = [t for t in paper_tables() if t.kind == "questions" and t.paper in {"hydra", "tog-2"}]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES, ids=lambda t: f"{t.paper} {t.name}")
def test_a_table_of_questions_is_asked_and_shown(table, ten_topics, answers_of_all):
    shown_whole(table, ten_topics, answers_of_all)
