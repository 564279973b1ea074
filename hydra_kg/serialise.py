"""Convert an Answer to JSON: ``ask --json`` version 1, which traces store and ``show`` reads.

This is one room because the same fields are written and cut to size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import orjson

from hydra_kg.citations import certainty, decision_of, label_of
from hydra_kg.plan.serialise import plan_json, query_json

if TYPE_CHECKING:
    from hydra_kg.domain import (
        AnswerData,
        AnswerValue,
        Candidate,
        Citation,
        Claimed,
        Evidence,
        Exploration,
        Fact,
        Hop,
        Mention,
        Node,
        Passage,
        Scores,
        TextFinding,
        Usage,
    )

VERSION = 1
LIMIT = 200_000
"""Most bytes of one kept answer (docs/adr/0019-explored-questions-on-neo4j.md)."""

VARYING = 4_000
"""Bytes of the limit that are reserved for ``id`` and ``seconds``."""

_UNANIMOUS = 0.995
"""Share of the weight for the first value from which the choice is not explained: it would read "100% say so"."""

PASSAGE = 600
"""Most characters of a passage that are kept; its locator opens the rest."""

Json = dict[str, Any]


def answer_json(answer: AnswerData, *, limit: int = LIMIT) -> Json:
    """Return the answer as ``ask --json`` prints it. Later versions only add fields and rename none.

    Scores are rounded to six digits, times to 0.1 ms. All times are in ``seconds`` (those of a phase as
    ``phase.NAME``), so that two runs differ in ``id`` and ``seconds`` only. The explorations have the best paths of
    each phase and whether each was kept. What does not fit into ``limit`` bytes is counted in ``left_out``.
    """
    numbers = _Numbers(answer.citations)
    doc: Json = {
        "version": VERSION,
        **_fields(answer, "id question strategy agent"),
        "answers": [_value(a) for a in answer.answers],
        **_fields(answer, "answer_text label verdict"),
        **_numbers(answer, "agreement amount confidence"),
        **_fields(answer, "abstained truncated"),
        "dissent": [label_of(dissent) for dissent in answer.dissent],
        "citations": [_citation(c) for c in answer.citations],
        "paths": [evidence_json(e, numbers) for e in answer.evidence],
        "explorations": [_exploration(x) for x in answer.explorations],
        "mentions": [_mention(m) for m in answer.mentions],
        "usage": _usage(answer.usage),
        "seconds": _seconds(answer),
        "manifest": _to_json_value(answer.manifest),
    }
    doc["decision"] = decision_of(answer.verdict, abstained=answer.abstained, perhaps=bool(answer.perhaps))
    if not answer.abstained:
        doc["certainty"] = " · ".join(certainty(answer.verdict, answer.confidence, answer.checked))
    if answer.claim is not None:
        doc["claim"] = answer.claim
    doc |= _present(answer, "missing notes computation")
    if answer.table is not None:
        rows = [[label_of(cell) for cell in row] for row in answer.table.rows]
        doc["table"] = {"columns": [label_of(name) for name in answer.table.columns], "rows": rows}
    if answer.plan is not None:
        doc["plan"] = plan_json(answer.plan)
    if answer.query is not None:
        doc["query"] = query_json(answer.query)
    if answer.steps:
        doc["steps"] = [asdict(s) for s in answer.steps]
    share = (1 + answer.agreement) / 2
    differ = bool(answer.dissent) or answer.verdict in ("contested", "contradicted")
    if answer.amount and differ and share < _UNANIMOUS:
        doc["chosen_by"] = "weight: sources of one origin count once, by their reliability."
    doc |= _present(answer, "unchecked")
    if answer.findings:
        doc["findings"] = [_finding(f, numbers) for f in answer.findings]
    if answer.perhaps:
        doc["perhaps"] = [_value(a) for a in answer.perhaps]
    return trim(doc | _present(answer, "after understood_as choices"), limit=limit)


def evidence_json(evidence: Evidence, numbers: _Numbers | None = None) -> Json:
    """Return one path with its scores, whether it was kept, its answers, and the sources of every hop."""
    path = evidence.path
    doc: Json = {
        "text": path.text,
        "hops": [_hop(h, numbers) for h in path.hops],
        "scores": _scores(evidence.scores),
        **_fields(evidence, "phase kept"),
        "answers": [_node(n) for n in evidence.answers],
        **_present(evidence, "reason origins sentence"),
    }
    if path.passage is not None:
        doc["passage"] = _passage(path.passage, numbers)
    return doc


def _finding(finding: TextFinding, numbers: _Numbers) -> Json:
    doc = {**_fields(finding, "stance value"), "likeness": _number(finding.likeness)}
    return {**doc, "passage": _passage(finding.passage, numbers)}


def fact_key(number: int) -> str:
    """Return a fact id as text with 15 hexadecimal digits.

    A JSON number of 60 bits would lose digits in some readers.
    """
    return f"{number:015x}"


def compact_json(doc: Mapping[str, Any]) -> bytes:
    """Return the document as compact UTF-8 JSON."""
    try:  # ten times as fast as json, and a large answer is measured often; a few numbers are a byte shorter
        return orjson.dumps(doc)
    except TypeError:  # lone surrogates, numbers beyond 64 bits
        return json.dumps(doc, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def size(doc: Mapping[str, Any]) -> int:
    """Return the bytes of the document as compact UTF-8 JSON."""
    return len(compact_json(doc))


def trim(doc: Json, *, limit: int = LIMIT) -> Json:
    """Return the document cut down to ``limit`` bytes, least important parts first; unchanged if it fits.

    The order is: sources of pruned paths, pruned paths from the worst up, all but three sources a hop, kept paths of
    the explorations, and at last the length of every text and list, so that hostile names cannot exceed the limit.
    """
    # What differs between two equal runs must not decide what is cut: it has a fixed share instead.
    varying = {k: doc[k] for k in ("id", "seconds") if k in doc}
    fixed = {k: v for k, v in doc.items() if k not in varying}
    limit -= min(VARYING, limit // 10)
    if size(fixed) <= limit:
        return doc
    fixed = _copy_document(fixed)
    for step in (_drop_pruned_sources, _halve_pruned, _few_sources, _halve_all, _clip_texts):
        while size(fixed) > limit and step(fixed):
            pass
    return {k: varying[k] if k in varying else fixed[k] for k in doc}


def _copy_document(doc: Json) -> Json:
    try:  # as for the size
        copy: Json = orjson.loads(orjson.dumps(doc))
    except TypeError:
        copy = json.loads(json.dumps(doc))
    return copy


class _Numbers:
    """The ``[n]`` of each place in a source, so that a hop shows the citation that opens it."""

    def __init__(self, citations: Iterable[Citation]) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        for c in citations:
            self._numbers.setdefault((c.source, str(c.locator)), c.n)

    def of(self, source: str, locator: str) -> int | None:
        return self._numbers.get((source, locator))


def _value(answer: AnswerValue) -> Json:
    doc: Json = {"id": answer.node.key if answer.node else None, "name": label_of(answer.name)}
    if answer.value is not None:
        doc["value"] = answer.value
    if answer.unit:
        doc["unit"] = answer.unit
    doc["ids"] = list(answer.keys) or ([answer.node.key] if answer.node else [])
    doc["score"] = _number(answer.score)
    return doc


def _node(node: Node) -> Json:
    return {"id": node.key, "name": label_of(node.name)}


def _citation(citation: Citation) -> Json:
    doc: Json = {"n": citation.n, "source": citation.source, "locator": str(citation.locator)}
    if url := citation.url or citation.locator.url:
        doc["url"] = url
    if citation.fact:
        doc["fact"] = citation.fact
    return doc


def _hop(hop: Hop, numbers: _Numbers | None) -> Json:
    """Return a hop as JSON."""
    doc: Json = {
        "subject": _node(hop.subject),
        "predicate": hop.predicate,
        "object": _node(hop.object),
        "sources": [_fact(f, numbers) for f in hop.facts],
        "text": hop.text,
        "forward": hop.forward,
    }
    if hop.via is not None:
        doc["via"] = _node(hop.via)
    return doc


def _fact(fact: Fact, numbers: _Numbers | None) -> Json:
    """Return a fact with its qualifiers and place as JSON."""
    place = str(fact.locator)
    doc: Json = {"source": fact.source.name, "fact": fact_key(fact.id), "locator": place, "kind": fact.source.kind}
    if fact.locator.url:
        doc["url"] = fact.locator.url
    if fact.rank:
        doc["rank"] = fact.rank
    if fact.qualifiers:
        doc["qualifiers"] = [list(q) for q in fact.qualifiers]
    if numbers is not None and (n := numbers.of(fact.source.name, place)) is not None:
        doc["n"] = n
    return doc


def _passage(passage: Passage, numbers: _Numbers | None) -> Json:
    """Return a passage as JSON."""
    place = str(passage.locator)
    text = passage.text if len(passage.text) <= PASSAGE else passage.text[: PASSAGE - 1] + "…"
    doc = {**_fields(passage, "id title"), "source": passage.source.name, "locator": place, "text": text}
    if passage.locator.url:
        doc["url"] = passage.locator.url
    if numbers is not None and (n := numbers.of(passage.source.name, place)) is not None:
        doc["n"] = n
    return doc


def _scores(scores: Scores) -> Json:
    doc = _numbers(scores, "relevance f1 f2 f3 verification cross")
    if scores.llm is not None:
        doc["llm"] = _number(scores.llm)
    return doc


def _exploration(exploration: Exploration) -> Json:
    """Return one round of exploration as JSON."""
    doc: Json = {
        "phase": exploration.phase,
        "topics": [_node(n) for n in exploration.topics],
        **_fields(exploration, "indicator depth"),
        "counts": {k: int(v) for k, v in exploration.counts.items()},
        "truncated": exploration.truncated,
        "paths": [{"rank": i, **evidence_json(e)} for i, e in enumerate(exploration.evidence, 1)],
        "left_out": 0,
    }
    if exploration.claims:
        doc["claims"] = [_serialise_claim(c) for c in exploration.claims]
    return doc


def _serialise_claim(claim: Claimed) -> Json:
    return {
        "source": claim.source,
        "subject": _node(claim.subject),
        "attribute": claim.attribute,
        "object": _node(claim.object),
        "confidence": _number(claim.confidence),
        "believed": claim.believed,
    }


def _mention(mention: Mention) -> Json:
    return {
        **_fields(mention, "text start end"),
        "chosen": _candidate(mention.chosen) if mention.chosen else None,
        "candidates": [_candidate(c) for c in mention.candidates],
    }


def _candidate(candidate: Candidate) -> Json:
    doc = {**_node(candidate.node), "description": candidate.description, "score": _number(candidate.score)}
    return {**doc, **_fields(candidate, "how degree")}


def _usage(usage: Usage) -> Json:
    """Return the cost in total and by step. Its times are in ``seconds`` as ``model`` and ``model.STEP``."""
    doc = {**_fields(usage, "calls tokens_in tokens_out"), "money": _number(usage.money)}
    if usage.steps:
        doc["steps"] = {step: _usage(spent) for step, spent in usage.steps.items()}
    return doc


def _seconds(answer: AnswerData) -> Json:
    times = {f"phase.{x.phase}": x.seconds for x in answer.explorations if x.seconds}
    if answer.usage.calls:
        times["model"] = answer.usage.seconds
        times |= {f"model.{step}": spent.seconds for step, spent in answer.usage.steps.items()}
    return {k: round(float(v), 4) for k, v in {**times, **answer.seconds}.items()}


def _fields(thing: object, names: str) -> Json:
    return {name: getattr(thing, name) for name in names.split()}


def _present(thing: object, names: str) -> Json:
    """Return the fields that are not empty, tuples as lists."""
    found = _fields(thing, names)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items() if value}


def _numbers(thing: object, names: str) -> Json:
    return {name: _number(value) for name, value in _fields(thing, names).items()}


def _number(value: float) -> float | None:
    """Return the number with six digits, or None if JSON cannot represent it."""
    return round(float(value), 6) + 0.0 if math.isfinite(value) else None


def _to_json_value(value: object) -> Any:
    """Return the value with JSON types only, keys as text; any other object becomes its text."""
    if isinstance(value, Mapping):
        return {str(k): _to_json_value(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json_value(v) for v in value]
    if isinstance(value, float):
        return _number(value)
    return value if isinstance(value, str | int | bool | None) else str(value)


def _list_explorations(doc: Json) -> list[Json]:
    return list(doc.get("explorations", ()))


def _all_paths(doc: Json) -> list[Json]:
    return [*doc.get("paths", ()), *(p for x in _list_explorations(doc) for p in x["paths"])]


def _drop_pruned_sources(doc: Json) -> bool:
    done = False
    for path in (p for x in _list_explorations(doc) for p in x["paths"] if not p["kept"]):
        for hop in path["hops"]:
            if hop["sources"]:
                hop["facts"], hop["sources"], done = len(hop["sources"]), [], True
    return done


def _halve(doc: Json, droppable: Callable[[Json], bool]) -> bool:
    """Drop the worse half of the droppable paths of the phase with the most of them."""
    biggest = max(_list_explorations(doc), key=lambda x: sum(map(droppable, x["paths"])), default=None)
    if biggest is None or not (victims := [i for i, p in enumerate(biggest["paths"]) if droppable(p)]):
        return False
    gone = set(victims[len(victims) // 2 :])
    biggest["paths"] = [p for i, p in enumerate(biggest["paths"]) if i not in gone]
    biggest["left_out"] += len(gone)
    return True


def _halve_pruned(doc: Json) -> bool:
    return _halve(doc, lambda p: not p["kept"])


def _halve_all(doc: Json) -> bool:
    return _halve(doc, lambda p: True)


def _few_sources(doc: Json) -> bool:
    done = False
    for hop in (h for p in _all_paths(doc) for h in p["hops"]):
        # What a citation points at stays, so that every [n] keeps its hop.
        keep = [s for i, s in enumerate(hop["sources"]) if i < 3 or "n" in s]
        if len(keep) < len(hop["sources"]):
            hop["facts"], hop["sources"], done = len(hop["sources"]), keep, True
    return done


def _clip_texts(doc: Json) -> bool:
    """Halve the longest text or list. Return False if nothing is longer than 100 characters or 8 members."""
    longest = _longest_text(doc)
    if longest > 100:
        for key, value in list(doc.items()):
            doc[key] = _clip_long_texts(value, max(100, longest // 2))
        return True
    return _shorten_lists(doc)


def _longest_text(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max((_longest_text(v) for v in members), default=0)


def _clip_long_texts(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= length else value[: length - 1] + "…"
    if isinstance(value, dict):
        return {k: _clip_long_texts(v, length) for k, v in value.items()}
    return [_clip_long_texts(v, length) for v in value] if isinstance(value, list) else value


def _shorten_lists(value: Any) -> bool:
    """Halve every list of more than 8 members, at any depth. Return False if there is none."""
    done = False
    members: list[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, list) and len(value) > 8:
        del value[len(value) // 2 :]
        done = True
    for member in members:
        done = _shorten_lists(member) or done
    return done
