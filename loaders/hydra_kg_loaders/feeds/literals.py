"""SQL for cells as literals: numbers without separators, days and moments in ISO format, everything else as text."""

from __future__ import annotations

from hydra_kg.ingest.contract.loader import qualifiers_text
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.feeds.model import FeedColumn
from hydra_kg_loaders.feeds.profile import INTEGER, NUMBER
from hydra_kg_loaders.feeds.references import joined
from hydra_kg_loaders.tables.facts import escaped


def literal(column: FeedColumn, cell: str) -> str:
    """Return SQL for the key of a cell's value. A cell that does not fit the column's kind stays a text."""
    text = f"'\"' || ({escaped(cell)}) || '\"'"
    if column.role in {"number", "money", "quantity", "key"}:
        number = cell if column.role == "key" else f"regexp_extract({cell}, {sql_text(NUMBER)})"
        if column.role == "number":
            number = f"CASE WHEN regexp_full_match({cell}, {sql_text(NUMBER)}) THEN {cell} END"
        return f"coalesce({_number(number)}, {text})"
    if column.role == "year":
        return (
            f"CASE WHEN regexp_full_match({joined(cell)}, '[12][0-9]{{3}}') THEN '\"' || {joined(cell)} ||"
            f" '\"^^xsd:gYear' ELSE {text} END"
        )
    if column.role in {"date", "moment"}:
        kind, shape = ("date", "%Y-%m-%d") if column.role == "date" else ("dateTime", "%Y-%m-%dT%H:%M:%S")
        moment = f"try_strptime({cell}, {sql_text(column.form)})" if column.form else f"try_cast({cell} AS TIMESTAMP)"
        return f"coalesce('\"' || strftime({moment}, '{shape}') || '\"^^xsd:{kind}', {text})"
    return text


def qualifiers(column: FeedColumn) -> str:
    """Return the unit of a column's amounts as the qualifiers of its facts, "" if it has none."""
    if not column.unit or column.role not in {"money", "quantity"}:
        return ""
    unit = column.unit.replace("\\", "\\\\").replace('"', '\\"')
    return qualifiers_text([("unit", f'"{unit}"')])


def _number(cell: str) -> str:
    """Return SQL for a number as a literal, NULL for other texts."""
    bare = f"regexp_replace(regexp_replace(replace({cell}, ',', ''), '^([-]?)[+]?[.]', '\\10.'), '[.]0*$|^[+]', '')"
    return (
        f"CASE WHEN regexp_full_match({bare}, {sql_text(INTEGER)}) THEN '\"' || {bare} || '\"^^xsd:integer'"
        f" WHEN regexp_full_match({bare}, '-?(?:0|[1-9][0-9]*)[.][0-9]+') THEN '\"' || {bare} || '\"^^xsd:decimal' END"
    )
