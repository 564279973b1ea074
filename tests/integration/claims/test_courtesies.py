"""Thanks are answered politely, and a failed question keeps the names that the next one takes up."""

from __future__ import annotations

import pytest

from hydra_kg import Hydra
from hydra_kg.citations import COURTESY, NOTHING


@pytest.mark.parametrize("text", ["thanks", "Thank you!", "ok, thanks"])
def test_thanks_are_answered(sample: Hydra, text: str) -> None:
    first = sample.ask("Who directed Titanic?", keep=False)
    answer = sample.ask(text, after=first, keep=False)
    assert answer.missing == COURTESY
    assert NOTHING not in str(answer)


def test_a_failed_question_keeps_its_person(sample: Hydra) -> None:
    first = sample.ask("What is the capital of Germany?", keep=False)
    failed = sample.ask("What about Christopher Nolan?", after=first, keep=False)
    assert failed.abstained
    assert [m.chosen.node.name for m in failed.mentions if m.chosen] == ["Christopher Nolan"]
    born = sample.ask("Where was he born?", after=failed, keep=False)
    assert (born.understood_as, born.answer_text) == ("Where was Christopher Nolan born?", "London")
