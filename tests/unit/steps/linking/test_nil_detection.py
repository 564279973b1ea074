"""A name that the graph does not know is not taken for another that shares a word with it."""

from __future__ import annotations

import pytest
from helpers.samples import graphs

from hydra_kg.domain import Source
from hydra_kg.fakes import FakeStore
from hydra_kg.steps.linking.entity_linking import link, link_all

NAMES = {
    "m.0b": "Cameron Diaz",
    "m.0c": "Hubert Dupont",
    "m.0d": "Joni Mitchell",
    "m.0f": "Margaret",
    "m.0g": "Berlin",
    "m.0h": "Vladimir Putin",
    "m.0j": "President",
    "m.0k": "Bob Dylan",
    "m.0l": "winter",
    "m.0m": "palace",
    "m.0n": "Jerusalem",
    "m.0p": "J. R. R. Tolkien",
    "m.0q": "Hollywood",
    "m.0r": "California",
    "m.0s": "Egypt",
    "m.0t": "Aristotle",
    "m.0v": "Peter Jackson",
}
ALIASES = [("m.0k", "Dylan"), ("m.0h", "Putin"), ("m.0r", "CA"), ("m.0b", "Cameron Michelle Diaz")]
FACTS = [(person, "knows", f"m.0bb{c}", 0) for person in ("m.0b", "m.0c") for c in "bcdfghjklm"]


@pytest.fixture(scope="module")
def snapshot():
    store = FakeStore()
    names = [(key, "name", n) for key, n in NAMES.items()] + [(key, "alias", a) for key, a in ALIASES]
    graphs.put(store, graphs.Spec("names", (Source("names"),), FACTS, names=names))
    with store.snapshot() as taken:
        yield taken


@pytest.mark.parametrize(
    "question, unknown",
    [
        ("Where was Michelle Dupont born?", "Michelle Dupont"),
        ("Which novel did Margaret Mitchell write?", "Margaret Mitchell"),
        ("Where was Thomas Dylan born?", "Thomas Dylan"),
        ("Where was Dylan Thomas born?", "Dylan Thomas"),
        ("What country is New Berlin in?", "New Berlin"),
        ("Who created the Winter Palace?", "Winter Palace"),
        ("Who composed The Berlin Jerusalem?", "Berlin Jerusalem"),
        ("Who was Sergei Putin's mother?", "Sergei Putin"),
        ("Where did Cameron Michelle Dupont study?", "Cameron Michelle Dupont"),
        ("where was michelle dupont born", "michelle dupont"),
    ],
)
def test_a_name_of_which_only_a_word_is_known_is_unknown(snapshot, question, unknown):
    (mention,) = link(question, snapshot)
    assert (mention.text, mention.chosen) == (unknown, None)
    assert mention.candidates  # "did you mean"
    assert len({c.node.id for c in mention.candidates}) == len(mention.candidates)
    assert question[mention.start : mention.end] == unknown


@pytest.mark.parametrize(
    "question, known",
    [
        ("Who is Russian President Putin's wife?", ["m.0h"]),
        ("Where was President Putin born?", ["m.0h"]),
        ("Where was Dylan born?", ["m.0k"]),
        ("Where did JRR Tolkien study?", ["m.0p"]),
        ("What can be seen in Hollywood CA?", ["m.0q", "m.0r"]),
        ("What did Greek Aristotle write?", ["m.0t"]),
        ("Did Dylan, Berlin and Jerusalem meet?", ["m.0k", "m.0g", "m.0n"]),
        ("Was Peter Jackson in Berlin?", ["m.0v", "m.0g"]),
        ("What can be seen in Berlin Jerusalem?", ["m.0g", "m.0n"]),
    ],
)
def test_titles_peoples_and_neighbours_make_no_name_unknown(snapshot, question, known):
    assert {m.chosen.node.key for m in link(question, snapshot) if m.chosen} >= set(known)


def test_what_is_known_beside_an_unknown_name_stays(snapshot):
    mentions = link("Did Margaret Mitchell live in Jerusalem?", snapshot)
    assert [(m.text, m.chosen.node.key if m.chosen else "") for m in mentions] == [
        ("Margaret Mitchell", ""),
        ("Jerusalem", "m.0n"),
    ]


def test_words_written_as_a_name_of_which_none_is_known_are_one(snapshot):
    question = "Where in Egypt is the Lago Sfumato?"
    known, unknown = link(question, snapshot)
    assert known.chosen is not None
    assert (unknown.text, unknown.candidates, unknown.chosen) == ("Lago Sfumato", (), None)
    assert [m.text for m in link(question, snapshot, most=1)] == ["Egypt"]


@pytest.mark.parametrize("question", ["Where In Egypt Is Lago Sfumato?", "WHERE IN EGYPT IS LAGO SFUMATO?"])
def test_where_all_words_are_capitalised_they_say_nothing(snapshot, question):
    assert [m.chosen.node.key for m in link(question, snapshot) if m.chosen] == ["m.0s"]
    assert len(link(question, snapshot)) == 1


def test_passages_are_linked_by_what_is_written(snapshot):
    (mentions,) = link_all(["New Berlin is old."], snapshot, candidates=5, most=4)
    assert [m.chosen.node.key for m in mentions if m.chosen] == ["m.0g"]
