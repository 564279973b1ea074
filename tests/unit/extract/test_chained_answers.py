"""Answers in two passages: the first names a thing, the second is about it."""

from __future__ import annotations

import pytest

from hydra_kg.extract.passages.chained_answers import chained_answers, linking_sentences
from hydra_kg.extract.passages.open_question import open_question
from hydra_kg.extract.reading.page import Page, Paragraph

TEXTS = {
    "Harbour Lane": "Harbour Lane is a soap opera. Nessa Quill is the smuggler in it.",
    "Nessa Quill": 'Nessa Quill is a character in the television series "Harbour Lane", played by Ulla Brandt.',
    "Ulla Brandt": "Ulla Brandt (born 3 May 1961) is an actress from Ostrand, Norland.",
    "Ostrand": "Ostrand is a town. At the 2011 census, Ostrand had a population of 6,960.",
    "Per Ruud": "Per Ruud is a lawyer. He worked for Ulla Brandt and for the town council.",
}


def best(question: str, first: str, second: str) -> str:
    asked = open_question(question)
    assert asked is not None
    pages = [Page([title], [Paragraph(TEXTS[title])]) for title in (first, second)]
    found = [
        c
        for link in linking_sentences(pages[0], asked)
        for name, a, b in link.links([second])
        if name == second
        for c in chained_answers(link, pages[1], asked, (a, b))
    ]
    return max(found, key=lambda c: c.score).text if found else ""


@pytest.mark.parametrize(
    "question, first, second, expected",
    [
        ("When was the actress who played Nessa Quill born?", "Nessa Quill", "Ulla Brandt", "1961-05-03"),
        ("From what country is the actress who played Nessa Quill?", "Nessa Quill", "Ulla Brandt", "Norland"),
        ("What is the population of the town that Ulla Brandt is from?", "Ulla Brandt", "Ostrand", "6960"),
    ],
)
def test_the_second_passage_answers(question: str, first: str, second: str, expected: str) -> None:
    assert best(question, first, second) == expected


def test_a_sentence_that_adds_nothing_is_no_link() -> None:
    assert best("When was Ulla Brandt born?", "Per Ruud", "Ulla Brandt") == ""


@pytest.mark.parametrize(
    "question, kind, noun",
    [
        ("Per Ruud is a lawyer who worked for the council of what town?", "name", "town"),
        ("Nessa Quill is a character in a series created by who?", "person", ""),
        ("At the 2011 census, what was the population of the town where she was born?", "count", "population"),
        ("In what year was the actress who played Nessa Quill born?", "date", "year"),
    ],
)
def test_the_question_word_is_not_a_relative_pronoun(question: str, kind: str, noun: str) -> None:
    asked = open_question(question)
    assert asked is not None
    assert (asked.asked.kind, asked.noun) == (kind, noun)
