"""Whatever reader understands a question about own data, what it computes is a query in the one algebra.

The query of a reading of tables is evaluated by its words alone (`tests/helpers/query_evaluation.py`) and gives what
the reader's own executor found: what is said is what was computed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.behaviour import suite
from hydra_kg import Hydra
from hydra_kg.execution.graph_columns import no_order
from hydra_kg.plan.query_wording import words
from hydra_kg.plan.serialise import query_from_json, query_json
from hydra_kg.serialise import answer_json
from hydra_kg.steps.queries import table_answers
from hydra_kg.steps.queries.table_execution import TableReading
from hydra_kg.steps.queries.to_query import TableTranslation
from tests.helpers.query_evaluation import QueryEvaluation

READERS = {"Columns", "Words", "Sheet", "Where", "Difference"}
"""Last steps of the readers of tables, schemas and sheets."""
FORMS = [
    ("films", "turtle"),
    ("films", "csv"),
    ("bridges", "csv"),
    ("shop", "csv"),
    ("concerts", "csv"),
    ("staff", "turtle"),
    ("league", "dirty"),
]


@pytest.mark.slow
@pytest.mark.parametrize("data, form", FORMS)
def test_every_reading_of_own_data_has_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: str, form: str):
    translated, found = [], []
    best = table_answers.best

    def watch(view, readings, order=no_order, *fits):
        translated.extend(TableTranslation(view, reading).root() for reading in readings)
        reading = best(view, readings, order, *fits)
        found.extend([(reading, order)] if reading is not None and reading.result else [])
        return reading

    monkeypatch.setattr(table_answers, "best", watch)
    store = suite.load_form(data, form, work=tmp_path)
    with Hydra(store=store, agent="offline") as hydra:
        answers = [hydra.ask(question["question"], keep=False) for question in suite.read_questions(data)]
    own = [a for a in answers if a.answers and a.steps and a.steps[-1].operator in READERS]
    assert len(own) >= 3
    assert [a.question for a in own if a.query is None] == []
    assert all(answer_json(a)["query"] == query_json(a.query) for a in own)
    queries = [*translated, *(a.query for a in own)]
    assert all(words(q) for q in queries)
    assert [query_from_json(query_json(q)) for q in queries] == queries
    assert [words(r.tree) for r, order in found if not says_what_was_computed(r, order)] == []


def says_what_was_computed(reading: TableReading, order) -> bool:
    """Return True if the query of a reading, evaluated by its words, gives what the reading found."""
    result, name = reading.result, reading.view.graph.name
    value = QueryEvaluation(reading.view, order).value(reading.tree)
    if isinstance(value, float):
        return value == pytest.approx(result.number if result.number is not None else float(name(result.values[0])))
    return set(value) == {name(v) for v in result.values}


def test_an_answer_of_a_plan_has_its_tree_as_query(tmp_path: Path):
    store = suite.load_form("films", "turtle", work=tmp_path)
    with Hydra(store=store, agent="offline") as hydra:
        answer = hydra.ask("Was Salt released before Low Water?", keep=False)
    assert answer.plan is not None
    assert answer.query == answer.plan.root
