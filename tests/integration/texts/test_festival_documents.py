"""Questions over a text, a table and frequent questions in a document, answered by a sentence or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

GUIDE = """# Oakmere festival

The festival takes place from 8 to 10 August 2025. Mara Silva bakes the bread.
The main stage, called Tall Oak, was built by Owen Sharp. It is named after Elin Oak.

## Who is who

| Task | Person | Fee |
|---|---|---|
| Director | Moira Keane | £60 |
| Volunteer | Dan Abara | £10 |

## Can I bring my dog?

No, dogs are not allowed on the meadow.

## Why is there no fire?

Because of the drought.
"""


LEAFLET = """# Leaflet

The festival takes place from 8 to 10 August 2025. The bakery was founded in 1929. Jon Weber, 71, sings there.
"""
HISTORY = "# History\n\nThe bakery was founded in 1931. Bread is kept in the cellar. "
HISTORY += "The mayor of Porto, Rui Teles, praised it. A second one in Lyon closed in 1960, when it was 25 °C.\n"


@pytest.fixture(scope="module")
def festival(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("festival")
    for name, text in {"guide.md": GUIDE, "leaflet.md": LEAFLET, "history.md": HISTORY}.items():
        (folder / name).write_text(text, "utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(*sorted(folder.glob("*.md")), source="festival")
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("When does the festival take place?", {"8 to 10 August 2025"}),
        ("Who bakes the bread?", {"Mara Silva"}),
        ("Who is Tall Oak named after?", {"Elin Oak"}),
        ("Can I bring my dog?", {"no"}),
        ("Who is the director?", {"Moira Keane"}),
        ("How old is Jon Weber?", {"71"}),
        ("Where is the bread kept?", {"cellar"}),
        ("Who is the mayor of Porto?", {"Rui Teles"}),
        ("Who is the mayor of Lyon?", set()),
        ("Who is the treasurer?", set()),
        ("How many volunteers are there?", set()),
    ],
)
def test_a_sentence_of_a_document_answers_or_nothing(festival: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in festival.ask(question, keep=False).answers} == answers


def test_documents_that_state_different_years_disagree(festival: Hydra) -> None:
    answer = festival.ask("When was the bakery founded?", keep=False)
    assert {a.name for a in answer.answers} == {"1929", "1931"}
    assert answer.verdict == "contested"
    assert any("1929" in said or "1931" in said for said in answer.dissent)


REPORT = """# Annual report 2024 of Brightwater Foods

The company employed 318 people at the end of 2024. Revenue rose by 12 percent to £48.2 million.
Ingrid Solberg has been chief executive since 2019. For 2025 the board expects revenue of £53 million.
"""


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many people did the company employ at the end of 2024?", {"318"}),
        ("How many cartons were affected?", set()),
        ("How many factories are there in Wales?", set()),
        ("By how much did revenue rise?", {"12 percent"}),
        ("What was the revenue in 2024?", {"£48.2 million"}),
        ("Who founded Brightwater Foods?", set()),
        ("When was Brightwater Foods founded?", set()),
    ],
)
def test_the_only_number_of_a_document_is_no_table(tmp_path: Path, question: str, answers: set[str]) -> None:
    (tmp_path / "report.md").write_text(REPORT, "utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "report.md")
        assert {a.name for a in hydra.ask(question, keep=False).answers} == answers
