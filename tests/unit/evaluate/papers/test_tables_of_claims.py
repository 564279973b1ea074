"""Tables of claims: every one is fused and shown; rivals are asked of just the claims that a row names."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import replace

import pytest
from helpers.scripted_tables import SETTINGS, Scripted

from hydra_kg.evaluate.fusion.claim_sets import files_of
from hydra_kg.evaluate.papers.catalog import BY_MODEL, find
from hydra_kg.evaluate.papers.measuring import measure_claims
from hydra_kg.evaluate.papers.printed_table import compare_table
from hydra_kg.evaluate.papers.running import ask_claims, queries_in_words, records_of, setups_of
from hydra_kg.evaluate.runs.runner import RunPlan
from hydra_kg.stores import open_store


@pytest.mark.parametrize("name", ["T2", "T3", "F5", "F6", "F7"])
def test_every_table_of_claims_is_fused_and_shown(name, claims):
    table = find("multirag", name)
    found = measure_claims(table, scorer=lambda question, statements: {0: 1.0})
    wanted = [
        (row.label, one)
        for row in table.rows
        for one, printed in zip(table.sets, row.figures, strict=True)
        if row.runs and not row.asked and one in {"movies", "books"} and (printed or name in {"F6", "F7"})
    ]
    assert [cell for cell in wanted if cell not in found.cells] == []
    here = [m for m in found.missing if "the model scored" in m]
    assert bool(here) == (name == "F7")
    assert [m.split(":")[0] for m in found.missing if m not in here] == [
        s for s in table.sets if s in {"flights", "stocks"}
    ]


def test_rivals_answer_what_claims_are_queried_for(claims):
    table = find("multirag", "T2")
    assert list(dict.fromkeys(name for _, names in setups_of(table) for name in names)) == ["ircot", "mdqa", "chatkbqa"]
    movies = queries_in_words(files_of("movies"), "movies @ JSON + KG", limit=3, seed=0)
    assert movies[0].text == f"What is the maker of Item {movies[0].id}?"
    records = [
        {"dataset": q.dataset, "question_id": q.id, "strategy": "mdqa", "answers": [{"name": name}]}
        for q, name in zip(movies, ("Person 0", "Person 1", "Person 2"), strict=True)
    ]
    right = sum(r["answers"][0]["name"] == f"Person {q.id}" for r, q in zip(records, movies, strict=True))
    found = measure_claims(replace(table, rows=tuple(r for r in table.rows if r.asked)), records)
    assert found.cells == {("ask mdqa @ JSON + KG", "movies"): f"{100 * right / 3:.1f}"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["T2", "F5"])
def test_rivals_are_asked_of_a_store_of_just_the_claims_that_a_row_names(name, claims, tmp_path):
    """Ten queries of one set each, with the scripted model; the other sets are not here."""
    shutil.rmtree(claims / "truth" / "books")
    table, out, stores = find("multirag", name), tmp_path / "out", dict[str, dict[str, int]]()
    with ExitStack() as open_stores:

        def make(address):
            store = open_stores.enter_context(open_store(address))
            with store.snapshot() as snapshot:
                load = next(load for load in snapshot.manifest() if load.name == "movies")
                stores[address] = {"claims": load.facts, "sources": len(load.sources)}
            return lambda setup: Scripted(store, [], setup)

        plan = RunPlan((), "llm", False, SETTINGS)
        questions, left, missing = ask_claims(table, plan, out, limit=10, seed=0, make=make)
        assert left == 0
        assert [m.split()[0] for m in missing] == ["books", "flights", "stocks"]
        assert {file.name for file in out.iterdir()} == {"answers.jsonl", "run.json"}, "stores are gone"
        again, left, _ = ask_claims(table, plan, out, limit=10, seed=0, make=lambda _: pytest.fail("asked twice"))
    assert (again, left) == (questions, 0)
    records = records_of(table, out, {q.key for q in questions})
    found = measure_claims(table, records)
    asked = [row for row in table.rows if row.asked and (" @ " not in row.label or row.figures[0])]
    assert [row.label for row in asked if (row.label, "movies") not in found.cells] == []
    assert len(records) == 10 * len(asked)
    read = {r["strategy"] for r in records if any(x["paths"] for x in r["explorations"])}
    assert name == "F5" or read >= {"ircot", "mdqa"}, "those that read have pages"
    if name == "T2":  # of four sources, 48 claims: two JSON, one KG, one CSV
        assert [tuple(s.values()) for s in stores.values()] == [(48, 4), (36, 3), (36, 3), (24, 2)]
    else:
        counts = [s["claims"] for s in stores.values()]
        assert counts[0] == 48
        assert 48 > counts[1] > counts[2] > counts[3] >= 12, "masked; one of each thing stays"
        assert 48 < counts[4] < counts[5] < counts[6] <= 96, "added"
    assert f"movies {10}" in compare_table(table, found, records).note


def test_the_model_scores_the_authority_of_sources(claims):
    table = find("multirag", "F7")
    alone = measure_claims(table)
    assert [label for label, _ in alone.cells if label.endswith(BY_MODEL)] == []
    assert any("HYDRA_MODEL_NAME" in words for words in alone.missing)
    asked = []

    def only_the_second(question, statements):
        asked.append(question)
        return {i: float(line.startswith("source_2 ")) for i, line in enumerate(statements)}

    scored = measure_claims(table, scorer=only_the_second)
    assert sorted(asked) == sorted(2 * [f"maker of Item {n}" for n in range(12)]), "once a set, for all values of α"
    by_model = {label: f1 for (label, name), f1 in scored.cells.items() if name == "movies" and BY_MODEL in label}
    assert list(by_model) == [row.label for row in table.rows if row.label.endswith(BY_MODEL)]
    graph = float(scored.cells["mcc alpha=1", "movies"])
    assert float(by_model[f"mcc alpha=1{BY_MODEL}"]) < graph, "the second source is the one that is wrong"
    assert "movies: the model scored the sources of 12 of 12 queries" in scored.missing
