"""Parse replies leniently: broken JSON as an object, and its fields as text, list, number, yes or no, or refused."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection
from typing import Any, Final, TypeVar

from json_repair import loads
from pydantic import ValidationError

from hydra_kg.agents.prompting.escaping import quote
from hydra_kg.agents.replies.schemas import ModelReply
from hydra_kg.errors import ModelError

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_NOTHING: Final = frozenset({"", "none", "unknown", "n/a", "na", "null", "not known", "not stated", "no answer", "-"})
_LINK: Final = re.compile(r"\s+(?:[-–—]+>?|=>|→|›)\s+|\s*(?:->|-›|→|=›)\s*")


def text(most: int) -> Callable[[Any], str]:
    """Return a parser for one line of at most ``most`` characters; an object counts as its first string."""

    def read(value: Any) -> str:
        if isinstance(value, dict):
            value = next((v for v in value.values() if isinstance(v, str)), "")
        if isinstance(value, list):
            value = " - ".join(str(v)[:most] for v in value[:9])
        return "" if value is None else quote(str(value), most)

    return read


def many(most: int) -> Callable[[Any], list[Any]]:
    """Return a parser for a list of at most ``most`` values.

    A single value becomes a list of one, an object the list of its values.
    """

    def read(value: Any) -> list[Any]:
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return value[:most]
        return [] if value is None or value == "" else [value]

    return read


def names(value: Any) -> list[str]:
    """Return at most ten names, each once, without "unknown" and similar words."""
    found = [text(80)(v) for v in many(10)(value)]
    return [name for name in dict.fromkeys(found) if is_name(name)]


def is_name(name: str) -> bool:
    """Return True if a text is a name rather than "unknown" or a similar word."""
    return name.casefold().strip(" .") not in _NOTHING


def count(value: Any) -> Any:
    """Return the whole number in ``3``, ``"3."`` or ``"path 3"``, limited to -1 to 999."""
    number = _number(value)
    return value if number is None else round(max(-1.0, min(999.0, number)))


def one_of(known: Collection[str], other: str) -> Callable[[Any], str]:
    """Return a parser for one of the words in ``known``, in any case; any other value becomes ``other``."""

    def read(value: Any) -> str:
        word = value.strip().casefold() if isinstance(value, str) else ""
        return word if word in known else other

    return read


def score(value: Any) -> Any:
    """Return the score from 0 to 10 that ``8``, ``"8/10"``, ``.8`` or ``80`` states."""
    number = _number(value)
    if number is None:
        return value
    if 0 < number < 1:
        number *= 10
    elif 10 < number <= 100:
        number /= 10
    return round(max(0.0, min(10.0, number)))


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        found = _NUMBER.search(value[:40])
        value = found and float(found[0])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return None if math.isnan(value) else float(value)
    except OverflowError:
        return None


def yes_no(value: Any) -> Any:
    """Return ``yes`` or ``no`` for a truth value or for the first word of a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        word = re.split(r"\W+", value[:40].strip(" \"'*").casefold(), maxsplit=1)[0]
        return {"true": "yes", "y": "yes", "false": "no", "n": "no"}.get(word, word)
    return value


def links(value: Any) -> list[Any]:
    """Return at most seven links of a chain, from an entity to an entity, given as a list or a text."""
    listed = many(7)(split_chain(value) if isinstance(value, str) else value)
    return listed[: len(listed) - (len(listed) + 1) % 2]


def split_chain(line: str) -> list[str]:
    """Return the links of ``A - relation - B`` in order; arrows and brackets are accepted too."""
    return [part.strip() for part in _LINK.split(line.strip().strip("[]")) if part.strip()]


def stem(key: Any) -> str:
    """Return a key without case, punctuation and plural ending."""
    return re.sub(r"[^a-z]", "", str(key)[:40].lower()).removesuffix("s")


R = TypeVar("R", bound=ModelReply)

LONGEST: Final = 4_000
"""Characters of a reply that are parsed: replies have 256 tokens (HydraRAG App. C), and mending is not linear."""
_DEEPEST: Final = 100  # brackets opened one after the other
_THOUGHT: Final = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_YES_NO: Final = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)
_LIST: Final = re.compile(r"\s*(?:```\w*\s*)?\[")
_DECODER: Final = json.JSONDecoder()


def parse_reply(text: str, kind: type[R], *, cut: bool = False) -> R:
    """Parse a reply as a ``kind``.

    cut: the reply was truncated, so fields that must be complete are dropped.

    Raises ModelError, with a message that the model can act on.
    """
    value = _object(_THOUGHT.sub("", text)[:LONGEST])
    try:
        reply = kind.model_validate(value)
    except ValidationError as e:
        wrong = "; ".join(f"{'.'.join(map(str, x['loc'])) or 'reply'}: {x['msg']}" for x in e.errors()[:3])
        raise ModelError(f"the reply does not fit ({wrong[:200]})") from None
    except RecursionError:
        raise ModelError("the reply is nested too deep") from None
    return reply.model_copy(update={kind.whole: []}) if cut and kind.whole else reply


def parse_yes_no(text: str) -> bool:
    """Return True if a reply begins with yes, False if it begins with no.

    Raises ModelError if it begins with neither.
    """
    m = _YES_NO.match(_THOUGHT.sub("", text)[:LONGEST])
    if m is None:
        raise ModelError("the reply is neither yes nor no")
    return m[1].casefold() == "yes"


def _object(text: str) -> Any:
    """Return the first JSON object of the text, or the list that the text is, mended if it is broken or truncated."""
    if not text.strip():
        raise ModelError("the reply is empty")
    start = text.find("[") if _LIST.match(text) else text.find("{")
    if start < 0:
        raise ModelError("the reply holds no JSON object")
    if _depth(text) > _DEEPEST:
        raise ModelError("the reply is nested too deep")
    try:
        return _DECODER.raw_decode(text, start)[0]
    except ValueError:
        pass
    try:
        return loads(text[start:], skip_json_loads=True)
    except (ValueError, RecursionError, IndexError, TypeError, AttributeError) as e:
        raise ModelError("the reply is no JSON that can be mended") from e


def _depth(text: str) -> int:
    deepest = depth = 0
    for c in text:
        if c in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif c in "}]":
            depth = max(0, depth - 1)
    return deepest
