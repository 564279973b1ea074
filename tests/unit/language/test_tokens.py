"""Tokens of sentences and of identifiers."""

from __future__ import annotations

import pytest

from hydra_kg.language.tokens import split_identifier, tokenise


@pytest.mark.parametrize(
    "name, parts",
    [
        ("hasProductManager", ["has", "product", "manager"]),
        ("height_cm", ["height", "cm"]),
        ("BOMPart", ["bom", "part"]),
        ("Area of expertise", ["area", "of", "expertise"]),
    ],
)
def test_names_of_properties_are_split(name: str, parts: list[str]) -> None:
    assert split_identifier(name) == parts


def test_a_possessive_ending_is_a_token():
    assert [t.text for t in tokenise("Ada's boats' 1,200 sails, e.g. U.S.")] == [
        "Ada",
        "'s",
        "boats",
        "'",
        "1,200",
        "sails",
        ",",
        "e.g",
        ".",
        "U.S.",
    ]


def test_a_token_knows_its_place_and_stem():
    token = tokenise("The firm was founded")[-1]
    assert (token.start, token.end, token.low, token.stem) == (13, 20, "founded", "found")
    assert token.word
    assert not token.capital
