"""Detection of deceptive names: mixed scripts in one word, invisible characters."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from hydra_kg.text.plain_text import printable

_SCRIPTS: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
"""Scripts with letters that look alike, written as the Unicode names of their characters begin."""

_WORD: Final = re.compile(r"[^\W\d_]+")
# Joiners and their like belong into words of other scripts, and into emoji; beside these letters they show nothing.
_JOINERS: Final = re.compile("[\u00ad\u034f\u200c\u200d]")


def oddities(name: str) -> str:
    """Return a warning about invisible characters or mixed scripts in a name, or "" for an ordinary name."""
    shown = "".join(c for c in name if c.isspace() or printable(c))
    bare = "".join(c for c in _JOINERS.sub("", shown) if not unicodedata.category(c).startswith("M"))
    mixed = {script for word in _WORD.findall(bare) if len(found := _scripts(word)) > 1 for script in found}
    findings = [f"mixes {_join_words([s.title() for s in _SCRIPTS if s in mixed])} letters"] if mixed else []
    if shown != name or any(_joins_nothing(shown, found.start()) for found in _JOINERS.finditer(shown)):
        findings.append("holds characters that are not shown")
    return ", ".join(findings)


def _joins_nothing(text: str, place: int) -> bool:
    return bool(_scripts(text[max(place - 1, 0) : place + 2]))


def _scripts(word: str) -> set[str]:
    return {script for c in word for script in _SCRIPTS if unicodedata.name(c, "").startswith(f"{script} ")}


def _join_words(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
