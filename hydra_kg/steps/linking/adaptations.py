"""Films of a book or play with the same name: who wrote the book is not who wrote the film."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Evidence, Mention
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.tokens import tokenise
from hydra_kg.steps.context import Context
from hydra_kg.text.folding import fold

_WROTE: Final = frozenset({"wrote", "author", "writer"})
_FILM: Final = list_words("aspect").union(
    *(nouns.split() for kind, nouns in lexicon_table("kinds_of_thing") if kind == "film")
)
_ADAPTED: Final = frozenset({"adapted", "adaptation", "based", "version"})


def credits_adaptation(context: Context, mentions: Sequence[Mention], evidence: Sequence[Evidence]) -> bool:
    """Return True if "who wrote Hamlet" is answered with the writer of a film of that name.

    A description says so: "a 1948 film adaptation of William Shakespeare's play Hamlet".
    """
    named = {c.node.id: fold(m.text) for m in mentions for c in m.candidates}
    asked = {token.low for token in tokenise(context.question)} if named else set()
    if not asked & _WROTE or asked & _FILM:
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
    """Return True if a description calls a work the adaptation of another of its name."""
    word = next((t.low for t in tokenise(description) if t.low in _ADAPTED), "")
    source = description.partition(word)[2] if word else ""
    return bool(source) and (name in source or " same name" in source)
