"""A table of results, and the same as text, Markdown and HTML; everything from data is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are text, ready to be shown. ``left``: how many columns from the left hold words, not numbers."""

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
        """As a JSON object."""
        rows = [list(r) for r in self.rows]
        return {"title": self.title, "note": self.note, "head": list(self.head), "left": self.left, "rows": rows}

    @classmethod
    def of_json(cls, doc: Mapping[str, Any]) -> Table:
        """Return what ``to_json`` gave."""
        return cls(doc["title"], tuple(doc["head"]), tuple(map(tuple, doc["rows"])), doc["note"], doc["left"])

    def markdown(self) -> str:
        """Heading, table, note."""
        line = "|".join(["---"] * self.left + ["---:"] * (len(self.head) - self.left))
        rows = [f"| {' | '.join(map(_cell, r))} |" for r in (self.head, *self.rows)]
        body = "\n".join([rows[0], f"|{line}|", *rows[1:]]) if self.rows else "Nothing to show."
        return "\n\n".join(part for part in (f"## {_cell(self.title)}", body, _cell(self.note)) if part) + "\n"

    def html(self) -> str:
        """Return the same as a section."""
        from hydra_kg.pages.rendering import rendered

        return rendered("table.html.j2", {"table": self})


def percent(value: float | None, digits: int = 1) -> str:
    """``37.5``; "" for None."""
    return "" if value is None else f"{100 * value:.{digits}f}"


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return sum(values) / len(values) if values else None


def quantile(values: Sequence[float], q: float) -> float | None:
    """Return the value below which the share q lies (nearest rank); None of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else None


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|").replace("\n", " ")  # Markdown lets HTML through
