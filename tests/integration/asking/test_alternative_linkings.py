"""Names with several meanings: the second exploration reads a question otherwise, offline and at no cost of calls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.samples import graphs
from helpers.small_country import cached_embedder  # noqa: F401  fixtures

from hydra_kg.domain import AnswerData, Source
from hydra_kg.ports import Embedder, Store
from hydra_kg.questions.calibration import calibrate
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings
from hydra_kg.steps.linking.entity_linking import link
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.strategies.hydra.alternative_linkings import OTHER_READING

MEANT = OTHER_READING

NAMES = {
    "m.0b": "Lindon",
    "m.0c": "Lindon",
    "m.0d": "Harvel",
    "m.0f": "Mira Sorn",
    "m.0g": "Tolland",
    "m.0h": "Tolland House",
    "m.0j": "Osric Vane",
    "m.0k": "Orne",
    "m.0l": "Bree Alder",
    "m.0m": "Castor Pym",
}
ALIASES = [("m.0k", "capital of Harvel")]
FILM = [("m.0b", "film.film.starring", key, 0) for key in ("m.0f", "m.0j", "m.0l", "m.0m")]
FACTS = [
    *FILM,
    ("m.0c", "location.location.containedby", "m.0d", 0),
    ("m.0d", "location.country.capital", "m.0k", 0),
    ("m.0k", "award.winner.award", "m.0j", 0),
    ("m.0h", "building.building.architect", "m.0m", 0),
    ("m.0g", "location.location.people_born_here", "m.0l", 0),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A film and a place of one name, and a name that is what a question asks for."""
    names = [(k, "name", n) for k, n in NAMES.items()] + [(k, "alias", a) for k, a in ALIASES]
    with EmbeddedStore(tmp_path_factory.mktemp("reread")) as made:
        graphs.put(made, graphs.Spec("facts", (Source("facts"),), FACTS, names=names))
        yield made


def asked(
    store: Store, embedder: Embedder, question: str, topics: tuple[str, ...] = (), **settings: object
) -> AnswerData:
    made = Reasoner(store, settings=Settings().changed(**settings), embedder=embedder)  # type: ignore[arg-type]
    return made.ask(question, topics=topics)


def test_a_name_is_read_otherwise_where_the_likeliest_reading_has_no_answer(store, embedder):
    answer = asked(store, embedder, "Where is Lindon located?")
    assert [a.name for a in answer.answers] == ["Harvel"]
    assert [m.chosen.node.key for m in answer.mentions if m.chosen] == ["m.0c"]
    assert [x.phase for x in answer.explorations] == ["initial", "refined"]
    assert [t.key for x in answer.explorations for t in x.topics] == ["m.0b", "m.0c"]


def test_what_another_reading_finds_is_less_sure(store, embedder):
    meant = asked(store, embedder, "Where is Lindon located?", ("m.0c",))
    assert asked(store, embedder, "Where is Lindon located?").confidence <= calibrate(MEANT) < meant.confidence


def test_one_exploration_reads_a_question_in_one_way(store, embedder):
    answer = asked(store, embedder, "Where is Lindon located?", retrieval={"phases": 1})
    assert answer.abstained
    assert [x.phase for x in answer.explorations] == ["initial"]


def test_a_name_that_a_person_gave_is_not_read_otherwise(store, embedder):
    answer = asked(store, embedder, "Where is Lindon located?", ("m.0b",))
    assert answer.abstained
    assert {t.key for x in answer.explorations for t in x.topics} == {"m.0b"}


def test_a_sure_answer_is_not_asked_for_again(store, embedder):
    answer = asked(store, embedder, "Who is the architect of Tolland House?")
    assert [a.name for a in answer.answers] == ["Castor Pym"]
    assert [x.phase for x in answer.explorations] == ["initial"]


def test_a_question_may_be_about_what_stands_behind_of(store, embedder):
    answer = asked(store, embedder, "Which city is the capital of Harvel?")
    assert [m.text for m in answer.mentions] == ["Harvel"]
    assert [a.name for a in answer.answers] == ["Orne"]


def test_without_facts_there_is_no_other_reading(store, embedder):
    answer = asked(store, embedder, "Where is Lindon located?", retrieval={"kinds": "wiki"})
    assert {t.key for x in answer.explorations for t in x.topics} == {"m.0b"}


@pytest.mark.parametrize(
    "without, wanted", [("", ["Tolland House"]), ("Tolland House", ["Tolland"]), ("Tolland", ["Tolland House"])]
)
def test_a_stretch_can_be_taken_for_no_name(store, without, wanted):
    question = "Who built Tolland House?"
    at = question.find(without) if without else -1
    with store.snapshot() as snapshot:
        found = link(question, snapshot, without=[(at, at + len(without))] if without else ())
    assert [m.text for m in found] == wanted
