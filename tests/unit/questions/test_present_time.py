"""Words that restrict a question to the present make an answer doubtful unless it accounts for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hydra_kg.domain import Analysis, AnswerValue, Judgement, Mention
from hydra_kg.plan.model import Difference, Named, Plan, Today, Value
from hydra_kg.questions.present_time import present_words
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
