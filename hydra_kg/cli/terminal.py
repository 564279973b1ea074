"""Write text to terminals safely: no data can move the cursor, change colours or hide what is written."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import click

from hydra_kg.errors import UsageError
from hydra_kg.text.plain_text import HIDDEN, clean, clean_lines


def json_text(doc: Any, *, indent: int | None = 2) -> str:
    r"""Return the document as JSON that is safe to print: what ``clean`` would take out is written as ``\\uXXXX``."""
    text = json.dumps(doc, ensure_ascii=False, indent=indent, allow_nan=False)
    return _ESCAPE_IN_JSON.sub(_escape_match, text)


_ESCAPE_IN_JSON: Final = re.compile(
    "[\x7f-\x9f\ud800-\udfff\u2028\u2029\U000e0000-\U000e0fff" + "".join(sorted(HIDDEN)) + "]"
)


def _escape_match(match: re.Match[str]) -> str:
    number = ord(match[0])
    if number > 0xFFFF:
        number -= 0x10000
        return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
    return f"\\u{number:04x}"


def out(text: str = "", **style: Any) -> None:
    """Print a line for people or programs on stdout; ``style`` as for ``click.style``, shown on terminals only."""
    _say(text, style, err=False)


def out_all(lines: Iterable[str]) -> None:
    """Print several lines on stdout."""
    for line in lines:
        out(line)


def note(text: str = "", **style: Any) -> None:
    """Print a line about the work itself on stderr."""
    _say(text, style, err=True)


def _say(text: str, style: dict[str, Any], *, err: bool) -> None:
    plain = bool(os.environ.get("NO_COLOR"))  # https://no-color.org
    click.echo(click.style(text, **style) if style and not plain else text, err=err)


def confirm(question: str, *, remedy: str, default: bool = False) -> bool:
    """Ask a yes/no question on stderr. Raise UsageError with ``remedy`` if standard input is closed or empty."""
    try:
        return click.confirm(question, default=default, err=True)
    except click.Abort as e:
        if sys.stdin.isatty() or isinstance(e.__context__, KeyboardInterrupt):
            raise
        note()
        raise UsageError("Cannot ask for confirmation because there is no terminal.", remedy=remedy) from None


def confirm_or_abort(question: str, *, remedy: str, default: bool = False) -> None:
    """Ask as :func:`confirm` does, and raise Abort if the answer is no."""
    if not confirm(question, remedy=remedy, default=default):
        raise click.Abort


def warn(text: str) -> None:
    """Print one warning on stderr."""
    note(f"warning: {clean_lines(text)}", fg="yellow")


def table(rows: Iterable[Sequence[object]], *, right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Return lines of a table with columns as wide as needed; those of ``right`` (from 0) are right-aligned."""
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


def cut(text: str, length: int) -> str:
    """Return the beginning of a text on one line."""
    line = clean(text)
    return line if len(line) <= length else line[: length - 1] + "…"


def number(value: float) -> str:
    """Return a number such as ``1,234,567``; a fraction gets two digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def tolerate_any_encoding() -> None:
    """Make a terminal show ``?`` for characters that it cannot show, instead of ending the command with an error."""
    for stream in (sys.stdout, sys.stderr):
        change: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if change is not None:
            change(errors="replace")


def store_suffix(store: str) -> str:
    """Return the suffix with which the next command reaches the same store."""
    import shlex

    return f" --store {shlex.quote(store)}" if store else ""
