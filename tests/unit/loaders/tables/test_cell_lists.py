"""Which columns list several values in a cell."""

from __future__ import annotations

import pytest

from hydra_kg_loaders.tables.cell_lists import choose_separators


@pytest.mark.parametrize(
    "cells, marks",
    [
        (["red; blue", "blue", "green; red"], [";"]),
        (["a|b", "b|c", "c"], ["|"]),
        (["Ada, Ben", "Ben, Cem", "Ada"], [","]),
        (["red; blue", "green; red", "red, white"], [";", ","]),
        (["Paris, France", "Lyon, France", "Oslo, Norway", "Bergen, Norway"], []),
        (["Paris, France", "France", "Japan", "Tokyo, Japan"], []),
        (["New York, New York", "Albany, New York", "Boston, Massachusetts"], []),
        (["Holm, Ida", "Holm, Ben", "Vogt, Ida"], []),
        (["a; b", "c; d"], []),
        (["1,2", "2,3", "3"], []),
        (["Rain came; the roof of the old house leaked again", "Rain came; dry", "Rain came"], []),
    ],
)
def test_lists_repeat_short_values(cells: list[str], marks: list[str]) -> None:
    assert choose_separators(cells) == marks
