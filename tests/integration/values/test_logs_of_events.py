"""A log whose rows no column tells apart: its rows stay apart, loaded alone or with the table that it refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hydra_kg import Hydra

RECIPES = """recipe,cuisine,servings
Lentil soup,Turkish,4
Shakshuka,Tunisian,2
Pad thai,Thai,2
Paella,Spanish,6
Falafel,Lebanese,4
"""
RATINGS = """recipe,reader,stars,date,comment
Lentil soup,Tom,5,2025-01-12,Perfect for winter
Lentil soup,Mia,4,2025-02-03,
Shakshuka,Mia,3,2025-03-01,Too spicy
Pad thai,Tom,2,2025-04-02,Too sweet
Paella,Ana,5,2025-05-05,
Paella,Tom,4,2025-05-09,
"""
Ask = Callable[[str], set[str]]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["alone", "together"])
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "recipes.csv").write_text(RECIPES)
    (folder / "ratings.csv").write_text(RATINGS)
    files = ["ratings.csv"] if request.param == "alone" else ["recipes.csv", "ratings.csv"]
    with Hydra(store=folder / "store", agent="offline") as hydra:
        loads = hydra.load(*(folder / file for file in files)).loads
        assert len(loads) == 1, "tables that refer to one another are one feed"
        yield lambda question: {a.name for a in hydra.ask(question, keep=False).answers}


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many ratings are there?", {"6"}),
        ("How many stars did Mia give Lentil soup?", {"4"}),
        ("What is the average number of stars of Paella?", {"4.5"}),
        ("How many ratings did Tom give?", {"3"}),
        ("How many ratings have five stars?", {"2"}),
        ("What is the average number of stars by reader?", {"Tom: 3.66667", "Mia: 3.5", "Ana: 5"}),
    ],
)
def test_what_one_row_says_is_not_mixed_with_another(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers
