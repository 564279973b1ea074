"""Read the text of Word's XML as it is shown: tracked insertions, content controls, text boxes, nested tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_NOT_SHOWN: Final = frozenset(
    {
        f"{_W}{name}"
        for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "tblPr", "trPr", "tcPr", "instrText", "delText")
    }
    | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
)
"""Elements that Word does not show: deletions, properties, and the second form of a text box."""

_BLOCKS: Final = frozenset({f"{_W}p", f"{_W}tbl"})
_MARKS: Final = {f"{_W}tab": " ", f"{_W}br": " ", f"{_W}cr": " ", f"{_W}noBreakHyphen": "-"}


def blocks(element: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order, including those in content controls. A text box follows its paragraph."""
    for child in element:
        if child.tag in _NOT_SHOWN:
            continue
        if child.tag in _BLOCKS:
            yield child
            if child.tag == f"{_W}p":
                for box in _text_boxes(child):
                    yield from blocks(box)
        else:
            yield from blocks(child)


def get_shown_text(element: Any) -> str:
    """Return the text that a paragraph shows, without that of its text boxes."""
    parts: list[str] = []
    _collect(element, parts)
    return "".join(parts)


def tables(table: Any) -> Iterator[list[list[str]]]:
    """Yield a table as rows of texts, then its inner tables. Merged cells are padded across and repeated down."""
    rows: list[list[str]] = []
    above: dict[int, str] = {}
    nested: list[Any] = []
    for row in _inside(table, f"{_W}tr"):
        cells: list[str] = []
        for cell in _inside(row, f"{_W}tc"):
            found = list(blocks(cell))
            nested += [block for block in found if block.tag == f"{_W}tbl"]
            text = " ".join(filter(None, (get_shown_text(b).strip() for b in found if b.tag == f"{_W}p")))
            merged = cell.find(f"{_W}tcPr/{_W}vMerge")
            if merged is not None and merged.get(f"{_W}val") != "restart":
                text = text or above.get(len(cells), "")
            above[len(cells)] = text
            span = cell.find(f"{_W}tcPr/{_W}gridSpan")
            wide = span.get(f"{_W}val", "1") if span is not None else "1"
            cells += [text, *[""] * (min(int(wide), 63) - 1 if wide.isdecimal() else 0)]
        rows.append(cells)
    yield rows
    for inner in nested:
        yield from tables(inner)


def _collect(element: Any, parts: list[str]) -> None:
    """Append the shown texts of an element, without text boxes."""
    for child in element:
        if child.tag in _NOT_SHOWN or child.tag == f"{_W}txbxContent":
            continue
        if child.tag == f"{_W}t":
            parts.append(child.text or "")
        elif child.tag in _MARKS:
            parts.append(_MARKS[child.tag])
        elif isinstance(child.tag, str):
            _collect(child, parts)


def _text_boxes(element: Any) -> Iterator[Any]:
    for child in element:
        if child.tag in _NOT_SHOWN:
            continue
        if child.tag == f"{_W}txbxContent":
            yield child
        else:
            yield from _text_boxes(child)


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Yield the elements of a tag, including those in content controls, but not those of tables inside cells."""
    for child in element:
        if child.tag in _NOT_SHOWN:
            continue
        if child.tag == tag:
            yield child
        elif child.tag not in _BLOCKS:
            yield from _inside(child, tag)
