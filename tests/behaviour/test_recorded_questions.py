"""Our own questions: none that was answered right gets lost, and none becomes wrong.

`bench/behaviour/suite.py` prints the outcomes and records them with ``--update``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bench.behaviour import suite
from bench.behaviour.suite_data import DATA

FORMS = [(data, form) for data, forms in DATA.items() for form in forms]

MOST_DIFFERENT = {"films": 3}
"""Questions that may come out differently between forms of the same facts. These numbers only fall."""

Ask = Callable[[str, str], list[suite.Asked]]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Return the answers to all questions of one form; each form is loaded and asked once."""
    asked: dict[tuple[str, str], list[suite.Asked]] = {}
    work = tmp_path_factory.mktemp("behaviour")

    def ask_once(data: str, form: str) -> list[suite.Asked]:
        if (data, form) not in asked:
            store = suite.load_form(data, form, work=work)
            asked[data, form] = suite.ask_all(store, suite.read_questions(data))
        return asked[data, form]

    return ask_once


@pytest.mark.parametrize("data, form", FORMS)
def test_no_recorded_answer_gets_worse(ask, data, form):
    assert suite.find_regressions(form, ask(data, form)) == []


@pytest.mark.parametrize("data", MOST_DIFFERENT)
def test_the_same_facts_in_another_form_give_the_same_answers(ask, data):
    different = suite.find_differences({form: ask(data, form) for form in DATA[data]})
    assert len(different) <= MOST_DIFFERENT[data], "\n".join(different)
