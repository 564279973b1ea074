"""Reads a stored answer as untrusted data: checks its size, its JSON and the type of every field that is shown."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, Final

from hydra_kg.errors import StoreCorruptError

MOST_BYTES: Final = 4_000_000
"""Most bytes of a stored answer. Answers that hydra-kg writes have at most 200,000, and a few more for their ids."""

Shape = Any
"""The shape that a value must have.

A shape is one of:
    a type;
    a tuple of alternatives, which may include None;
    ``[shape]`` for a list of such values;
    ``{ANY: shape}`` for a mapping with any keys;
    a mapping from field name to shape, where a field that ends in "?" may be missing.
"""

ANY: Final = "*"
_NUMBER: Final[Shape] = (int, float, None)
_NODE: Final[Shape] = {"id": str, "name": str}
_VALUE: Final[Shape] = {"id": (str, None), "name": str, "value?": str, "unit?": str, "ids": [str], "score": _NUMBER}
_FACT: Final[Shape] = {
    "source": str,
    "fact": str,
    "locator": str,
    "kind?": str,
    "url?": str,
    "rank?": str,
    "qualifiers?": [[str]],
    "n?": int,
}
_HOP: Final[Shape] = {
    "subject": _NODE,
    "predicate": str,
    "object": _NODE,
    "sources": [_FACT],
    "text": str,
    "forward": bool,
    "via?": _NODE,
    "facts?": int,
}
_PASSAGE: Final[Shape] = {"id": str, "title": str, "source": str, "locator": str, "text": str, "url?": str, "n?": int}
_PATH: Final[Shape] = {
    "text": str,
    "hops": [_HOP],
    "scores": {ANY: _NUMBER},
    "phase": str,
    "kept": bool,
    "answers": [_NODE],
    "reason?": str,
    "origins?": [str],
    "sentence?": str,
    "passage?": _PASSAGE,
    "rank?": int,
}
_CANDIDATE: Final[Shape] = {**_NODE, "description": str, "score": _NUMBER, "how": str, "degree": int}
_CLAIM: Final[Shape] = {
    "source": str,
    "subject": _NODE,
    "attribute": str,
    "object": _NODE,
    "confidence": _NUMBER,
    "believed": bool,
}
_USAGE: Final[Shape] = {"calls": int, "tokens_in": int, "tokens_out": int, "money?": _NUMBER}
ANSWER: Final[Shape] = {
    "version": int,
    "id": str,
    "question": str,
    "strategy": str,
    "agent": str,
    "answers": [_VALUE],
    "answer_text": str,
    "label": str,
    "verdict": str,
    "agreement": _NUMBER,
    "amount": _NUMBER,
    "confidence": _NUMBER,
    "abstained": bool,
    "truncated": bool,
    "dissent": [str],
    "citations": [{"n": int, "source": str, "locator": str, "url?": str, "fact?": str}],
    "paths": [_PATH],
    "explorations": [
        {
            "phase": str,
            "topics": [_NODE],
            "indicator": str,
            "depth": int,
            "counts": {ANY: int},
            "truncated?": bool,
            "paths": [_PATH],
            "left_out": int,
            "claims?": [_CLAIM],
        }
    ],
    "mentions": [{"text": str, "start": int, "end": int, "chosen": (_CANDIDATE, None), "candidates": [_CANDIDATE]}],
    "usage": {**_USAGE, "steps?": {ANY: _USAGE}},
    "seconds": {ANY: _NUMBER},
    "manifest": dict,
    "decision?": str,
    "certainty?": str,
    "claim?": str,
    "missing?": str,
    "notes?": [str],
    "computation?": str,
    "table?": {"columns": [str], "rows": [[str]]},
    "plan?": dict,
    "steps?": [{"operator": str, "text": str, "before": int, "after": int}],
    "chosen_by?": str,
    "unchecked?": [str],
    "findings?": [{"stance": str, "value": str, "likeness": _NUMBER, "passage": _PASSAGE}],
    "perhaps?": [_VALUE],
    "after?": str,
    "understood_as?": str,
    "choices?": [str],
}
"""The fields of ``ask --json`` version 1. Other fields are accepted, because later versions may add some."""


def read_kept_answer(packed: bytes, what: str) -> Mapping[str, Any]:
    """Return the document of a stored answer. Raise StoreCorruptError if it is damaged.

    ``what`` names the answer in error messages.
    """
    try:
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, MOST_BYTES)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise ValueError("it is cut off, or too large")
        doc: Mapping[str, Any] = json.loads(text)
        if wrong := find_misfit(doc, ANSWER):
            raise ValueError(f"{wrong} is missing or of another type")
    except (zlib.error, TypeError, ValueError, RecursionError) as e:
        raise StoreCorruptError(f"{what} is damaged: {e}.", remedy="Ask the question again.") from e
    return doc


def find_misfit(value: object, shape: Shape, name: str = "the document") -> str:
    """Return the name of the first field of a value that does not fit its shape, or "" if all fit."""
    if isinstance(shape, tuple):
        found = [find_misfit(value, one, name) for one in shape]
        return "" if "" in found else found[0]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return name
        return next((wrong for item in value if (wrong := find_misfit(item, shape[0], name))), "")
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return name
        if ANY in shape:
            return next((wrong for item in value.values() if (wrong := find_misfit(item, shape[ANY], name))), "")
        for field, inner in shape.items():
            key = field.rstrip("?")
            if key not in value and key != field:
                continue
            if key not in value or (wrong := find_misfit(value[key], inner, key)):
                return key if key not in value else wrong
        return ""
    if shape is None:
        return "" if value is None else name
    fits = isinstance(value, shape) and (shape is bool or not isinstance(value, bool))
    return "" if fits else name
