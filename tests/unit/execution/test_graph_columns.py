"""Hops between the tables of an own graph, checked against a walk over the rows one by one."""

from __future__ import annotations

import pytest

from hydra_kg.execution.graph_columns import FactSource
from hydra_kg.ingest.load import load_files
from hydra_kg.plan.model import PathStep
from hydra_kg.steps.own_graphs.graph_reading import read_own_graphs
from hydra_kg.steps.tables.graph_tables import view_of
from hydra_kg.stores.embedded.store import EmbeddedStore

MAKERS = "maker_id,maker\n1,Lorne\n2,Abbot\n3,Castle\n"
MODELS = "model_id,model,maker_id\n1,Zephyr,1\n2,Aster,2\n3,Comet,1\n"
CARS = "car_id,car,model_id\n1,Zephyr GT,1\n2,Aster S,2\n"


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cars")
    for name, text in (("makers", MAKERS), ("models", MODELS), ("cars", CARS)):
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as store:
        load_files(store, [folder])
        with store.snapshot() as snapshot:
            yield view_of(read_own_graphs(snapshot)[0])


def walk(view, way, rows):
    pairs = {(row, row) for row in rows}
    for join in way:
        inside = set(view.rows(join.end).tolist())
        steps = [view.graph.relations[r].columns(join.forward) for r in join.relations]
        edges = {(a, b) for c in steps for a, b in zip(c.start.tolist(), c.end.tolist(), strict=True) if b in inside}
        pairs = {(first, b) for first, last in pairs for a, b in edges if a == last}
    return sorted(pairs)


def test_pairs_that_hops_lead_to_are_those_of_a_walk_for_rows_in_any_order(view):
    facts = FactSource(view.graph, view.within)
    for start in view.tables:
        rows = start.rows[::-1].copy()
        for join in view.joins[start.place]:
            for way in ((join,), *((join, after) for after in view.joins[join.end])):
                hops = [PathStep(j.relations, j.forward, j.end) for j in way]
                first, last = facts.follow(hops, rows)
                assert list(zip(first.tolist(), last.tolist(), strict=True)) == walk(view, way, rows.tolist())
