"""Turn the pieces of a question into the cheapest query over tables of all readings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from hydra_kg.extract.word_classes import BE, DO, FUNCTION, HAVE, PREPOSITIONS, PRESENT, VERB, kind
from hydra_kg.language.morphology import is_same_family, singular
from hydra_kg.language.number_words import ordinal_number
from hydra_kg.language.units import unit_dimensions, verb_dimension
from hydra_kg.steps.queries.drafting.answer_kinds import REASON
from hydra_kg.steps.queries.drafting.comparable_columns import cues_of_equality
from hydra_kg.steps.queries.drafting.whole_query import OF_ALL, Draft
from hydra_kg.steps.schema.schema_matching import Embed
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.column_dimensions import column_dimensions
from hydra_kg.steps.tables.derived_words import (
    find_measure_tags,
    find_missed,
    of_asked_type,
    split_negations,
    with_doers,
    without_other_forms,
)
from hydra_kg.steps.tables.graph_tables import NAME, View, is_of_people
from hydra_kg.steps.tables.operation_words import (
    LATE,
    OVERRUN,
    PENDING,
    Cue,
    QueryToken,
    asks_by_word,
    asks_who,
    cues,
    cues_of_nouns,
    tokens,
    words_after,
)
from hydra_kg.steps.tables.question_spans import FREE, UNUSED, QueryPiece, Segmentation, cuts
from hydra_kg.steps.tables.rate_periods import without_rates
from hydra_kg.steps.tables.span_meanings import tags
from hydra_kg.steps.tables.table_paths import directions
from hydra_kg.steps.tables.table_query import TableQuery
from hydra_kg.steps.tables.time_columns import (
    compares_deadline,
    deadline_columns,
    find_date_tags,
    find_interval_tags,
    interval_columns,
    places_of_part,
    unclear_parts,
)
from hydra_kg.steps.tables.unexplained_words import (
    counts_numbers,
    is_head_unplaced,
    mistaken_words,
    names_a_column,
    passes_over_only,
    places_of_verbs,
    shows_another_table,
    shows_asked,
    unplaced_words,
)
from hydra_kg.text.articles import ARTICLES

_UNUSED: Final = ("empty", "vacant", "unoccupied", "unused")
"""Adjectives of things to which no row refers: a stall without a trader."""
_NEVER_USED: Final = ["never", "been", "used"]
_LYING: Final = ("hang", "stand", "keep", "store")
"""Verbs of things that are somewhere: where a painting hangs."""
_SOMEWHERE: Final = {"in", "on", "at"}
_LOCATE: Final = "locate"
"""Word of the synonyms with all places where a thing may be."""
_MATERIAL: Final = "material"
_VERB_NEAR: Final = 0.33
"""Cosine from which a verb may say what a column states: treated, doctor .41; sold, skipper .17."""


def queries(view: View, question: str, embed: Embed | None = None) -> list[TableQuery]:
    """Read a question as queries, cheapest first; queries that say the same are returned once."""
    words = _with_ordinals(view, split_negations(view, tokens(question)))
    found: list[TableQuery] = []
    marks = without_rates(view, words, [cue for cue in cues(words) if not names_a_column(view, words, cue)])
    marks = [c for c in marks if c.say not in (LATE, OVERRUN) or compares_deadline(view, words, c)]
    compared = {cue.start for cue in marks if cue.say == "compare"}
    # Classes that *last* longer than an hour are not the last ones.
    marks = [cue for cue in marks if words[cue.start].low != "last" or cue.end not in compared]
    marks += [*cues_of_nouns(words, view.spoken), *cues_of_equality(words, marks)]
    unused = [k for k, w in enumerate(words) if w.low in _UNUSED and w.low not in view.spoken]
    marks += [Cue(k, k + 1, UNUSED) for k in unused if words[k].low not in view.graph.names]
    marks += [Cue(k, k + 3, UNUSED) for k in range(len(words) - 2) if [w.low for w in words[k : k + 3]] == _NEVER_USED]
    if any(interval_columns(view, table.place) for table in view.tables):
        marks += [Cue(k, k + 1, "now") for k, word in enumerate(words) if word.low in PRESENT]
        marks += [Cue(k, k + 2, "now") for k, word in enumerate(words[:-1]) if word.low == "still"]  # still running
    if any(deadline_columns(view, table.place, ()) for table in view.tables):
        pending = (k for k, word in enumerate(words[:-1]) if word.low == "still" and words[k + 1].low in HAVE)
        marks += [Cue(k, k + 2, PENDING) for k in pending]  # who still has a book
    money = (k for k, w in enumerate(words) if w.low == "money" and k and verb_dimension(words[k - 1].low) == w.low)
    marks += [Cue(k, k + 1, "idle") for k in money if "money" not in view.spoken]  # who owes money
    lows = [w.low for w in words]
    units = [k for k in range(1, len(words)) if lows[k - 1] == "in" and unit_dimensions().get(lows[k])]
    stated = {word for column in view.columns if units for word in (*column.words, column.unit)}
    marks += [Cue(k - 1, k + 1, "idle") for k in units if singular(lows[k]) in stated]  # the total in minutes
    lying = [k for k, w in enumerate(words) if any(is_same_family(w.low, verb) for verb in _LYING)]
    somewhere = [k for k in lying if words[0].low == "where" or words_after(lows, k) in _SOMEWHERE]
    marks += [Cue(k, k + 1, "idle") for k in somewhere if words[k].low not in view.spoken]
    place = _LOCATE if _asks_where_it_is(view, words, lying) else words[0].low
    said = [replace(words[0], low=REASON if place == "why" else place), *words[1:]]
    for k, (one, other) in enumerate(pairwise(words)):
        if one.low == "made" and other.low == "of":
            said[k] = replace(one, low=_MATERIAL)  # what it is made of: not its maker
    found_tags = [*of_asked_type(view, words, [*without_other_forms(view, words, tags(view, said, embed))])]
    found_tags += [*find_interval_tags(view, words), *find_date_tags(view, words), *find_missed(view, words)]
    found_tags += find_measure_tags(view, words)
    every = cuts(words, with_doers(view, words, found_tags), marks)
    for cut in every:
        if cut.cost > every[0].cost + costs.SLACK:
            break
        first = next((p for p in cut.pieces if p.sort == "table" and not _denied(cut, p)), None)
        for base in _bases(view, words, cut):
            pieces = _fresh(cut.pieces)
            query = Draft(view, words, pieces, base).query()
            if query is None or is_head_unplaced(view, words, pieces) or passes_over_only(words, pieces):
                continue
            denied = any(p.cue.say == "not" for p in pieces)  # which pieces have no year: not all of them
            if (denied and query.is_unrestricted) or _is_everything_similar(query, pieces):
                continue
            if not (shows_another_table(words, pieces, query) or counts_numbers(view, query)):
                mistaken = mistaken_words(words, pieces, query)
                verbs = places_of_verbs(words, query)
                query.placed.update(places_of_part(words, query) | verbs)
                verbs -= {k for p in pieces for k in range(p.start, p.end)}
                query.cost -= (costs.SKIP_VERB - costs.SKIP_LIGHT) * len(verbs)  # they are stated, not passed over
                query.cost += 0.0 if shows_asked(words, pieces, query) else costs.UNLIKE_ASKED
                unplaced = (*unplaced_words(view, words, pieces, query.placed), *mistaken, *unclear_parts(view, query))
                query.unplaced = tuple(dict.fromkeys(unplaced))
                if _is_unlike_its_verb(view, words, query, base, pieces, embed):
                    continue
                query.cost += cut.cost + costs.UNUSED_COLUMN * sum(w.casefold() in FREE for w in query.unplaced)
                if first is not None and base not in {t for t, _ in first.tag.tables}:
                    query.cost += costs.LATER
                happened = asks_who(words) and view.has_events(base)  # who stayed in room 301
                query.cost += costs.BASE_VERB if _by_verb(words, cut, base) and not happened else 0.0
                query.structure = query.cost - cut.cost
                found.append(query)
    distinct: dict[str, TableQuery] = {}
    for query in sorted(found, key=lambda q: q.cost):
        if len(distinct) == costs.QUERIES:
            break
        distinct.setdefault(_meaning(query), query)
    return list(distinct.values())


def _meaning(query: TableQuery) -> str:
    """Return what a query says, whichever words of the question say it: all but its costs and the places of words."""
    apart = replace(query, cost=0.0, structure=0.0, placed=set(), prefer=dict.fromkeys(query.prefer, 0.0), notes=[])
    return repr(apart)


def _asks_where_it_is(view: View, words: Sequence[QueryToken], lying: Sequence[int]) -> bool:
    """Return True if a question asks where a thing is or hangs, not where something happened to it, such as a birth."""
    measured = {word for column in view.columns if column.kind in ("number", "date") for word in column.words}
    rest = [w for k, w in enumerate(words) if k and k not in lying and not (w.named or w.mark)]
    known = all(singular(w.low) in view.graph.tokens or w.low in FREE | FUNCTION for w in rest)
    return words[0].low == "where" and known and measured.isdisjoint(w.low for w in rest)


def _with_ordinals(view: View, words: list[QueryToken]) -> list[QueryToken]:
    """Return words with the number of an ordinal before a column of numbers: on the *second* floor."""
    numbers = {column.words for column in view.columns if column.kind == "number"}
    found = list(words)
    for k, word in enumerate(words[2:-1], 2):
        place = ordinal_number(word.low) if words[k - 2].low in PREPOSITIONS else 0
        if place and (singular(words[k + 1].low),) in numbers:
            found[k] = replace(word, number=float(place))
    return found


def _is_everything_similar(query: TableQuery, pieces: Sequence[QueryPiece]) -> bool:
    """Return True if all rows are shown or counted because a word is only near to what they are called.

    "Who is an oncologist?" does not ask for all doctors: such a word often says which of them.
    """
    if not query.is_unrestricted or any(c.kind not in ("link", "name") for c in query.columns):
        return False
    tags_ = [p.tag for p in pieces if p.used and p.sort in ("table", "column")]
    costs_ = [min(cost for _, cost in (*tag.tables, *tag.columns)) for tag in tags_ if tag.tables or tag.columns]
    return bool(costs_) and min(costs_) >= costs.SIMILAR_COLUMN


def _is_unlike_its_verb(
    view: View,
    words: Sequence[QueryToken],
    query: TableQuery,
    base: int,
    pieces: Sequence[QueryPiece],
    embed: Embed | None,
) -> bool:
    """Return True if the column of an event that "who" or "where" asks for is not near to the verb, which nothing says.

    Who treated a patient is the doctor of a visit. Who sold a boat is not the skipper of a race.
    """
    rows = asks_who(words) and query.do == "list" and not query.columns and query.is_unordered
    placed = {k for p in pieces if p.used for k in range(p.start, p.end)}
    events = any(c.table != base and view.has_events(c.table) for c in query.where)
    named = {t for p in pieces if p.used and p.sort == "table" for t, _ in p.tag.tables}
    light = OF_ALL if named & {c.table for c in query.where} else frozenset()  # who took a lesson: those of the lessons
    verbs = [w for k, w in enumerate(words) if k not in placed and not w.named and kind(w.low) == VERB]
    if rows and events and any(w.low not in light for w in verbs):
        return True  # who won the Sprint: not everybody whom a race refers to
    if rows and query.unplaced and any(is_of_people(c.words) for c in view.columns):
        # who is married to Wim: not the machines that he drives; who approved HX-6: nobody that it refers to
        return base not in view.people or any(c.table != base for c in query.where)
    guessed = query.by_verb or view.has_events(base)
    if not (asks_by_word(words) and query.unplaced and query.columns and guessed):
        return False
    if any(c.table == base and c.column is not None and c.column.kind == "number" for c in query.where):
        return False  # who gave it two stars: an amount of the event says which it is
    pair = next((pair for pair in directions(view, base) if query.columns[0] in pair), None)
    if pair is not None and BE.isdisjoint(w.low for w in words) and {*pair} & {c.column for c in query.where}:
        return False  # who wrote to Ada, of letters with a sender and a recipient
    if embed is None:
        return True
    column, *said = embed([query.columns[0].text, *query.unplaced])
    return max(float(column @ verb) for verb in said) < _VERB_NEAR


def _denied(cut: Segmentation, piece: QueryPiece) -> bool:
    """Return True if a denial or a comparison directly precedes a piece."""
    place = cut.pieces.index(piece)
    before = cut.pieces[place - 1] if place else None
    return before is not None and before.cue.say in ("not", "compare", "many", "each")


def _by_verb(words: Sequence[QueryToken], cut: Segmentation, base: int) -> bool:
    """Return True if only a verb says a table, and a noun another one: which *team* played, of teams and players."""
    named = [p for p in cut.pieces if p.sort == "table"]
    verbs = [p for p in named if p.end == p.start + 1 and kind(words[p.start].low) == VERB and not _is_noun(words, p)]
    mine = [p for p in named if base in {t for t, _ in p.tag.tables}]
    return bool(mine) and all(p in verbs for p in mine) and len(verbs) < len(named)


def _is_noun(words: Sequence[QueryToken], piece: QueryPiece) -> bool:
    """Return True for a word that is also a verb, after an article, "of" or "many": "the number of *works*"."""
    return piece.start > 0 and (words[piece.start - 1].low in ARTICLES or words[piece.start - 1].low in ("of", "many"))


def _fresh(pieces: Sequence[QueryPiece]) -> list[QueryPiece]:
    return [replace(p, used=False) for p in pieces]


def _bases(view: View, words: Sequence[QueryToken], cut: Segmentation) -> Iterator[int]:
    """Yield the tables that the question may be about: those that it names, else those of its columns and values.

    "Who" and "where" may also be about events that refer to what is named: visits of a patient.
    """
    named = [t for p in cut.pieces if p.sort == "table" for t, _ in p.tag.tables]
    containing = [c.table for p in cut.pieces if p.sort == "column" for c, _ in p.tag.columns[:8]]
    containing += [c.table for p in cut.pieces if p.sort == "value" for c, *_ in p.tag.values[:8]]
    named_values = [c for p in cut.pieces if p.sort == "value" for c, *_ in p.tag.values[:8]]
    things = {c.table for c in named_values if c.relation == NAME}
    if not named and asks_by_word(words):
        referring = [c.table for c in view.columns if c.kind == "link" and things & set(c.to)]
        containing += [table for table in referring if view.has_events(table)]
    if any(w.low in ("from", "to") for w in words):  # which branches deliver to Elm, of runs from branch to branch
        pairs = [pair for table in view.tables for pair in directions(view, table.place)]
        ends = {*named} | (things if words[0].low in DO | HAVE else set())  # did Clara write to Elise
        containing += [one.table for one, _ in pairs if ends & {*one.to}]
    if not named and any(verb_dimension(w.low) == "money" for w in words):  # who paid the most, of rows with fees
        containing += [c.table for c in view.columns if "money" in column_dimensions(c)]
    containing += sorted(view.people) if asks_who(words) or words[0].low == "whose" else []
    yield from dict.fromkeys([*named, *containing])


__all__ = ["QueryToken", "queries"]
