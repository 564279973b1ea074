"""Write the same facts in six forms: Turtle, a folder of CSV files, JSON, nested JSON, an SQLite database, a workbook.

The facts are a JSON object of tables, each a list of records with a `name`. A value that is the name of a record of
another table is a link to it in Turtle, and a plain cell in the other forms. Nested JSON writes each record inside the
record of the first table that one of its columns names: patients inside their ward.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.behaviour.small_workbook import write_workbook

Tables = Mapping[str, Sequence[Mapping[str, Any]]]

FORMS = ("turtle", "csv", "json", "sqlite", "workbook")


def write_twin(facts: Path, form: str, folder: Path) -> Path:
    """Write one form of the facts into `folder` and return the file or folder to load."""
    folder.mkdir(parents=True)
    tables: Tables = json.loads(facts.read_text(encoding="utf-8"))
    out = folder / facts.stem
    if form == "turtle":
        out = out.with_suffix(".ttl")
        out.write_text("".join(_turtle_lines(tables)), encoding="utf-8")
    elif form == "csv":
        _write_csv(tables, out)
    elif form == "json":
        out = out.with_suffix(".json")
        out.write_text(json.dumps(tables), encoding="utf-8")
    elif form == "nested":
        out = out.with_suffix(".json")
        out.write_text(json.dumps(_nest(tables)), encoding="utf-8")
    elif form == "sqlite":
        out = out.with_suffix(".sqlite")
        _write_sqlite(tables, out)
    else:
        out = out.with_suffix(".xlsx")
        write_workbook(
            {name: [list(rows[0]), *(list(row.values()) for row in rows)] for name, rows in tables.items()}, out
        )
    return out


def _turtle_lines(tables: Tables) -> Iterator[str]:
    """Yield Turtle with a label for every class, property and entity; places of birth are entities too."""
    links = {row["name"] for rows in tables.values() for row in rows}
    links |= {
        value for rows in tables.values() for row in rows for key, value in row.items() if key.startswith("place")
    }
    yield (
        "@prefix ex: <https://example.com/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    )
    columns = {key for rows in tables.values() for row in rows for key in row if key != "name"}
    for key in sorted(columns):
        yield f'ex:{key} rdfs:label "{key.replace("_", " ")}" .\n'
    for table, rows in tables.items():
        kind = table.removesuffix("s")
        yield f'ex:{kind.title()} rdfs:label "{kind}" .\n'
        for row in rows:
            yield f'{_iri(row["name"])} a ex:{kind.title()} ; rdfs:label "{row["name"]}"'
            for key, value in row.items():
                if key != "name":
                    yield f" ; ex:{key} {_iri(value) if value in links else _literal(value)}"
            yield " .\n"
    for place in sorted(links - {row["name"] for rows in tables.values() for row in rows}):
        yield f'{_iri(place)} rdfs:label "{place}" .\n'


def _iri(name: str) -> str:
    return "ex:" + re.sub(r"\W+", "_", name)


def _literal(value: object) -> str:
    if isinstance(value, int):
        return str(value)
    return f'"{value}"' + ("^^xsd:date" if re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)) else "")


def _nest(tables: Tables) -> Tables:
    """Return the outermost tables, with the records of every other table inside the record that they belong to."""
    nested = {table: [dict(row) for row in rows] for table, rows in tables.items()}
    by_name = {table: {row["name"]: row for row in rows} for table, rows in nested.items()}
    outermost = dict(nested)
    for table, rows in nested.items():
        parent = next((key for key in rows[0] if f"{key}s" in tables and key != table.removesuffix("s")), None)
        if parent is None:
            continue
        del outermost[table]
        for row in rows:
            by_name[f"{parent}s"][row.pop(parent)].setdefault(table, []).append(row)
    return outermost


def _write_csv(tables: Tables, folder: Path) -> None:
    folder.mkdir()
    for table, rows in tables.items():
        with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, list(rows[0]))
            out.writeheader()
            out.writerows(rows)


def _write_sqlite(tables: Tables, file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        for table, rows in tables.items():
            columns = ", ".join(f"{key} {'INTEGER' if isinstance(v, int) else 'TEXT'}" for key, v in rows[0].items())
            database.execute(f"CREATE TABLE {table} ({columns})")
            marks = ", ".join("?" * len(rows[0]))
            database.executemany(f"INSERT INTO {table} VALUES ({marks})", [tuple(row.values()) for row in rows])
