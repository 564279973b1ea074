"""Relations of a thing are counted as its facts are listed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hydra_kg.errors import NotFoundError
from hydra_kg.serving.entity_facts import count_relations, facts_about
from hydra_kg.stores.embedded.store import EmbeddedStore


@pytest.mark.parametrize("name", ["Titanic", "Germany", "Lionel Messi"])
def test_relations_are_counted_as_facts_are_listed(sample_store: Path, name: str):
    with EmbeddedStore(sample_store) as store, store.snapshot() as snapshot:
        entity, relations, unread = count_relations(snapshot, name)
        page = facts_about(snapshot, name, limit=100_000)
    assert (entity.node.key, unread) == (page.entity.node.key, page.unread)
    listed = Counter((fact.relation, fact.predicate, fact.out, bool(fact.object_id)) for fact in page.facts)
    assert {(r.relation, r.predicate, r.out, r.things): r.count for r in relations} == listed
    objects = {(fact.relation, fact.object) for fact in page.facts}
    assert all((r.relation, r.example) in objects for r in relations)
    assert [r.count for r in relations] == sorted((r.count for r in relations), reverse=True)


def test_every_relation_is_listed_with_a_few_facts(sample_store: Path):
    with EmbeddedStore(sample_store) as store, store.snapshot() as snapshot:
        whole = facts_about(snapshot, "Germany", limit=100_000)
        few = facts_about(snapshot, "Germany", limit=100_000, each=2)
    every = Counter((fact.relation, fact.out) for fact in whole.facts)
    assert {(fact.relation, fact.out) for fact in few.facts} == set(every)
    assert len(few.facts) < len(whole.facts) / 3
    assert set(few.facts) <= set(whole.facts)


def test_an_unknown_name_has_no_relations(sample_store: Path):
    with EmbeddedStore(sample_store) as store, store.snapshot() as snapshot, pytest.raises(NotFoundError):
        count_relations(snapshot, "Nobody At All")
