"""Turn the cells of tables in documents into facts about the things that their rows name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hydra_kg import ids
from hydra_kg_loaders.documents.label_pairs import headings_of_things

MOST: Final = 50_000
"""Largest number of cells of one document that become facts."""

_CONFIDENCE: Final = 0.95
_INTEGER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})\.\d{1,18}")
_GROUPED: Final = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_NAME: Final = re.compile(r"(?:[A-Z][\w.'’&-]*[ -]?){1,5}")


def cell_facts(
    load: str, title: str, cells: Sequence[tuple[int, str, str, str]], headings: Sequence[str], *, before: int
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield (table of the loader, row) for each cell: the thing that its row describes, its name, and the fact.

    A cell that is a capitalised name leads to a thing of that name. Other cells are values.

    Args:
        cells: Tuples (paragraph, name of the row, heading of the column, cell). Rows without a name describe the
            document, or what their heading names.
        headings: The headings of the paragraphs.
        before: The number of paragraphs of earlier files.
    """
    known = {title}
    things = headings_of_things(cells, headings)
    for paragraph, name_of_row, column, cell in cells[:MOST]:
        if paragraph >= len(headings):  # cut by --limit
            continue
        heading = headings[paragraph]
        row = name_of_row or (heading if heading in things else title)
        key, line = f"{load}:{row}", before + 1 + paragraph
        node = ids.encode(key)
        if row not in known:
            known.add(row)
            yield "thing", (node, key)
            yield "called", (node, "name", row, line)
        relation = column if column[1:2].isupper() else column[:1].lower() + column[1:]
        name = cell if _NAME.fullmatch(cell) else ""
        section = f" § {heading}" if heading else ""
        place = f"{title}{section}, row {row}, column {column}" if name_of_row else f"{title}{section}, {column}"
        yield "stated", (node, relation, name, "" if name else literal(cell), line, _CONFIDENCE, place, False)


def literal(cell: str) -> str:
    """Return a cell as a literal in N-Triples form: a whole number, a decimal or a text."""
    bare = cell.replace(",", "") if _GROUPED.fullmatch(cell) else cell
    if _INTEGER.fullmatch(bare):
        return f'"{bare}"^^xsd:integer'
    if _DECIMAL.fullmatch(bare):
        return f'"{bare}"^^xsd:decimal'
    escaped = cell.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
