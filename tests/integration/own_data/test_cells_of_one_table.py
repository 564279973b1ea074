"""A question that names a row and a column of a single table gets that cell, and never more certainty than it has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Answer, Hydra

ACCOUNTS = ""","Year Ended June 30, / 2021","Year Ended June 30, / 2020",% Change
Timber and freight cost,"$1,204","$1,011",19.1 %
Wages and related costs,880,795,10.7 %
Ferry revenue / Freight,"2,310","2,002",15.4 %
Ferry revenue / Visitors,640,911,(29.7)%
Visitor revenue per available berth night (VRPABN),41.20,39.75,3.6 %
Harbour dues,75,80,(6.3)%
"""


@pytest.fixture(scope="module", params=["file", "folder"])
def hydra(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Yield a store of one table, loaded as a file or as a folder that holds it."""
    folder: Path = tmp_path_factory.mktemp("accounts") / "accounts"
    folder.mkdir()
    table = folder / "tab-7.csv"
    table.write_text(ACCOUNTS, encoding="utf-8")
    with Hydra(store=folder.parent / "accounts.db", agent="offline") as hydra:
        hydra.load(table if request.param == "file" else folder)
        yield hydra


def _said(answer: Answer) -> list[str]:
    return [one.name for one in answer.answers]


@pytest.mark.parametrize(
    "question, cell",
    [
        ("How much was spent on wages and related costs in 2020?", "795"),
        ("What was the freight revenue in 2021?", "2,310"),
        ("What were the harbour dues in 2020?", "80"),
        ("What was the visitor revenue per available berth night in 2021?", "41.20"),
        ("What was the VRPABN in 2020?", "39.75"),
        ("What was the percentage change of harbour dues?", "(6.3)%"),
    ],
)
def test_a_cell_is_found_by_words_of_its_row_and_its_column(hydra: Hydra, question: str, cell: str) -> None:
    answer = hydra.ask(question, keep=False)
    assert _said(answer) == [cell]
    assert answer.citations


def test_a_name_that_the_table_lacks_makes_the_answer_partial(hydra: Hydra) -> None:
    answer = hydra.ask("What was the freight revenue of Skerry Lines in 2021?", keep=False)
    assert _said(answer) == ["2,310"]
    assert answer.verdict == "partial"
    assert any("Skerry Lines" in text for text in answer.unchecked)
    assert answer.confidence < 0.8


@pytest.mark.parametrize(
    "question",
    [
        "What was the freight revenue in 2019?",  # no such column
        "What was the freight revenue?",  # three columns
        "What was the revenue of Skerry Lines in 2021?",  # no row but by an unknown name
        "What was the catering revenue in 2021?",  # a word that the rows lack tells this one from them
    ],
)
def test_what_no_single_cell_meets_is_not_answered(hydra: Hydra, question: str) -> None:
    assert hydra.ask(question, keep=False).abstained
