"""Follow-ups as a table: what was said after which turn, and the full question that it is, or that it is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.dialogue.resolve import resolve
from hydra_kg.dialogue.turn import Resolved, Thing, Turn, Unresolved


def thing(name, kind="", *, gender="", related=""):
    kinds = frozenset(kind.split())
    return Thing(name, f"k.{name}", kinds, kinds, gender, frozenset(w[:5] for w in related.split()))


POLANSKI = thing("Roman Polanski", "person", gender="male")
CHINATOWN = thing("Chinatown", "work", related="composed music")
EASTWOOD = thing("Clint Eastwood", "person", gender="male")
KENYA, NAIROBI = thing("Kenya", "country"), thing("Nairobi", "city")
PORTUGAL = thing("Portugal", "country")
CAMERON = thing("James Cameron", "person", gender="male")
DANUBE, BLACK_SEA = thing("Danube", "river"), thing("Black Sea", "sea")
BARACK, MICHELLE = thing("Barack Obama", "person", gender="male"), thing("Michelle Obama", "person", gender="female")
FRANCE, PARIS = thing("France", "country"), thing("Paris", "city")
ZEPPELIN = thing("Led Zeppelin", "group")
MEMBERS = tuple(thing(f"Member {i}", "person", gender="male") for i in range(9))
FILMS = tuple(thing(f"Film {i}", "work") for i in range(9))


def turn(question, *topics, answers=(), between=(), earlier=(), answered=True):
    placed = tuple(replace(t, start=at, end=at + len(t.name)) for t in topics if (at := question.find(t.name)) >= 0)
    return Turn(question, placed, tuple(answers), tuple(between), tuple(earlier), answered)


DIRECTED = turn("Who directed Chinatown?", CHINATOWN, answers=[POLANSKI])
BORN = turn("Where was Clint Eastwood born?", EASTWOOD, answers=[thing("San Francisco", "city")])
CAPITAL = turn("What is the capital of Kenya?", KENYA, answers=[NAIROBI])
FLOWS = turn("Which sea does the Danube flow into?", DANUBE, answers=[BLACK_SEA])
FILMED = turn("Which films did James Cameron direct?", CAMERON, answers=FILMS)
BAND = turn("Who are the members of Led Zeppelin?", ZEPPELIN, answers=MEMBERS)
BORDERS = turn("Which countries border France?", FRANCE, answers=[KENYA, PORTUGAL])
LARGEST = turn("Which country in Africa has the largest area?", thing("Africa", "continent"), answers=[KENYA])
BEFORE = turn("How many films directed by James Cameron were released before 1990?", CAMERON)
WIFE = turn("Who is the wife of Barack Obama?", BARACK, answers=[MICHELLE])
TALLER = turn("Who is taller, Clint Eastwood or James Cameron?", EASTWOOD, CAMERON, answers=[EASTWOOD])

TABLE = [
    (DIRECTED, "why?", "Who directed Chinatown?"),
    (DIRECTED, "How do you know?", "Who directed Chinatown?"),
    (DIRECTED, "What other films did he direct?", "What films did Roman Polanski direct other than Chinatown?"),
    (DIRECTED, "and when did he die?", "When did Roman Polanski die?"),
    (DIRECTED, "When was it released?", "When was Chinatown released?"),
    (DIRECTED, "did the film win an award?", "Did Chinatown win an award?"),
    (DIRECTED, "who acted in that film?", "Who acted in Chinatown?"),
    (DIRECTED, "when was she born?", None),
    (DIRECTED, "who was president then, there?", None),
    (DIRECTED, "where was that?", None),
    (DIRECTED, "and the producer?", "Who is the producer of Chinatown?"),
    (DIRECTED, "producer", None),
    (DIRECTED, "music", "What is the music of Chinatown?"),
    (DIRECTED, "When did Roman Polanski marry his wife?", "alone"),
    (BORN, "and when?", "When was Clint Eastwood born?"),
    (BORN, "and who?", None),
    (BORN, "his wife", None),
    (BORN, "and his birthplace?", "What is Clint Eastwood's birthplace?"),
    (BORN, "How many people live there?", "How many people live in San Francisco?"),
    (BORN, "How many people live near there?", "How many people live near San Francisco?"),
    (BORN, "Where was Bruce Lee born?", "alone"),
    (CAPITAL, "and of Portugal?", "What is the capital of Portugal?"),
    (CAPITAL, "what about Portugal?", "What is the capital of Portugal?"),
    (CAPITAL, "and of her?", None),
    (CAPITAL, "and in 1990?", "What is the capital of Kenya in 1990?"),
    (FLOWS, "and the Rhine?", "Which sea does the Rhine flow into?"),
    (FLOWS, "how long is it?", "How long is the Danube?"),
    (FILMED, "how many of them are from Germany?", "How many films did James Cameron direct that are from Germany?"),
    (FILMED, "which of those won an Oscar?", "Which films did James Cameron direct that won an Oscar?"),
    (FILMED, "How many are there?", "How many films did James Cameron direct?"),
    (FILMED, "when were they released?", None),
    (FILMED, "and the longest?", None),
    (BAND, "how many of them are dead?", "How many of the members of Led Zeppelin are dead?"),
    (BAND, "who is the tallest of them?", "Who is the tallest of the members of Led Zeppelin?"),
    (BAND, "and the tallest?", "Which of the members of Led Zeppelin is the tallest?"),
    (BAND, "where was he born?", None),
    (BORDERS, "what are their capitals?", "What are the capitals of the countries that border France?"),
    (BORDERS, "when were they founded?", "When were the countries that border France founded?"),
    (LARGEST, "and the smallest?", "Which country in Africa has the smallest area?"),
    (LARGEST, "and the second largest?", "Which country in Africa has the second largest area?"),
    (BEFORE, "and after 2000?", "How many films directed by James Cameron were released after 2000?"),
    (BEFORE, "which ones?", "Which films directed by James Cameron were released before 1990?"),
    (FILMED, "which ones?", None),
    (WIFE, "where was she born?", "Where was Michelle Obama born?"),
    (WIFE, "where was he born?", "Where was Barack Obama born?"),
    (WIFE, "and his mother?", "Who is Barack Obama's mother?"),
    (WIFE, "what else?", None),
    (TALLER, "and who is older?", "Who is older, Clint Eastwood or James Cameron?"),
    (replace(DIRECTED, answers=(PARIS,)), "who composed its music?", "Who composed Chinatown's music?"),
    (
        turn("Where was the director born?", answers=[PARIS], between=[POLANSKI]),
        "when did he die?",
        "When did Roman Polanski die?",
    ),
    (turn("Who wrote X?", answered=False, earlier=[POLANSKI]), "when did he die?", None),
    (turn("When was X made?", earlier=[POLANSKI]), "when did he die?", "When did Roman Polanski die?"),
]


@pytest.mark.parametrize("before, said, full", TABLE, ids=[f"{i}-{said}" for i, (_, said, _) in enumerate(TABLE)])
def test_a_follow_up_is_the_full_question_or_refused(before, said, full):
    names = [replace(t, start=at, end=at + len(t.name)) for t in (PORTUGAL, POLANSKI) if (at := said.find(t.name)) >= 0]
    found = resolve(said, before, names)
    if full is None:
        assert isinstance(found, Unresolved), found
        assert found.reason
    else:
        assert isinstance(found, Resolved), found
        assert found.text == (said if full == "alone" else full)
        assert found.changed == (full != "alone")


def test_what_may_ask_two_things_offers_both():
    found = resolve("and his wife?", turn("When did James Cameron die?", CAMERON))
    assert isinstance(found, Unresolved)
    assert found.choices == ("Who is James Cameron's wife?", "When did James Cameron's wife die?")


def test_a_name_that_was_put_in_keeps_its_entity():
    assert resolve("and when did he die?", DIRECTED).meant == (("Roman Polanski", "k.Roman Polanski"),)
    assert ("Portugal", "k.Portugal") in resolve(
        "and of Portugal?", CAPITAL, [replace(PORTUGAL, start=7, end=15)]
    ).meant


@given(
    st.lists(
        st.sampled_from("and he his of them the it there that two largest 1990 A's ? , film die who is in".split())
    )
)
def test_any_words_are_resolved_refused_or_left(words):
    for before in (DIRECTED, FILMED, TALLER, Turn("")):
        found = resolve(" ".join(words), before)
        assert found.text if isinstance(found, Resolved) else found.reason


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_after_any_question_is_resolved_refused_or_left(text, question):
    found = resolve(text, Turn(question, (replace(CHINATOWN, start=0, end=len(question)),), (POLANSKI,)))
    assert isinstance(found, Resolved | Unresolved)
