"""Measures are told apart by the adjectives that mean them."""

from __future__ import annotations

import pytest

from hydra_kg.text.measures import is_another_measure


@pytest.mark.parametrize(
    "asked, said, other",
    [
        ("width", "length", True),
        ("depth", "height meters", True),
        ("weight", "top speed", True),
        ("height", "length", False),  # "short" means both
        ("price", "unit cost", False),
        ("width", "material", False),
        ("owner", "length", False),
    ],
)
def test_a_measure_is_another_one_if_no_adjective_means_both(asked: str, said: str, other: bool) -> None:
    assert is_another_measure(asked, said) is other
