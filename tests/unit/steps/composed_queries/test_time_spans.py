"""A question for a time between two events is two questions for a date."""

from __future__ import annotations

from datetime import date

import pytest

from hydra_kg.steps.composed_queries.time_spans import TimeSpan, elapsed, is_time_span, time_spans


@pytest.mark.parametrize(
    "question, span",
    [
        (
            "How many days passed between the admission and the discharge of Nina Holm?",
            TimeSpan("What is the admission of Nina Holm?", "What is the discharge of Nina Holm?", "days"),
        ),
        (
            "How many years are there between Salt and Low Water?",
            TimeSpan("What is the date of Salt?", "What is the date of Low Water?", "years", bare=True),
        ),
        (
            "How long was it from the opening of Vik to the closure of Eid?",
            TimeSpan("What is the opening of Vik?", "What is the closure of Eid?", "days"),
        ),
        (
            "What is the difference between the start date and the end date of Vik?",
            TimeSpan("What is the start date of Vik?", "What is the end date of Vik?", "days"),
        ),
        (
            "How old was Nina Holm when she was admitted?",
            TimeSpan("When was Nina Holm born?", "When Nina Holm was admitted?", "years", forward=True),
        ),
    ],
)
def test_both_questions_ask_for_a_date(question: str, span: TimeSpan) -> None:
    assert next(time_spans(question)) == span


@pytest.mark.parametrize("question", ["How many ships were launched between 1950 and 1955?", "How old is Nina Holm?"])
def test_no_time_between_events_is_asked_for(question: str) -> None:
    assert not is_time_span(question)


@pytest.mark.parametrize("unit, amount", [("days", 1072), ("weeks", 153), ("months", 35), ("years", 2)])
def test_whole_units_are_counted(unit: str, amount: int) -> None:
    assert elapsed(date(1950, 2, 3), date(1953, 1, 10), unit) == amount
