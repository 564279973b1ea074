"""Measures of subjects and of groups: boats that cost less are not those with cheap repairs, harbours by mean price."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hydra_kg import Hydra

BOATS = """boat_id,name,type,harbour,price
1,Sea Breeze,sloop,Kiel,48500
2,Albatross,yacht,Kiel,412000
3,Petrel,ketch,Husum,54000
4,Northern Star,ketch,Husum,189000
5,Gull,dinghy,Kiel,3200
"""
REPAIRS = """repair_id,boat_id,date,cost
1,1,2025-01-02,800
2,2,2025-02-03,12000
3,4,2025-03-04,2500
4,5,2025-05-06,90
"""
Ask = Callable[[str], set[str]]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder = tmp_path_factory.mktemp("harbour") / "harbour"
    folder.mkdir()
    (folder / "boats.csv").write_text(BOATS)
    (folder / "repairs.csv").write_text(REPAIRS)
    with Hydra(store=folder.parent / "store", agent="offline") as hydra:
        hydra.load(folder)
        yield lambda question: {a.name for a in hydra.ask(question, keep=False).answers}


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which boats in Kiel cost less than 40000?", {"Gull"}),
        ("Which boats cost less than 40000?", {"Gull"}),
        ("Which ketches in Husum cost less than 60000?", {"Petrel"}),
        ("Which boats have repairs that cost less than 1000?", {"Sea Breeze", "Gull"}),
        ("Which boats had a repair cost below 1000?", {"Sea Breeze", "Gull"}),
    ],
)
def test_what_costs_is_the_subject_of_the_verb(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which harbours have an average price above 130000?", {"Kiel: 154567"}),
        ("Which types have an average boat price of at most 50000?", {"sloop: 48500", "dinghy: 3200"}),
        ("Which harbours have repairs with an average cost of less than 3000?", {"Husum: 2500"}),
        ("Which type has a total price of more than 200000?", {"yacht: 412000", "ketch: 243000"}),
        ("How many types have an average price above 100000?", {"2"}),
        ("How many harbours have more than two boats?", {"1"}),  # not the number of its boats
        ("How many types have at least two boats?", {"1"}),
    ],
)
def test_groups_are_compared_by_what_is_computed_of_their_rows(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers
