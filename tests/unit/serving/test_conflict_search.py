"""A search for differing values tells how far it is and what it has found, before it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra_kg import Hydra, Settings
from hydra_kg.fusion.truth_discovery.methods import method_named
from hydra_kg.serving.conflict_search import ConflictSearch
from hydra_kg.serving.web.overview import schema_rows
from hydra_kg.steps.schema.store_description import describe


def tables(folder: Path) -> Path:
    """Load two tables of one kind of thing: one pier differs, all else is said by one of them or by both alike."""
    key = "https://example.org/"
    first = f"same_as,ferry,pier,captain\n{key}1,Aurora,Pier 7,Ann Lee\n{key}2,Boreas,Pier 2,Bo Berg\n"
    (folder / "harbour.csv").write_text(first)
    (folder / "tourbook.csv").write_text(
        f"same_as,ferry,pier,length\n{key}1,Aurora,Pier 9,40\n{key}2,Boreas,Pier 2,60\n"
    )
    with Hydra(store=folder / "store", settings=Settings()) as hydra:
        hydra.load(folder / "harbour.csv", folder / "tourbook.csv", extra={"entity": "ferry"})
    return folder / "store"


def test_what_was_found_is_told_with_each_step_until_the_search_ends(tmp_path: Path):
    told: list[dict[str, Any]] = []
    with Hydra(store=tables(tmp_path), settings=Settings()) as hydra, hydra.store.snapshot() as snapshot:
        search = ConflictSearch(snapshot, method_named(""), lambda line: told.append(line["progress"]))
        found = search.run("", limit=10)
    assert [one["phase"] for one in told if one["done"] >= one["total"]] == ["read", "lists", "judge"]
    read = told[0]
    assert (read["unit"], read["done"]) == ("things", read["total"])
    assert [(one["entity"]["name"], one["attribute"]) for one in read["values"]] == [("Aurora", "pier")]
    assert read["values"] == found["values"]
    assert (read["found"], told[-1]["found"], found["left_out"]) == (1, 1, 0)


def test_a_relation_has_the_number_of_its_sources(tmp_path: Path):
    with Hydra(store=tables(tmp_path), settings=Settings()) as hydra, hydra.store.snapshot() as snapshot:
        rows = schema_rows(snapshot, describe(snapshot))["relations"]
    assert {row["text"]: row["sources"] for row in rows} == {"pier": 2, "captain": 1, "length": 1}
