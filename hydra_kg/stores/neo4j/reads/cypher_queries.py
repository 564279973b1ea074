"""Runs a query that a model wrote: checked before it runs, read-only, limited in time, work and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hydra_kg.ports import CypherQuery, CypherResult, QueryLimits, QueryRow
from hydra_kg.stores.neo4j.connection.queries import SHARED, SPAN, type_name
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader
from hydra_kg.stores.neo4j.reads.query_guard import QueryNames, RefusedError, rewritten

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

COLUMNS: Final = ["answer", "facts"]
_FACTS: Final = 60
"""Most facts of one row that are read."""

_REFUSED: Final = (
    "Procedure LoadCSV Create Merge Set Delete Detach Remove Foreach Transaction Repeat ShortestPath AllNodesScan"
).split()
"""Parts of the names of operators that a query plan may not contain."""


def cypher_query(reader: GraphReader, query: CypherQuery, limits: QueryLimits) -> CypherResult:
    """See :class:`hydra_kg.ports.TakesQueries`."""
    keys, numbers = reader.predicates.keys, reader.predicates.ids.tolist()
    known = QueryNames(
        {name: type_name(keys[place]) for name, place in query.relations.items() if type_name(keys[place]) != SHARED},
        {name: numbers[place] for name, place in query.relations.items()},
        query.names.keys(),
    )
    try:
        text = rewritten(query.text, known)
    except RefusedError as e:
        return CypherResult(refused=str(e))
    names = {n: reader.classes.members(np.array(found, np.int64)).tolist() for n, found in query.names.items()}

    def work(tx: ManagedTransaction) -> CypherResult:
        plan = tx.run(f"EXPLAIN {text}", names).consume()
        if plan.query_type != "r" or plan.plan is None:
            return CypherResult(refused="it does more than read")
        if why := _too_much(plan.plan, limits):
            return CypherResult(refused=why)
        found = tx.run(text, names)
        if list(found.keys()) != COLUMNS:
            return CypherResult(refused="it does not return answer and facts, in this order")
        rows: list[QueryRow] = []
        for record in found:
            if len(rows) == limits.rows:
                return CypherResult(tuple(rows), cut=True)
            if (row := _row(reader, record["answer"], record["facts"])) is not None:
                rows.append(row)
        return CypherResult(tuple(rows))

    return reader.db.read_limited(work, seconds=limits.seconds, otherwise=lambda why: CypherResult(refused=why))


def _too_much(plan: Mapping[str, Any], limits: QueryLimits) -> str:
    """Return why a plan is refused, or ""."""
    name = str(plan["operatorType"]).partition("@")[0]
    if any(part in name for part in _REFUSED):
        return f"the server would have to do {name}"
    if float(plan.get("args", {}).get("EstimatedRows", 0)) > limits.estimate:
        return "it looks at too many rows: begin at a name, and join what belongs together"
    return next((why for child in plan.get("children", ()) if (why := _too_much(child, limits))), "")


def _row(reader: GraphReader, answer: Any, facts: Any) -> QueryRow | None:
    """Return a row as plain values.

    Returns None if the row is from loads that are not read here, or gives no answer.
    """
    handles = []
    for _, found in zip(range(_FACTS), _list_facts(facts), strict=False):
        load, row = found
        segment = int(reader.segments[load]) if 0 <= load < len(reader.segments) else -1
        if segment < 0:
            return None
        handles.append((segment, row))
    node, literal, number = _answer(reader, answer)
    some = node or literal or number is not None
    return QueryRow(node, literal, number, tuple(dict.fromkeys(handles))) if some else None


def _list_facts(found: Any) -> Iterator[tuple[int, int]]:
    """Yield the load and row of each fact in the result of a query."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(found, Relationship) and found.get("h") is not None:
        yield divmod(int(found["h"]), SPAN)
    elif isinstance(found, Node) and "HydraValue" in found.labels:
        yield int(found["load"]), ~int(found["row"])
    elif isinstance(found, Path):
        yield from (fact for r in found.relationships for fact in _list_facts(r))
    elif isinstance(found, list):
        yield from (fact for one in found for fact in _list_facts(one))


def _answer(reader: GraphReader, found: Any) -> tuple[int, str, float | None]:
    """Return (entity, text, number) of a value in a query's result."""
    from neo4j.graph import Node

    if isinstance(found, Node):
        if "HydraValue" in found.labels:
            return 0, str(found["o"]), None
        known = "HydraEntity" in found.labels
        return int(reader.classes.of(np.array([found["id"]], np.int64))[0]) if known else 0, "", None
    if isinstance(found, int | float) and not isinstance(found, bool):
        return 0, "", float(found)
    return 0, found if isinstance(found, str) else "", None
