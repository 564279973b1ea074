"""A claim over a column of keys is compared with the names of the rows that have these keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

BOATS = "boat_id,name,owner\nB1,Seeadler,M1\nB2,Nordstern,M2\nB3,Kormoran,M2\n"
MEMBERS = "member_id,name,sponsor_id\nM1,Ada Lund,\nM2,Bo Rask,M1\nM3,Cy Holm,M2\n"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A club whose boats name their owner by the key of a member."""
    yield from loaded(tmp_path_factory.mktemp("club"), {"boats.csv": BOATS, "members.csv": MEMBERS}, together="club")


@pytest.mark.parametrize(
    "claim, truth",
    [
        ("Bo Rask owns the Nordstern.", "true"),
        ("Ada Lund owns the Seeadler.", "true"),
        ("Ada Lund owns the Nordstern.", "false"),
    ],
)
def test_a_key_stands_for_its_row(club: Hydra, claim: str, truth: str) -> None:
    answer = club.ask(claim, keep=False)
    assert answer.claim == truth
    assert not any(step.text.startswith("M2 owns") for step in answer.steps)
