"""Wordings of relations that the words of a question, or of a phrase of a plan, suggest."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, Literal

from hydra_kg.language.form_notation import form_finder
from hydra_kg.language.lexicon import lexicon_table

Asked = Literal["question", "phrase"]

_DATE: Final = re.compile(r"\b(?:date|time|inception)\b(?! zone)")


@lru_cache(maxsize=1 << 12)
def suggest_relations(text: str, what: Asked = "phrase") -> tuple[tuple[str, ...], ...]:
    """Return wordings of relations, one group per row of ``relation_phrases.tsv`` that fits.

    ``text`` is a folded question with ``_`` for mentions, or a phrase such as "directed by _".
    """
    return tuple(dict.fromkeys(wordings for fits, wordings in _rules(what) if fits(text)))


def suggest_dates(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the wordings of dates that a question asks for; "when was _ founded" does not ask for the founders."""
    return tuple(group for group in suggest_relations(text, "question") if any(map(states_date, group)))


def states_date(relation: str) -> bool:
    """Return True if the words of a relation name a time: "publication date", "inception"."""
    return bool(_DATE.search(relation))


@cache
def _rules(what: Asked) -> tuple[tuple[Callable[[str], bool], tuple[str, ...]], ...]:
    rows = lexicon_table("relation_phrases")
    return tuple((form_finder(form), tuple(said.split("; "))) for kind, form, said in rows if kind in ("any", what))
