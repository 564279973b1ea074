"""Units: spellings as words, and dimensions."""

from __future__ import annotations

from hydra_kg.language.units import unit_dimensions, unit_spellings


def test_a_spelling_stands_for_its_unit():
    assert unit_spellings()["sq", "km"] == "square kilometres"
    assert unit_spellings()["€",] == "euros"


def test_longer_spellings_come_first():
    lengths = [len(spelling) for spelling in unit_spellings()]
    assert lengths == sorted(lengths, reverse=True)


def test_a_unit_has_a_dimension():
    dimensions = unit_dimensions()
    assert (dimensions["km"], dimensions["knots"], dimensions["min"]) == ("length", "speed", "time")
    assert dimensions["pounds"] == "money"
    assert "$" not in dimensions
    assert dimensions["people"] == ""
