"""Recognise how a delimited text separates and quotes its cells, and where its header is."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.tables import table_headers
from hydra_kg_loaders.tables.table_headers import GUESS, LayoutChoice

_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DELIMITERS: Final = "\t,;|"
_OPENS: Final = re.compile(r'(?:^|[\t,;|])"[^"]*+(?:""[^"]*+)*+$')
_BACKSLASHED: Final = re.compile(r'[^\\,;\t|]\\"(?=[^,;\t|\n])')
"""A quotation mark inside a cell that is escaped by a backslash: "Weird \"Al\" Yankovic"."""
_SHORT: Final = 0.9
"""Share of rows that must have one cell less than the header if the header names a column too many."""
_CLOSES: Final = re.compile(r'[^"]*+(?:""[^"]*+)*+"(?:[\t,;|]|$)')


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """Delimiter and quoting of a text table.

    Attributes:
        quote: Whether quotation marks enclose cells.
        above: Number of lines above the header.
        depth: Number of rows of the header.
        comment: Prefix of lines that are comments.
        backslash: Whether a backslash escapes quotation marks.
    """

    delimiter: str
    quote: bool
    encoding: str = "utf-8"
    newline: bytes = b"\n"
    above: int = 0
    depth: int = 1
    comment: str = ""
    backslash: bool = False
    short: bool = False
    """Whether the header has one cell more than the rows. The last column is then empty."""


def recognise(
    head: bytes, *, least: float = 0.5, choice: LayoutChoice = GUESS, one_column: bool = False
) -> CsvDialect | None:
    """Return a file's dialect by its first bytes, or None if it is not a table.

    At least the share ``least`` of the rows must be as wide as the header. With ``one_column``, rows may have one cell.
    """
    encoding = encoding_of(head)
    if encoding is None:
        return None
    text = head.decode(encoding, "replace").lstrip("\ufeff")
    newline = b"\r" if "\n" not in text and "\r" in text else b"\n"
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    backslash = '""' not in text.replace(',""', ",") and _BACKSLASHED.search(text) is not None
    text = text.replace('\\"', '""') if backslash else text
    whole = text[: text.rfind("\n")] if len(head) >= 60_000 and "\n" in text else text
    numbered = [(n, line) for n, line in enumerate(whole.split("\n"), 1) if line.strip()]
    numbered = [(n, line) for n, line in numbered if not choice.comment or not line.startswith(choice.comment)]
    numbered = [(n, line) for n, line in numbered if n >= choice.header_row]
    lines = [line for _, line in numbered]
    if len(lines) < (2 if least and not one_column else 1):
        return None
    best: tuple[float, int, str, bool, int] = (0.0, 0, "", False, 0)
    spanned = _join_quoted_lines(lines)
    for delimiter in _DELIMITERS:
        for quote, rows in ((False, lines), (True, lines), (True, spanned)):
            if quote and not _encloses(rows, delimiter):
                continue
            cells = [_split(row, delimiter, quote) for row in rows]
            share, above = _measure(cells)
            if share < 0.5 and not choice.header_row and (found := table_headers.find_preamble(cells)):
                share, above = _measure(cells[found:])[0], found + table_headers.find_header(cells[found:])
            before = sum(row.count("\n") + 1 for row in rows[:above])
            best = max(best, (share, 2 if quote else 1, delimiter, quote, before), key=_rank)
    share, _, delimiter, quote, before = best
    if share < max(least, 0.01):
        if not one_column or any(delimiter in line for line in lines[:1] for delimiter in _DELIMITERS):
            return None
        delimiter, quote, before = ",", any('"' in line for line in lines), 0
    from_header = _join_quoted_lines(lines[before:]) if quote else lines[before:]
    looked = [_split(row, delimiter, quote) for row in from_header[: table_headers.LOOKED]]
    return CsvDialect(
        delimiter,
        quote,
        encoding,
        newline,
        numbered[before][0] - 1,
        table_headers.find_depth([[_strip_quotes(cell) for cell in row] for row in looked]),
        choice.comment,
        backslash and quote,
        _is_one_short(looked),
    )


def _rank(found: tuple[float, int, str, bool, int]) -> tuple[float, int, int]:
    """Return the rank of a reading. Of equal ones, that with fewer lines above the header is better.

    A reading that takes decimal commas for delimiters splits only the rows, and has more lines above.
    """
    share, quoting, _, _, before = found
    return share, quoting, -before


def _measure(rows: Sequence[Sequence[str]]) -> tuple[float, int]:
    """Return the share of rows with as many cells as the first one, and the place of the header."""
    width = len(rows[0])
    share = max(round(Counter(map(len, rows))[width] / len(rows), 1), 0.01) if width > 1 else 0.0
    if share < 0.5 and _is_one_short(rows):
        return 0.5, 0
    if share < 0.5:
        return share, 0
    return share, table_headers.find_header(
        [[_strip_quotes(cell) for cell in row] for row in rows[: table_headers.LOOKED]]
    )


def _is_one_short(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if nearly all rows have one cell less than the header, which names a column too many."""
    width = len(rows[0])
    return width > 2 and len(rows) > 2 and sum(len(row) == width - 1 for row in rows[1:]) >= _SHORT * len(rows[1:])


def _strip_quotes(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _join_quoted_lines(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines, with those joined that are parts of one quoted cell.

    If such a cell never ends, the lines are returned as they are.
    """
    rows: list[str] = []
    open_: list[str] = []
    for line in lines:
        odd = line.count('"') % 2 == 1
        if open_:
            open_.append(line)
            if odd and _CLOSES.match(line):
                rows.append("\n".join(open_))
                open_ = []
        elif odd and _OPENS.search(line):
            open_ = [line]
        else:
            rows.append(line)
    return lines if len(open_) > len(lines) // 2 else rows or lines


def encoding_of(head: bytes) -> str | None:
    """Return UTF-8, or UTF-16 by its byte order mark or its zeros, or None if the bytes are not text."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if b"\0" not in head[:4096]:
        return "utf-8"
    even, odd = head[0:4096:2].count(0), head[1:4096:2].count(0)
    half = max(len(head[:4096]) // 2, 1)
    if odd > 0.4 * half and even < 0.1 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.1 * half:
        return "utf-16-be"
    return "utf-8" if head[:4096].count(0) <= len(head[:4096]) // 200 + 3 else None


def _encloses(lines: Sequence[str], delimiter: str) -> bool:
    """Return True if quotation marks enclose cells. With tabs this holds only if all such cells need them."""
    if delimiter != "\t":
        return any('"' in line for line in lines)
    quoted = [cell for line in lines for cell in line.split("\t") if cell.startswith('"')]
    return bool(quoted) and all(
        len(cell) > 1 and cell.endswith('"') and ("," in cell or '""' in cell) for cell in quoted
    )


def _split(line: str, delimiter: str, quote: bool) -> list[str]:
    if not quote or '"' not in line:
        return line.split(delimiter)
    mark = re.escape(delimiter)
    return re.findall(rf'(?:^|{mark})("(?:[^"]|"")*"(?={mark}|$)|[^{mark}]*)', line)
