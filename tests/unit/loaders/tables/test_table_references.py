"""Tables that are named one by one are one feed if a column of one refers to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg_loaders.tables.loader import TablesLoader

RECIPES = "recipe,cuisine\nSoup,Turkish\nStew,French\nPie,French\n"


@pytest.mark.parametrize(
    "other, refers",
    [
        ("ratings.csv|recipe,reader\nSoup,Tom\nSoup,Mia\nPie,Tom\n", True),
        ("ratings.csv|Reader,Recipe\nTom,Soup\nMia,Soup\nTom,Pie\n", True),
        ("ratings.csv|dish,reader\nSoup,Tom\nSoup,Mia\nPie,Tom\n", False),
        ("ratings.csv|recipe,reader\nBread,Tom\nBread,Mia\nPie,Tom\n", False),
        ("twice.csv|recipe,calories\nSoup,320\nStew,680\nPie,540\n", False),
        ("more.csv|recipe,cuisine\nSoup,Greek\nSoup,Turkish\nPie,French\n", False),
        ("members.csv|member_id,name\n1,Ada\n2,Bo\n", False),
    ],
    ids=["first column", "any column", "another name", "other values", "one row each", "says the same", "unrelated"],
)
def test_a_column_named_like_the_key_of_another_table_refers_to_it(tmp_path: Path, other: str, refers: bool) -> None:
    name, _, text = other.partition("|")
    (tmp_path / "recipes.csv").write_text(RECIPES)
    (tmp_path / name).write_text(text)
    files = [tmp_path / "recipes.csv", tmp_path / name]
    assert TablesLoader().refer(files, {}) is refers
    assert TablesLoader().refer(files[::-1], {}) is refers
    assert not TablesLoader().refer(files, {"entity": "recipe"})


def test_the_name_of_the_table_refers_too(tmp_path: Path) -> None:
    (tmp_path / "recipes.csv").write_text("name,cuisine\nSoup,Turkish\nPie,French\n")
    (tmp_path / "ratings.csv").write_text("reader,recipe\nTom,Soup\nMia,Soup\n")
    assert TablesLoader().refer([tmp_path / "recipes.csv", tmp_path / "ratings.csv"], {})
