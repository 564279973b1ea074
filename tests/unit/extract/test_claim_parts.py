"""Claims are split into the statements that they are made of, each with its subject."""

from __future__ import annotations

import re

import pytest

from hydra_kg.extract.claim_parts import claim_parts


def parts(marked: str) -> tuple[str, ...]:
    """Return the parts of a claim whose names stand in square brackets."""
    names, claim = [], ""
    for piece in re.split(r"(\[[^\]]+\])", marked):
        if piece.startswith("["):
            names.append((len(claim), len(claim) + len(piece) - 2))
        claim += piece.strip("[]")
    return claim_parts(claim, names)


@pytest.mark.parametrize(
    "claim, expected",
    [
        (
            "[Ada Lind] was born in [Turku], studied at [Lund] and is married to [Bo Ek].",
            ("Ada Lind was born in Turku.", "Ada Lind studied at Lund.", "Ada Lind is married to Bo Ek."),
        ),
        (
            "[Ada Lind], who was born in [Turku], wrote and directed [Low Water].",
            ("Ada Lind was born in Turku.", "Ada Lind wrote Low Water.", "Ada Lind directed Low Water."),
        ),
        (
            "[Low Water] was directed by [Ada Lind] and produced by [Bo Ek].",
            ("Low Water was directed by Ada Lind.", "Low Water was produced by Bo Ek."),
        ),
        (
            "[Low Water] stars [Bo Ek] and came out in 1997.",
            ("Low Water stars Bo Ek.", "Low Water came out in 1997."),
        ),
        (
            "[Finland] borders [Sweden], [Norway] and [Russia].",
            ("Finland borders Sweden.", "Finland borders Norway.", "Finland borders Russia."),
        ),
        (
            "[Ada Lind] was born in [Turku] in 1956 and died in [Lund].",
            ("Ada Lind was born in Turku.", "Ada Lind was born in 1956.", "Ada Lind died in Lund."),
        ),
        (
            "[Ada Lind], a founder of [Ek Inc.], died in [Lund].",
            ("Ada Lind is a founder of Ek Inc.", "Ada Lind died in Lund."),
        ),
        (
            "[Ada Lind] and [Bo Ek] were born in [Turku].",
            ("Ada Lind were born in Turku.", "Bo Ek were born in Turku."),
        ),
    ],
)
def test_each_part_of_a_claim_is_a_statement(claim: str, expected: tuple[str, ...]) -> None:
    assert parts(claim) == expected


@pytest.mark.parametrize(
    "claim",
    [
        "[Ada Lind] directed [Low Water].",
        "[Ada Lind] and [Bo Ek] are married.",
        "[Ada Lind] wrote [Salt and Sand].",
        "[Ada Lind] was born neither in [Turku] nor in [Lund].",
        "[Ada Lind] lived between [Turku] and [Lund].",
        "[Ada Lind] left [Turku] before she was born and [Lund] sank.",
        "[Turku], [Finland].",
        "",
    ],
)
def test_one_statement_and_words_that_reach_over_parts_are_not_split(claim: str) -> None:
    assert parts(claim) == ()
