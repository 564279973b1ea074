"""Tables of a nested document refer to each other by keys that the document has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra_kg_loaders.feeds.nested_links import link_tables
from hydra_kg_loaders.nested.shred import shred
from hydra_kg_loaders.table_files.canonical_rows import FoundTable
from hydra_kg_loaders.tables import grid


def linked(root: Any, **options: Any) -> dict[str, tuple[FoundTable, list[dict[str, str]]]]:
    """Each table by name, with its rows as they are staged, empty cells left out."""
    out = {}
    for t in link_tables(shred(root, name="doc", **options), Path("doc.json")):
        rows = [dict(zip(t.rows.columns, cells[1:], strict=True)) for cells in grid.split(t.rows)]
        out[t.name] = (t, [{name: cell for name, cell in row.items() if cell} for row in rows])
    return out


def test_rows_have_the_key_of_the_row_around_them() -> None:
    lines = [{"sku": "S1", "qty": "1"}, {"sku": "S2", "qty": "2"}]
    found = linked({"orders": [{"id": "A1", "lines": lines}, {"id": "A2", "lines": lines}]})
    table, rows = found["lines"]
    assert table.references == ((("order",), "orders", ("id",)),)
    assert [row["order"] for row in rows] == ["A1", "A1", "A2", "A2"]
    assert found["orders"][0].keys == (("id",),)


def test_rows_without_a_key_get_numbers() -> None:
    lines = [{"sku": "S1", "qty": "1"}, {"sku": "S2", "qty": "2"}]
    found = linked({"orders": [{"by": "Ada", "lines": lines}, {"by": "Ada", "lines": lines}]})
    assert [row["order"] for row in found["lines"][1]] == ["1", "1", "2", "2"]
    assert found["orders"][1][1] == {"by": "Ada", "order number": "2"}


def test_lists_of_keys_become_pairs_also_of_the_document_itself() -> None:
    parts = [{"ref": f"p:{n}", "name": n} for n in ("reed", "nettle", "sedge", "rush")]
    uses = [
        {"ref": "p:app", "dependsOn": ["p:reed"]},
        {"ref": "p:reed", "dependsOn": ["p:nettle", "p:sedge", "p:gone"]},
        {"ref": "p:nettle"},
        {"ref": "p:sedge", "dependsOn": ["p:rush", "p:reed"]},
    ]
    found = linked({"app": {"ref": "p:app"}, "parts": parts, "uses": uses})
    assert found["parts depends on"][1] == [
        {"part": "p:reed", "dependsOn": "p:nettle"},
        {"part": "p:reed", "dependsOn": "p:sedge"},
        {"part": "p:sedge", "dependsOn": "p:rush"},
        {"part": "p:sedge", "dependsOn": "p:reed"},
    ]
    assert found["doc depends on"][1] == [{"doc": "p:app", "dependsOn": "p:reed"}]
    assert found["uses"][1][1] == {"ref": "p:reed", "dependsOn": "p:gone"}  # what is found nowhere stays a value


def test_edges_with_a_type_become_pairs_by_type() -> None:
    items = [{"id": f"i-{n}", "name": n} for n in "abc"]
    edges = [
        {"from": "i-a", "type": "DEPENDS_ON", "to": "i-b"},
        {"from": "i-b", "type": "CONTAINS", "to": "i-c"},
        {"from": "i-a", "type": "CONTAINS", "to": "i-c"},
    ]
    found = linked({"items": items, "edges": edges})
    assert set(found) == {"items", "items depends on", "items contains"}
    assert len(found["items contains"][1]) == 2


def test_entries_of_maps_are_named_by_the_last_part_of_their_paths() -> None:
    packages = {
        "": {"name": "app", "dependencies": {"one": "^1", "two": "^2"}},
        "lib/one": {"version": "1.5"},
        "lib/two": {"version": "2.5", "dependencies": {"three": "^3"}},
        "lib/three": {"version": "3.5", "dependencies": {"four": "^4"}},
        "lib/four": {"version": "4.5"},
    }
    found = linked({"packages": packages})
    assert [row["name"] for row in found["packages"][1]] == ["app", "one", "two", "three", "four"]
    assert {"package": "lib/three", "dependencies": "four"} in found["packages dependencies"][1]


def test_the_row_of_the_document_is_not_called_like_the_rows_in_it() -> None:
    found = linked({"date": "today", "docs": [{"id": "1"}, {"id": "2"}]})
    assert set(found) == {"doc file", "docs"}


def test_numbers_that_two_tables_share_are_no_references() -> None:
    found = linked({"a": [{"id": "1", "x": "p"}, {"id": "2", "x": "q"}], "b": [{"age": "1"}, {"age": "2"}]})
    assert found["b"][0].references == ()
