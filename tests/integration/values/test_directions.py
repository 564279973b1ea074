"""Tables with two references to one table, and events of two people: which of the two a question means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

FILES = {
    "stops.csv": """stop,zone,shelter
Alder,1,yes
Birch,1,no
Cedar,2,yes
Dale,3,no
Elm,2,n/a
Fern,3,yes
""",
    "hops.csv": """line,stop,next_stop,minutes
Red,Alder,Birch,3
Red,Birch,Cedar,4
Red,Cedar,Dale,6
Blue,Elm,Birch,2
Blue,Birch,Fern,5
""",
    "trams.csv": """tram,from_depot,to_depot,km,seats
Comet,D1,D2,9,60
Swift,D2,D3,14,40
Spark,D1,D3,21,80
""",
    "depots.csv": """depot_id,depot,height_m
D1,Northgate,210
D2,Millbank,95
D3,Harbour,4
""",
    "people.csv": """name,born,job
Ada Moor,1980-04-02,guard
Ben Loy,1991-11-30,guard
Cleo Tan,1975-01-15,clerk
""",
    "notes.csv": """note_no,written,sender,recipient,pages
N-01,2024-01-04,Ada Moor,Ben Loy,1
N-02,2024-01-09,Ada Moor,Cleo Tan,2
N-03,2024-02-01,Ben Loy,Ada Moor,4
N-04,n/a,Cleo Tan,Ada Moor,1
N-05,2024-03-08,Ada Moor,Ben Loy,3
N-06,2024-03-09,Cleo Tan,Ben Loy,2
""",
    "checks.csv": """check_no,day,lead,helper,depot
C1,2024-04-01,Ada Moor,Ben Loy,D1
C2,2024-04-02,Ben Loy,Ada Moor,D2
C3,2024-04-03,Cleo Tan,,D3
C4,2024-04-04,Ada Moor,Cleo Tan,D3
""",
    "tickets.csv": """sale_no,date,seller,ticket,quantity,depot
T1,2024-05-01,Ada Moor,day,3,D1
T2,2024-05-02,Ada Moor,week,1,D1
T3,2024-05-03,Ben Loy,day,4,D2
T4,2024-05-04,Ben Loy,single,6,D2
T5,2024-05-05,Ada Moor,day,1,D3
""",
    "favours.csv": """favour,done_on,giver,receiver,hours
F1,2024-06-01,Ada Moor,Ben Loy,2
F2,2024-06-02,Ben Loy,Ada Moor,5
F3,2024-06-03,Cleo Tan,Ada Moor,1
F4,2024-06-04,Ada Moor,Ben Loy,4.5
F5,2024-06-05,Ada Moor,Cleo Tan,1
""",
    "fines.csv": """fine,member,fine_eur
P1,Ben Loy,3
P2,Cleo Tan,12
""",
}


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Yield a store of trams, their stops, depots and people."""
    folder: Path = tmp_path_factory.mktemp("trams") / "trams"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Hydra(store=folder.parent / "trams.db", agent="offline") as hydra:
        hydra.load(folder)
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Where does the Comet start?", {"Northgate"}),
        ("Which trams end at Harbour?", {"Swift", "Spark"}),
        ("To which depots can I get from Northgate?", {"Millbank", "Harbour"}),
        ("Which depots send trams to Harbour?", {"Millbank", "Northgate"}),
        ("What is the height of the depot where the Swift starts?", {"95"}),
        ("Which tram is the longest?", {"Spark"}),
        ("Which stops are on the Red line?", {"Alder", "Birch", "Cedar", "Dale"}),
        ("How many stops does the Blue line have?", {"3"}),
        ("What is the next stop after Birch on the Blue line?", {"Fern"}),
        ("Which line goes from Elm to Birch?", {"Blue"}),
        ("How many minutes is it from Birch to Cedar?", {"4"}),
    ],
)
def test_a_question_says_which_end_of_a_connection_it_means(hydra: Hydra, question: str, answers: set[str]) -> None:
    assert _said(hydra, question) == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who helped Ada Moor?", {"Ben Loy", "Cleo Tan"}),
        ("Whom did Ada Moor help?", {"Ben Loy"}),
        ("Who led a check without a helper?", {"Cleo Tan"}),
        ("Who wrote to Ada Moor?", {"Ben Loy", "Cleo Tan"}),
        ("Whom did Ada Moor write to?", {"Ben Loy", "Cleo Tan"}),
        ("Who wrote the most notes?", {"Ada Moor"}),
        ("Who received the most notes?", {"Ben Loy"}),
        ("Who wrote more than two notes?", {"Ada Moor"}),
        ("How many notes did Ada Moor write?", {"3"}),
        ("Which note has no date?", {"N-04"}),
        ("How many favours did Ada Moor give?", {"3"}),
        ("How many hours did Ada Moor receive?", {"6"}),
        ("Who gave something to Ada Moor?", {"Ben Loy", "Cleo Tan"}),
        ("Did Ada Moor give something to Ben Loy?", {"yes"}),
        ("Did Ben Loy give something to Cleo Tan?", {"no"}),
        ("Who paid the highest fine?", {"Cleo Tan"}),
    ],
)
def test_the_two_people_of_an_event_are_told_apart(hydra: Hydra, question: str, answers: set[str]) -> None:
    assert _said(hydra, question) == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many tickets were sold in total?", {"15"}),
        ("How many day tickets were sold?", {"8"}),
        ("Which ticket was sold the most?", {"day"}),
        ("Who sold the most tickets?", {"Ben Loy"}),
        ("Which depot sold the most tickets?", {"Millbank"}),
    ],
)
def test_what_was_sold_is_added_up(hydra: Hydra, question: str, answers: set[str]) -> None:
    assert _said(hydra, question) == answers


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Are there more than two guards?", "no"),
        ("Is there more than one guard?", "yes"),
        ("Are there fewer than three checks at Harbour?", "yes"),
        ("Are there at least 7 stops?", "no"),
    ],
)
def test_whether_there_are_so_many_is_counted(hydra: Hydra, question: str, answer: str) -> None:
    assert _said(hydra, question) == {answer}


def _said(hydra: Hydra, question: str) -> set[str]:
    answer = hydra.ask(question, keep=False)
    return {one.name for one in answer.answers} if answer.verdict != "abstained" else set()
