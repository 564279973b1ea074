"""Questions inside questions, offline on a small graph: the outer clause is what is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from helpers.samples import graphs

from hydra_kg.domain import AnswerData, Source
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

NAMES = {
    "m.0p": "Rufus Firefly",
    "m.0s": "Fort Linton",
    "m.0c": "Freedonia",
    "m.0v": "Port Vindo",
    "m.0w": "Vera Teasdale",
    "m.0k": "country",
    "m.0t": "city",
}
FACTS = [
    ("m.0p", "people.person.place_of_birth", "m.0s", 0),
    ("m.0p", "people.person.spouse", "m.0w", 0),
    ("m.0w", "people.person.place_of_birth", "m.0v", 0),
    ("m.0p", "people.person.nationality", "m.0c", 0),
    ("m.0c", "location.country.capital", "m.0v", 0),
    ("m.0c", "type.object.type", "m.0k", 0),
    ("m.0s", "type.object.type", "m.0t", 0),
]
Ask = Callable[..., AnswerData]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks the small graph, as one question or clause by clause."""
    embedder = CachedEmbedder(make_embedder())
    names = [(key, "name", name) for key, name in NAMES.items()]
    with EmbeddedStore(tmp_path_factory.mktemp("nested")) as store:
        graphs.put(store, graphs.Spec("facts", (Source("facts"),), FACTS, names=names))
        yield lambda question, **how: Reasoner(store, embedder=embedder, settings=Settings(**how)).ask(question)


@pytest.mark.parametrize(
    "question, name",
    [
        ("What is the capital of the country that Rufus Firefly comes from?", "Port Vindo"),
        ("Where was the wife of Rufus Firefly born?", "Port Vindo"),
        ("Where was Rufus Firefly's wife born?", "Port Vindo"),
        ("Where was Rufus Firefly born?", "Fort Linton"),
    ],
)
def test_the_outer_clause_is_what_is_answered(ask: Ask, question: str, name: str) -> None:
    assert [a.name for a in ask(question).answers] == [name]


def test_as_one_question_it_stops_on_the_way(ask: Ask) -> None:
    (answer,) = ask(
        "Where was the wife of Rufus Firefly born?", relevance={"clauses": False}, answering={"plan": False}
    ).answers
    assert answer.name != "Port Vindo"


def test_the_plan_goes_on_where_the_path_stops(ask: Ask) -> None:
    """What one hop leads to is not where somebody was born: the plan's relations lead there."""
    answer = ask("Where was the wife of Rufus Firefly born?", relevance={"clauses": False})
    assert [a.name for a in answer.answers] == ["Port Vindo"]
    assert answer.steps
