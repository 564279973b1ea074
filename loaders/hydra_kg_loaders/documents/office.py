"""Read Word and PDF files as documents, with python-docx and pypdf (the extra ``documents``)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from hydra_kg_loaders.documents.document import Document, DocumentError, is_heading, tidy
from hydra_kg_loaders.documents.label_pairs import read_pair

ENTRIES: Final = 5_000
"""Largest number of files in a Word document."""

UNPACKED: Final = 256 << 20
"""Largest size of a decompressed Word document. A larger one is taken for an attack."""

PAGES: Final = 2_000
"""Largest number of pages of a PDF file."""

OCR: Final = "without a text layer (pictures): run OCR first, for example with ocrmypdf"
BROKEN: Final = "cannot be read: repair the file first, for example with qpdf"
"""Text after the numbers of pages that have no readable text."""

_FAULTS: Final = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError, AssertionError)

_HEADING: Final = re.compile(r"(?:heading|überschrift|titre|título)\s*(\d)", re.IGNORECASE)
_NO_TITLE: Final = re.compile(
    r"untitled.*|document\d*|microsoft word.*|.*\.(?:docx?|pdf|tex|indd|odt)|\s*", re.IGNORECASE
)
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


def word(body: bytes) -> Document:
    """Return the paragraphs and table rows of a .docx in order. Raises DocumentError for a bomb or another file."""
    _check_archive(body)
    import docx
    from docx.text.paragraph import Paragraph

    try:
        opened = docx.Document(io.BytesIO(body))
    except Exception as e:  # python-docx has errors of many kinds for what is no document
        raise DocumentError("docx", f"{type(e).__name__}: {e}") from e
    found = Document(title=_title(opened.core_properties.title or ""))
    for block in blocks(opened.element.body):
        if block.tag.endswith("}tbl"):
            for rows in tables(block):
                found.add_table(rows)
            continue
        text = get_shown_text(block)
        style = Paragraph(block, opened).style
        name = (style.name if style is not None else "") or ""
        if name == "Title":
            found.title = ""
            found.head(text, level=1)
        elif m := _HEADING.match(name):
            found.head(text, level=int(m[1]))
        elif not found.paragraphs and not found.title and is_heading(tidy(text)):
            found.head(text, level=1)
        else:
            found.add(text)
    _add_notes(opened, found)
    return found


def _add_notes(opened: Any, found: Document) -> None:
    """Add footnotes and endnotes as paragraphs under the heading "Notes"."""
    from lxml import etree

    for relation in opened.part.rels.values():
        if relation.is_external or not relation.reltype.endswith(("/footnotes", "/endnotes")):
            continue
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        for block in blocks(etree.fromstring(relation.target_part.blob, parser)):
            found.heading = "Notes"
            found.add(get_shown_text(block))


def _check_archive(body: bytes) -> None:
    """Check that an archive, by its directory's sizes, unpacks within a document's limits."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            entries = archive.infolist()
            if len(entries) > ENTRIES or sum(e.file_size for e in entries) > UNPACKED:
                raise DocumentError("bomb", f"{len(entries):,} files of {sum(e.file_size for e in entries):,} bytes")
            if "word/document.xml" not in archive.namelist():
                raise DocumentError("docx", "it contains no Word document")
    except (zipfile.BadZipFile, OSError) as e:
        raise DocumentError("docx", str(e)) from e


def pdf(body: bytes) -> Document:
    """Return each page's text under ``page N``; ``unread`` names pages without text. Raises DocumentError."""
    import pypdf
    from pypdf.errors import PyPdfError

    try:
        opened = pypdf.PdfReader(io.BytesIO(body))
        if opened.is_encrypted and not opened.decrypt(""):
            raise DocumentError("password", "it needs a password")
        if len(opened.pages) > PAGES:
            raise DocumentError("too-long", f"more than {PAGES:,} pages")
        title = _title(str((opened.metadata.title if opened.metadata else "") or ""))
        pages = list(opened.pages)
    except DocumentError:
        raise
    except (PyPdfError, *_FAULTS) as e:
        raise DocumentError("pdf", f"{type(e).__name__}: {e}") from e
    found = Document(title=title)
    pictures, broken = [], []
    for number, page in enumerate(pages, 1):
        try:
            text = tidy_lines(page.extract_text())
            if not any(map(str.isalnum, text)):
                pictures += [number] if _has_pictures(page) else []
                continue
        except (PyPdfError, *_FAULTS):  # one broken page leaves the others as they are
            broken.append(number)
            continue
        for paragraph, alone in _paragraphs(text):
            if alone and not found.paragraphs and (not found.title or paragraph == found.title):
                found.title = found.title or paragraph
                continue
            found.heading = f"page {number}"
            found.add(paragraph)
    found.unread += [
        f"{_format_pages(numbers)} {what}" for numbers, what in ((pictures, OCR), (broken, BROKEN)) if numbers
    ]
    if pages and not found.paragraphs:
        raise DocumentError("no-text" if not broken else "pdf", "; ".join(found.unread) or "its pages are empty")
    return found


def tidy_lines(text: str) -> str:
    """Return a text with each line tidied."""
    return "\n".join(map(tidy, text.splitlines()))


def _has_pictures(page: Any) -> bool:
    """Return True if a page draws an image, or something that cannot be looked into."""
    try:
        return len(page.images) > 0
    except Exception:  # pypdf raises errors of many kinds for images that it cannot list
        return True


def _format_pages(numbers: Sequence[int]) -> str:
    """Return "page 3" or "pages 1-4, 7"."""
    ends: list[list[int]] = []
    for number in numbers:
        if ends and ends[-1][1] == number - 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    words = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ends[:20]) + (" …" if len(ends) > 20 else "")
    return f"page{'s' if len(numbers) > 1 else ''} {words}"


def _paragraphs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the paragraphs of a page, each with whether it looks like a heading.

    A paragraph ends at an empty line, or where a line ends a sentence well before the margin. Each line such as "Chair:
    Marta Holm" is a paragraph.
    """
    lines = text.splitlines()
    width = max(map(len, lines), default=0)
    pending, listed = "", False
    for line, following in pairwise([*lines, ""]):
        paired = not pending and read_pair(line) is not None
        listed = paired and (listed or read_pair(following) is not None)
        if listed:
            yield line, False
            continue
        alone = (
            not pending and is_heading(line) and len(line) < 0.7 * width and (following[:1].isupper() or not following)
        )
        if alone:
            yield line, True
            continue
        divided = pending.endswith("-") and pending[-2:-1].islower() and line[:1].islower()
        pending = pending[:-1] + line if divided else f"{pending} {line}".strip()
        if pending and (not line or (line.endswith((".", "!", "?")) and len(line) < 0.85 * width)):
            yield pending, False
            pending = ""
    if pending:
        yield pending, False


def _title(text: str) -> str:
    text = tidy(text)
    return "" if _NO_TITLE.fullmatch(text) else text


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
