"""What a page answers to a question: the sentence must say the order, and of the one who is asked about."""

from __future__ import annotations

import pytest

from hydra_kg.extract.reading.page import Page, Paragraph
from hydra_kg.extract.reading.page_question import asked
from hydra_kg.extract.reading.sentence_answers import answers

SPAIN = (
    "Spain is a country with two large archipelagoes, and two cities, Ceuta and Melilla, on the African mainland.",
    "Spain's capital and largest city is Madrid.",
)
OBAMA = (
    "Barack Obama is an American politician. He was born in Honolulu. His wife is Michelle Obama. He studied law.",
    "He proposed to Sheila Jager twice, but both Jager and her parents turned him down.",
)

SINGER = ("Elton Brand (born Reginald Kenneth Marsh; 25 March 1947) is a singer.",)


def said(title, paragraphs, question):
    page = Page([title], [Paragraph(text) for text in paragraphs])
    at = question.index(title)
    read = asked(question, [(at, at + len(title))])
    assert read is not None
    return {a.text: a.score for a in answers(page, read) if a.score >= 0.5}


@pytest.mark.parametrize(
    "title, paragraphs, question, found",
    [
        ("Spain", SPAIN, "What is the largest city in Spain?", {"Madrid"}),
        ("Barack Obama", OBAMA, "Who are the parents of Barack Obama?", set()),
        ("Elton Brand", SINGER, "Which country was Elton Brand born in?", set()),
        ("Barack Obama", OBAMA, "Who is the wife of Barack Obama?", {"Michelle Obama"}),
    ],
)
def test_a_sentence_says_what_is_asked_of_whom(title, paragraphs, question, found):
    assert said(title, paragraphs, question).keys() == found
