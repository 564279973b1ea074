"""Describe candidates by named features that no data set has a part in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from bench.training.reading_candidates import Candidate, Proposal, SchemaDetail
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.word_classes import NAME, NOUN, NUMBER, VERB, kind
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import split_identifier
from hydra_kg.steps.operators.results.executed_plan import Executed
from hydra_kg.steps.own_graphs import costs as schema_costs
from hydra_kg.steps.queries.drafting.answer_kinds import echoes, fits_question
from hydra_kg.steps.queries.table_execution import TableReading
from hydra_kg.steps.retrieval.entity_types import kinds_named
from hydra_kg.steps.schema.answer_class import counts_by_name, is_from_a_neighbour, is_only_named
from hydra_kg.steps.schema.partial_readings import State, is_guessed
from hydra_kg.steps.schema.question_words import asked, is_measured
from hydra_kg.steps.tables.operation_words import tokens
from hydra_kg.steps.tables.question_spans import FREE
from hydra_kg.steps.tables.unexplained_words import needs_two_rows, passes_over_a_choice
from hydra_kg.text.folding import fold

READERS: Final = ("tables", "schema", "cell", "sheet", "plan", "denial", "fact", "composed")
_TIME: Final = re.compile(r"\b(?:1\d|20|21)\d\d\b|\b\d{1,2}:\d\d\b")
_NUMBER: Final = re.compile(r"[-+]?[\d.,:/ %$€£]+")
_COMPUTED: Final = list_words("mean total share") | {"per", "each", "either"}
_COMPARING: Final = list_words("compared_by")
_ASKING: Final = ("who", "whom", "whose", "where", "when", "which", "what", "how")
_WHO: Final = frozenset(("person", "character", "group", "office", "profession"))
_WHERE: Final = frozenset("country region city continent river lake sea mountain desert island building planet".split())
_LIMIT: Final = 1.5
"""Cost beyond which readings count as equally far-fetched."""


def question_kind(question: str) -> str:
    """Return what a question asks for: who, where, when, year, many, much, measured, which, what, list or other."""
    lows = [w.low for w in tokens(question) if not w.mark]
    first = next((k for k, low in enumerate(lows[:4]) if low in _ASKING), -1)
    if first < 0:
        return "list" if lows[:1] and kind(lows[0]) in (VERB, NOUN) else "other"
    low, after = lows[first], lows[first + 1 : first + 2]
    if low == "how":
        if after in (["many"], ["much"]):
            return after[0]
        return "measured" if after and is_measured(after[0]) else "how"
    if low in ("which", "what") and after in (["year"], ["years"], ["date"], ["month"], ["day"]):
        return "year"
    return {"whom": "who"}.get(low, low)


def answer_kind(names: Sequence[str]) -> str:
    """Return what most answers are: truth, number, time or text."""
    some = [str(n).casefold() for n in names[:20]]
    if some and all(n in ("yes", "no", "true", "false") for n in some):
        return "truth"
    numbers = sum(bool(_NUMBER.fullmatch(n)) for n in some)
    times = sum(bool(_TIME.search(n)) and len(n) <= 25 and bool(re.match(r"[\d\-:T/ .a-z]+$", n)) for n in some)
    if times > 0.5 * len(some):
        return "time"
    return "number" if numbers > 0.5 * len(some) else "text"


def describe(
    candidates: Sequence[Candidate], graph: OwnGraph, question: str, *, unknown: bool = False
) -> list[dict[str, float]]:
    """Return the features of each candidate by name."""
    shared = dict(_shared(graph, question, unknown=unknown))
    least = {r: min((c.by[r].cost for c in candidates if r in c.by), default=9.0) for r in READERS}
    firsts = {r: next((c for c in candidates if c.ranks.get(r) == 0), None) for r in READERS}
    return [
        {
            "bias": 1.0,
            **shared,
            **dict(_agreement(one, candidates, firsts)),
            **dict(_result(one, question, graph)),
            **dict(_kind(one, question, graph)),
            **{k: v for r, p in one.by.items() for k, v in _reader(r, p, one, least[r], question)},
        }
        for one in candidates
    ]


def _shared(graph: OwnGraph, question: str, *, unknown: bool) -> Iterator[tuple[str, float]]:
    yield "store tabular", float(graph.tabular)
    yield "store typed", float(graph.typed)
    yield "store classes", math.log1p(len(graph.classes)) / 4
    yield "question unknown name", float(unknown)
    yield "question length", min(30, len(question.split())) / 30
    yield f"asks {question_kind(question)}", 1.0


def _agreement(
    one: Candidate, every: Sequence[Candidate], firsts: dict[str, Candidate | None]
) -> Iterator[tuple[str, float]]:
    yield "readers", len(one.by) / 3
    yield "readers first", sum(firsts[r] is one for r in READERS) / 3
    for reader in READERS:
        first = firsts[reader]
        yield f"{reader} has", float(reader in one.by)
        yield f"{reader} first", float(first is one)
        yield f"{reader} elsewhere", float(first is not None and first is not one)
    if firsts["tables"] is one and firsts["schema"] is one:
        yield "tables and schema first", 1.0
    if (firsts["tables"] is one and firsts["plan"] is one) or (firsts["schema"] is one and firsts["plan"] is one):
        yield "plan agrees", 1.0
    yield "candidates", min(20, len(every)) / 20


def _result(one: Candidate, question: str, graph: OwnGraph) -> Iterator[tuple[str, float]]:
    asks, is_ = question_kind(question), answer_kind(one.names)
    yield f"{asks} → {is_}", 1.0
    yield "size", math.log1p(one.size) / 6
    yield "one answer", float(one.size == 1)
    yield "many answers", float(one.size > 20)
    low = fold(question)
    said = [fold(n) in low for n in one.names[:20] if len(n) > 2]
    choice = " or " in low
    yield "names the question", float(bool(said) and all(said) and not choice)
    yield "chooses between named", float(bool(said) and all(said) and choice)
    words = [w.low for w in tokens(question) if not w.mark]
    superlative = any((w.endswith("est") and len(w) > 4) or w in ("most", "least", "first", "last") for w in words)
    yield "superlative, several", float(superlative and one.size > 1)
    yield "superlative, one", float(superlative and one.size == 1)
    head = next((words[k + 1] for k, w in enumerate(words[:-1]) if w in ("which", "what")), "")
    is_plural = head != "" and singular(head) != head
    if head and kind(head) == NOUN:
        yield "plural head, one", float(is_plural and one.size == 1)
        yield "singular head, several", float(not is_plural and one.size > 1)
    zero = one.names[:1] == ("0",)
    yield "zero", float(zero)
    yield "small number", float(is_ == "number" and one.names[0] in ("1", "2"))


def _kind(one: Candidate, question: str, graph: OwnGraph) -> Iterator[tuple[str, float]]:
    """Yield whether the answers are of the class or kind that the question asks for, as far as that is known."""
    proposal = next((p for p in one.by.values() if p.places or p.label), None)
    parsed = asked(question)
    head = next((w for w in parsed.words if 1 << w.bit == parsed.head), None)
    if proposal is None or parsed.want != "things":
        return
    mine = [m for n, m in graph.classes.items() if head is not None and singular_words(n)[-1:] == [singular(head.low)]]
    some = np.array([p for p in proposal.places[:20] if p < len(graph.ids)], np.int64)
    if mine and proposal.places:
        share = float(np.isin(some, np.concatenate(mine)).sum()) / min(20, len(proposal.places))
        yield "of asked class", share
        yield "of other class", 1 - share
        yield "literal for class", float(not len(some))
    classes = [n for n, m in graph.classes.items() if len(some) and np.isin(some[:3], m).all()]
    said = question_kind(question)
    wanted = kinds_named(head.low) if head is not None else frozenset()
    wanted = wanted or {"who": _WHO, "where": _WHERE}.get(said, frozenset())
    given = frozenset().union(*(kinds_named(" ".join(singular_words(n))) for n in [*classes, proposal.label] if n))
    if wanted and given:
        yield "kind agrees", float(bool(wanted & given))
        yield "kind differs", float(not wanted & given)
        yield f"{said} kind {'agrees' if wanted & given else 'differs'}", 1.0
    if head is not None and proposal.label:
        yield "label is head", float(singular(head.low) in singular_words(proposal.label))
    elif head is not None:
        yield "no label", 1.0


def singular_words(text: str) -> list[str]:
    """Return the words of an identifier in the singular."""
    return [singular(w.casefold()) for w in split_identifier(text)]


def _reader(
    reader: str, one: Proposal, candidate: Candidate, least: float, question: str
) -> Iterator[tuple[str, float]]:
    cost = min(_LIMIT, one.cost)
    yield f"{reader} cost", cost
    yield f"{reader} cost over .15", max(0.0, cost - 0.15)
    yield f"{reader} cost over .4", max(0.0, cost - 0.4)
    yield f"{reader} behind", min(1.0, one.cost - least)
    yield f"{reader} close behind", float(0 < one.cost - least < 0.05)
    yield f"{reader} rank", min(6, candidate.ranks[reader]) / 6
    if isinstance(one.detail, TableReading):
        yield from _of_table(reader, one.detail, question)
    elif isinstance(one.detail, SchemaDetail):
        yield from _of_schema(one.detail)
    elif isinstance(one.detail, Executed):
        yield "plan doubts", float(bool(one.detail.in_doubt))
        yield "plan unmet", float(bool(one.detail.unmet))
        yield "plan steps", min(6, len(one.detail.steps)) / 6
    elif isinstance(one.detail, tuple):
        ranked = one.detail[1]
        yield "sheet head placed", float(ranked.is_head_placed)
        yield "sheet unplaced", min(4, len(ranked.unplaced)) / 4
        yield f"sheet result {ranked.form.result}", 1.0


def _unsaid(words: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield how many unexplained words are names, numbers, nouns, verbs or others."""
    counts = {"name": 0, "number": 0, "noun": 0, "verb": 0, "light": 0, "other": 0}
    for word in words:
        low = word.casefold()
        sort = kind(word)
        which = {NAME: "name", NUMBER: "number", NOUN: "noun", VERB: "verb"}.get(sort, "other")
        if low in FREE and which in ("noun", "verb", "other"):
            which = "light"
        counts[which] += 1
    for which, count in counts.items():
        yield which, min(3, count) / 3


def _of_table(reader: str, one: TableReading, question: str) -> Iterator[tuple[str, float]]:
    query, result, view = one.query, one.result, one.view
    for which, count in _unsaid(query.unplaced):
        yield f"tables unexplained {which}", count
    yield "tables nothing unexplained", float(not query.unplaced)
    yield f"tables do {query.do}", 1.0
    yield "tables conditions", min(4, len(query.where)) / 4
    yield "tables denied", float(any(c.negated for c in query.where))
    yield "tables grouped", float(query.group is not None)
    yield "tables ordered", float(query.by is not None or query.by_count >= 0)
    yield "tables limited", float(query.limit > 0)
    yield "tables columns", min(3, len(query.columns)) / 3
    yield "tables unrestricted", float(query.is_unrestricted)
    yield "tables does not fit", float(not fits_question(view, tokens(question), query))
    yield "tables passes over", float(passes_over_a_choice(view, query, question))
    yield "tables two rows", float(needs_two_rows(view, query, question))
    yield "tables echoes", float(echoes(view, query, result.values))
    yield "tables ties", float(query.limit == 1 and len(set(result.values)) > 1)
    rows = max(1, len(view.rows(query.base)))
    yield "tables missing", min(1.0, result.missing / rows)
    yield "tables share of rows", min(1.0, len(result.rows) / rows)
    joined = {c.table for c in query.where} | {c.table for c in query.columns}
    yield "tables joined", min(3, len(joined - {query.base})) / 3
    shown = query.columns[0] if query.columns else view.name_of(query.base)
    yield f"tables shows {shown.kind}", 1.0
    head = [w.low for w in tokens(question)]
    yield "tables words shared", _shared_words(head, shown.words)
    yield "tables base said", _shared_words(head, [w for n in view.tables[query.base].names for w in n])


def _shared_words(said: Sequence[str], words: Sequence[str]) -> float:
    known = {singular(w) for w in said}
    return sum(w in known for w in words) / len(words) if words else 0.0


def _of_schema(one: SchemaDetail) -> Iterator[tuple[str, float]]:
    question, reading, graph = one.question, one.reading, one.graph
    state = reading.state
    left = [w for w in question.words if reading.left >> w.bit & 1]
    for which, count in _unsaid([w.text if w.bit else w.low for w in left if w.cost > schema_costs.LIGHT_WORD]):
        yield f"schema unexplained {which}", count
    yield "schema nothing unexplained", float(not left)
    yield "schema left cost", min(1.5, sum(one.matched.costs[w.bit] for w in left))
    yield "schema head left", float(bool(question.head & reading.left))
    yield "schema head here", float(bool(question.head & state.here))
    yield "schema guessed", float(is_guessed(state))
    unsaid = reading.left & sum(1 << w.bit for w in question.words if not w.stop and w.cost > schema_costs.LIGHT_WORD)
    yield "schema only named", float(is_only_named(question, state, unsaid))
    yield "schema counts by name", float(counts_by_name(question, state))
    yield "schema from a neighbour", float(is_from_a_neighbour(graph, state))
    yield "schema denies", float(question.denies)
    lows = {w.low for w in question.words}
    compared = sum({c.mask for c in question.compared})
    yield "schema computed word", float(bool(lows & _COMPUTED))
    yield "schema comparing word", float(any(w.low in _COMPARING and not compared >> w.bit & 1 for w in question.words))
    yield "schema depth", state.depth / 7
    yield "schema superlative", float(bool(reading.by))
    yield f"schema wants {question.want}", 1.0
    yield "schema exhausted", float(one.work.exhausted)
    kinds = [c.nodes for c in one.matched.classes if c.mask == question.head and c.cost <= schema_costs.CLASS_NAME]
    if kinds and question.want == "things":
        every = np.unique(np.concatenate(kinds))
        share = float(np.isin(reading.nodes[:50], every).mean()) if len(reading.nodes) else 0.0
        yield "schema of asked class", share
        yield "schema of other class", 1 - share
    for name, value in _shape(state):
        yield f"schema {name}", value


def _shape(state: State) -> Iterator[tuple[str, float]]:
    """Yield how many relations a reading follows, and how many of them no word asks for."""
    steps = unsaid = joins = closed = 0
    todo = [state]
    while todo:
        move = (one := todo.pop()).move
        if move.other is not None:
            joins += 1
            todo += [s for s in (move.before, move.other) if s is not None]
        elif move.before is not None:
            steps += 1
            unsaid += one.mask == move.before.mask
            closed += move.closed
            todo.append(move.before)
    yield "steps", min(5, steps) / 5
    yield "steps unsaid", min(3, unsaid) / 3
    yield "joins", min(3, joins) / 3
    yield "closed", float(closed > 0)
