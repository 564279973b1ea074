"""Text for terminals: nothing that stands in data can move the cursor, change colours or hide what is written."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import click

# ECMA-48: CSI sequences, then strings (OSC, DCS, SOS, PM, APC) up to their terminator or the end of the line, then
# the other escapes; each also in its 8-bit form. A sequence goes whole, so that no "[31m" is left in a name.
_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n\r]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_SPACE: Final = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
# Letters of right-to-left scripts stay; what reorders or hides its neighbours goes. Zero-width joiners are letters'
# business in several scripts and harmless alone.
_HIDDEN: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u180e\u200b\u2060"
)


def clean(text: object) -> str:
    """One line of printable text: escape sequences, control and reordering characters out, white space to one space.

    Total: any object, any text. Half surrogate pairs become ``\ufffd``. ``clean(clean(x)) == clean(x)``.
    """
    line = _SPACE.sub(" ", _SEQUENCE.sub("", str(text)))
    return _SPACE.sub(" ", "".join(map(_printable, line))).strip(" ")


def clean_lines(text: object) -> str:
    """As ``clean``, line by line: for messages of our own that hold data."""
    return "\n".join(clean(line) for line in str(text).split("\n"))


def _printable(c: str) -> str:
    if c in _HIDDEN:
        return ""
    category = unicodedata.category(c)
    if category == "Cs":
        return "\ufffd"
    return "" if category in ("Cc", "Zl", "Zp") or (category == "Cf" and c >= "\U000e0000") else c


def json_text(doc: Any, *, indent: int | None = 2) -> str:
    """The document as JSON that is safe to print: what ``clean`` would take out is written as ``\\uXXXX``."""
    text = json.dumps(doc, ensure_ascii=False, indent=indent, allow_nan=False)
    return _ESCAPE_IN_JSON.sub(_escaped, text)


_ESCAPE_IN_JSON: Final = re.compile(
    "[\x7f-\x9f\ud800-\udfff\u2028\u2029\U000e0000-\U000e0fff" + "".join(sorted(_HIDDEN)) + "]"
)


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number > 0xFFFF:
        number -= 0x10000
        return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
    return f"\\u{number:04x}"


def out(text: str = "", **style: Any) -> None:
    """A line for people or programs, on stdout; ``style`` as for ``click.style``, shown on terminals only."""
    click.echo(click.style(text, **style) if style else text)


def note(text: str = "", **style: Any) -> None:
    """A line about the work itself, on stderr."""
    click.echo(click.style(text, **style) if style else text, err=True)


def warn(text: str) -> None:
    """One warning, on stderr."""
    note(f"warning: {clean_lines(text)}", fg="yellow")


def table(rows: Iterable[Sequence[object]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Lines of a table, columns as wide as needed, those of ``right`` (from 0) aligned to the right."""
    cells = [[clean(c) for c in row] for row in rows]
    widths = [max((len(r[i]) for r in cells if i < len(r)), default=0) for i in range(max(map(len, cells), default=0))]
    return [
        (
            indent
            + "  ".join(
                c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(r, widths, strict=False))
            )
        ).rstrip()
        for r in cells
    ]


def number(value: float) -> str:
    """``1,234,567``; a fraction with two digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def tolerate_any_encoding() -> None:
    """A terminal that cannot show a character shows ``?`` instead of ending the command with an error."""
    for stream in (sys.stdout, sys.stderr):
        change: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if change is not None:
            change(errors="replace")
