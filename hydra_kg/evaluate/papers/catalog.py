"""The tables and figures of the papers as in ``tables.toml``: what each needs, and its printed values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.util.fast_dataclass import dataclass, replace

PAPERS: Final[Mapping[str, str]] = {"hydra": "HydraRAG", "pog": "PoG", "tog-2": "ToG-2", "multirag": "MultiRAG"}
"""Short names of the papers, and the names of their systems."""

STATUS: Final[Mapping[str, str]] = {"runs": "yes", "part": "in part", "refused": "no"}
NOT_PRINTED: Final = "-"
ASKED: Final = "ask "
"""Beginning of the label of a row that asks a strategy in a table of claims."""
MIXED, CORRUPTED = " @ ", " % "
"""Separator in a label between a method and the formats that it sees, or the corruption of the claims."""
BY_MODEL: Final = ", authority by the model"
"""End of the label of a row in which the model scores the authority of sources."""


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """One printed row.

    - ``figures``: the printed text for each set.
    - ``way``, ``variant``, ``metric``: how our figure is measured.
    - ``runs``: whether it can be measured.
    - ``asked``: whether it needs answers of a strategy.
    - ``claims``: the claims that it uses, "" for all.
    """

    label: str
    figures: tuple[str, ...]
    way: str
    variant: str
    metric: str
    runs: bool
    asked: bool
    claims: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table or figure of a paper.

    - ``status``, ``reason``, ``note``: how complete it is here.
    - ``kind``: ``questions``, ``claims``, ``sizes`` or "".
    - ``variants``: the settings of each variant.
    - ``by``: an analysis that is shown with it.
    """

    paper: str
    name: str
    what: str
    status: str
    kind: str = ""
    reason: str = ""
    note: str = ""
    sets: tuple[str, ...] = ()
    rows: tuple[PrintedRow, ...] = ()
    variants: Mapping[str, Mapping[str, Any]] | None = None
    by: str = ""


@cache
def paper_tables() -> tuple[PaperTable, ...]:
    """Return all tables and figures, in the order of the file."""
    doc = tomllib.loads(files("hydra_kg.evaluate.papers").joinpath("tables.toml").read_text("utf-8"))
    return tuple(_table(paper, name, entry) for paper, own in doc.items() for name, entry in own.items())


def find(paper: str, name: str) -> PaperTable:
    """Return the table of a paper by name, such as ``hydra`` and ``T5``, in any case. Raises NotFoundError."""
    own = [t for t in paper_tables() if t.paper == paper.lower()]
    if not own:
        raise NotFoundError(f"There is no paper {paper!r}.", remedy=f"Papers: {', '.join(PAPERS)}.")
    for table in own:
        if table.name.lower() == name.lower():
            return table
    names = ", ".join(t.name for t in own)
    raise NotFoundError(f"{PAPERS[own[0].paper]} has no table {name!r} in the list.", remedy=f"It has {names}.")


def select_sets(table: PaperTable, sets: Sequence[str]) -> PaperTable:
    """Return the table with only some of its sets, in its own order.

    Raises UsageError for a set that it does not have.
    """
    if other := [name for name in sets if name not in table.sets]:
        raise UsageError(
            f"{PAPERS[table.paper]} {table.name} has no set {', '.join(other)}.",
            remedy=f"It has {', '.join(table.sets) or 'none'}.",
        )
    places = [n for n, name in enumerate(table.sets) if name in sets]
    rows = (replace(row, figures=tuple(row.figures[n] for n in places)) for row in table.rows)
    return replace(table, sets=tuple(table.sets[n] for n in places), rows=tuple(rows))


def listing() -> list[tuple[str, ...]]:
    """Return a header and a row for each table: paper, name, what it shows, whether it can be measured, and why not."""
    rows = [(PAPERS[t.paper], t.name, t.what, STATUS[t.status], _words(t)) for t in paper_tables()]
    return [("paper", "table", "shows", "here", "what is missing, and why; what is otherwise"), *rows]


def _words(table: PaperTable) -> str:
    return "; ".join(text for text in (table.reason, table.note) if text)


def _table(paper: str, name: str, entry: Mapping[str, Any]) -> PaperTable:
    """Return a paper's table from its entry in the catalog."""
    kind = entry.get("kind", "")
    rows = tuple(_row(label, figures, kind) for label, figures in entry.get("rows", {}).items())
    return PaperTable(
        paper,
        name,
        entry["what"],
        entry["status"],
        kind,
        entry.get("reason", ""),
        entry.get("note", ""),
        tuple(entry.get("sets", ())),
        rows,
        entry.get("variants", {}),
        entry.get("by", ""),
    )


def _row(label: str, figures: Sequence[Any], kind: str) -> PrintedRow:
    """Return a printed row and how hydra-kg computes it."""
    printed = tuple("" if f == NOT_PRINTED else f if isinstance(f, str) else f"{f:g}" for f in figures)
    runs = "(" not in label
    way, _, metric = label.partition(" | ")
    metric = metric or "accuracy"
    if kind == "questions":
        way, _, variant = way.partition("@")
        return PrintedRow(label, printed, way, variant, metric, runs, runs)
    asked = label.startswith(ASKED)
    way, *which = re.split(f"({MIXED}|{CORRUPTED})", way.removeprefix(ASKED), maxsplit=1) if asked else (way,)
    return PrintedRow(label, printed, way, "", metric, runs, runs and asked, "".join(which).strip())
