"""Headings of columns that name people."""

from __future__ import annotations

import pytest

from hydra_kg.language.people_headings import is_person_like, last_word


@pytest.mark.parametrize("heading", ["episodeNumber", "Season Number", "deliveryOrder", "price_tier"])
def test_a_heading_whose_last_word_is_a_thing_names_no_person(heading: str) -> None:
    assert not is_person_like(last_word(heading))


@pytest.mark.parametrize("heading", ["salesManager", "Sales_Manager", "owner"])
def test_a_heading_whose_last_word_is_an_agent_names_a_person(heading: str) -> None:
    assert is_person_like(last_word(heading))
