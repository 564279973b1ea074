"""Parse a reply as the requested object, mend broken JSON once, and leave out choices that were not on offer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final, TypeVar

from json_repair import loads
from pydantic import ValidationError

from hydra_kg.agents.replies.schemas import ModelReply
from hydra_kg.errors import ModelError
from hydra_kg.text.folding import fold

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


def chosen(names: Sequence[str], kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds that the reply names, in its order."""
    folded_names = {fold(n) for n in names}
    return tuple(k for k in kinds if fold(k) in folded_names)


def places(numbers: Sequence[int], count: int) -> tuple[int, ...]:
    """Return numbers from 1 as places from 0, each once, without those that are too large."""
    return tuple(dict.fromkeys(n - 1 for n in numbers if 1 <= n <= count))


def missed(missing: str) -> str:
    """Return the model's words for what is missing, a few words or a sentence, as a clause."""
    return f"the model misses “{missing.strip().rstrip('.')}”" if missing.strip(" .") else ""
