"""Entities chosen by hand: which mention they replace, and what stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.samples import graphs

from hydra_kg.domain import Candidate, Entity, Mention, Node, Source
from hydra_kg.errors import NotFoundError
from hydra_kg.fakes import FakeStore
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import GivenTopic
from hydra_kg.steps.linking import given_topics as given
from hydra_kg.steps.linking.given_topics import bind_topics, given_topics, is_additional

NAMES = {1: "Velland", 2: "Velland Republic", 3: "Orne", 4: "Orne Valley", 5: "Castor Pym", 6: "Lake Mirr"}
KINDS = {1: {"country"}, 2: {"country"}, 3: {"city"}, 5: {"person"}, 6: {"city"}}
QUESTION = "Is Velland larger than Orne?"


def candidate(node: int) -> Candidate:
    return Candidate(Node(node, f"Q{node}", NAMES[node]), 1.0, "name")


def mention(text: str, *nodes: int, question: str = QUESTION) -> Mention:
    found = tuple(map(candidate, nodes))
    start = question.index(text)
    return Mention(text, start, start + len(text), found, found[0] if found else None)


def bound(*topics: GivenTopic, mentions: list[Mention] | None = None, question: str = QUESTION) -> list[Mention]:
    context: Any = SimpleNamespace(
        question=question,
        topics=topics,
        entities=lambda ids: {n: Entity(Node(n, f"Q{n}", NAMES[n])) for n in ids},
    )
    return list(bind_topics(context, [mention("Velland", 1, 2), mention("Orne", 3)] if mentions is None else mentions))


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What things are, by a table."""
    monkeypatch.setattr(given, "kinds_of", lambda context, ids: {n: frozenset(KINDS.get(n, ())) for n in ids.tolist()})


def meant(mentions: list[Mention]) -> list[tuple[str, int, int]]:
    return [(m.text, m.start, m.chosen.node.id if m.chosen else 0) for m in mentions]


@pytest.mark.parametrize(
    "topic, wanted",
    [
        (GivenTopic("Q2", 2), [("Velland", 3, 2), ("Orne", 23, 3)]),  # a candidate of one mention
        (GivenTopic("Q4", 4), [("Velland", 3, 1), ("Orne", 23, 4)]),  # the most similar name
        (GivenTopic("Q6", 6), [("Velland", 3, 1), ("Orne", 23, 6)]),  # the only mention of its type
        (GivenTopic("Q5", 5), [("Velland", 3, 1), ("Orne", 23, 3), ("Q5", -1, 5)]),  # none fits: added
        (GivenTopic("Q5", 5, "Orne"), [("Velland", 3, 1), ("Orne", 23, 5)]),  # its words are given
        (GivenTopic("Q5", 5, "larger"), [("Velland", 3, 1), ("larger", 11, 5), ("Orne", 23, 3)]),  # no mention before
    ],
)
def test_a_topic_replaces_the_mention_that_it_fits(topic: GivenTopic, wanted: list[tuple[str, int, int]]):
    found = bound(topic)
    assert meant(found) == wanted
    assert [m.text for m in found if is_additional(m)] == [text for text, start, _ in wanted if start < 0]


@pytest.mark.parametrize("text", ["", "Velland", "velland"])
def test_the_entity_that_was_linked_changes_nothing(text: str):
    assert bound(GivenTopic("Q1", 1, text)) == [mention("Velland", 1, 2), mention("Orne", 3)]


def test_the_only_mention_is_replaced_by_anything_also_where_it_is_unknown():
    question = "Who wrote Velland?"
    for one in (mention("Velland", 1, question=question), mention("Velland", question=question)):
        (found,) = bound(GivenTopic("Q5", 5), mentions=[one], question=question)
        assert meant([found]) == [("Velland", 10, 5)]
        assert [c.node.id for c in found.candidates] == [5, *(c.node.id for c in one.candidates)]


def test_each_topic_replaces_a_mention_of_its_own():
    swapped = bound(GivenTopic("Q3", 3), GivenTopic("Q2", 2))
    assert meant(swapped) == [("Velland", 3, 2), ("Orne", 23, 3)]
    assert meant(bound(GivenTopic("Q2", 2), GivenTopic("Q2", 2))) == [("Velland", 3, 2), ("Orne", 23, 3)]


def test_without_a_name_in_the_question_a_topic_is_added():
    (found,) = bound(GivenTopic("Q5", 5), mentions=[])
    assert is_additional(found)
    assert not is_additional(mention("Orne", 3))


@pytest.fixture
def snapshot() -> Iterator[Snapshot]:
    """A store in which keys hold the sign that parts a name from its key."""
    store = FakeStore()
    names = [(key, "name", NAMES[1]) for key in ("Q1", "http://x/?a=b")]
    graphs.put(store, graphs.Spec("names", (Source("names"),), [("Q1", "P1", "http://x/?a=b", 0)], names=names))
    with store.snapshot() as opened:
        yield opened


def test_a_topic_may_say_which_words_it_explains(snapshot: Snapshot):
    texts = ["Q1", "Velland=Q1", " Old Velland = Q1", "http://x/?a=b", "Velland=http://x/?a=b"]
    found = [(t.key, t.text) for t in given_topics(snapshot, texts)]
    assert found == [
        ("Q1", ""),
        ("Q1", "Velland"),
        ("Q1", "Old Velland"),
        ("http://x/?a=b", ""),
        ("http://x/?a=b", "Velland"),
    ]


@pytest.mark.parametrize(
    "topic, unknown", [("Q9", "Q9"), ("Velland=Q9", "Q9"), ("Velland=", "Velland="), ("=Q1", "=Q1")]
)
def test_an_unknown_key_is_named(snapshot: Snapshot, topic: str, unknown: str):
    with pytest.raises(NotFoundError, match=f"No ready load knows {unknown}[.]"):
        given_topics(snapshot, ["Q1", topic])
