"""Questions over a text, a table and frequent questions in a document, answered by a sentence or not at all."""

from __future__ import annotations

from collections.abc import Iterator

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


@pytest.fixture(scope="module")
def festival(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("festival")
    (folder / "guide.md").write_text(GUIDE, "utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "guide.md")
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("When does the festival take place?", {"8 to 10 August 2025"}),
        ("Who bakes the bread?", {"Mara Silva"}),
        ("Who is Tall Oak named after?", {"Elin Oak"}),
        ("Can I bring my dog?", {"no"}),
        ("Who is the director?", {"Moira Keane"}),
        ("Who is the treasurer?", set()),
        ("How many volunteers are there?", set()),
    ],
)
def test_a_sentence_of_a_document_answers_or_nothing(festival: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in festival.ask(question, keep=False).answers} == answers
