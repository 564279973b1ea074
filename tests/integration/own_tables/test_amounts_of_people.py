"""What people paid, spent or earned in the rows that refer to them, and which of two people "who" asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "instructors.csv": (
        "Instructor,Car,Hourly rate (EUR)\nPetra Holt,VW Golf,48\nSamir Aziz,Opel Corsa,44\nLotte Brandt,VW Polo,46\n"
    ),
    "learners.csv": (
        "learner_id,Name,Birthday,Licence class\nL01,Jonas Meier,2006-03-14,B\nL02,Aylin Demir,2005-11-02,A\n"
        "L03,Clara Noll,2007-07-30,B\n"
    ),
    "lessons.csv": (
        "lesson,date,learner,teacher,kind,fee,paid\n101,2024-02-01,L01,Petra Holt,town,36,yes\n"
        "102,2024-02-08,L01,Petra Holt,motorway,80,no\n103,2024-02-10,L02,Samir Aziz,town,33,yes\n"
        "104,2024-02-12,L02,Lotte Brandt,town,30,yes\n105,2024-03-12,L02,Samir Aziz,town,33,no\n"
    ),
}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("school"), FILES, together="school")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How much has Jonas Meier spent in total?", {"116"}),
        ("How much did Samir Aziz earn?", {"66"}),
        ("Which learner spent the most?", {"Jonas Meier"}),
        ("How much did each learner pay?", {"Jonas Meier: 116", "Aylin Demir: 96"}),
        ("How much did each teacher earn?", {"Petra Holt: 116", "Samir Aziz: 66", "Lotte Brandt: 30"}),
        ("Who taught Clara Noll?", set()),
    ],
)
def test_amounts_of_rows_that_refer_to_people(school: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in school.ask(question, keep=False).answers} == answers


def test_who_is_in_doubt_between_two_people_of_a_row(school: Hydra) -> None:
    answer = school.ask("Who has not paid?", keep=False)
    assert answer.verdict != "single-source"
    assert any("teacher or learner" in text for text in answer.unchecked)


def test_who_has_not_taken_a_lesson(school: Hydra) -> None:
    assert {a.name for a in school.ask("Who has not taken a lesson?", keep=False).answers} == {"Clara Noll"}


NURSERY = {
    "plants.csv": (
        "Plant,Kind,Price,Stock,Supplier\nLavender,shrub,6.50,120,Greenline\nMagnolia,tree,89.00,8,Oakwood\n"
        "Dog Rose,shrub,14.90,35,Greenline\nGeranium,annual,3.20,240,Fenland\nPeony,perennial,12.00,0,Greenline\n"
    ),
    "staff.csv": (
        'Name,Role,Started,Hourly wage,Works on\nErin Vale,manager,2015-04-01,24.00,"Mon, Tue, Wed"\n'
        'Tobias Kern,gardener,2019-09-14,16.50,"Mon, Wed, Sat"\nLucy Amber,cashier,2021-03-08,14.00,"Sat, Sun"\n'
        'Hal Brook,gardener,2022-05-21,15.80,"Tue, Thu"\n'
    ),
    "sales.csv": (
        "Sale no,Date,Plant,Quantity,Sold by,Customer,Paid\nS-101,2024-03-02,Magnolia,1,Lucy Amber,Park Hotel,89.00\n"
        "S-102,2024-03-02,Lavender,10,Tobias Kern,Ada Quill,65.00\n"
        "S-104,2024-04-06,Geranium,40,Hal Brook,Town Council,128.00\n"
        "S-107,2024-05-04,Dog Rose,4,Hal Brook,Ben Sorrel,59.60\n"
        "S-108,2024-05-04,Geranium,12,Lucy Amber,Ada Quill,38.40\n"
        "S-110,2024-05-18,Lavender,6,Erin Vale,Ben Sorrel,39.00\n"
    ),
}


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("nursery"), NURSERY, together="nursery")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How much did the Town Council spend?", {"128"}),  # what was paid, not the prices of plants
        ("Which customer spent the most?", {"Town Council"}),
        ("Who earns the most?", {"Erin Vale"}),
        ("What does a gardener earn on average?", {"16.15"}),
        ("Who works on Saturday?", {"Tobias Kern", "Lucy Amber"}),  # not those who started on a Saturday
        ("What did Ben Sorrel buy?", {"Dog Rose", "Lavender"}),
        ("How many geraniums were sold?", {"52"}),
        ("How many plants did Ada Quill buy?", {"22"}),
        ("Who sold the most plants?", {"Hal Brook"}),
        ("Who did not buy anything in April?", set()),  # not who bought something in March
    ],
)
def test_amounts_and_people_of_sales(nursery: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in nursery.ask(question, keep=False).answers} == answers


def test_kinds_or_pieces_may_be_counted(nursery: Hydra) -> None:
    answer = nursery.ask("How many plants did Ada Quill take?", keep=False)
    assert answer.verdict != "single-source"
    assert any("plant or quantity" in text for text in answer.unchecked)


THEATRE = {
    "plays.csv": (
        "title,author,minutes\nThe Glass Orchard,Rosa Thorne,135\nTwo Left Shoes,Karl Imber,95\n"
        "Winter Tide,Rosa Thorne,160\n"
    ),
    "actors.csv": "actor,born,fee per show\nJudith Crane,1971,420\nOwen Pell,1988,260\nMarta Sole,1990,200\n",
    "cast.csv": (
        "play,actor,role\nThe Glass Orchard,Judith Crane,Lena\nTwo Left Shoes,Owen Pell,Benny\n"
        "Winter Tide,Judith Crane,Ingrid\nThe Glass Orchard,Owen Pell,Mr Hart\n"
    ),
    "shows.csv": (
        "show,play,date,hall,tickets sold,cancelled\n1,The Glass Orchard,2023-10-06,Main Hall,310,no\n"
        "2,The Glass Orchard,2023-10-13,Main Hall,280,no\n3,Two Left Shoes,2024-02-17,Studio,90,no\n"
        "4,Two Left Shoes,2024-02-24,Studio,0,yes\n5,Winter Tide,2024-11-22,Main Hall,340,no\n"
    ),
    "halls.csv": "hall,seats\nMain Hall,350\nStudio,100\nGarden Stage,200\n",
}


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("theatre"), THEATRE, together="theatre")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which play sold the most tickets?", {"The Glass Orchard"}),
        ("Which hall has never been used?", {"Garden Stage"}),
        ("When was Two Left Shoes cancelled?", {"2024-02-24"}),
        ("Who has not been in any play?", {"Marta Sole"}),
        ("Who gets the highest fee?", {"Judith Crane"}),
        ("Where was Winter Tide performed?", set()),  # no actor
    ],
)
def test_plays_and_who_was_in_none(theatre: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in theatre.ask(question, keep=False).answers} == answers


TENNIS = {
    "members.csv": (
        "Member,Born,Category,Yearly fee\nAlma Reyes,1984,adult,240\nBoris Lund,1990,adult,240\n"
        "Celia Monk,2009,junior,90\nEdda Voss,2011,junior,90\nDario Pinto,1955,senior,150\n"
    ),
    "fines.csv": "Fine,Member,Date,Amount\nF1,Boris Lund,2024-04-11,10\nF4,Celia Monk,2024-07-01,10\n",
    "sponsors.csv": "Sponsor,Since,Contribution\nOber Tiles,2018,1500\nBakery Lund,2020,400\n",
}


@pytest.fixture(scope="module")
def tennis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("tennis"), TENNIS, together="tennis")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How much does a junior pay per year?", {"90"}),  # the fee, not a fine
        ("How much do all juniors pay a year?", {"180"}),
        ("How much did Boris Lund pay in fines?", {"10"}),
        ("Which sponsor gives the most?", {"Ober Tiles"}),
        ("How much did all sponsors give?", {"1900"}),
    ],
)
def test_rates_and_gifts(tennis: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in tennis.ask(question, keep=False).answers} == answers
