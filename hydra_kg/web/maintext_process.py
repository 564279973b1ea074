"""The process that extracts the main text of pages, with bounded memory and time and without sockets and files."""

from __future__ import annotations

import codecs
import json
import logging
import re
import sys
import warnings
from typing import Any, Final

from hydra_kg.text.html_tags import MOST_ATTRIBUTES, has_oversized_tag
from hydra_kg.util.sandbox import allow_seconds, confine

MEMORY: Final = 1 << 30  # bytes of address space; pages of 2 MB that were tried took 120 MB
SECONDS: Final = 10  # of processor time for a page, should nobody wait for it any more
TEXT: Final = 200_000  # characters of a page's text that are kept
TITLE: Final = 300
LARGE: Final = 300_000  # bytes above which only the quicker of trafilatura's ways is tried
SHORT: Final = 60  # characters below which all that a page says is taken for its text, menus and feet with it
_NO_SETS: Final = frozenset("punycode idna unicode-escape raw-unicode-escape utf-7 undefined".split())
# Trafilatura leaves some of it out; what nobody sees is no statement of the page.
_HIDDEN: Final = "//*[@hidden or @aria-hidden='true' or self::template or self::noscript]"
_NAUGHT: Final = r"(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?"
_UNSEEN: Final = re.compile(
    rf"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|(?:opacity|font-size):{_NAUGHT}"
    r"|(?:left|right|top|bottom|text-indent|margin-left|margin-top):-(?:999|\d{4,})(?:\.\d+)?[a-z%]*)"
    r"(?:!important)?(?:;|$)"
)


def unseen(style: str) -> bool:
    """Return True if an element with these inline styles is invisible.

    It may be hidden, transparent, without size, or off the screen.
    """
    return _UNSEEN.search("".join(re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL).split()).lower()) is not None


def main_text(body: bytes, charset: str) -> tuple[str, str]:
    """Return title and main text of an HTML page, "" for a missing one. Raises ValueError for anything but a page."""
    import trafilatura
    from trafilatura.settings import use_config
    from trafilatura.utils import load_html

    found: Any = load_html(decode_body(body, charset) if charset else body, len(body) + 1)
    if found is None:
        raise ValueError("it is no HTML")
    titles = [*found.iterfind(".//title"), *found.iterfind(".//h1")]
    title = next((text for t in titles if (text := " ".join(t.text_content().split()))), "")
    for hidden in [*found.xpath(_HIDDEN), *(e for e in found.xpath("//*[@style]") if unseen(e.get("style")))]:
        if hidden.getparent() is not None and hidden.tag not in {"body", "html"}:
            hidden.drop_tree()
    config = use_config()
    config.set("DEFAULT", "MIN_EXTRACTED_SIZE", str(SHORT))
    document: Any = trafilatura.bare_extraction(
        found, include_comments=False, include_tables=True, fast=len(body) > LARGE, config=config
    )
    return tidy(title)[:TITLE], tidy((document.text if document else "") or "")[:TEXT]


def decode_body(body: bytes, charset: str) -> str:
    """Return a body's text with bad bytes replaced. Unusual character sets, some quadratic, are read as UTF-8."""
    try:
        known = codecs.lookup(charset).name not in _NO_SETS
        return body.decode(charset if known else "utf-8", "replace")
    except (LookupError, ValueError):
        return body.decode("utf-8", "replace")


def tidy(text: str) -> str:
    """Return non-empty lines without control characters, lone surrogates and outer blanks."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    lines = ("".join(c if c.isprintable() else " " for c in line) for line in text.splitlines())
    return "\n".join(short for line in lines if (short := " ".join(line.split())))


def answer(body: bytes, charset: str) -> list[str]:
    """Return a page's title, its main text, and the reason if there is no text ("" if there is)."""
    if has_oversized_tag(body):
        return ["", "", f"a tag has more than {MOST_ATTRIBUTES} attributes"]
    try:
        title, text = main_text(body, charset)
    except MemoryError:
        return ["", "", "it needs more memory than a page may"]
    except Exception as e:  # whatever the parsers raise is a fault of the page
        return ["", "", f"it cannot be parsed ({type(e).__name__})"]
    return [title, text, "" if text else "it has no text"]


def main() -> int:
    """Read JSON lines ``[bytes, character set]``, each followed by a page.

    Write a JSON line for each (:func:`answer`).
    """
    warnings.simplefilter("ignore")
    logging.disable()
    import trafilatura  # noqa: F401  before the process is confined, and while the page is still under way

    confine(memory=MEMORY)
    while line := sys.stdin.buffer.readline():
        size, charset = json.loads(line)
        body = sys.stdin.buffer.read(size)
        allow_seconds(SECONDS)
        sys.stdout.write(json.dumps(answer(body, charset)) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
