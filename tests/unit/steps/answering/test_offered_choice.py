"""Which questions offer a choice of answers, and which only list names."""

from __future__ import annotations

import pytest

from hydra_kg.domain import Mention
from hydra_kg.steps.answering.offered_choice import offered_choice


def _offered(question: str, *names: str) -> tuple[tuple[str, ...], bool] | None:
    mentions = [Mention(n, question.index(n), question.index(n) + len(n), (), None) for n in names]
    choice = offered_choice(question, mentions)
    return (choice.names, choice.certain) if choice is not None else None


@pytest.mark.parametrize(
    "question",
    [
        "Who is older, Ann or Bob?",
        "Ann or Bob: who is older?",
        "Of Ann and Bob, who is older?",
        "Who came, Ann, or Bob?",
    ],
)
def test_names_set_off_at_either_end_are_offered(question: str) -> None:
    assert _offered(question, "Ann", "Bob") == (("Ann", "Bob"), True)


@pytest.mark.parametrize(
    "question", ["Who played Ann or Bob?", "Ann and Bob, are they married?", "Is Ann or Bob older?"]
)
def test_names_within_a_question_are_not_offered(question: str) -> None:
    assert _offered(question, "Ann", "Bob") is None


def test_a_list_may_end_in_a_choice() -> None:
    assert _offered("Who directed Lost, Ann or Bob?", "Lost", "Ann", "Bob") == (("Ann", "Bob"), False)


def test_words_that_are_not_linked_may_be_offered() -> None:
    assert _offered("Which colour has Ann, dark red or blue?", "Ann") == (("dark red", "blue"), False)
