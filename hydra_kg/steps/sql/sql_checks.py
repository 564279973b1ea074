"""Check whether a query that a model wrote agrees with the question: values, numbers, denials, counts and orders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hydra_kg.execution.own_graph import number
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem, singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.tables.graph_tables import View
from hydra_kg.steps.tables.operation_words import QueryToken, tokens
from hydra_kg.steps.tables.table_query import TableQuery
from hydra_kg.text.folding import fold

_NEGATIONS: Final = list_words("no_or_not negation nothing exclusion other") | {"outside", "exclude", "non"}
_MANY: Final = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b|\bhow much\b")
_MEAN: Final = re.compile(r"\b(?:average|mean|avg)\b")
_FIRST: Final = re.compile(
    r"\b(?:\w{2,}est|most|least|maximum|minimum|max|min|top|first|last|best|worst|fewest|sorted|ordered|ranked"
    r"|order (?:by|of)|alphabetical\w*|ascending|descending|increasing|decreasing)\b"
)
_MOST: Final = re.compile(r"\b(?:most|fewest) (\w+)")
"""What there are most of."""

_SEVERAL: Final = frozenset({"multiple", "several"})
"""More than one."""

_BOUND: Final = re.compile(r"\bat (?:least|most)\b|\b(?:first|last|middle) names?\b")
"""What holds a word of an order and says none."""

_SHORT: Final = 2
"""Letters of a code, such as F for female: of it only the first must be said."""


def unlike(view: View, question: str, query: TableQuery, said: Sequence[str], *, denies: bool) -> str:
    """Return in what a query differs from the question, as a clause, or ""."""
    asked, text = tokens(question), fold(question)
    spoken = {t.low for t in asked} | {w for t in asked for w in split_identifier(t.low)}
    if odd := next((s for s in said if not _is_said(s, spoken, asked)), ""):
        return f"the question does not say {odd!r}"
    if left := next(_left(view, asked, said, query), ""):
        return f"it leaves out {left!r}"
    if denies != bool(_NEGATIONS & spoken):
        return "it denies what the question does not" if denies else "it does not deny what the question denies"
    if "both" in spoken and any(c.either for c in query.where):
        return "it has one or the other in place of both"
    return _unlike_counts(view, text, query) or _unlike_order(view, text, query)


def _unlike_counts(view: View, text: str, query: TableQuery) -> str:
    """Return how counts or means of the query differ from those of the question."""
    many = bool(_MANY.search(text))
    grouped = query.group is not None or query.by_count >= 0
    if many and query.do == "list" and not grouped and not any(c.kind == "number" for c in query.columns[:1]):
        return "it counts nothing"
    if query.do == "count" and query.group is None and not many:
        return "the question does not ask how many"
    rows = {singular(w) for t in view.tables for name in t.names for w in name[-1:]}
    if query.by is not None and not query.by_sum and any(singular(m[1]) in rows for m in _MOST.finditer(text)):
        return "it does not order by how many there are"
    mean = query.do == "avg" or any(c.than == "avg" for c in query.where)
    return "" if mean == bool(_MEAN.search(text)) else "it has another mean than the question"


def _unlike_order(view: View, text: str, query: TableQuery) -> str:
    """Return how the order of the query, or its first item, differs from what the question asks for."""
    ordered = any(singular(m[0]) not in _spoken_of(view) for m in _FIRST.finditer(_BOUND.sub("", text)))
    first = bool(query.limit) or query.do in ("max", "min")
    if first and not _FIRST.search(text):
        return "it takes the first of an order that the question does not say"
    return "it leaves out the order" if ordered and not first and query.by is None and query.by_count < 0 else ""


def _is_said(value: str, spoken: set[str], asked: Sequence[QueryToken]) -> bool:
    """Return True if a question says a value: its number, or each of its words in some form."""
    plain = value.replace(",", "")
    if re.fullmatch(r"[+-]?\d+(?:\.\d+)?", plain):
        several = bool(_SEVERAL & spoken) and float(plain) in (1, 2)
        return several or plain in spoken or any(t.number == float(plain) for t in asked)
    if len(value) <= _SHORT:
        return any(w.startswith(value.casefold()) for w in spoken)
    if any(t.named and len(t.low) >= _SHORT and fold(value).startswith(t.low) for t in asked):
        return True
    stems = {family_stem(w) for w in spoken}
    return all(w in spoken or family_stem(w) in stems or singular(w) in spoken for w in split_identifier(fold(value)))


def _left(view: View, asked: Sequence[QueryToken], said: Sequence[str], query: TableQuery) -> Iterator[str]:
    """Yield numbers, quoted texts and names of the question that the query does not contain."""
    mine = {w for s in said for w in split_identifier(fold(s))}
    numbers = {number(s) for s in said} | {float(query.limit)}
    schema = _spoken_of(view)
    for token in asked:
        if token.number is not None and not token.quoted:
            if token.number not in numbers and token.low not in mine and token.low not in ("one", "first"):
                yield token.text
        elif token.quoted or token.named:
            spoken = any(w in mine or singular(w) in schema for w in split_identifier(token.low))
            if not (spoken or _is_code(token, said)):
                yield token.text


def _spoken_of(view: View) -> set[str]:
    """Return the words of the names of tables and columns."""
    found = {singular(w) for t in view.tables for name in t.names for w in name}
    return found | {singular(w) for c in view.columns for w in c.words}


def _is_code(token: QueryToken, said: Sequence[str]) -> bool:
    """Return True if the query has a code for a word, or a value that the word is short for."""
    codes = [s.casefold() for s in said]
    return any(token.low.startswith(c) if len(c) <= _SHORT else c.startswith(token.low) for c in codes if c)
