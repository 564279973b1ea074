"""Enumerations: which names a sentence lists, and that a page's answers have all of them."""

from __future__ import annotations

import pytest

from hydra_kg.extract.reading.enumerations import enumerations
from hydra_kg.extract.reading.page import Page, Paragraph
from hydra_kg.extract.reading.page_question import asked
from hydra_kg.extract.reading.sentence_answers import answers
from hydra_kg.extract.reading.sentence_names import names
from hydra_kg.language.tokens import tokenise

WORKS = "They made Low Tide, The Bends, Hail to the Thief and In Rainbows."


@pytest.mark.parametrize(
    "sentence, works, listed",
    [
        ("Its members are Ann Holt, Bo Reed, Cleo Moss and Di Ware.", False, "Ann Holt|Bo Reed|Cleo Moss|Di Ware"),
        ("She married Ann Holt in 1962 and Bo Reed in 1969.", False, "Ann Holt|Bo Reed"),
        ("She wrote Salt and Silence, Emma, Moor Abbey and Dust.", True, "Salt and Silence|Emma|Moor Abbey|Dust"),
        (WORKS, True, "Low Tide|The Bends|Hail to the Thief|In Rainbows"),
        ("He met Ann Holt and Bo Reed, Cleo's brother.", False, ""),
    ],
)
def test_names_of_an_enumeration_are_found(sentence: str, works: bool, listed: str) -> None:
    tokens = tokenise(sentence)
    found = list(enumerations(tokens, names(sentence, tokens), works=works))
    texts = [sentence[tokens[a].start : tokens[b].end] for spans in found for a, b in spans]
    assert "|".join(texts) == listed


@pytest.mark.parametrize(
    "question, text, right",
    [
        (
            "Who did Grey Tern marry?",
            "Grey Tern married Ann Holt in 1962 and Bo Reed in 1969.",
            ["Ann Holt", "Bo Reed"],
        ),
        (
            "Who are the members of Grey Tern?",
            "Its members are Ann Holt, Bo Reed, Cleo Moss and Di Ware.",
            ["Ann Holt", "Bo Reed", "Cleo Moss", "Di Ware"],
        ),
    ],
)
def test_a_page_gives_all_names_of_an_enumeration(question: str, text: str, right: list[str]) -> None:
    at = question.index("Grey Tern")
    read = asked(question, [(at, at + len("Grey Tern"))])
    assert read is not None
    found = answers(Page(["Grey Tern"], [Paragraph(text, "")]), read)
    assert [f.text for f in found if f.score == found[0].score] == right
