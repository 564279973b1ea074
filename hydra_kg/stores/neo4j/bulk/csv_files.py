"""Writes the CSV files of an import from queries, in groups of a header and data, and counts their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.events import Event, Listener
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass, field

if TYPE_CHECKING:
    import duckdb

BUFFER: Final = 4 << 20  # the importer's own buffer for one field


@dataclass(slots=True)
class ImportFiles:
    """Files of an import: groups of a header and data, relative to the folder; and counts of what they contain."""

    folder: Path
    nodes: list[list[str]] = field(default_factory=list)
    relationships: list[list[str]] = field(default_factory=list)
    multiline: list[str] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    facts: Counter[int] = field(default_factory=Counter)  # links by number of load
    buffer: int = BUFFER

    @property
    def node_count(self) -> int:
        """Return the number of nodes, each counted once."""
        return sum(n for label, n in self.labels.items() if label != "HydraMediator")

    @property
    def relationship_count(self) -> int:
        """Return the number of relationships."""
        return sum(self.types.values())

    def words(self, *, id_type: str) -> list[str]:
        """Return the options of the import that depend on the files. The import runs in their folder."""
        words = [
            f"--{kind}={','.join(group)}"
            for kind, groups in (("nodes", self.nodes), ("relationships", self.relationships))
            for group in groups
        ]
        if self.multiline:
            words += ["--multiline-fields-format=v2", f"--multiline-fields={','.join(self.multiline)}"]
        return [*words, f"--id-type={id_type}", f"--read-buffer-size={self.buffer}", "--bad-tolerance=0"]

    def size(self) -> int:
        """Return the number of bytes of all files."""
        return sum(f.stat().st_size for f in self.folder.iterdir())


@dataclass(slots=True)
class Csv:
    """Writes the results of queries into CSV files. ``place`` is the number of the next node in the database."""

    db: duckdb.DuckDBPyConnection
    files: ImportFiles
    listener: Listener
    place: int = 0
    done: int = 0

    def rows(self, name: str, header: str, rows: Sequence[Sequence[Any]], *, label: str = "") -> None:
        """Write a few rows that were made in Python, and number them if they are nodes."""
        if not rows:
            return
        if label:
            rows = [[self.place + i, *row] for i, row in enumerate(rows)]
            self.place += len(rows)
            self.files.labels[label] += len(rows)
        else:
            self.files.types[str(rows[0][2])] += len(rows)
        marks = ", ".join("?" * len(rows[0]))
        step = 60_000 // len(rows[0])  # parameters of a statement
        for i in range(0, len(rows), step):
            here = rows[i : i + step]
            values = [cell for row in here for cell in row]
            wild = any(isinstance(cell, str) and ("\n" in cell or "\r" in cell) for cell in values)
            self.write(
                "nodes" if label else "relationships",
                f"{name}_{i}",
                header,
                f"SELECT * FROM (VALUES {', '.join([f'({marks})'] * len(here))})",
                "true" if wild else "",
                parameters=values,
            )

    def nodes(self, name: str, header: str, text: str, *, label: str, breaks: str = "") -> None:
        """Write the nodes that a query returns. Its first column is the number of each node."""
        wrote = self.write("nodes", name, header, text, breaks)
        self.place += wrote
        self.files.labels[label] += wrote

    def breaks(self, columns: str, *tables: str, names: Sequence[str] = ()) -> str:
        """Return a SQL condition for rows with line ends in some columns, or "" if none of the tables has any."""
        wild = any(c in name for name in names for c in "\n\r")
        for table in tables if not wild else ():
            rows = f"SELECT concat(*COLUMNS(*)) AS t FROM {table}"
            wild = wild or bool(self.one(f"SELECT count(*) FROM ({rows}) WHERE {broken('t')}"))
        return broken(f"concat({columns})") if wild else ""

    def write(
        self, kind: str, name: str, header: str, text: str, breaks: str = "", parameters: Sequence[Any] | None = None
    ) -> int:
        """Write a group of files. Return the number of rows.

        ``breaks`` is a condition for the rows that contain line ends. They go into a separate file, because the
        importer reads them much more slowly.
        """
        group, total = [f"{name}.header.csv"], 0
        parts = [(f"{name}.csv", f"NOT ({breaks})"), (f"{name}.lines.csv", breaks)] if breaks else [(f"{name}.csv", "")]
        for file, where in parts:
            path = self.files.folder / file
            query = f"SELECT * FROM ({text}) WHERE {where}" if where else text
            wrote = self.db.execute(
                f"COPY ({query}) TO {sql_text(str(path))} (FORMAT csv, HEADER false)", parameters or []
            ).fetchall()[0][0]
            if not wrote:
                path.unlink(missing_ok=True)
                continue
            total += wrote
            group.append(file)
            if breaks and where == breaks:
                self.files.multiline.append(file)
        if total:
            (self.files.folder / group[0]).write_text(header + "\n", "utf-8")
            (self.files.nodes if kind == "nodes" else self.files.relationships).append(group)
        self.done += total
        self.listener(Event("load.files", {"done": self.done, "total": 0, "unit": "rows"}))
        return total

    def one(self, query: str) -> int:
        """Return the number that a query returns."""
        return int(self.db.execute(query).fetchall()[0][0])


def broken(text: str) -> str:
    """Return a SQL expression for whether a text contains a line end."""
    return f"(contains({text}, chr(10)) OR contains({text}, chr(13)))"
