"""A table of results, as text, Markdown and HTML; everything from data is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Table whose cells are text, ready to be shown. ``left`` is the number of leading columns that have words."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    left: int = 2

    @property
    def anchor(self) -> str:
        """The title as the id of its section."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.title.casefold()).split())

    def to_json(self) -> dict[str, Any]:
        """Return the table as a JSON object."""
        rows = [list(r) for r in self.rows]
        return {"title": self.title, "note": self.note, "head": list(self.head), "left": self.left, "rows": rows}

    @classmethod
    def of_json(cls, doc: Mapping[str, Any]) -> Table:
        """Return the table that ``to_json`` wrote."""
        return cls(doc["title"], tuple(doc["head"]), tuple(map(tuple, doc["rows"])), doc["note"], doc["left"])

    def markdown(self) -> str:
        """Return heading, table and note as Markdown."""
        line = "|".join(["---"] * self.left + ["---:"] * (len(self.head) - self.left))
        rows = [f"| {' | '.join(map(_cell, r))} |" for r in (self.head, *self.rows)]
        body = "\n".join([rows[0], f"|{line}|", *rows[1:]]) if self.rows else "Nothing to show."
        return "\n\n".join(part for part in (f"## {_cell(self.title)}", body, _cell(self.note)) if part) + "\n"

    def html(self) -> str:
        """Return the table as an HTML section."""
        from hydra_kg.pages.rendering import render_template

        return render_template("table.html.j2", {"table": self})


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share as a percentage such as ``37.5``, or "" for None."""
    return "" if value is None else f"{100 * value:.{digits}f}"


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, or None without values."""
    return sum(values) / len(values) if values else None


def quantile(values: Sequence[float], q: float) -> float | None:
    """Return the value below which the share q of the values is (nearest rank), or None without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else None


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|").replace("\n", " ")  # Markdown lets HTML through
