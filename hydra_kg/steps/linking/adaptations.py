"""Films of a book or play with the same name: who wrote the book is not who wrote the film."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Evidence, Mention
from hydra_kg.steps.context import Context
from hydra_kg.text.folding import fold

_WROTE: Final = re.compile(r"\b(?:wrote|author|writer|written by)\b")
_FILM: Final = re.compile(r"\b(?:film|movie|screenplay|script|series|episode)\b")
_ADAPTED: Final = re.compile(r"\b(?:adapt(?:ed|ation)|based on|version of|dramati[sz]ation)\b")
_SAME_NAME: Final = re.compile(r"\bsame (?:name|title)\b|\beponymous\b")


def credits_adaptation(context: Context, mentions: Sequence[Mention], evidence: Sequence[Evidence]) -> bool:
    """Return True if "who wrote Hamlet" is answered with the writer of a film of that name.

    A description says so: "a 1948 film adaptation of William Shakespeare's play Hamlet".
    """
    named = {c.node.id: fold(m.text) for m in mentions for c in m.candidates}
    question = fold(context.question) if named else ""
    if not _WROTE.search(question) or _FILM.search(question):
        return False
    on_paths = [
        node.id
        for e in evidence
        for h in e.path.hops
        for node in (h.subject, h.object)
        if e.answers and node.id in named
    ]
    known = context.entities(list(dict.fromkeys(on_paths)))
    return bool(known) and all(_is_adaptation(named[n], fold(e.description)) for n, e in known.items())


def _is_adaptation(name: str, description: str) -> bool:
    adapted = _ADAPTED.search(description)
    return adapted is not None and bool(_SAME_NAME.search(description) or name in description[adapted.end() :])
