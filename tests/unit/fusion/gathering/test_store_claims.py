"""Claims out of a store: attributes aligned by wording, circumstances that tell groups apart, what is left out."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec

from hydra_kg import ids
from hydra_kg.domain import Predicates, Source
from hydra_kg.errors import UsageError
from hydra_kg.fakes import FakeStore
from hydra_kg.fusion.conflicts.fuse import accept_values, across, fuse, judge_claims, supporters
from hydra_kg.fusion.gathering.claim_columns import every_row
from hydra_kg.fusion.gathering.line_graph import LineGraph
from hydra_kg.fusion.gathering.store_claims import (
    align_attributes,
    every_statement,
    group_key,
    matching,
    rows_of,
    split_group_key,
    statements,
    triples_of,
)
from hydra_kg.fusion.model.claims import claims_of
from hydra_kg.fusion.normalisation.claim_values import ClaimReading
from hydra_kg.fusion.truth_discovery.mcc import make_normalised_mcc
from hydra_kg.fusion.truth_discovery.methods import method_named
from hydra_kg.fusion.truth_discovery.vote import Vote


def predicates(*pairs):
    keys, texts = zip(*pairs, strict=True)
    return Predicates(np.arange(len(keys)), keys, texts, ("",) * len(keys), np.ones(len(keys), np.int64))


def test_attributes_of_one_wording_are_one():
    names = align_attributes(
        predicates(
            ("people.person.place_of_birth", "person place of birth"),
            ("P19", "place of birth"),
            ("departureGate", "departureGate"),
            ("departure_gate", "departure gate"),
            ("gate", "gate"),
        )
    )
    assert names[0] == names[1]
    assert names[2] == names[3] != names[4]
    assert matching(names, "Departure Gate") == (names[3],)
    assert matching(names, "gate") == ("gate",), "of that wording alone"
    assert matching(names, "birth") == (names[0],), "else what holds the words"
    assert matching(names, "moon") == ()


@pytest.mark.parametrize("when", [(), (("date", "2011-12-01"),), (("a", "1"), ("b", "\x00 é"))])
def test_a_group_key_can_be_read_back(when):
    assert split_group_key(group_key(-5, when)) == (-5, when)


@pytest.fixture
def snapshot():
    store = FakeStore()
    sources = (Source("one", "table"), Source("two", "table"), Source("derived", "derived"))
    graphs.put(
        store,
        Spec(
            "a",
            sources,
            links=[("m.0b", "film.film.director", "m.0c", 0), ("m.0b", "film.film.cast", "m.0m", 0)],
            values=[("m.0b", "x.year", '"1994"', 0), ("m.0b", "x.year", '"1995"', 1), ("m.0b", "x.year", '"1996"', 2)],
            names=[("m.0b", "name", "Gump"), ("m.0c", "name", "Bob Z"), ("Q1", "name", "Bob Zed")],
            mediators=["m.0m"],
        ),
    )
    graphs.put(
        store, Spec("b", (Source("three"),), links=[("Q2", "b.director", "Q1", 0)], names=[("Q2", "name", "Gump")])
    )
    graphs.put(store, Spec("c", (Source("links"),), same_as=[("m.0b", "Q2"), ("m.0c", "Q1")]))
    with store.snapshot() as opened:
        yield opened


@pytest.fixture
def married():
    """A marriage and a population behind mediators; a source that states one leg only."""
    store = FakeStore()
    sources = (Source("one"), Source("other"))
    graphs.put(
        store,
        Spec(
            "a",
            sources,
            links=[
                ("m.0b", "people.person.spouse_s", "m.0m", 0),
                ("m.0m", "people.marriage.spouse", "m.0c", 0),
                ("m.0m", "people.marriage.spouse", "m.0b", 0),
                ("m.0m", "people.marriage.spouse", "m.0d", 1),
                ("m.0f", "location.population", "m.0n", 0),
            ],
            values=[
                ("m.0m", "people.marriage.from", '"1999"^^xsd:gYear', 0),
                ("m.0n", "x.number", '"42"^^xsd:integer', 0),
                ("m.0m", "people.marriage.from", '"1888"^^xsd:gYear', 1),
                ("m.0n", "x.year", '"2001"^^xsd:gYear', 0),
            ],
            names=[("m.0b", "name", "Ann"), ("m.0c", "name", "Bob"), ("m.0d", "name", "Cy"), ("m.0f", "name", "Town")],
            mediators=["m.0m", "m.0n"],
        ),
    )
    graphs.put(store, Spec("b", (Source("wiki"),), links=[("m.0b", "x.spouse", "m.0c", 0)]))
    with store.snapshot() as opened:
        yield opened


def test_a_claim_behind_a_mediator_has_its_qualifiers(married):
    found = statements(married, [ids.encode(k) for k in ("m.0b", "m.0c", "m.0f")])
    said = {(ids.decode(s.entity), s.attribute, s.value.name, s.fact.source.name, s.fact.qualifiers) for s in found}
    since = (("from", '"1999"^^xsd:gYear'),)
    assert said == {
        ("m.0b", "spouse", "Bob", "one", since),
        ("m.0b", "spouse", "Bob", "wiki", ()),
        ("m.0c", "spouse", "Ann", "one", since),
        ("m.0f", "population", "42", "one", (("year", '"2001"^^xsd:gYear'),)),
    }, "both ways, in one group with what links both ends; who states one leg only says nothing"


def test_only_what_is_asked_for_is_taken_from_mediators(married):
    town, wife = ids.encode("m.0f"), ids.encode("m.0b")
    assert [s.value.name for s in statements(married, [town, wife], attributes={"population"})] == ["42"]
    assert {s.value.name for s in statements(married, [town, wife], attributes={"spouse"})} == {"Bob"}
    assert not statements(married, [town, wife], attributes={"from", "number"})


def test_a_mediator_has_no_attributes_of_its_own(married):
    assert not statements(married, [ids.encode("m.0m"), ids.encode("m.0n")])
    assert {ids.decode(s.entity) for s in every_statement(married)} == {"m.0b", "m.0c", "m.0f"}


def as_rows(rows):
    return [tuple(names[n] for names, n in zip(rows.names, row, strict=True)) for row in rows.codes.tolist()]


@pytest.mark.parametrize("attributes", [None, ("director",), ("spouse", "population"), ("moon",)])
@pytest.mark.parametrize("given", ["snapshot", "married", "nothing"])
def test_columns_are_the_rows_of_all_statements(given, attributes, request):
    if given == "nothing":
        with FakeStore().snapshot() as opened:
            assert as_rows(every_row(opened, attributes=attributes)) == []
        return
    opened = request.getfixturevalue(given)
    rows = every_row(opened, attributes=attributes)
    assert as_rows(rows) == list(rows_of(every_statement(opened, attributes=attributes)))
    firsts = [list(dict.fromkeys(column.tolist())) for column in rows.codes.T]
    assert firsts == [list(range(len(names))) for names in rows.names], "numbered in the order of first mention"


def test_sources_that_seem_to_differ_are_told_page_by_page(snapshot):
    told = []
    every_row(snapshot, differing=told.extend)
    assert told == [(ids.encode("m.0b"), "year")]


def test_groups_cross_sources_through_classes_and_attributes(snapshot):
    found = statements(snapshot, [ids.encode("m.0b")])
    said = {(s.attribute, s.value.name, s.fact.source.name) for s in found}
    assert said == {
        ("director", "Bob Z", "one"),
        ("director", "Bob Z", "three"),
        ("year", "1994", "one"),
        ("year", "1995", "two"),
    }, "one class, one name for it; no mediator, and nothing of a source without trust"
    assert {s.key for s in found} == {group_key(ids.encode("m.0b"), ())}


def test_as_a_line_graph(snapshot):
    stated = statements(snapshot, [ids.encode("m.0b")])
    graph, groups = LineGraph().added(triples_of(stated))
    assert (len(graph), len(groups), groups.across.tolist()) == (4, 2, [True, True])
    assert len(graph.neighbours(stated[0].entity, stated[0].value.id)) == 4, "all share their subject"


def test_only_sources_that_may_be_used_speak(snapshot):
    found = statements(snapshot, [ids.encode("m.0b")], attributes={"year"}, may=lambda name: name == "two")
    assert [s.value.name for s in found] == ["1995"]


def test_fused_with_those_who_said_so(snapshot):
    stated = list(every_statement(snapshot))
    fused = fuse(stated, make_normalised_mcc())
    groups = {g.attribute: g for g in fused.groups()}
    assert fused.conflicts() == {"value": 1}
    assert fused.hardest(9) == [groups["year"]]
    assert fused.hardest(0) == []
    assert groups["director"].conflict is None
    assert groups["year"].conflict.sentence == "Sources disagree: one says 1994; two says 1995."
    behind = supporters(fused, stated)
    key = group_key(ids.encode("m.0b"), ())
    assert {s.fact.source.name for s in behind[key, "director", "Bob Z"]} == {"one", "three"}
    assert across(list(fused.groups())) == []


def test_what_says_less_is_no_conflict_and_the_specific_value_is_believed():
    claims = claims_of([("x", "born", s, v) for s, v in (("a", "1961-08"), ("b", "1961-08"), ("c", "1961-08-04"))])
    assert accept_values(claims, make_normalised_mcc().judge(claims)).tolist() == [False, True]


def test_conflicts_are_counted_as_the_groups_have_them():
    said = [("p", "born", s, v) for s, v in (("a", "1961-08"), ("b", "1961"), ("c", "1961-08-04"))]
    said += [("q", "born", s, v) for s, v in (("a", "1961-08"), ("b", "1962-08-04"))]
    said += [("r", "born", s, v) for s, v in (("a", "Paris"), ("b", "paris"))]
    said += [("s", "born", s, v) for s, v in (("a", "Paris"), ("b", "Rome"), ("c", "Rome"))]
    claims = claims_of((group_key(n, ()), *row[1:]) for row in said for n in [ord(row[0])])
    fused = judge_claims(ClaimReading(claims, {}, claims.value, (), 0), Vote())
    groups = [g for g in fused.groups() if g.conflict is not None]
    assert fused.conflicts() == Counter(g.conflict.kind for g in groups) == {"granularity": 1, "value": 2}
    assert [chr(g.entity) for g in fused.hardest(9)] == ["q", "s"], "an even vote is the hardest"


def test_methods_by_name():
    assert method_named("").name
    assert method_named("mcc").name == "mcc"
    with pytest.raises(UsageError, match="no method"):
        method_named("magic")
