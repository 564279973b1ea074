"""SQL as a tree, without running any of it: one SELECT, or two of them less or with each other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hydra_kg.util.fast_dataclass import dataclass

Tree = Mapping[str, Any]

LONGEST: Final = 2_000
"""Characters of a query."""

_DEEPEST: Final = 40

BOUNDS: Final = {
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_EQUAL": "=",
}
"""Types of expressions that compare, with what they are written as."""


class SqlError(ValueError):
    """Error of a query that cannot be read; the message is a clause with the reason, for the model that wrote it."""


def parsed(text: str) -> Tree:
    """Return the tree of one query by DuckDB's parser, which runs nothing. Raises SqlError."""
    if len(text) > LONGEST:
        raise SqlError("it is too long")
    import duckdb  # imported late: only a model's SQL needs it

    try:
        with duckdb.connect() as database:
            rows = database.execute("SELECT json_serialize_sql(?)", [text]).fetchall()
        found: Tree = json.loads(rows[0][0])
    except RecursionError:  # a sum of some 650 terms is nested deeper than the interpreter's stack
        raise SqlError("it is nested too deep") from None
    except duckdb.Error as e:
        raise SqlError(f"it is no query: {' '.join(str(e).split())[:120]}") from None
    if found["error"]:
        raise SqlError(f"it is no query: {str(found.get('error_message', ''))[:120]}")
    if len(found["statements"]) != 1:
        raise SqlError("it is more than one query")
    node: Tree = found["statements"][0]["node"]
    if _depth(node) > _DEEPEST:
        raise SqlError("it is nested too deep")
    return node


def _depth(tree: Any) -> int:
    deepest, todo = 0, [(tree, 1)]
    while todo:
        one, depth = todo.pop()
        deepest = max(deepest, depth)
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        todo += [(part, depth + 1) for part in inner]
    return deepest


def is_column(tree: Tree) -> bool:
    """Return True if an expression is a column."""
    return tree.get("class") == "COLUMN_REF"


def constant(tree: Tree | None) -> str | None:
    """Return the value of a text or a number, or None for anything else."""
    while tree is not None and tree.get("class") == "CAST":
        tree = tree.get("child")
    if tree is None or tree.get("class") != "CONSTANT" or tree["literal"].get("kind") == "NULL":
        return None
    return str(tree["literal"].get("text", ""))


def called(tree: Tree) -> str:
    """Return the name of the function that an expression calls, or ""."""
    return str(tree.get("function_name", "")).lower() if tree.get("class") == "FUNCTION" else ""


def arguments(tree: Tree) -> list[Tree]:
    """Return what a function is given."""
    return [a.get("expression", a) for a in tree.get("arguments", ())]


def conjuncts(tree: Tree | None) -> Iterator[Tree]:
    """Yield the conditions that must all hold."""
    if tree is None:
        return
    if tree.get("type") == "CONJUNCTION_AND":
        for child in tree["children"]:
            yield from conjuncts(child)
    else:
        yield tree


@dataclass(frozen=True, slots=True)
class FromTable:
    """A table of a query with its alias; ``whole``: rows without a row of this table stay too."""

    name: str
    alias: str
    whole: bool = False


def from_tables(tree: Tree | None, *, whole: bool = False) -> Iterator[FromTable]:
    """Yield what a query is from. Raises SqlError for anything but tables and plain joins of them."""
    if tree is None or tree.get("type") == "EMPTY":
        return
    if tree.get("type") == "BASE_TABLE":
        yield FromTable(str(tree["table_name"]), str(tree.get("alias") or tree["table_name"]).casefold(), whole)
    elif tree.get("type") == "JOIN" and tree.get("join_type") in ("INNER", "LEFT"):
        yield from from_tables(tree["left"], whole=whole)
        yield from from_tables(tree["right"], whole=whole or tree["join_type"] == "LEFT")
    else:
        raise SqlError("it is from something else than tables")


def joined_by(tree: Tree | None) -> Iterator[tuple[Tree, Tree]]:
    """Yield the columns by which its tables are joined."""
    if tree is None or tree.get("type") != "JOIN":
        return
    yield from joined_by(tree["left"])
    yield from joined_by(tree["right"])
    for one in conjuncts(tree.get("condition")):
        if (pair := joins(one)) is not None:
            yield pair


def joins(tree: Tree) -> tuple[Tree, Tree] | None:
    """Return the two columns that a condition wants to be equal."""
    if tree.get("type") != "COMPARE_EQUAL" or not (is_column(tree["left"]) and is_column(tree["right"])):
        return None
    return tree["left"], tree["right"]
