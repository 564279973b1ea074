"""Comparisons of two pages: dates, measures, kinds and what both share."""

from __future__ import annotations

import pytest

from hydra_kg.extract.reading.page import Page, Paragraph
from hydra_kg.extract.reading.page_comparison import compare, comparison

PAGES = {
    "Marsh Lantern": "Marsh Lantern is a Dutch folk band, formed in Breda in 1997.",
    "Copper Kites": "Copper Kites are an English rock band, formed in early 2006 by Ida Holm and Per Ruud.",
    "Ida Holm": "Ida Marie Holm (born 7 January 1976) is a Norwegian singer and guitarist.",
    "Osman Vale": "Osman Vale (14 July 1939 – 2 May 2001) was a Norwegian-Danish film director.",
    "Ferry Bridge": "The Ferry Bridge is a bridge in Tresk. It is 2 km long.",
    "Mill Bridge": "The Mill Bridge is a bridge in Tresk. It is 900 m long.",
    "Quiet Water": "Quiet Water is a 1976 British adventure film directed by Osman Vale.",
    "Paper Moons": "Paper Moons is a 2013 American animated film. It is 98 minutes long.",
}


def result(question: str, one: str, other: str) -> str | bool | None:
    spans = [(question.index(name), question.index(name) + len(name)) for name in (one, other)]
    asked = comparison(question, spans)
    pages = (Page([one], [Paragraph(PAGES[one])]), Page([other], [Paragraph(PAGES[other])]))
    found = compare(asked, pages) if asked is not None else None
    if found is None:
        return None
    return found.truth if found.truth is not None else (one, other)[found.chosen]


@pytest.mark.parametrize(
    "question, one, other, expected",
    [
        (
            "Which band was formed first, Copper Kites or Marsh Lantern?",
            "Copper Kites",
            "Marsh Lantern",
            "Marsh Lantern",
        ),
        ("Which band was formed last, Copper Kites or Marsh Lantern?", "Copper Kites", "Marsh Lantern", "Copper Kites"),
        ("Who is older, Ida Holm or Osman Vale?", "Ida Holm", "Osman Vale", "Osman Vale"),
        ("Who is younger, Ida Holm or Osman Vale?", "Ida Holm", "Osman Vale", "Ida Holm"),
        ("Which is longer, Ferry Bridge or Mill Bridge?", "Ferry Bridge", "Mill Bridge", "Ferry Bridge"),
        ("Are Marsh Lantern and Copper Kites both bands?", "Marsh Lantern", "Copper Kites", True),
        ("Are Marsh Lantern and Copper Kites both English bands?", "Marsh Lantern", "Copper Kites", False),
        ("Are Quiet Water and Paper Moons both animated?", "Quiet Water", "Paper Moons", False),
        ("Are Ida Holm and Osman Vale of the same nationality?", "Ida Holm", "Osman Vale", True),
        ("Are Marsh Lantern and Copper Kites of the same nationality?", "Marsh Lantern", "Copper Kites", False),
        ("Which is an animated film, Quiet Water or Paper Moons?", "Quiet Water", "Paper Moons", "Paper Moons"),
        ("Are Ferry Bridge and Mill Bridge both located in Tresk?", "Ferry Bridge", "Mill Bridge", True),
    ],
)
def test_two_pages_are_compared(question: str, one: str, other: str, expected: str | bool) -> None:
    assert result(question, one, other) == expected


@pytest.mark.parametrize(
    "question, one, other",
    [
        ("Which film did Ida Holm and Osman Vale make?", "Ida Holm", "Osman Vale"),
        ("Who is older, Marsh Lantern or Ferry Bridge?", "Marsh Lantern", "Ferry Bridge"),
        ("Did Ida Holm and Osman Vale both win a prize?", "Ida Holm", "Osman Vale"),
        ("Which is longer, Ferry Bridge or Marsh Lantern?", "Ferry Bridge", "Marsh Lantern"),
        ("Which film is an animated film, Paper Moons or Paper Moons?", "Paper Moons", "Paper Moons"),
    ],
)
def test_nothing_is_decided_where_the_pages_do_not_state_it(question: str, one: str, other: str) -> None:
    assert result(question, one, other) is None
