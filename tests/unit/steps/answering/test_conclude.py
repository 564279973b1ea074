"""What follows from judged evidence: a sentence says yes where it leads to what is named, and no path comes twice."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.samples.answers import BIRTH, MOZART, SALZBURG, VIENNA, evidence

from hydra_kg.domain import Analysis, AnswerValue, Judgement
from hydra_kg.settings import Settings
from hydra_kg.steps.answering.candidates import OwnCandidate, TextCandidate
from hydra_kg.steps.answering.conclude import _affirmed, conclude, paths_to
from hydra_kg.steps.answering.results import NOTHING

SAID = replace(NOTHING, answers=(AnswerValue("Salzburg", SALZBURG),), evidence=(evidence(BIRTH),))
CONTEXT: Any = SimpleNamespace(settings=Settings(), snapshot=None, entities=lambda ids: {})


@pytest.mark.parametrize(
    "kind, other, said", [("boolean", SALZBURG, ["yes"]), ("boolean", VIENNA, []), ("entity", VIENNA, ["Salzburg"])]
)
def test_what_a_sentence_says_of_a_question_whether(kind, other, said):
    asked = Analysis("?", "?", (MOZART.id, other.id), 1, kind=kind)
    assert [a.name for a in _affirmed(asked, SAID).answers] == said


@pytest.mark.parametrize("kind", [TextCandidate, OwnCandidate])
def test_a_path_is_given_once_whatever_a_model_names_beside_it(kind):
    asked = Analysis("?", "?", (MOZART.id,), 1, kind="boolean")
    judgement = Judgement(True, 0.9, "", ("yes", "certainly"))
    end = conclude(CONTEXT, asked, [kind(evidence(BIRTH))], judgement)
    assert [a.name for a in end.answers] == ["yes", "certainly"]
    assert end.evidence == (evidence(BIRTH),)


def test_a_name_that_nothing_holds_is_no_answer_to_a_question_for_a_name():
    asked = Analysis("?", "?", (MOZART.id,), 1)
    end = conclude(CONTEXT, asked, [TextCandidate(evidence(BIRTH))], Judgement(True, 0.9, "", ("Atlantis",)))
    assert end.answers == ()
    assert end.evidence == ()


def test_what_a_strategy_found_leads_to_its_ends_as_the_strategy_says_and_to_what_it_passes_by_itself():
    found = evidence(BIRTH)
    candidate = OwnCandidate(found, lambda e, nodes: [replace(e, reason=n.name) for n in nodes])
    assert [e.reason for e in paths_to(CONTEXT, candidate, [SALZBURG])] == ["Salzburg"]
    assert [e.answers for e in paths_to(CONTEXT, candidate, [MOZART])] == [(MOZART,)]
