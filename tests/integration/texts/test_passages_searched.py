"""A question that nothing else answers is read in the passages that a search finds, or shows the best sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.citations import SURE

MINUTES = """# Minutes of the Hollin Mill Society

Chair: Ruth Ansell
Place: village hall

## Water
The tank by the east gate leaks. Owen Pritchard will replace its valve before the end of June.

## Dogs
Only assistance dogs are allowed in the orchard.
"""
TEXTS = [
    ("Cy Holm", "Cy Holm (born 1990) is a footballer who plays as a goalkeeper for the club Ostrand Rovers."),
    ("Nessa Quill", 'Nessa Quill is a character in the series "Harbour Lane", played by Ulla Brandt.'),
    ("Ulla Brandt", "Ulla Brandt (born 3 May 1961) is a Norwegian actress from Tresk, Norland."),
    ("Per Ruud", "Per Ruud (born 9 June 1975) is a Norwegian film director."),
    ("Ostrand Prize", "In 1999 the Ostrand Prize went to Ada Lund. In 2001 the Ostrand Prize went to Bo Rask."),
]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder: Path = tmp_path_factory.mktemp("texts")
    minutes, file = folder / "minutes.md", folder / "texts.jsonl"
    minutes.write_text(MINUTES, "utf-8")
    file.write_text("".join(json.dumps({"title": t, "text": x}) + "\n" for t, x in TEXTS), "utf-8")
    with Hydra(store=folder / "store") as hydra:
        hydra.load(file, format="passages", source="texts")
        hydra.load(minutes, source="minutes")
        yield hydra


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Who will replace the valve of the tank?", "Owen Pritchard"),
        ("Which goalkeeper plays for Ostrand Rovers?", "Cy Holm"),
    ],
)
def test_a_sentence_answers_and_is_cited(texts: Hydra, question: str, expected: str) -> None:
    answer = texts.ask(question, keep=False, agent="offline")
    assert answer.answer_text == expected
    assert answer.confidence < SURE
    assert expected in (answer.evidence[0].sentence or "") + answer.citations[0].locator.page


def test_lines_of_labels_in_a_paragraph_are_facts(texts: Hydra) -> None:
    assert texts.ask("Who is the chair?", keep=False, agent="offline").answer_text == "Ruth Ansell"


def test_the_best_sentence_is_offered_with_its_citation(texts: Hydra) -> None:
    answer = texts.ask("Are dogs allowed?", keep=False, agent="offline")
    assert answer.abstained
    (offered,) = answer.perhaps
    assert offered.name.startswith("“Only assistance dogs are allowed in the orchard.” (Minutes")
    assert answer.citations[0].locator.file == "minutes.md"
    assert answer.to_dict()["decision"] == "perhaps"
    assert "Only assistance dogs" in str(answer)
    assert "Only assistance dogs" in answer.html()


def test_values_that_rival_one_another_are_not_chosen_from(texts: Hydra) -> None:
    answer = texts.ask("Who got the Ostrand Prize?", keep=False, agent="offline")
    assert answer.abstained or len(answer.answers) == 2


@pytest.mark.parametrize("question", ["Who is the librarian?", "How many bicycles does Quince Park own?"])
def test_a_question_without_a_fitting_sentence_stays_without_an_answer(texts: Hydra, question: str) -> None:
    answer = texts.ask(question, keep=False, agent="offline")
    assert answer.abstained
    assert not answer.perhaps


@pytest.mark.parametrize(
    "question, expected",
    [
        ("When was the actress who played Nessa Quill born?", "1961-05-03"),
        ("The actress who played Nessa Quill is from what country?", "Norland"),
    ],
)
def test_a_second_passage_answers_about_what_the_first_names(texts: Hydra, question: str, expected: str) -> None:
    answer = texts.ask(question, keep=False, agent="offline")
    assert answer.answer_text == expected
    assert answer.confidence < SURE
    assert {c.locator.page for c in answer.citations} == {"Nessa Quill", "Ulla Brandt"}


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Who is older, Ulla Brandt or Per Ruud?", "Ulla Brandt"),
        ("Are Ulla Brandt and Per Ruud both actresses?", "no"),
        ("Were Ulla Brandt and Per Ruud of the same nationality?", "yes"),
    ],
)
def test_two_passages_are_compared(texts: Hydra, question: str, expected: str) -> None:
    answer = texts.ask(question, keep=False, agent="offline")
    assert answer.answer_text == expected
    assert {c.locator.page for c in answer.citations} == {"Ulla Brandt", "Per Ruud"}


def test_a_comparison_with_something_unknown_is_not_answered(texts: Hydra) -> None:
    assert texts.ask("Who is older, Ulla Brandt or Odd Vinter?", keep=False, agent="offline").abstained
