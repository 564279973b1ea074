"""Texts that share a name are told apart, and texts that contradict one another are named as a conflict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.steps.reading.several_texts import description

TEXTS = [
    ("Marlow Quint", "Marlow Quint is a Canadian painter. She was born in 1951."),
    ("Marlow Quint", "Marlow Quint is an Irish rugby player. He was born in 1988."),
    ("Adela Winter", "Adela Winter is an Austrian physicist. She was born in 1947."),
    ("Adela Winter", "Adela Winter is an Austrian physicist. She was born in 1931."),
    ("Adela Winter", "Adela Winter is an Austrian physicist. Adela Winter was born in 1931."),
    ("Winter Salt", "Winter Salt is a novel. It was written by Ola Berg and Jean Marchal."),
    ("Winter Salt", "Winter Salt is a novel. It was written by Ola Berg."),
]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("texts")
    file: Path = folder / "texts.jsonl"
    file.write_text("".join(json.dumps({"title": t, "text": x}) + "\n" for t, x in TEXTS), "utf-8")
    with Hydra(store=folder / "store") as hydra:
        hydra.load(file, format="passages", source="texts")
        yield hydra


def test_every_value_of_an_ambiguous_name_comes_with_its_thing(texts: Hydra) -> None:
    answer = texts.ask("When was Marlow Quint born?", keep=False, agent="offline")
    assert answer.answer_text == "1951 (a Canadian painter) and 1988 (an Irish rugby player)"
    assert answer.verdict == "single-source"


def test_the_value_of_most_texts_comes_first_and_the_other_is_a_conflict(texts: Hydra) -> None:
    answer = texts.ask("When was Adela Winter born?", keep=False, agent="offline")
    assert [a.name for a in answer.answers] == ["1931", "1947"]
    assert answer.verdict == "contested"
    assert answer.dissent == ("texts.jsonl:3 says 1947",)
    assert answer.answer_text == "Texts disagree: texts.jsonl:4 and texts.jsonl:5 say 1931; texts.jsonl:3 says 1947"


def test_values_that_one_text_states_together_are_a_list(texts: Hydra) -> None:
    answer = texts.ask("Who wrote Winter Salt?", keep=False, agent="offline")
    assert answer.verdict == "single-source"
    assert not answer.dissent


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Marlow Quint is a Canadian painter. She was born in 1951.", "a Canadian painter"),
        ("The Glass Orchard is a 1974 drama film, which won a prize.", "a 1974 drama film"),
        ("Ashgrove is a village that is known for pots.", "a village"),
        ("She was born in 1951.", ""),
        ("", ""),
    ],
)
def test_a_text_says_at_its_beginning_what_it_is_about(text: str, expected: str) -> None:
    assert description(text) == expected
