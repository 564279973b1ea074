"""A question for a difference, of numbers or of dates, is two questions."""

from __future__ import annotations

import pytest

from hydra_kg.steps.composed_queries.table_differences import SubtractedQuestions, is_difference, split_difference


@pytest.mark.parametrize(
    "question, one, other",
    [
        (
            "How many more gas plants than hydro plants are there?",
            "How many gas plants?",
            "How many hydro plants are there?",
        ),
        (
            "How many more rooms are there on floor 1 than on floor 3?",
            "How many rooms are there on floor 1?",
            "How many rooms are there on floor 3?",
        ),
        (
            "How many more goals did Una Lind score than Pia Holm?",
            "How many goals did Una Lind score?",
            "How many goals did Pia Holm score?",
        ),
        (
            "What is the difference between the highest and lowest price?",
            "What is the highest price?",
            "What is lowest price?",
        ),
        (
            "What is the difference in age between Una Lind and Pia Holm?",
            "What is the age of Una Lind?",
            "What is the age of Pia Holm?",
        ),
        (
            "How much heavier is the largest crate than the smallest one?",
            "How heavy is the largest crate?",
            "How heavy is the smallest crate?",
        ),
    ],
)
def test_both_halves_are_whole_questions(question: str, one: str, other: str) -> None:
    assert is_difference(question)
    assert (one, other) in [(halves.first, halves.second) for halves in split_difference(question)]


@pytest.mark.parametrize("question", ["How many plants have more than 3 outages?", "Who is older than Una Lind?"])
def test_a_comparison_is_no_difference(question: str) -> None:
    assert not is_difference(question)


@pytest.mark.parametrize(
    "question, halves",
    [
        (
            "How many days passed between the admission and the discharge of Nina Holm?",
            SubtractedQuestions("What is the admission of Nina Holm?", "What is the discharge of Nina Holm?", "days"),
        ),
        (
            "How many years are there between Salt and Low Water?",
            SubtractedQuestions("What is the date of Salt?", "What is the date of Low Water?", "years", is_bare=True),
        ),
        (
            "How long was it from the opening of Vik to the closure of Eid?",
            SubtractedQuestions("What is the opening of Vik?", "What is the closure of Eid?", "days"),
        ),
        (
            "What is the difference between the start date and the end date of Vik?",
            SubtractedQuestions("What is the start date of Vik?", "What is the end date of Vik?", "days"),
        ),
        (
            "How many years after Vik was Eid opened?",
            SubtractedQuestions("When was Eid opened?", "When was Vik opened?", "years", order=1),
        ),
        (
            "How old was Nina Holm when she was admitted?",
            SubtractedQuestions(
                "When was Nina Holm born?", "When Nina Holm was admitted?", "years", order=-1, is_age=True
            ),
        ),
    ],
)
def test_both_questions_ask_for_a_date(question: str, halves: SubtractedQuestions) -> None:
    assert halves in split_difference(question)


@pytest.mark.parametrize("question", ["How many ships were launched between 1950 and 1955?", "How old is Nina Holm?"])
def test_no_time_between_events_is_asked_for(question: str) -> None:
    assert not is_difference(question)
