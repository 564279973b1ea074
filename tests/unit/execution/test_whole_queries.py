"""Queries of the algebra over a small store with missing values, checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hydra_kg.execution.graph_columns import FactSource
from hydra_kg.execution.ordered_things import many
from hydra_kg.execution.provenance import Provenance
from hydra_kg.execution.whole_queries import execute
from hydra_kg.ingest.load import load_files
from hydra_kg.plan import model as m
from hydra_kg.steps.own_graphs.graph_reading import read_own_graphs
from hydra_kg.steps.tables.graph_tables import view_of
from hydra_kg.stores.embedded.store import EmbeddedStore

OWNERS = "owner_id,owner,town\n1,Ida Lund,Bergen\n2,Bo Strand,Oslo\n3,Eva Moe,\n"
BOATS = "boat_id,boat,owner_id,length,paint\n1,Tern,1,12,red\n2,Skua,1,9,blue\n3,Gull,2,9,\n4,Wren,3,,red\n"


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boats")
    (folder / "owners.csv").write_text(OWNERS, encoding="utf-8")
    (folder / "boats.csv").write_text(BOATS, encoding="utf-8")
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as store:
        load_files(store, [folder])
        with store.snapshot() as snapshot:
            yield view_of(read_own_graphs(snapshot)[0])


@pytest.fixture(scope="module")
def facts(view):
    return FactSource(view.graph, view.within)


@pytest.fixture(scope="module")
def boats(view):
    return the_class(view, "boat")


def the_class(view, noun):
    table = next(t for t in view.tables if t.text == noun)
    return m.Class(f"{noun}s", noun, places=table.rows)


def path(view, noun, word):
    column = next(c for c in view.columns if word in c.words and view.tables[c.table].text == noun and c.relation >= 0)
    return m.GroundedPath((), column.relation, word, noun)


def to_boats(view):
    owner, boat = (next(t.place for t in view.tables if t.text == noun) for noun in ("owner", "boat"))
    join = next(j for j in view.joins[owner] if j.end == boat)
    return m.GroundedPath((m.PathStep(join.relations, join.forward, boat),), noun="boat")


def place(view, name):
    return next(p for p in range(view.graph.size) if view.graph.name(p) == name)


def end_of(view, leg):
    ids = view.graph.ids.tolist()
    return leg.literal.split('"')[1] if leg.literal else view.graph.name(ids.index(leg.object))


def names(view, result):
    return sorted(map(view.graph.name, result.values))


def painted(view, boats, op):
    paint = m.Condition(op, "any", values=("red",), places=np.array([place(view, "red")]))
    return m.Where(boats, "paint", paint, refs=(path(view, "boat", "paint"),))


def test_a_thing_without_a_value_meets_neither_a_condition_nor_its_negation(view, facts, boats):
    assert names(view, execute(facts, painted(view, boats, "="))) == ["Tern", "Wren"]
    assert names(view, execute(facts, painted(view, boats, "!="))) == ["Skua"]
    lacking = m.Where(boats, "paint", m.Condition("lacks", "any"), refs=(path(view, "boat", "paint"),))
    assert names(view, execute(facts, lacking)) == ["Gull"]


def test_missing_values_are_counted(view, facts, boats):
    mean = execute(facts, m.Aggregate(boats, "length", "mean", refs=(path(view, "boat", "length"),)))
    assert (mean.number, mean.missing) == (10.0, 1)
    assert mean.computation == "mean of length over 3 boats; 1 without one"


def test_equal_things_share_a_place(view, facts, boats):
    shortest = m.Top(boats, 1, "length", "number", "min", refs=(path(view, "boat", "length"),))
    result = execute(facts, shortest)
    assert (names(view, result), result.missing) == (["Gull", "Skua"], 1)
    assert [view.graph.name(t) for t in result.compared] == ["Tern"]


def test_things_are_ordered_and_chosen_by_the_number_of_others(view, facts, boats):
    owners, way = the_class(view, "owner"), to_boats(view)
    first, both = (execute(facts, m.Top(owners, n, "", "number", "max", counted="boats", refs=(way,))) for n in (1, 2))
    assert (names(view, first), first.computation) == (["Ida Lund"], "2 boats")
    assert both.computation == "1 boat or more"
    several = m.Having(owners, boats, m.Condition(">=", "number", 2, 2), refs=(way,))
    assert execute(facts, m.Count(several)).number == 1
    none = m.Having(owners, painted(view, boats, "="), m.Condition("lacks", "any"), refs=(way,))
    assert names(view, execute(facts, none)) == ["Bo Strand"]


def test_nothing_belongs_to_things_from_which_nothing_leads_there(view, facts, boats):
    owners = the_class(view, "owner")
    exists = m.Having(owners, boats, m.Condition("exists", "any"), refs=(None,))
    lacks = m.Having(owners, boats, m.Condition("lacks", "any"), refs=(None,))
    assert names(view, execute(facts, exists)) == []
    assert len(execute(facts, lacks).values) == 3


def test_groups_need_as_many_things_as_a_condition_states(view, facts, boats):
    paint = path(view, "boat", "paint")
    groups = m.GroupBy(boats, "paint", "count", having=m.Condition(">=", "number", 2, 2), refs=(paint,))
    result = execute(facts, groups)
    assert (names(view, result), result.measures, result.missing) == (["red"], ["2"], 1)
    assert execute(facts, m.Count(groups)).number == 1


def test_groups_are_chosen_by_the_number_that_is_computed_of_them(view, facts, boats):
    bounds = [m.Condition(op, "number", 1, 1) for op in (">", "<=")]
    paint = path(view, "boat", "paint")
    chosen = [m.GroupBy(boats, "paint", "count", bound=bound, refs=(paint,)) for bound in bounds]
    more, single = (execute(facts, groups) for groups in chosen)
    assert (names(view, more), more.measures) == (["red"], ["2"])
    assert set(single.measures) == {"1"}
    assert execute(facts, m.Count(chosen[1])).number == len(single.values)


def test_the_facts_of_a_row_are_those_of_its_value_and_of_what_it_meets(view, facts, boats):
    owners, way = the_class(view, "owner"), to_boats(view)
    red = m.Having(owners, painted(view, boats, "="), m.Condition("exists", "any"), refs=(way,))
    query = m.Project(red, ("town",), refs=(path(view, "owner", "town"),))
    legs = Provenance(facts, query).legs(place(view, "Ida Lund"), place(view, "Bergen"))
    assert [end_of(view, leg) for leg in legs] == ["Bergen", "Tern", "red"]
    assert all(leg.handles for leg in legs)


def test_the_fact_behind_a_value_that_is_not_the_named_one_is_the_value(view, facts, boats):
    (leg,) = Provenance(facts, painted(view, boats, "!=")).legs(place(view, "Skua"))
    assert end_of(view, leg) == "blue"


def test_a_query_that_is_not_grounded_is_refused(facts):
    with pytest.raises(LookupError, match="not grounded"):
        execute(facts, m.Count(m.Class("boats", "boat")))


@pytest.mark.parametrize("high, low, number", [("Tern", "Skua", 3), ("Skua", "Tern", -3), ("Tern", "Wren", None)])
def test_a_difference_subtracts_two_values_where_both_are_stated(facts, view, boats, high, low, number):
    length = (path(view, "boat", "length"),)
    things = (m.Named(name, -1, places=np.array([place(view, name)])) for name in (high, low))
    high_side, low_side = (m.Value(one, "length", "number", refs=length) for one in things)
    assert execute(facts, m.Difference(high_side, low_side, "")).number == number


def test_a_difference_of_counts_is_their_difference(facts, view, boats):
    red = m.Where(
        boats,
        "paint",
        m.Condition("=", "any", places=np.array([place(view, "red")])),
        refs=(path(view, "boat", "paint"),),
    )
    assert execute(facts, m.Difference(m.Count(boats), m.Count(red), "")).number == 2


@pytest.mark.parametrize("noun", ["paper", "papers", "order items", "series", "glass"])
def test_one_thing_is_named_in_the_singular(noun):
    one = {"papers": "paper", "order items": "order item"}.get(noun, noun)
    assert many(1, noun) == f"1 {one}"
