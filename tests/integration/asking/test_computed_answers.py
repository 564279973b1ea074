"""The earliest and the latest: computed from what the candidates' facts state, and shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.samples import graphs

from hydra_kg.domain import Source
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

NAMES = {"m.0b": "Freedonia", "m.0c": "Sylvania", "m.0d": "Tomania", "m.0f": "Bacteria", "m.0g": "Brutopia"}
DATES = {"m.0c": '"1945-05-08"^^xsd:date', "m.0d": '"1918"^^xsd:gYear', "m.0f": '"1945-05-09"^^xsd:date'}


@pytest.fixture(scope="module")
def traders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reasoner]:
    """Freedonia exports to four countries; three have a date."""
    partners = [k for k in NAMES if k != "m.0b"]
    land = graphs.Spec(
        "land",
        (Source("land"),),
        [("m.0b", "location.statistical_region.exports_to", k, 0) for k in partners],
        [("m.0c", "location.country.area_in_acres", '"7"', 0)]
        + [(k, "location.country.date_founded", v, 0) for k, v in DATES.items()],
        [(k, "name", n) for k, n in NAMES.items()],
    )
    with EmbeddedStore(tmp_path_factory.mktemp("land")) as store:
        graphs.put(store, land)
        yield Reasoner(store, settings=Settings(answering={"threshold": 0.0}), embedder=CachedEmbedder(make_embedder()))


@pytest.mark.parametrize(
    "question, wanted, words",
    [
        ("was founded the earliest", ["Tomania"], "earliest by"),
        ("was founded last", ["Bacteria"], "latest by"),
    ],
)
def test_the_answer_is_computed_and_the_computation_is_shown(traders, question, wanted, words):
    answer = traders.ask(f"Which country that Freedonia exports to {question}?")
    assert [a.name for a in answer.answers] == wanted
    assert words in answer.computation
    for evidence, name in zip(answer.evidence, wanted, strict=True):
        last = evidence.path.hops[-1]
        assert last.subject.name == name
        assert [f.source.name for f in last.facts] == ["land"]
        assert last.facts[0].object in DATES.values()


def test_without_such_a_value_nothing_is_answered_and_what_is_not_checked_is_said(traders):
    answer = traders.ask("Which country that Freedonia exports to has the most gold medals?")
    assert answer.abstained
    assert "“most gold”" in answer.missing
    assert answer.perhaps == ()
