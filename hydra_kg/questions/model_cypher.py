"""Answer a question with a query that the model writes in the store's language, if the store can run it safely."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Fact, Mention, Node
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.execution.own_graph import TYPE
from hydra_kg.ids import TYPE_KEYS
from hydra_kg.plan.model import Step
from hydra_kg.ports import CypherQuery, QueryLimits, QueryRow, Snapshot, TakesQueries
from hydra_kg.questions.plan_outcome import plan_outcome
from hydra_kg.steps.answering.disagreement import weighed
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import Conclusion, uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed, evidence_for
from hydra_kg.steps.schema.store_description import VALUE, Description, describe
from hydra_kg.steps.snapshots.kg_sampling import SampledSnapshot
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.literals import is_literal, literal_text
from hydra_kg.util.fast_dataclass import dataclass

_CYPHER_CONFIDENCE: Final = 0.7  # confidence in what it finds, 0 to 1
PHASE: Final = "cypher"
_SHOWN: Final = 60
"""Most relations that are shown to a model, those with most facts first."""

_KINDS: Final = 20
_PARTS: Final = str.maketrans("‹›", "<>")
"""Replacements for signs that a prompt may not contain, with the signs that they stand for in a reply."""

_KIND: Final = "instance_of"


@dataclass(frozen=True, slots=True)
class _Schema:
    """The description of a graph for a model, and the position of the predicate for each name that it may use."""

    text: str
    relations: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _QueryAnswer:
    """An answer with the hops of its facts."""

    answer: AnswerValue
    end: Node
    legs: tuple[Leg, ...]


def answer_by_cypher(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """Return the result of a Cypher query that the model wrote. It gets a second try if a query is refused.

    Each answer must be in the facts that the query returned with it, or be computed from them. Return None if queries
    are switched off or the store takes none, if the caller named the sources, if the question asks for yes or no, or if
    no such answer is found.
    """
    settings = context.settings.answering
    if not settings.cypher or context.allowed or analysis.kind == "boolean":
        return None
    if (store := _asked(context.stored)) is None:
        return None
    schema = context.once(("cypher",), lambda: _schema(describe(context.stored), context.stored.predicates().keys))
    names = {f"e{n}": m.chosen.node for n, m in enumerate(mentions, 1) if m.chosen is not None}
    known_names = f"{schema.text} Names: {'; '.join(f'${n} is {node.name}' for n, node in names.items()) or 'none'}."
    limits = QueryLimits(settings.cypher_seconds, settings.cypher_rows, settings.cypher_estimate)
    refused = ""
    with context.phase(PHASE):
        for sample in range(2):
            notes = f"{known_names} An earlier query was refused: {refused}." if refused else known_names
            text = " ".join(context.agent.compose(analysis, "cypher", (), notes=notes, sample=sample))
            if not text:
                return None
            query = CypherQuery(text.translate(_PARTS), {n: (node.id,) for n, node in names.items()}, schema.relations)
            result = store.cypher_query(query, limits)
            refused = result.refused
            if not refused:
                break
        if refused:
            return None
        done = _executed(context, query.text, result.rows, cut=result.cut)
    if done is None:
        return None
    counts = {"rows": len(result.rows), "answers": len(done.conclusion.answers)}
    return plan_outcome(context, mentions, analysis, done, phase=PHASE, counts=counts)


def _asked(snapshot: Snapshot) -> TakesQueries | None:
    """Return the store that runs queries for a snapshot, or None if only a sample of it may be seen."""
    while isinstance(snapshot, SnapshotProxy):
        if isinstance(snapshot, SampledSnapshot):
            return None
        snapshot = snapshot.inner
    return snapshot if isinstance(snapshot, TakesQueries) else None


def _executed(context: Context, text: str, rows: Sequence[QueryRow], *, cut: bool) -> Executed | None:
    confidence = _CYPHER_CONFIDENCE
    if cut and any(r.number is not None for r in rows):
        return None
    found: dict[tuple[str, str], _QueryAnswer] = {}
    places = {key: n for n, key in enumerate(context.stored.predicates().keys)}
    for row in rows:
        if (one := _checked(context, row, places, confidence)) is not None:
            found.setdefault((one.end.key, one.answer.name), one)
    some = list(found.values())[: context.settings.answering.max_answers]
    if not some:
        return None
    evidence = evidence_for(context, [(f.legs, (f.end,)) for f in some], relevance=confidence)
    answers = tuple(f.answer for f in some)
    computed = [row for row in rows if row.number is not None]
    conclusion: Conclusion
    if computed:
        conclusion = uncontested(answers, evidence, computation=f"{answers[0].name}, from {len(some[0].legs)} facts")
    else:
        conclusion = weighed(context, answers, evidence, {})
    step = Step("Query", f"Cypher: {text}", len(rows), len(some))
    return Executed(conclusion, (step,), confidence, ("more than the rows that were read",) if cut else (), "", True)


def _checked(context: Context, row: QueryRow, places: Mapping[str, int], confidence: float) -> _QueryAnswer | None:
    """Return the answer of a row, if it is in the facts of that row or computed from them."""
    if not row.handles:
        return None
    columns = np.array(row.handles, np.int64)
    facts = context.stored.facts(columns[:, 0].astype(np.int16), columns[:, 1])
    keys = list(dict.fromkeys(k for f in facts for k in (f.subject, f.object) if not is_literal(k)))
    known = dict(zip(keys, context.stored.lookup(keys), strict=True))
    legs = tuple(_legs(row, facts, known, places))
    if not legs:
        return None
    if row.number is not None:
        if not any(abs(row.number - n) <= 1e-6 * max(1.0, abs(n)) for n in _numbers(facts)):
            return None
        whole = row.number == int(row.number)
        literal = f'"{row.number:.0f}"^^xsd:integer' if whole else f'"{row.number!r}"^^xsd:decimal'
        end = literal_node(literal)
        return _QueryAnswer(AnswerValue(end.name, None, literal, (), confidence), end, legs)
    if row.node:
        if row.node not in known.values():
            return None
        entity = context.entities([row.node])[row.node]
        return _QueryAnswer(
            AnswerValue(entity.node.name, entity.node, None, entity.keys, confidence), entity.node, legs
        )
    said = next(
        (f.object for f in facts if is_literal(f.object) and row.literal in (f.object, literal_text(f.object))), ""
    )
    if not said:
        return None
    end = literal_node(said)
    return _QueryAnswer(AnswerValue(end.name, None, said, (), confidence), end, legs)


def _legs(
    row: QueryRow, facts: Sequence[Fact], known: Mapping[str, int | None], places: Mapping[str, int]
) -> Iterator[Leg]:
    for fact, handle in zip(facts, row.handles, strict=True):
        subject, place = known.get(fact.subject), places.get(fact.predicate)
        if subject is None or place is None:
            continue
        if is_literal(fact.object):
            yield Leg(subject, 2 * place + 1, literal=fact.object, handles=(handle,))
        elif (end := known.get(fact.object)) is not None:
            yield Leg(subject, 2 * place + 1, end, handles=(handle,))


def _numbers(facts: Sequence[Fact]) -> Iterator[float]:
    """Yield numbers that may be computed from some facts: their number, that of their things, sums of their values."""
    yield from (float(len(facts)), float(len({f.subject for f in facts})), float(len({f.object for f in facts})))
    for predicate in {f.predicate for f in facts}:
        texts = [literal_text(f.object) for f in facts if f.predicate == predicate and is_literal(f.object)]
        values = [float(t) for t in texts if re.fullmatch(r"[+-]?\d+(?:\.\d+)?", t)]
        if values:
            yield from (sum(values), sum(values) / len(values), min(values), max(values))


def _schema(found: Description, keys: Sequence[str]) -> _Schema:
    """Describe kinds, relations and values in short, with a name for each that the query's language allows."""
    places = {key: n for n, key in enumerate(keys)}
    kinds_of = [k for k in keys if k in TYPE_KEYS or k.endswith(TYPE)]
    relations: dict[str, int] = {}
    between, values = [], []
    for relation in [r for r in found.relations if r.key not in kinds_of][:_SHOWN]:
        name = base = re.sub(r"\W+", "_", relation.text, flags=re.ASCII).strip("_").lower() or "relation"
        name = f"r_{name}" if name[0].isdigit() else name
        number = 2
        while name in relations or name == _KIND:
            name, number = f"{base}_{number}", number + 1
        relations[name] = places[relation.key]
        if relation.range == VALUE:
            values.append(
                f"(v:{name} {{subject: x.id}}) of {relation.domain or 'thing'} x, such as {relation.example[1]}"
            )
        else:
            ends = f"{relation.domain or 'thing'} x to {relation.range or 'thing'} y"
            between.append(f"(x)-[:{name}]-(y) from {ends}, such as {' to '.join(relation.example)}")
    kinds = [f"{c.name} ({c.count})" for c in found.classes[:_KINDS]]
    text = f"Things: {', '.join(kinds)}. Relations: {'; '.join(between)}. Values: {'; '.join(values)}."
    if kinds_of and kinds:
        relations[_KIND] = places[kinds_of[0]]
        text += f' Kinds: (x)-[:{_KIND}]-(:Thing {{name: "{found.classes[0].name}"}}).'
    return _Schema(text, relations)
