"""Check whether answers are of the kind that a question word asks for, and say more than the question does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from hydra_kg.domain import Evidence
from hydra_kg.extract.word_classes import BE, DO, NOUN, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import is_same_family, singular
from hydra_kg.language.number_words import cardinal_number
from hydra_kg.language.tokens import split_identifier
from hydra_kg.language.units import unit_dimensions, verb_dimension
from hydra_kg.steps.queries.drafting.implied_amounts import TOTALS, states_stuff
from hydra_kg.steps.queries.drafting.row_conditions import STATED
from hydra_kg.steps.retrieval.entity_types import WHO, kinds_named
from hydra_kg.steps.tables.column_dimensions import column_dimensions
from hydra_kg.steps.tables.graph_tables import NAME, ClassTable, Column, View, is_of_people
from hydra_kg.steps.tables.operation_words import QueryToken, asks_who, is_object
from hydra_kg.steps.tables.span_meanings import KEY_WORDS, same
from hydra_kg.steps.tables.table_query import TableQuery
from hydra_kg.text.folding import fold, tokens

_YEAR: Final = re.compile(r"^(?:in )?(?:which|what) years?\b")
_WHO: Final = re.compile(r"^(?:(?:by|to|for|with|from) )?(?:who|whom|whose)\b")
_MANY: Final = ("how many ", "how much ")
_MEASURED: Final = re.compile(r"^how (?:old|long|tall|high|heavy|far|deep|wide|big|large|fast|hot|cold|expensive)\b")
_TIMES: Final = list_words("date_noun") | {"time", "period", "when"}
REASON: Final = "reason"
"""What "why" asks for."""
_LOOKED_AT: Final = 50
"""Values of a column that are looked at."""


def fits_question(view: View, words: Sequence[QueryToken], query: TableQuery) -> bool:
    """Return True if what is shown can answer "who", "when", "where", "which year" or "how many"."""
    said = " ".join(w.low for w in words if not w.mark)
    if [w.low for w in words[:2]] == ["how", "much"] and not _is_amount(words, query):
        return False
    if query.overrun is not None:
        return not _WHO.match(said)
    counted = query.do != "list" or query.group is not None
    if query.counts_groups:
        return not _WHO.match(said)
    if said.startswith("how many ") and query.columns and "money" in column_dimensions(query.columns[0]):
        return any(unit_dimensions().get(w.low) == "money" for w in words)  # how many units: not their price
    if _counts_named_things(view, query):
        return False
    if query.do == "list" and query.group is not None and query.group.kind in ("date", "number") and _WHO.match(said):
        return False  # who borrowed the most books: not the day on which most were borrowed
    if counted:
        return query.do == "list" or query.group is not None or not _WHO.match(said)  # no number is somebody
    shown = query.columns[0] if query.columns else view.name_of(query.base)
    measured = shown.kind in ("number", "date")
    rows = view.tables[shown.table]
    called = shown.relation == NAME and (rows.numbered or rows.nameless)
    if said.startswith("whose ") and not _can_own(view, shown):
        return False
    if _WHO.match(said) and not said.startswith("whose"):
        if shown.relation == NAME and shown.table not in view.people and _refers_to_people(view, shown.table):
            return False  # who logged the most hours: no row of the log
        if _denies_some_rows(view, shown, query):
            return False
        objects = [k for k, w in enumerate(words) if _names_rows(view, shown, w)]
        if view.people and shown.table not in view.people:
            objects += [c.at for c in query.where if c.at >= 0 and c.table == shown.table and not c.missing]
        if any(is_object(words, k) for k in objects):
            return False  # who returned a tool: none of the tools
        others = bool(view.people_of(shown.table)) and shown.kind == "text" and not view.has_names(shown)
        coded = others or (shown.kind == "text" and KEY_WORDS & set(shown.words))
        job = words[1].low not in BE and shown.table in view.people and _is_common_noun(view, shown)  # who works here
        truth = shown in view.so and not view.has_names(shown)  # whether it was won, not who won it
        return not (called or measured or coded or job or truth or _is_of_other_kind(view, shown))
    if _YEAR.match(said):
        return _is_time(view, shown)
    if _MEASURED.match(said):
        own = " been " not in said or shown.table == query.base  # how long somebody has been a member: no other row
        return measured and own and len(query.columns) < 2 and (shown.kind == "number" or query.aged)  # not a day
    if said.startswith("why "):
        return any(same(REASON, word) < 1 for word in shown.words)
    if said.startswith("when "):
        return measured or bool(_TIMES & set(shown.words))
    if said.startswith("where "):
        people = view.people & set(_tables_of(shown)) or is_of_people(shown.words)
        return not (measured or called or people or _is_common_noun(view, shown))
    if said.startswith("what ") and said.endswith(" for"):
        return not measured  # what did Ola pay for: not how much
    if words[0].low == "what" and words[1].low in DO and shown.kind == "date":
        return False  # what did she deliver: not when
    return shown.kind not in ("name", "link") if said.startswith(_MANY) else True


def _counts_named_things(view: View, query: TableQuery) -> bool:
    """Return True if a query counts the things that the question names: of A and B, there are two."""
    if query.do != "count" or query.columns or query.group is not None or not query.where:
        return False
    if any(c.column is None or c.column.relation != NAME or c.table != query.base or c.negated for c in query.where):
        return False
    places = {p for c in query.where if c.places is not None for p in c.places.tolist()}
    return len({view.graph.name(p) for p in places}) > 1


def _denies_some_rows(view: View, shown: Column, query: TableQuery) -> bool:
    """Return True if "who did not …" is answered by the people of all other rows, although people have several rows.

    The people of sales of other plants may have bought a fern too. A column of yes and no is stated for each row.
    """
    denied = any(c.negated and c.column and not c.missing and c.column not in view.so for c in query.where)
    if not denied or shown not in view.people_of(shown.table):
        return False
    ends = view.graph.relations[shown.relation].there.end
    return len(np.unique(ends)) < len(ends)


def doubt_of_meaning(view: View, words: Sequence[QueryToken], query: TableQuery) -> str:
    """Return what a question leaves unclear, or "": which person of an event "who" means, or what is counted.

    Example: "Who has not paid?" of lessons with a learner and a teacher.
    """
    own = [name for names in view.tables[query.base].names for name in names]
    if not asks_who(words) or query.base not in view.people or _says_any(words, own):
        return _doubt_of_count(view, query)
    conditions = [c.column for c in query.where if c.column is not None]
    given = {c.table for c in conditions if c.relation == NAME}
    used = {c.table for c in query.where} | {query.by_count} | ({query.by.table} if query.by is not None else set())
    for table in sorted(used - {query.base, -1}):
        links = [c for c in view.of_table(table) if c.kind == "link" and view.people & set(c.to)]
        links = [c for c in links if c not in conditions and not given & set(c.to)]
        if len(links) > 1 and not _says_any(words, [word for c in links for word in c.words]):
            return f"whether {links[0].text} or {links[1].text} is meant"
    return ""


def _doubt_of_count(view: View, query: TableQuery) -> str:
    """Return the doubt whether kinds or pieces are counted, or "": the plants of sales with a quantity each."""
    referring = {join.end for join in view.joins.get(query.base, ()) if not join.forward}
    shown = [c for c in (query.group, *query.columns) if c is not None]
    if not (query.do == "count" and not shown) and query.by_count != query.base:
        return ""
    chosen = {c.table for c in query.where if c.column is not None and not c.negated}
    tables = (chosen | {c.table for c in shown}) & referring
    amounts = [c for c in view.columns if c.table in tables and c.kind == "number" and STATED.issuperset(c.words)]
    return f"whether {view.tables[query.base].text} or {amounts[0].text} is meant" if len(amounts) == 1 else ""


def _says_any(words: Sequence[QueryToken], names: Sequence[str]) -> bool:
    """Return True if a question says one of some words, or another word of its family: *taught*, of a teacher."""
    return any(same(w.low, name) < 1 or is_same_family(w.low, name) for w in words for name in names)


def _refers_to_people(view: View, table: int) -> bool:
    """Return True if the rows of a table are events that refer to people."""
    return view.has_events(table) and any(view.people & set(c.to) for c in view.of_table(table))


def _can_own(view: View, shown: Column) -> bool:
    """Return True if what is shown can have something: people or groups, or anything where no table is of people."""
    tables = _tables_of(shown)
    if shown.kind in ("number", "date") or shown in view.so:
        return False
    return not view.people or not tables or bool(view.people & set(tables))


def _is_of_other_kind(view: View, shown: Column) -> bool:
    """Return True if what is shown is of a kind that no "who" asks for, and another table is of people: films."""
    names = [" ".join(name) for table in _tables_of(shown) for name in view.tables[table].names]
    kinds = [kinds_named(name) for name in names]
    other = bool(kinds) and all(kind and not kind & WHO for kind in kinds)
    return other and bool(view.people)


def _names_rows(view: View, shown: Column, word: QueryToken) -> bool:
    """Return True if a word is the noun of the rows that a column shows."""
    return any(name[-1:] == (singular(word.low),) for t in _tables_of(shown) for name in view.tables[t].names)


def _tables_of(shown: Column) -> tuple[int, ...]:
    """Return the tables whose rows a column shows; none if it shows values."""
    return shown.to if shown.kind == "link" else (shown.table,) if shown.relation == NAME else ()


def passes_over_a_top(words: Sequence[QueryToken], query: TableQuery, size: int) -> bool:
    """Return True if all of more rows are given than a limit asks for, or one number computed over all rows.

    Neither 830 orders nor the number 89 are "the top 5 customers". ``size``: number of answers.
    """
    if query.do == "list" and query.limit and query.is_unordered:
        return size > query.limit
    if query.do == "list" or query.group is not None:
        return False
    sizes = (other.low for one, other in pairwise(words) if one.low == "top")
    asked = any((low.isdecimal() or cardinal_number(low)) and low not in ("1", "one") for low in sizes)
    chosen = (query.limit and query.by is not None) or any("top" in c.text.casefold() for c in query.where)
    return asked and not (chosen or any(c.inner is not None for c in query.where))


def _is_amount(words: Sequence[QueryToken], query: TableQuery) -> bool:
    """Return True if what "how much" is answered with is called by a word of the question, or is an amount of money.

    "How much alcohol" asks for no money.
    """
    said = {*(w.low for w in words), *(("money",) if kind(words[2].low) != NOUN else ())}
    columns = [*query.columns, *filter(None, (query.by,))]
    last = next(w for w in reversed(words) if not w.mark)  # how much a keg costs: not how many kegs
    paid = any("money" in column_dimensions(c) or TOTALS & set(c.words) for c in columns)
    if verb_dimension(last.low) == "money" and columns and not paid:
        return False
    called = any(same(word, other) < 1 for c in columns for other in c.words for word in said)
    return called or not columns or any(TOTALS & set(c.words) or states_stuff(query, c) for c in columns)


def _is_common_noun(view: View, shown: Column) -> bool:
    """Return True if a text column has common nouns and is not called like a place: what a trader sells."""
    if shown.kind != "text" or shown.relation < 0 or any(same("locate", word) < 1 for word in shown.words):
        return False
    ends = np.unique(view.graph.relations[shown.relation].there.end)[:_LOOKED_AT].tolist()
    return all(view.graph.name(end).replace(" ", "").isalpha() and view.graph.name(end).islower() for end in ends)


def _is_time(view: View, column: Column) -> bool:
    if column.kind == "date" or _TIMES & set(column.words):
        return True
    return column.relation != NAME and column.kind == "number" and view.has_years(column)


def echoes(view: View, query: TableQuery, values: Sequence[int]) -> bool:
    """Return True if the question itself names all answers."""
    if query.do != "list" or query.by is not None or query.by_count >= 0 or query.group is not None or query.aged:
        return False
    places = {p for c in query.where if c.places is not None and not c.negated for p in c.places.tolist()}
    named = {fold(view.graph.name(p)) for p in places}
    return bool(values) and all(fold(view.graph.name(v)) in named for v in values)


def asked_tables(view: View, question: str) -> list[ClassTable]:
    """Return the tables that the first noun of a question calls by name, [] if no word is one."""
    words = map(singular, tokens(question))
    named = ([t for t in view.tables if any(n[-1:] == (word,) for n in t.names)] for word in words)
    return next(filter(None, named), [])


def lacks_own_value(view: View, question: str, evidence: Sequence[Evidence]) -> str:
    """Return what no thing asked for has, if paths find it elsewhere; "" if they do not.

    "Which employees are from Norway?", with a country of each employee, does not ask for those with an order whose
    ship country it is. A verb may name the other thing: which singers performed in Norway.
    """
    said, asked = {singular(word) for word in tokens(question)}, asked_tables(view, question)
    if not (asked and evidence and evidence[0].path.hops) or any(kind(w) == VERB and w not in BE for w in said):
        return ""
    found = evidence[0].path.hops[-1]
    place = view.graph.place_of(found.subject.id)
    others = [t for t in view.tables if place is not None and view.within[t.place][place]]
    if not others or any(t in asked or any(name[-1] in said for name in t.names) for t in others):
        return ""
    words = tuple(split_identifier(found.text))
    own = ((t, c) for t in asked for c in view.of_table(t.place) if c.relation >= 0 and said.isdisjoint(c.words))
    lacking = (f"no {t.text} has the {c.text} {found.object.name}" for t, c in own if c.words == words[-len(c.words) :])
    return next(lacking, "")
