"""Translate sentences by templates: the English template of a sentence and its German one are one row of a file.

A template has placeholders:

- ``{n}``, ``{m}`` and ``{k}`` are numbers
- ``{parts}`` are sentences between semicolons
- ``{list}`` and ``{columns}`` are texts between commas
- ``{q}``, ``{q_a}``, … are texts that are quoted unless they are translated: words of a question, relations
- ``{one}`` is a text without a comma
- any other one is a text

Texts are translated in turn: they can be a clause or a name, which stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from hydra_kg.util.package_data import table

_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_NUMBER: Final = r"-?\d[\d,.]*(?<![,.])"
_FORMS: Final = {**dict.fromkeys("nmk", _NUMBER), "one": "[^,]+?"}
_DEEPEST: Final = 6
"""Most clauses within one another."""


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with placeholders in English and in German, and how to find it."""

    pattern: re.Pattern[str]
    german: str
    weight: int


@cache
def german_templates() -> tuple[Template, ...]:
    """Return the templates of ``german.tsv``, those with the most text and numbers of their own first."""
    rows = table("hydra_kg.serving.wording", "german.tsv")
    found = [Template(_pattern(english), german, _weight(english)) for english, german in rows]
    return tuple(sorted(found, key=lambda t: -t.weight))


def german(text: str, known: Mapping[str, str], deep: int = 0) -> str:
    """Return a sentence in German, or the text itself if no template fits it.

    Args:
        text: a sentence of the service, a clause, or a name.
        known: German words for texts that are no sentences, such as queries in words. Names map to themselves.
        deep: how many sentences this text is within.
    """
    return translation(text, known, deep) or text


def translation(text: str, known: Mapping[str, str], deep: int = 0) -> str:
    """Return a sentence in German, or "" if no template fits it; the arguments are those of :func:`german`."""
    if text in known:
        return known[text]
    if deep > _DEEPEST or not text:
        return ""
    sentences = _NEXT.split(text)
    found = [translation(sentence, known, deep + 1) for sentence in sentences] if len(sentences) > 1 else []
    if found and all(found):
        return " ".join(found)
    clause = text.rstrip(".")
    small = clause[:1].lower() + clause[1:]
    for template in german_templates():
        for form in dict.fromkeys((text, clause, small)):
            if match := template.pattern.fullmatch(form):
                values = {name: _value(name, value, known, deep + 1) for name, value in match.groupdict().items()}
                said = template.german.format_map(values)
                return said if form == text else _as_sentence(said, capital=form != clause, end=text[len(clause) :])
    items = text.split(", ")
    found = [translation(item, known, deep + 1) for item in items] if len(items) > 1 else []
    return ", ".join(found) if all(found) else ""


def _as_sentence(text: str, *, capital: bool, end: str) -> str:
    return (text[:1].upper() + text[1:] if capital else text) + end


_NEXT: Final = re.compile(r"(?<=[.?!]) (?=[A-Z“])")


def _value(name: str, text: str, known: Mapping[str, str], deep: int) -> str:
    if name in ("n", "m", "k"):
        return text.translate(_SEPARATORS)
    if name in _SEPARATED:
        say = quoted if name == "columns" else german
        return _SEPARATED[name].join(
            say(part, known, deep) if " " in part else part for part in text.split(_SEPARATED[name])
        )
    return quoted(text, known, deep) if name.startswith("q") else german(text, known, deep)


def quoted(text: str, known: Mapping[str, str], deep: int = 0) -> str:
    """Return a sentence in German, or the text in quotation marks if no template fits it."""
    return translation(text, known, deep) or f"„{text}“"


_SEPARATED: Final = {"parts": "; ", "list": ", ", "columns": ", "}
_SEPARATORS: Final = str.maketrans(",.", ".,")


def _weight(english: str) -> int:
    return len(_PLACEHOLDER.sub("", english)) + 4 * len(re.findall(r"\{[nmk]\}", english))


def _pattern(english: str) -> re.Pattern[str]:
    parts = _PLACEHOLDER.split(english)
    groups = (f"(?P<{name}>{_FORMS.get(name, '.+?')})" for name in parts[1::2])
    return re.compile("".join(f"{re.escape(text)}{next(groups, '')}" for text in parts[::2]), re.DOTALL)
