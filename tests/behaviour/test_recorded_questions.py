"""Our own questions: none that was answered right gets lost, and none becomes wrong.

`bench/behaviour/suite.py` prints the outcomes and records them with ``--update``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from thorough import THOROUGH

from bench.behaviour import suite
from bench.behaviour.suite_data import DATA

FORMS = [(data, form) for data, forms in DATA.items() for form in forms]

MOST_DIFFERENT = {"films": 0, "bridges": 0, "hospital": 0}
"""Questions that may come out differently between forms of the same facts. These numbers only fall."""

NEXT_TO = [
    ("birds", "films", "turtle"),
    ("dumps", "films", "csv"),
    ("dumps", "concerts", "csv"),
]
"""Tests of unrelated loads (tests/integration/own_data) ask the shop."""

FEWER = 3 if THOROUGH < 2 else 1
"""Of the questions that several forms of the same facts share, every third is asked of all forms, the others of one."""

Ask = Callable[..., list[suite.Asked]]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Return a function that asks the questions of one form, alone or next to unrelated data; each is asked once."""
    work = tmp_path_factory.mktemp("behaviour")

    @functools.cache
    def load_other(kind: str) -> Path:
        return suite.load_unrelated(kind, work)

    @functools.cache
    def ask_once(data: str, form: str, beside: str = "") -> list[suite.Asked]:
        store = suite.load_form(data, form, work=work, beside=load_other(beside) if beside else None)
        questions = suite.read_questions(data)
        return suite.ask_all(store, questions if form == DATA[data][0] else questions[::FEWER])

    return ask_once


@pytest.mark.parametrize("data, form", FORMS)
def test_no_recorded_answer_gets_worse(ask, data, form):
    assert suite.find_regressions(form, ask(data, form)) == []


@pytest.mark.parametrize("data", MOST_DIFFERENT)
def test_the_same_facts_in_another_form_give_the_same_answers(ask, data):
    whole, *others = DATA[data]
    by_form = {whole: ask(data, whole)[::FEWER], **{form: ask(data, form) for form in others}}
    different = suite.find_differences(by_form)
    assert len(different) <= MOST_DIFFERENT[data], "\n".join(different)


@pytest.mark.parametrize("beside, data, form", NEXT_TO)
def test_unrelated_data_changes_no_answer(ask, beside, data, form):
    changed = suite.find_differences({"alone": ask(data, form), beside: ask(data, form, beside)})
    assert changed == []
