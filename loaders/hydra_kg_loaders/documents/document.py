"""A document as it is loaded (title, paragraphs under headings, bounds), and other names of its subject."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from hydra_kg.extract.mentions import plain_title
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.text.plain_text import fold_compatibility
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.documents.label_pairs import is_headed, is_list_of_values

BYTES: Final = 64 << 20
"""Number of bytes of the largest file. A larger one is rejected."""

CHARACTERS: Final = 4_000_000
"""Number of characters of the longest document: some 1,500 printed pages."""

TITLE: Final = 200
"""Number of characters of the longest title or heading. A longer one becomes a paragraph."""

_UNPRINTED: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]")
_END: Final = (".", "!", "?", ":", ";", ",")
_DASHES: Final = re.compile(r"[-_]+")
_ALSO: Final = re.compile(
    r"(?:also (?:called|known as|spelled|written)|known as|abbreviated(?: as| to)?|or simply|short for|nicknamed)"
    r" (?:the )?[\"“'‘]?([A-Z][\w&.'’-]*(?: [A-Z][\w&.'’-]*){0,4})"
)
_BRACKETED: Final = re.compile(r"\(([A-Z][A-Za-z]*[A-Z][A-Za-z]*|[A-Z]{2,8})\)")
_PREFIX: Final = re.compile(r"[A-Z]{2,4}")
_SHORT: Final = 4  # letters of a word that may be a name alone
_FIRST: Final = 400  # characters at the beginning of a text that say what a thing is also called


class DocumentError(ValueError):
    """A document that cannot be read. ``reason`` is one word for the list of rejects."""

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(text or reason)
        self.reason = reason


@dataclass
class Document:
    """A title and paragraphs, each with its heading. A text that is too long raises DocumentError.

    Attributes:
        cells: Cells of tables as (paragraph, name of the row, heading of the column, cell). Paragraphs are counted from
            0. The name of the row is "" if the cell describes the document or what its heading names.
        unread: Parts of the file that have no readable text, in words for people ("page 3 is a picture").
    """

    title: str = ""
    paragraphs: list[tuple[str, str]] = field(default_factory=list)
    heading: str = ""
    cells: list[tuple[int, str, str, str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    _size: int = 0

    def add(self, text: str) -> None:
        """Add a paragraph under the current heading. A paragraph without text is ignored."""
        text = tidy(text)
        self._size += len(text)
        if self._size > CHARACTERS:
            raise DocumentError("too-long", f"more than {CHARACTERS:,} characters")
        if any(map(str.isalnum, text)):
            self.paragraphs.append((self.heading, text))

    def add_table(self, rows: Sequence[Sequence[str]], *, header: bool | None = None) -> None:
        """Add each row of a table as a paragraph.

        ``header`` says whether the first row has headings. None decides by its cells. With headings a row becomes
        "queue.size | unit: MB | default: 64", and its cells are added to ``cells``. Rows of two cells that are a label
        and a value become "Telephone: 5522".
        """
        grid = [[tidy(cell) for cell in row] for row in rows]
        grid = [row for row in grid if any(row)]
        if not grid:
            return
        if max(map(len, grid)) == 2:
            header = header or (header is None and is_headed(grid))
        names = grid[0] if header or (header is None and _is_header(grid)) else []
        listed = max(map(len, grid)) == 2 and is_list_of_values(grid[bool(names) :], names)
        if listed or len(names) < 2:
            for row in grid[bool(names and listed) :]:
                self.add(": ".join([row[0].removesuffix(":"), row[1]]) if listed else " | ".join(filter(None, row)))
            return
        if header is None:  # headings that are only guessed stay readable as a row
            self.add(" | ".join(names))
        key = _naming_column(grid)
        for row in grid[1:]:
            named = [(name, cell) for n, (name, cell) in enumerate(zip(names, row, strict=False)) if cell and n != key]
            own = row[key] if key < len(row) else ""
            if len(named) + bool(own) == 1:
                self.add(own or named[0][1])
                continue
            before = len(self.paragraphs)
            self.add(" | ".join(filter(None, [own, *(f"{name}: {cell}" if name else cell for name, cell in named)])))
            if own and len(own) <= TITLE and len(self.paragraphs) > before:
                self.cells += [(before, own, name, cell) for name, cell in named if name]

    def head(self, text: str, *, level: int = 2) -> None:
        """Add a heading. The first one of level 1 becomes the title."""
        text = tidy(text)
        if not text:
            return
        if len(text) > TITLE:
            self.add(text)
        elif level <= 1 and not self.title and not self.paragraphs:
            self.title = text
        else:
            self.heading = text


Reader = Callable[[bytes], Document]
"""Makes a document of the bytes of a file. Raises DocumentError."""


def tidy(text: str) -> str:
    """Return a text on one line, without ligatures, control characters and half surrogates."""
    text = fold_compatibility(text.encode("utf-8", "replace").decode("utf-8"))
    return " ".join(_UNPRINTED.sub(" ", text).split())


def _is_header(grid: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row of three columns or more can be headings: short, without numbers, all different."""
    first = grid[0]
    short = all(cell and len(cell) <= TITLE // 4 and any(map(str.isalpha, cell)) for cell in first)
    return len(grid) > 1 and len(first) > 2 and short and len(set(first)) == len(first)


def _naming_column(grid: Sequence[Sequence[str]]) -> int:
    """Return the column that names the rows under the headings: the first whose cells are words, all different."""
    rows = [row for row in grid[1:] if sum(map(bool, row)) > 1]  # one cell alone is a remark
    for n in range(len(grid[0])):
        cells = [row[n] for row in rows if n < len(row) and row[n]]
        words = sum(any(map(str.isalpha, cell)) and not cell[:1].isdigit() for cell in cells)
        if cells and len(set(cells)) == len(cells) >= 0.9 * len(rows) and words >= 0.9 * len(cells):
            return n
    return 0


def is_heading(line: str) -> bool:
    """Return True if a line that stands alone is a heading rather than a sentence."""
    return (
        0 < len(line) <= TITLE // 2
        and not line.endswith(_END)
        and len(line.split()) <= 12
        and any(map(str.isalpha, line))
    )


def title_of(stem: str) -> str:
    """Return the name of the file as the title of a document that has none."""
    words = _DASHES.sub(" ", stem).strip()
    return tidy(words[:1].upper() + words[1:]) or "Untitled"


def normalise_capitals(title: str) -> str:
    """Return a title in capitals in normal case, with small function words."""
    if not title.isupper() or len(title.split()) < 2:
        return title
    small = {"OF", "THE", "AND", "IN", "ON", "AT", "A", "AN", "FOR", "TO", "BY"}
    words = title.split()
    return " ".join(w.lower() if i and w in small else w.capitalize() for i, w in enumerate(words))


def decode_text(body: bytes) -> str:
    """Return the text of a file: UTF-8 or UTF-16 if it has a byte order mark, else UTF-8, else Windows Latin."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    try:
        return body.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        if b"\0" in body:
            raise DocumentError("binary", "it contains zero bytes, so it is not text") from None
        return body.decode("cp1252", "replace")


def aliases(title: str, paragraphs: Sequence[str]) -> list[str]:
    """Return names other than the title, without repeats, in the order in which they are found."""
    plain = plain_title(title)
    found = [plain, plain.partition(",")[0], plain.removeprefix("The "), *_ways(plain)]
    words = plain.removeprefix("The ").partition(",")[0].split()  # behind a comma stands where it is
    if len(words) > 1 and _PREFIX.fullmatch(words[0]):
        found.append(" ".join(words[1:]))
    text = " ".join(paragraphs)
    found += [short for short in _parts(words) if _stands(short, plain, text)]
    opening = text[:_FIRST]
    found += [m[1] for m in _ALSO.finditer(opening)]
    found += [m[1] for m in _BRACKETED.finditer(opening)]
    names = (name.strip(" ,.") for name in found)
    return [name for name in dict.fromkeys(names) if len(name) > 1 and name != title]


def _ways(title: str) -> list[str]:
    """Return the title with "and" for "&" or with "&" for "and", or nothing if it has neither."""
    if " & " in title:
        return [title.replace(" & ", " and ")]
    return [title.replace(" and ", " & ")] if " and " in title else []


def _parts(words: Sequence[str]) -> list[str]:
    """Return beginnings and ends of a title, the longest first."""
    found = [(" ".join(words[:n]), " ".join(words[-n:])) for n in range(len(words) - 1, 0, -1)]
    return [part for pair in found for part in pair if _may_be_name(part)]


def _may_be_name(part: str) -> bool:
    words = part.split()
    ends = words[0].lower() in FUNCTION or words[-1].lower() in FUNCTION | {"&"}
    return words[0][:1].isupper() and not ends and (len(words) > 1 or len(words[0]) >= _SHORT)


def _stands(short: str, title: str, text: str) -> bool:
    """Return True if a text uses the words as its subject's name: alone, outside longer names."""
    rest = text.replace(title, " ")
    alone = rf"(?<![\w&-])(?<![A-Z]\. ){re.escape(short)}(?![\w-])(?! [A-Z&])"
    places = [m.start() for m in re.finditer(alone, rest)]
    lower = re.search(rf"\b{re.escape(short.lower())}\b", rest) is not None
    inside = [p for p in places if p > 1 and rest[p - 2] not in ".!?" and not _follows_capital(rest, p)]
    return (bool(inside) or len(places) > 1) and not lower


def _follows_capital(text: str, at: int) -> bool:
    """Return True if the word directly before is capitalised."""
    before = re.search(r"([A-Z][\w'’.-]*) (?:of )?$", text[max(at - 30, 0) : at])
    return before is not None and before[1].lower() not in FUNCTION
