"""Documents become tables by their shape, and each of their values is in one cell."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from hydra_kg.errors import FormatError
from hydra_kg_loaders.nested.document_shape import leaves
from hydra_kg_loaders.nested.shred import NestedTable, shred

ORDERS = {
    "shop": "Tarn",
    "orders": [
        {
            "id": "A1",
            "customer": {"name": "Ada"},
            "tags": ["rush", "gift"],
            "lines": [{"sku": "S1", "qty": "2"}, {"sku": "S2", "qty": "1"}],
        },
        {"id": "A2", "customer": {"name": "Tom"}, "lines": [{"sku": "S1", "qty": "4"}]},
    ],
}


def by_name(root: Any, **options: Any) -> dict[str, NestedTable]:
    return {table.name: table for table in shred(root, name="doc", **options)}


def test_arrays_of_objects_are_tables_objects_are_fields_and_lists_are_values() -> None:
    found = by_name(ORDERS)
    assert list(found) == ["doc", "orders", "lines"]
    assert found["orders"].cells[0] == {"id": ["A1"], "customer.name": ["Ada"], "tags": ["rush", "gift"]}
    assert [row["sku"] for row in found["lines"].cells] == [["S1"], ["S2"], ["S1"]]
    assert found["lines"].places[2] == "/orders/1/lines/0"
    assert found["lines"].parents[2] == (found["orders"], 1)


def test_an_array_that_never_has_two_objects_belongs_to_its_row() -> None:
    found = by_name({"films": [{"name": "Salt", "cast": [{"actor": "Ada", "role": "Keeper"}]}, {"name": "Wind"}]})
    assert found["films"].cells[0] == {"name": ["Salt"], "cast.actor": ["Ada"], "cast.role": ["Keeper"]}


def test_objects_of_one_value_are_values_also_under_several_keys() -> None:
    parts = [{"name": "a", "licences": [{"licence": {"id": "MIT"}}, {"licence": {"name": "Own"}}]}, {"name": "b"}]
    assert by_name({"parts": parts})["parts"].cells[0]["licences"] == ["MIT", "Own"]
    alike = [{"name": "a", "tags": [{"tag": "x"}, {"tag": "y"}]}]
    assert by_name({"parts": alike})["parts"].cells[0]["tags.tag"] == ["x", "y"]


def test_objects_by_key_are_tables() -> None:
    lock = {"packages": {f"node_modules/{n}": {"version": "1", "bundled": True} for n in "abc"}}
    assert [row["name"] for row in by_name(lock)["packages"].cells] == [[f"node_modules/{n}"] for n in "abc"]
    people = {n: {"born": "1980", "town": "Lindby"} for n in ("ada", "tom", "kit", "bo")}
    assert by_name(people)["doc"].cells[1] == {"name": ["tom"], "born": ["1980"], "town": ["Lindby"]}


def test_fields_of_records_are_no_keys_of_a_map() -> None:
    record = {"name": "Ada", "home": {"street": "Quay", "town": "Lindby"}, "work": {"street": "Mill", "town": "Ostra"}}
    assert list(by_name([record, record])) == ["doc"]


def test_children_of_children_are_one_table() -> None:
    tree = {"parts": [{"id": "1", "x": "a", "parts": [{"id": "2", "x": "b", "parts": [{"id": "3", "x": "c"}]}]}]}
    parts = by_name(tree)["parts"]
    assert [row["id"] for row in parts.cells] == [["1"], ["2"], ["3"]]
    assert parts.parents[2] == (parts, 1)


def test_tables_of_one_name_have_more_of_their_paths() -> None:
    rows = [{"id": "1", "a": "x"}, {"id": "2", "a": "y"}]
    found = by_name({"tools": {"components": rows}, "components": rows})
    assert set(found) == {"tools.components", "components"}


def test_arrays_of_arrays_stay_one_value() -> None:
    found = by_name({"roads": [{"name": "A1", "points": [["1", "2"], ["3", "4"]]}, {"name": "A2"}]})
    assert found["roads"].cells[0]["points"] == ["[[1, 2], [3, 4]]"]


def test_too_many_levels_and_tables_are_refused() -> None:
    deep: Any = "x"
    for n in range(40):
        deep = {f"a{n}": deep}
    with pytest.raises(FormatError, match="too deeply"):
        shred({"rows": [{"more": deep}]}, name="doc")
    wide = {f"t{n}": [{"a": "1", "b": "2"}] for n in range(300)}
    with pytest.raises(FormatError, match="kinds of nested records"):
        shred(wide, name="doc", maps=False)


def drawn(choose: random.Random, depth: int) -> Any:
    """A value as JSON files have them, without arrays in arrays."""
    kind = choose.choice(["scalar"] if depth > 4 else ["scalar", "object", "object", "array"])
    if kind == "object":
        keys = choose.sample(["id", "name", "a/b", "x.y", "items", "of", "n_1", "@k", ""], choose.randint(0, 5))
        return {key: drawn(choose, depth + 1) for key in keys}
    if kind == "array":
        made = (drawn(choose, depth + 1) for _ in range(choose.randint(0, 4)))
        return [one for one in made if not isinstance(one, list)]
    return choose.choice(["v", "Ada", "12", "", None, "two words"]) or choose.choice([None, ""])


@pytest.mark.parametrize("seed", range(60))
def test_every_value_of_a_document_is_in_one_cell(seed: int) -> None:
    root = {"rows": [drawn(random.Random(f"{seed}/{n}"), 0) for n in range(6)], "more": drawn(random.Random(seed), 0)}
    root["rows"] = [one for one in root["rows"] if isinstance(one, dict)]
    cells = Counter(
        text for t in shred(root, name="doc") for row in t.cells for texts in row.values() for text in texts
    )
    missing = Counter(leaves(root)) - cells
    assert not missing, json.dumps(root)
