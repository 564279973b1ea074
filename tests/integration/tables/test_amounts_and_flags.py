"""Amounts print with their unit, mixed units are converted or explained, and yes or no links nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_kg import Hydra

FILES = {
    "keepers": "keeper_id,name,town,Trained?,Started\nK1,Ida Lund,Varn,yes,2019-03-01\nK2,Max Orr,Varn,N,04.05.2020\n"
    "K3,Eva Rist,Holm,Yes,2021-07-09\nK4,Jo Falk,Holm,no,2018-02-11\n",
    "pens": "pen,keeper,area (m²),feed cost,heated\nP1,K1,40,12.50 EUR,yes\nP2,K2,25,8.00 EUR,no\n"
    "P3,K1,90,20.00 EUR,no\nP4,,30,9.50 EUR,no\n",
    "animals": "animal,pen,weight,price,tame\nBor,P1,3.5 kg,€40,yes\nFenn,P2,900 g,$75,no\nGrit,P3,12 kg,€120,no\n"
    "Hale,P4,2 kg,$30,yes\n",
    "treats": "treat,season,fee\nApple,autumn,£2.00\nHay,summer,£9.50\nCarrot,autumn,£3.00\nLeaf,spring,free\n",
    "harvest 2023": "pen,crop,kilos\nP1,hay,64\nP1,oats,12.5\nP2,oats,40\nP3,hay,91\nP4,oats,33\nP2,beets,9\n",
}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Three CSV files in one folder, loaded and opened."""
    folder = tmp_path_factory.mktemp("farm")
    (folder / "farm").mkdir()
    for name, text in FILES.items():
        (folder / "farm" / f"{name}.csv").write_text(text, encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "farm")
        yield hydra


@pytest.mark.parametrize(
    "question, text",
    [
        ("What is the area of P3?", "90 m²"),
        ("What is the feed cost of P2?", "8 EUR"),
        ("What is the area of the pen of Max Orr?", "25 m²"),
        ("What is the total feed cost of all pens?", "50 EUR"),
        ("What is the weight of Fenn?", "0.9 kg"),
        ("How many pens are there?", "4"),
    ],
)
def test_an_amount_prints_with_its_unit_wherever_the_question_begins(farm: Hydra, question: str, text: str) -> None:
    assert farm.ask(question, keep=False).answer_text == text


def test_the_unit_is_a_field_of_the_answer_in_json(farm: Hydra) -> None:
    (answer,) = farm.ask("What is the area of P3?", keep=False).to_dict()["answers"]
    assert (answer["name"], answer["unit"]) == ("90", "m²")


def test_weights_in_grams_and_kilograms_are_compared(farm: Hydra) -> None:
    assert farm.ask("What is the lightest animal?", keep=False).answer_text == "Fenn"


@pytest.mark.parametrize("question", ["What is the most expensive animal?", "What is the total price of the animals?"])
def test_prices_in_two_currencies_are_not_compared_and_the_answer_says_why(farm: Hydra, question: str) -> None:
    answer = farm.ask(question, keep=False)
    assert answer.abstained
    assert answer.missing == (
        "the amounts of “price” are in several units ($, €), which cannot be converted, so they are neither compared"
        " nor added up"
    )


def test_a_price_in_two_currencies_can_be_asked_for(farm: Hydra) -> None:
    assert farm.ask("What is the price of Fenn?", keep=False).answer_text == "$75"


def test_how_many_of_a_column_of_numbers_adds_them_up(farm: Hydra) -> None:
    assert farm.ask("How many kilos of hay were harvested?", keep=False).answer_text == "155"


def test_one_word_among_few_amounts_leaves_them_comparable(farm: Hydra) -> None:
    assert farm.ask("Which treat has the highest fee?", keep=False).answer_text == "Hay"


def test_yes_and_no_written_in_several_ways_is_a_condition(farm: Hydra) -> None:
    answer = farm.ask("Which keepers are trained?", keep=False)
    assert {a.name for a in answer.answers} == {"Ida Lund", "Eva Rist"}


def test_a_missing_keeper_is_not_found_by_way_of_yes_and_no(farm: Hydra) -> None:
    assert farm.ask("Who is the keeper of P4?", keep=False).abstained


def test_a_claim_is_not_answered_by_a_value(farm: Hydra) -> None:
    answer = farm.ask("Max Orr keeps pen P2.", keep=False)
    assert answer.abstained or answer.answers[0].name in ("yes", "true")


def test_who_is_not_answered_by_yes_and_no(farm: Hydra) -> None:
    answer = farm.ask("Who has training?", keep=False)
    assert not {a.name.casefold() for a in answer.answers} & {"yes", "no"}
