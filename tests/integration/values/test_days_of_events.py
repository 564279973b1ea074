"""A verb says which day of an event is meant ("loaned on"), and two days how long it took; "why" asks for no day."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

AUTHORS = "id,name,country\n1,Ursula Venn,Norway\n2,Tomas Brill,Austria\n3,Kei Arashi,Japan\n"
BOOKS = """isbn,title,author_id,pages,genre
978-1,The Salt Road,1,310,fantasy
978-2,Glass Harbour,1,284,fantasy
978-3,Counting Rooks,2,412,crime
978-4,A Thin Winter,3,198,poetry
978-5,Nine Lanterns,3,356,crime
978-6,Moss,2,144,poetry
"""
MEMBERS = "id,full_name,joined\n1,Ida Holm,2021-03-04\n2,Per Lund,2022-07-19\n3,Ana Reyes,2020-11-30\n"
LOANS = """id,isbn,member_id,loaned_on,returned_on
1,978-1,1,2024-01-10,2024-02-01
2,978-3,1,2024-02-03,2024-02-20
3,978-1,2,2024-02-10,
4,978-5,3,2024-03-01,2024-03-09
5,978-6,3,2024-03-12,
6,978-2,3,2024-03-15,2024-04-01
7,978-4,2,2024-04-02,2024-04-22
"""
FILES = {"authors.csv": AUTHORS, "books.csv": BOOKS, "members.csv": MEMBERS, "loans.csv": LOANS}


PATIENTS = """patient_no,name,dob,ward
P1,Nora Blythe,1948-05-02,Maple
P2,Samir Haddad,1990-11-23,Birch
P3,Greta Lindqvist,1975-02-14,Maple
P4,Owen Price,2009-08-30,Willow
"""
STAYS = """stay_id,patient_no,admitted,discharged,reason
1,P1,2024-03-02,2024-03-09,hip replacement
2,P2,2024-03-15,2024-03-16,appendicitis
3,P3,2024-04-01,2024-04-20,pneumonia
4,P1,2024-05-11,,pneumonia
5,P4,2024-05-12,2024-05-13,broken arm
"""


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Yield a store of patients and their stays."""
    yield from loaded(
        tmp_path_factory.mktemp("hospital"), {"patients.csv": PATIENTS, "stays.csv": STAYS}, together="hospital"
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Yield a store of books, their authors, and loans to members."""
    yield from loaded(tmp_path_factory.mktemp("library"), FILES, together="library")


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Who borrowed The Salt Road?", {"Ida Holm", "Per Lund"}),  # not its author
        ("Which books did Ida Holm borrow?", {"The Salt Road", "Counting Rooks"}),
        ("Which members borrowed a book by Kei Arashi?", {"Ana Reyes", "Per Lund"}),
        ("Which member has borrowed the most books?", {"Ana Reyes"}),
        ("Which book was borrowed most often?", {"The Salt Road"}),
        ("How many members borrowed The Salt Road?", {"2"}),
        ("Which genres did Per Lund borrow?", {"fantasy", "poetry"}),
        ("Who returned Nine Lanterns?", {"Ana Reyes"}),
        ("How many books did Ana Reyes return?", {"2"}),  # of three that she borrowed
        ("Which members returned a book in February 2024?", {"Ida Holm"}),
        ("On which date did Per Lund return A Thin Winter?", {"2024-04-22"}),
        ("How many loans were there in March 2024?", {"3"}),  # one was returned in March
    ],
)
def test_a_verb_near_to_a_day_says_which_rows_are_meant(library: Hydra, question: str, expected: set[str]) -> None:
    answer = library.ask(question, keep=False)
    assert {one.name for one in answer.answers} == expected
    assert answer.verdict != "partial", answer.unchecked


@pytest.mark.parametrize(
    "question, expected",
    [
        ("How long did Greta Lindqvist stay?", {"19 days"}),
        ("Who had the longest stay?", {"Greta Lindqvist"}),
        ("Who had the shortest stay?", {"Samir Haddad", "Owen Price"}),
        ("What was the average length of stay?", {"7"}),  # of four that ended
        ("Which patients stayed longer than 5 days?", {"Nora Blythe", "Greta Lindqvist"}),
        ("Which wards have an average stay of more than three days?", {"Maple"}),
        ("Which patients stayed more than 5 days on average?", {"Nora Blythe", "Greta Lindqvist"}),
        ("Why was Samir Haddad admitted?", {"appendicitis"}),
    ],
)
def test_two_days_say_how_long_it_took_and_a_reason_says_why(
    hospital: Hydra, question: str, expected: set[str]
) -> None:
    answer = hospital.ask(question, keep=False)
    assert {one.name for one in answer.answers} == expected
    assert answer.verdict != "partial", answer.unchecked


CLASSES = """class,teacher,teacher_since,starts,ends,room
Yoga Flow,Mira Stahl,2019,2024-09-02T09:00,2024-09-02T10:15,Studio A
Spin 45,Rafael Cruz,2021,2024-09-02T18:00,2024-09-02T18:45,Studio B
Boxing,Rafael Cruz,2021,2024-09-03T19:00,2024-09-03T20:30,Hall
Pilates,Mira Stahl,2019,2024-09-04T08:00,2024-09-04T09:00,Studio A
"""


@pytest.mark.parametrize(
    "question, expected",
    [
        ("How long does Spin 45 take?", {"45 minutes"}),
        ("How many minutes does Spin 45 take?", {"45"}),
        ("Which class is the longest?", {"Boxing"}),
        ("Which classes last longer than an hour?", {"Yoga Flow", "Boxing"}),
        ("Since when has Rafael Cruz been a teacher?", {"2021"}),
        (
            "Which teacher teaches the most classes?",
            {"Mira Stahl", "Rafael Cruz"},
        ),  # equal, which no other reading avoids
    ],
)
def test_moments_of_a_day_are_told_in_minutes(tmp_path: Path, question: str, expected: set[str]) -> None:
    for gym in loaded(tmp_path, {"classes.csv": CLASSES}):
        assert {one.name for one in gym.ask(question, keep=False).answers} == expected


def test_how_long_somebody_had_a_book_is_not_its_length_in_pages(library: Hydra) -> None:
    answer = library.ask("How long did Per Lund have A Thin Winter?", keep=False)
    assert [one.name for one in answer.answers] == ["20 days"]


@pytest.mark.parametrize("question", ["Why was Moss borrowed?", "Why did Per Lund return A Thin Winter?"])
def test_a_day_is_no_reason(library: Hydra, question: str) -> None:
    assert not library.ask(question, keep=False).answers


def as_turtle(files: dict[str, str]) -> str:
    """Return tables whose first column is the key as a graph; a column "…_id" or "isbn" refers to another table."""
    kinds = {"author_id": "author", "member_id": "member", "isbn": "book"}
    lines = ["@prefix : <http://library.example/> .", "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for name, text in files.items():
        head, *rows = (line.split(",") for line in text.splitlines())
        kind = name.removesuffix("s.csv")
        for key, *cells in rows:
            lines.append(f":{kind}{key} a :{kind.title()} .")
            for column, cell in zip(head[1:], cells, strict=True):
                predicate = (
                    "rdfs:label" if column in ("name", "title", "full_name") else f":{kinds.get(column, column)}"
                )
                day = "^^<http://www.w3.org/2001/XMLSchema#date>" if cell.count("-") == 2 else ""
                said = f":{kinds[column]}{cell}" if column in kinds else f'"{cell}"{day}'
                lines += [f":{kind}{key} {predicate} {said} ."] if cell else []
    return "\n".join(lines)


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Who borrowed The Salt Road?", {"Ida Holm", "Per Lund"}),
        ("Which members borrowed a book by Kei Arashi?", {"Ana Reyes", "Per Lund"}),  # no books
        ("How many books did Ana Reyes return?", {"2"}),
        ("How long did Per Lund have A Thin Winter?", {"20 days"}),
    ],
)
def test_a_graph_gives_the_answers_of_the_tables(tmp_path: Path, question: str, expected: set[str]) -> None:
    (tmp_path / "library.ttl").write_text(as_turtle(FILES), encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "library.ttl")
        assert {one.name for one in hydra.ask(question, keep=False).answers} == expected
