"""A verb that states a measure means that of its subject: boats that cost less are not those with cheap repairs."""

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
