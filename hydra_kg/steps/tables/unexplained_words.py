"""Name the words of a question that no part of a table query accounts for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import Final

import numpy as np

from hydra_kg.extract.word_classes import ASKING, BE, DO, FUNCTION, HAVE, NOUN, PREPOSITIONS, PRESENT, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import is_same_family, singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.own_graphs.relation_roles import is_form_of
from hydra_kg.steps.tables.graph_tables import NAME, View
from hydra_kg.steps.tables.operation_words import UNIT, Cue, QueryToken, is_measuring, words_after
from hydra_kg.steps.tables.question_spans import FREE, LIGHT, QueryPiece
from hydra_kg.steps.tables.span_meanings import NO_TAG
from hydra_kg.steps.tables.table_query import TableQuery
from hydra_kg.text.articles import ARTICLES

_MOSTLY: Final = 0.5
"""Share of the values of a column from which they are numbers, although the others are none."""
_COMPARED: Final = frozenset(("most", "least"))
_TIMES: Final = list_words("date_noun")
_BEGAN: Final = list_words("beginning_column")
"""Words for the beginning of things: what was published, opened or founded."""
_AUXILIARIES: Final = BE | HAVE | DO
_ALWAYS: Final = PRESENT | {"born", "died"}
"""Words that need a place although `LIGHT` or `FUNCTION` has them: a time, and what happened."""


def unplaced_words(
    view: View, words: Sequence[QueryToken], pieces: Sequence[QueryPiece], placed: Set[int] = frozenset()
) -> tuple[str, ...]:
    """Return the content words that no used piece of a query holds, in order.

    A word is content if it names a table or column of the data, if it says when, or if no list calls it light.
    ``placed``: places of words that the query accounts for without a piece.
    Example: "Which boats did Marta buy?" over a column "owner" leaves "buy". "How many tickets were sold?" over
    "tickets sold" leaves nothing: a word of a heading that is used has its place there.
    """
    again = set(_said_again(words))
    placed = (_placed(pieces) | placed) - again
    headings = {word for p in pieces if p.used for column, _ in p.tag.columns for word in column.words}
    placed |= {k for k, w in enumerate(words[:2]) if w.low in ASKING}
    rest = [(k, w) for k, w in enumerate(words) if k not in placed and not w.mark and _is_content(view, w)]
    return tuple(w.text for k, w in rest if k in again or singular(w.low) not in headings)


def _said_again(words: Sequence[QueryToken]) -> Iterator[int]:
    """Yield the places of nouns said twice, as in "the sponsor of the sponsor of Ada": a query takes one step."""
    lows = [w.low for w in words]
    for k in range(2, len(lows)):
        between = [low for low in lows[max(0, k - 2) : k] if low not in ARTICLES]
        before = k - 2 if lows[k - 1] == "of" else k - 3
        if "of" in between and before >= 0 and lows[before] == lows[k]:
            yield k


def places_of_verbs(words: Sequence[QueryToken], query: TableQuery) -> set[int]:
    """Return the places of verbs that a condition states in another form: *shipped* to France, of a ship country.

    What was *published* in 2020 is of the year 2020, if its column only says that it is a year.
    """
    met = [c for c in query.where if c.column is not None and not c.negated]
    times = (c.at for c in met if c.column and c.column.words and _TIMES.issuperset(c.column.words))
    before = ([k for k in range(at) if words[k].low not in FREE | _TIMES] for at in times)
    began = {places[-1] for places in before if places and words[places[-1]].low in _BEGAN}
    columns = (c.column for c in met if c.places is not None and c.column is not None)
    headings = {word for c in columns if c.kind in ("text", "link") for word in c.words}
    verbs = {k for k, w in enumerate(words) if not w.named and (kind(w.low) == VERB or w.low.endswith("ed"))}
    return began | {k for k in verbs if any(is_same_family(words[k].low, heading) for heading in headings)}


def is_head_unplaced(view: View, words: Sequence[QueryToken], pieces: Sequence[QueryPiece]) -> bool:
    """Return True if no piece has a word of the asked noun ("How many players"); near vectors do not count."""
    counts = any(p.cue.say == "count" for p in pieces)
    tagged = {k for p in pieces for k in range(p.start, p.end) if not (counts and p.tag.near)}
    head = {k for k in _head(words, pieces) if _is_content(view, words[k])}
    return bool(head) and not tagged & head


def mistaken_words(words: Sequence[QueryToken], pieces: Sequence[QueryPiece], query: TableQuery) -> Iterator[str]:
    """Yield words of the query that it does not answer: "In which year …?" answered by ships gives "year"."""
    asked = _asked(words, pieces)
    if asked is not None and not _is_shown(query, asked):
        yield " ".join(w.text for w in words[asked.start : asked.end])
    beyond = any(c.than for c in query.where)
    nested = any(c.inner is not None for c in query.where)
    ordered = nested or query.limit or query.do in ("max", "min") or not query.is_unordered
    if not ordered:  # who donated the most: no list of all
        said = {k for piece in pieces for k in range(piece.start, piece.end)}
        yield from (word.text for k, word in enumerate(words) if word.low in _COMPARED and k not in said)
    for piece in pieces:
        if piece.cue.say in ("each", "several") and not piece.used:
            yield " ".join(w.text for w in words[piece.start : piece.end])
        if ordered or piece.cue.say not in ("max", "min", "top", "nth", "most", "many"):
            continue
        if not beyond or any(c.at > piece.start for c in query.where):  # "the lowest price of any book in English"
            yield " ".join(w.text for w in words[piece.start : piece.end])


def passes_over_only(words: Sequence[QueryToken], pieces: Sequence[QueryPiece]) -> bool:
    """Return True if no piece has an "only" before a verb: who only *bought* tea, not everybody who bought some."""
    said = {k for piece in pieces for k in range(piece.start, piece.end)}
    only = (o.low for k, (w, o) in enumerate(pairwise(words)) if w.low == "only" and k not in said)
    return any(kind(low) == VERB or low.endswith("ed") for low in only)


def shows_asked(words: Sequence[QueryToken], pieces: Sequence[QueryPiece], query: TableQuery) -> bool:
    """Return True unless a query shows something else than the noun asked for: which *authors*, of recipes."""
    head = set(_head(words, pieces))
    asked = [p for p in pieces if p.tag is not NO_TAG and head & set(range(p.start, p.end))]
    return not asked or any(_is_shown(query, piece) for piece in asked)


def shows_another_table(words: Sequence[QueryToken], pieces: Sequence[QueryPiece], query: TableQuery) -> bool:
    """Return True if rows of a table are asked for and the listed values are others: "which trips run on Saturday"."""
    asked = _asked(words, pieces)
    is_table = asked is not None and bool(asked.tag.tables) and not asked.tag.columns
    return query.do == "list" and asked is not None and is_table and not _is_shown(query, asked)


def passes_over_a_choice(view: View, query: TableQuery, question: str) -> bool:
    """Return True if all rows are listed although a word of the question should choose some of them.

    Examples: "Which components have a vulnerability?", "Which lessons were missed?", "Which reviews mention
    beds?" as two columns.
    """
    if not query.is_unrestricted or query.do != "list":
        return False
    known = any(singular(word.casefold()) in view.graph.tokens for word in query.unplaced)
    said = split_identifier(question)
    which = said[:1] in (["which"], ["whose"]) and len(query.columns) > 1 and not {"and", "their", "with"} & {*said}
    things = all(column.kind in ("name", "link") for column in query.columns)
    return known or which or (things and bool(query.unplaced))


def needs_two_rows(view: View, query: TableQuery, question: str) -> bool:
    """Return True if a question needs two rows of a table: "Which boats are in the same harbour as Aurora?"."""
    named = {c.table for c in query.where if c.column is not None and c.column.relation == NAME and not c.negated}
    if named and {"same", "as"} <= set(split_identifier(question)):
        return True
    referring = (c for c in view.columns if c.relation != NAME and c.table in named and c.table in c.to)
    labels, words = {label for column in referring for label in column.words} - PREPOSITIONS, split_identifier(question)
    return any(is_form_of(word, label) for label in labels for word in words)


def counts_numbers(view: View, query: TableQuery) -> bool:
    """Return True if counted values are numbers of a dirty column: "How many hectares does Elm Reach have?"."""
    if query.do != "count" or not query.columns or query.columns[0].kind != "text" or query.columns[0].relation < 0:
        return False
    relation = view.graph.relations[query.columns[0].relation].there
    ends = relation.end[relation.rows(view.rows(query.columns[0].table))]
    return bool((~np.isnan(view.graph.numbers[ends])).mean() > _MOSTLY)


def names_a_column(view: View, words: Sequence[QueryToken], cue: Cue) -> bool:
    """Return True if a cue is a noun of the data: "amount of the transfers", or "letter A-9" of letters."""
    if cue.say == "like":
        return any(n[-1:] == (singular(words[cue.end - 1].low),) for t in view.tables for n in t.names)
    if cue.say == "adjacent":  # the next station, of a column "next station"
        said = {*_singulars(words[cue.start : cue.end + 1])}
        return any(words[cue.start].low in c.words and said.issuperset(c.words) for c in view.columns)
    if cue.say != "count":
        return False
    said = {singular(w.low) for w in words[cue.start : cue.end]}
    tables = {t.place for t in view.tables for n in t.names if n and n[-1] in _singulars(words[cue.end : cue.end + 2])}
    return any(len(c.words) == 1 and c.words[0] in said and c.table in tables for c in view.columns)


def _singulars(words: Sequence[QueryToken]) -> set[str]:
    return {singular(w.low) for w in words}


def _asked(words: Sequence[QueryToken], pieces: Sequence[QueryPiece]) -> QueryPiece | None:
    """Return the piece that holds the noun asked for."""
    head = set(_head(words, pieces))
    return next((p for p in reversed(pieces) if p.tag is not NO_TAG and head & set(range(p.start, p.end))), None)


def _is_shown(query: TableQuery, asked: QueryPiece) -> bool:
    """Return True if the query shows, counts or groups by the table or column that the asked noun means."""
    tag = asked.tag
    if query.do in ("avg", "median", "sum", "share"):
        return True
    columns = [*query.columns, *filter(None, (query.group, query.by))]
    tables = {table for table, _ in tag.tables}
    shown = {query.base} | {c.table for c in columns} | {t for c in columns for t in c.to}
    if tables & shown:
        return True
    named = {column for column, _ in tag.columns} | {column for column, *_ in tag.values}
    if query.do == "count" and named & {c.column for c in query.where}:
        return True  # how many members: rows whose "member" says yes
    described = {column.table for column, *_ in tag.values}  # which clerks, of a job of staff: no branches
    return bool(named & set(columns)) or (bool(described & shown) and not tables and not tag.columns)


def _placed(pieces: Sequence[QueryPiece]) -> set[int]:
    return {k for p in pieces if p.used or _is_cue(p) for k in range(p.start, p.end)}


def _is_cue(piece: QueryPiece) -> bool:
    """Return True for words that say what to do; a unit needs a column that has it."""
    return piece.sort == "cue" and piece.cue.say != UNIT


def _is_content(view: View, word: QueryToken) -> bool:
    """Return True for a word that needs a place. That headings have an "of" ("date of birth") does not make it one."""
    if word.low in PREPOSITIONS or word.low in ARTICLES:
        return False
    is_value = word.low not in _AUXILIARIES and bool(view.called(word.low))  # the status "done"
    light = word.low in FREE or word.low in LIGHT or word.low in FUNCTION
    return not light or is_value or word.low in _ALWAYS or singular(word.low) in view.spoken


def _head(words: Sequence[QueryToken], pieces: Sequence[QueryPiece]) -> Iterator[int]:
    """Yield the places of the noun phrase after "which", "what", "how many", or "what is the … of"."""
    lows = [w.low for w in words]
    begin = next((k + 1 for k, low in enumerate(lows[:3]) if low in ("which", "what")), -1)
    if begin < 0:
        begin = 2 if lows[:2] in (["how", "many"], ["how", "much"]) else -1
    if lows[:1] == ["who"] and lows[2:3] == ["been"] and kind(words_after(lows, 2)) == NOUN:
        begin = 3  # who has been chief the longest
    if begin < 0:
        return
    attribute = begin < len(lows) and lows[begin] in BE
    while begin < len(lows) and (lows[begin] in BE or lows[begin] in ARTICLES):
        begin += 1
    if lows[begin : begin + 1] == ["top"]:  # the top 5 entities by number of filings
        begin, attribute = begin + 1 + (begin + 1 < len(words) and words[begin + 1].number is not None), False
    compared = {p.start for p in pieces if p.cue.say == "compare"}
    for end in range(begin, len(lows)):
        if lows[end] in FREE or lows[end] in FUNCTION or words[end].mark:
            break
        if end > begin and words[end - 1].owner:
            break  # which order's tracking number is 3452
        if end > begin and end + 1 in compared and (is_measuring(words[end]) or kind(lows[end]) == VERB):
            break  # books that cost more than 20, members who joined before Ann
        if end > begin and lows[end].endswith("ed") and kind(lows[end]) == VERB:
            break  # how many members borrowed it
    else:
        end = len(lows)
    if not attribute or (end < len(lows) and lows[end] in ("of", "for")):
        yield from range(begin, end)
