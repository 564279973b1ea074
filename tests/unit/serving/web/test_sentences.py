"""Statements made from questions and their answers; questions without a form are left to their names."""

from __future__ import annotations

from typing import Any

import pytest

from hydra_kg.serving.web.sentences import plain_value, sentence_parts


def doc(question: str, *names: str, mentions: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """Return the fields of an answer's JSON that sentences are made from."""
    text = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)
    base = {"question": question, "answers": [{"name": n} for n in names], "answer_text": text, "verdict": "supported"}
    return {**base, "abstained": False, "mentions": [{"text": m} for m in mentions], **more}


SAID = [
    (doc("Who directed Titanic?", "James Cameron"), "James Cameron directed Titanic."),
    (
        doc("Which films did James Cameron direct?", "Titanic", "Avatar", mentions=("James Cameron",)),
        "James Cameron directed Titanic and Avatar.",
    ),
    (doc("Where was Ada Lindqvist born?", "Oslo", mentions=("Ada Lindqvist",)), "Ada Lindqvist was born in Oslo."),
    (
        doc("When did Steve Jobs die?", "2011-10-05", mentions=("Steve Jobs",)),
        "Steve Jobs died on 5 October 2011.",
    ),
    (doc("What did Ada write?", "Letters", mentions=("Ada",)), "Ada wrote Letters."),
    (
        doc("How old was Ada Lindqvist when Nine Lanterns was released?", "45", mentions=("Ada Lindqvist",)),
        "Ada Lindqvist was 45 when Nine Lanterns was released.",
    ),
    (
        doc("Which pier does the Aurora leave from?", "Pier 7", mentions=("Aurora",)),
        "The Aurora leaves from Pier 7.",
    ),
    (doc("What is the population of Germany?", "82979100"), "The population of Germany is 82,979,100."),
    (doc("Who is older, Tom Hanks or Brad Pitt?", "Tom Hanks"), "Tom Hanks is older."),
    (doc("How many films did she direct?", "6", mentions=("she",)), "She directed 6 films."),
    (
        doc("Which boats belong to M2?", "Nordstern", plan={"noun": "boats"}),
        "Nordstern belongs to M2.",
    ),
    (doc("Who conducts Requiem?", "Nora Falk", "Liv Aune"), "Nora Falk and Liv Aune conduct Requiem."),
    (doc("Who watches Dune?", "Ann", "Bo"), "Ann and Bo watch Dune."),
    (doc("Who directed Dune?", "Ann", "Bo"), "Ann and Bo directed Dune."),
    (doc("Which house has the largest area?", "Glass Hill"), "Glass Hill has the largest area."),
    (
        doc("Which films did Ridley Scott direct that is the newest?", "Prometheus", mentions=("Ridley Scott",)),
        "Prometheus is the newest.",
    ),
    (doc("Which job was the most expensive?", "J-002"), "J-002 was the most expensive."),
    (doc("Which jobs were the cheapest?", "J-004", "J-005"), "J-004 and J-005 were the cheapest."),
    (
        doc("Was Messi born in Rosario?", "yes", computation="stated: Messi was born in Rosario"),
        "Yes. Messi was born in Rosario.",
    ),
    (doc("And when did he die?", "1980", mentions=("Ada",), understood_as="When did Ada die?"), "Ada died in 1980."),
]


@pytest.mark.parametrize("answer, sentence", SAID, ids=[answer["question"] for answer, _ in SAID])
def test_an_answer_is_said_as_people_say_it(answer: dict[str, Any], sentence: str):
    assert "".join(part["text"] for part in sentence_parts(answer)) == sentence


def test_names_of_answers_are_parts_of_their_own_and_the_rest_is_counted():
    parts = sentence_parts(doc("Who wrote Tarrow Hill?", *"ABCDEFG"))
    assert [part["answer"] for part in parts if "answer" in part] == [0, 1, 2, 3]
    assert "".join(part["text"] for part in parts) == "A, B, C, D and 3 more wrote Tarrow Hill."


@pytest.mark.parametrize(
    "answer",
    [
        doc("Tell me about Oslo", "Oslo"),
        doc("Who directed Titanic?", "James Cameron", abstained=True),
        doc("Who directed Titanic?", "James Cameron", verdict="contested"),
        doc("Who directed Titanic?", "A", answer_text="Sources disagree: a says A; b says B."),
        doc("The pier is new.", "no", claim="The pier is new."),
        doc("How old is Bo Rask?", "1975-05-06"),
        doc("How many boats are there?", "2", table={"columns": ["harbour", "count"], "rows": [["Kiel", "2"]]}),
    ],
    ids=["no question", "silent", "contested", "a text of its own", "claim", "a date as an age", "a table"],
)
def test_what_has_no_form_is_no_sentence(answer: dict[str, Any]):
    assert sentence_parts(answer) == []


WRITTEN = {
    "46.6666666667": "46.67",
    "0.012345678": "0.0123",
    "1974-11-11": "11 November 1974",
    "1918-07": "July 1918",
    "1999-99-99": "1999-99-99",
    "12345.5": "12,345.5",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_values_are_written_as_people_write_them(text: str):
    assert plain_value(text) == WRITTEN[text]
