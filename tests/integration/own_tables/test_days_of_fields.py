"""Rows with several days: what never took place for a thing, and groups whose day the question does not say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "fields.csv": "Field,Hectares,Soil\nNorth Acre,4.5,clay\nLong Meadow,7,loam\nOld Orchard,1.3,loam\n",
    "harvests.csv": (
        "id,field,crop,sown,harvested,tonnes\nH1,North Acre,wheat,2022-10-05,2023-08-01,31\n"
        "H2,Long Meadow,barley,2023-03-12,2023-08-15,42.5\nH3,North Acre,barley,2023-10-01,2024-07-20,27\n"
        "H4,Long Meadow,beans,2024-10-20,,\n"
    ),
    "repairs.csv": (
        "repair,machine,brought in,promised,labour cost\nR1,baler,2024-02-03,2024-02-06,45\n"
        "R2,combine,2024-02-10,2024-03-12,80\nR3,baler,2024-03-01,2024-03-08,120\n"
    ),
}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("farm"), FILES, together="farm")


def test_a_field_that_was_never_harvested_has_no_day_of_harvest(farm: Hydra) -> None:
    found = farm.ask("Which field has never been harvested?", keep=False)
    assert {a.name for a in found.answers} == {"Old Orchard"}


@pytest.mark.parametrize(
    "question, sure", [("How many tonnes per crop and year?", False), ("What was the labour cost per month?", True)]
)
def test_a_day_that_the_question_does_not_say_leaves_its_part_unsure(farm: Hydra, question: str, sure: bool) -> None:
    found = farm.ask(question, keep=False)
    assert found.answers
    assert (found.verdict != "partial") == sure
