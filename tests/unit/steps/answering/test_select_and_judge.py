"""A question whether, answered by a sentence: yes where it leads to what is named, and never a name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.samples.answers import BIRTH, MOZART, SALZBURG, VIENNA, evidence

from hydra_kg.domain import Analysis, AnswerValue
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.steps.answering.select_and_judge import _affirmed

SAID = replace(NOTHING, answers=(AnswerValue("Salzburg", SALZBURG),), evidence=(evidence(BIRTH),))


@pytest.mark.parametrize(
    "kind, other, said", [("boolean", SALZBURG, ["yes"]), ("boolean", VIENNA, []), ("entity", VIENNA, ["Salzburg"])]
)
def test_what_a_sentence_says_of_a_question_whether(kind, other, said):
    asked = Analysis("?", "?", (MOZART.id, other.id), 1, kind=kind)
    assert [a.name for a in _affirmed(asked, SAID).answers] == said
