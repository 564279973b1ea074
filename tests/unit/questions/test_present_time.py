"""Words that restrict a question to the present make an answer doubtful unless it accounts for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hydra_kg.domain import Analysis, AnswerValue, Evidence, Hop, Judgement, Mention, Node, Path, Scores
from hydra_kg.plan.model import Difference, Named, Plan, Related, Today, Value
from hydra_kg.questions.present_time import is_no_holder, present_words
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.strategies.base import Outcome

ANSWER = AnswerValue("Ada", None, '"Ada"', (), 0.9)


def outcome_of(question: str, *, names: tuple[str, ...] = (), **more: object) -> Outcome:
    """Return an outcome with one answer; `names` are linked to nothing."""
    mentions = tuple(Mention(name, question.index(name), question.index(name) + len(name), (), None) for name in names)
    analysis = replace(Analysis(question, "", (), 1), **more)  # type: ignore[arg-type]
    return Outcome(mentions, analysis, replace(NOTHING, answers=(ANSWER,)), Judgement(True, 0.9, ""))


@pytest.mark.parametrize(
    "question, words",
    [
        ("Which films did Ada direct this year?", ("this year",)),
        ("Who currently leads Larkwood?", ("currently",)),
        ("Who is the current mayor of Larkwood?", ("current",)),
        ("Who leads Larkwood now?", ("now",)),
        ("Who led Larkwood in this order?", ()),
        ("Who wrote for USA Today?", ()),
    ],
)
def test_words_of_the_present_are_found(question, words):
    assert present_words(outcome_of(question)) == words


def test_a_word_of_a_linked_name_is_no_time():
    question = "who directed apocalypse now"
    assert present_words(outcome_of(question, names=("apocalypse now",))) == ()


def test_what_is_noted_already_is_not_noted_again():
    question = "Who leads Larkwood now?"
    assert present_words(replace(outcome_of(question), in_doubt=("now",))) == ()


def test_a_plan_until_today_accounts_for_the_word():
    born = Value(Named("Ada", 1), "date of birth", "date")
    question = "How old is Ada now?"
    assert present_words(outcome_of(question, plan=Plan(Difference(Today(), born)))) == ()


def test_claims_and_silence_have_no_such_doubt():
    question = "Ada currently leads Larkwood."
    assert present_words(outcome_of(question, answer_type="claim")) == ()
    assert present_words(replace(outcome_of(question), conclusion=NOTHING)) == ()


@pytest.mark.parametrize(
    "noun, relation, answer, refused",
    [
        ("mayor", "governing officials office holder", "Ada", False),
        ("mayor", "head of government", "Ada", False),
        ("chancellor", "organization leadership person", "Ada", False),
        ("prime minister", "person nationality of", "Ada", True),
        ("president", "office holders jurisdiction of office", "Larkwood", True),
        ("sister", "person nationality of", "Ada", False),
    ],
)
def test_the_holder_of_an_office_needs_a_relation_that_states_one(noun, relation, answer, refused):
    place, person = Node(1, "Q1", "Larkwood"), Node(2, "Q2", answer)
    path = Path((Hop(place, "people.person.nationality", relation, person),))
    evidence = Evidence(path, Scores(0.9), "plan", True, "", (person,), ("wikidata",), "")
    plan = Plan(Related(Named("Larkwood", 1), f"{noun} of _", noun))
    outcome = outcome_of(f"Who is the {noun} of Larkwood?", plan=plan)
    value = AnswerValue(answer, person, None, ("Q2",), 0.9)
    conclusion = replace(NOTHING, answers=(value,), evidence=(evidence,))
    assert is_no_holder(replace(outcome, conclusion=conclusion)) == refused
