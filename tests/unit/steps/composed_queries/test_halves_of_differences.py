"""A question for a difference is two questions."""

from __future__ import annotations

import pytest

from hydra_kg.steps.composed_queries.differences import halves, is_difference


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
    assert (one, other) in [pair[:2] for pair in halves(question)]


@pytest.mark.parametrize("question", ["How many plants have more than 3 outages?", "Who is older than Una Lind?"])
def test_a_comparison_is_no_difference(question: str) -> None:
    assert not is_difference(question)
