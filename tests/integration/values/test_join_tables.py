"""Tables that join two others and are called by a verb: who wrote, translated or edited which book."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "people.csv": "name,born\nAda Holm,1950\nBo Rask,1961\nCara Vik,1972\nDan Lund,1983\nEva Moss,1990\n",
    "books.csv": "title,released\nGrey Tides,1999\nNine Mills,2004\nThe Last Ferry,2010\nSalt Road,2015\n",
    "wrote.csv": "person,book\nAda Holm,Grey Tides\nBo Rask,Nine Mills\nBo Rask,The Last Ferry\nCara Vik,Salt Road\n",
    "translated.csv": "person,book\nDan Lund,Grey Tides\nDan Lund,Nine Mills\nDan Lund,Salt Road\nBo Rask,Salt Road\n",
    "edited.csv": "person,book\nEva Moss,Grey Tides\nAda Holm,Nine Mills\nAda Holm,Salt Road\n",
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Two tables and three that join them, loaded and opened."""
    yield from loaded(tmp_path_factory.mktemp("books"), FILES, together="books")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who wrote Salt Road?", {"Cara Vik"}),
        ("Who translated Salt Road?", {"Dan Lund", "Bo Rask"}),
        ("Who edited Nine Mills?", {"Ada Holm"}),
        ("How many books did Bo Rask write?", {"2"}),
        ("How many books did Bo Rask translate?", {"1"}),
        ("Which books did Ada Holm edit?", {"Nine Mills", "Salt Road"}),
        ("Who translated the most books?", {"Dan Lund"}),
        ("Which book was translated the most?", {"Salt Road"}),
        ("Which people wrote at least 2 books?", {"Bo Rask"}),
    ],
)
def test_the_verb_of_a_join_table_says_which_pairs_count(books: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in books.ask(question, keep=False).answers} == answers


SCHOOL = {
    "students.csv": "id,name\n1,Ada Holm\n2,Bo Rask\n3,Cara Vik\n4,Dan Lund\n5,Eva Moss\n",
    "teachers.csv": "id,name\n1,Hanna Berg\n2,Ivo Krug\n3,Lea Sand\n",
    "courses.csv": "code,title\nALG,Algebra\nBIO,Biology\nCHE,Chemistry\nART,Art History\n",
    "teaches.csv": "teacher_id,course_code\n1,ALG\n1,CHE\n2,BIO\n3,ART\n",
    "supervises.csv": "teacher_id,student_id\n1,1\n1,2\n2,3\n3,5\n",
    "examined.csv": "teacher_id,student_id\n2,1\n2,5\n3,2\n1,3\n",
}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Three tables, and three of ids that join them, loaded and opened."""
    yield from loaded(tmp_path_factory.mktemp("school"), SCHOOL, together="school")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who supervises Bo Rask?", {"Hanna Berg"}),
        ("Who examined Bo Rask?", {"Lea Sand"}),
        ("Did Lea Sand examine Eva Moss?", {"no"}),
        ("Does Lea Sand supervise Eva Moss?", {"yes"}),
        ("How many courses does each teacher teach?", {"Hanna Berg: 2", "Ivo Krug: 1", "Lea Sand: 1"}),
        ("How many students does each teacher supervise?", {"Hanna Berg: 2", "Ivo Krug: 1", "Lea Sand: 1"}),
        ("Which students have no supervisor?", {"Dan Lund"}),
    ],
)
def test_two_relations_between_the_same_tables_differ(school: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in school.ask(question, keep=False).answers} == answers


def test_no_courses_answer_which_teacher(school: Hydra) -> None:
    assert "Algebra" not in {a.name for a in school.ask("Which teacher taught Ada Holm?", keep=False).answers}
