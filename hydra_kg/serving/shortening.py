"""Cut answers and lists to a number of tokens. What is left out is counted, never dropped silently."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from weakref import WeakKeyDictionary

from hydra_kg.citations import label_of
from hydra_kg.domain import NameHit
from hydra_kg.errors import HydraError
from hydra_kg.phrases import arrow, linking_note, relation_of
from hydra_kg.plan.query_wording import asked_words
from hydra_kg.ports import Snapshot, TraceStore
from hydra_kg.text.plain_text import clean

CHARACTERS: Final = 3
"""Characters of JSON that count as one token; ids and punctuation are short tokens."""

LINE: Final = 300
"""Most characters of one text."""

PATHS: Final = 200
"""Most pruned paths of a kept answer that are listed."""

UNANSWERING: Final = "It was found, but it does not answer the question."
"""The reason why a path of a silent answer is no evidence."""

REMEMBERED: Final = 100
"""Answers of a store whose full questions are remembered, at least."""

Json = dict[str, Any]

_FULL_QUESTIONS: Final[WeakKeyDictionary[TraceStore, dict[tuple[str, str], str]]] = WeakKeyDictionary()


def tokens(value: object) -> int:
    """Return about how many tokens a value takes as JSON."""
    return -(-len(json.dumps(value, ensure_ascii=False)) // CHARACTERS)


def fit_rows(base: Json, name: str, rows: Iterable[Any], *, max_tokens: int) -> Json:
    """Return ``base`` with as many of the rows under ``name`` as fit, at least one.

    ``NAME_left_out`` is the number of rows that did not fit.
    """
    shown: list[Any] = []
    some = list(rows)
    room = max_tokens - tokens(base)
    for row in some:
        room -= tokens(row)
        if shown and room < 0:
            break
        shown.append(row)
    more = {f"{name}_left_out": len(some) - len(shown)} if len(some) > len(shown) else {}
    return {**base, name: shown, **more}


def short(text: object) -> str:
    """Return a text in one line without control characters."""
    line = " ".join(clean(str(text)).split())
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"


def brief(answer: Mapping[str, Any], *, max_tokens: int) -> Json:
    """Return an answer's JSON for a program that pays by the token.

    It has the answers, verdict, unchecked parts, paths in words and places. Without an answer, it has the verdict only.
    """
    doc: Json = {
        "id": answer["id"],
        "answer": short(answer["answer_text"]),
        "verdict": answer["verdict"],
        "confidence": answer["confidence"],
        "answers": [
            {"name": short(label_of(a["name"])), "id": a.get("id") or a.get("literal")} for a in answer["answers"][:20]
        ],
    }
    for name in ("decision", "certainty", "claim", "missing", "computation"):
        if answer.get(name):
            doc[name] = short(answer[name])
    if answer.get("mentions"):
        doc["names"] = [_describe_mention(m) for m in answer["mentions"][:10]]
    if words := asked_words(answer):
        doc["understood_as"] = short(words)
    for name in ("dissent", "unchecked", "notes"):
        if answer.get(name):
            doc[name] = [short(x) for x in answer[name][:5]]
    if is_silent(answer):
        return doc
    doc = fit_rows(doc, "citations", map(_citation, answer["citations"]), max_tokens=max_tokens // 2)
    return fit_rows(doc, "paths", map(path_in_words, answer["paths"]), max_tokens=max_tokens)


def _describe_mention(mention: Mapping[str, Any]) -> Json:
    """Return how a name of the question was understood; ``id`` is empty for an unknown name."""
    chosen = mention["chosen"] or {"name": "unknown", "id": ""}
    row = {"text": short(mention["text"]), "understood_as": short(label_of(chosen["name"])), "id": chosen["id"]}
    return row | ({"note": note} if (note := linking_note(mention)) else {})


def is_silent(answer: Mapping[str, Any]) -> bool:
    """Return True if the answer names nothing, because the sources do not state it."""
    return bool(answer["abstained"]) or answer["verdict"] == "unsupported"


def explain_answer(answer: Mapping[str, Any], *, max_tokens: int) -> Json:
    """Return how a stored answer came about; paths of a silent answer are listed as pruned."""
    unanswering = answer["paths"] if is_silent(answer) else ()
    pruned = [{"path": path_in_words(path, cited=False), "why": UNANSWERING} for path in unanswering] + [
        {"path": path_in_words(path), "why": short(path.get("reason", ""))}
        for exploration in answer["explorations"]
        for path in exploration.get("paths", ())
        if not path["kept"]
    ]
    base = {"question": short(answer["question"]), **brief(answer, max_tokens=max_tokens // 2)}
    if answer.get("steps"):
        base["steps"] = [short(f"{s['text']}") for s in answer["steps"][:20]]
    return fit_rows(base, "pruned", pruned[:PATHS], max_tokens=max_tokens)


def entity_rows(snapshot: Snapshot, name: str, *, limit: int) -> list[Json]:
    """Return things with this name or a similar one, best known first."""
    return describe_hits(snapshot, snapshot.find([name], limit=limit, reach="near")[0])


def describe_hits(snapshot: Snapshot, hits: Iterable[NameHit]) -> list[Json]:
    """Return the things that were found by name, with their kinds, descriptions and numbers of facts."""
    return [
        {
            "id": e.node.key,
            "name": short(label_of(e.node.name)),
            "kinds": [short(t) for t in e.types[:5]],
            "description": short(e.description),
            "facts": e.degree,
        }
        for e in snapshot.entities([hit.node for hit in hits])
    ]


def load_rows(loads: Iterable[Mapping[str, Any]]) -> list[Json]:
    """Return the ready loads, each with its first sources."""
    return [
        {
            "name": load["name"],
            "facts": load["facts"],
            "sources": [
                {k: short(s[k]) for k in ("name", "kind", "licence", "url") if s.get(k)} for s in load["sources"][:5]
            ],
        }
        for load in loads
        if load["state"] == "ready"
    ]


def list_answers(traces: TraceStore, *, limit: int) -> list[Json]:
    """Return the newest kept answers. ``understood_as`` is the full question for a follow-up.

    The full question is only in the document of an answer, which takes milliseconds to read. It is remembered.
    """
    known = _FULL_QUESTIONS.setdefault(traces, {})
    listed = [((row["id"], str(row["created"])), row) for row in traces.list(limit=limit)]
    for key, _ in listed:
        if key not in known:
            with suppress(HydraError):  # removed meanwhile, or damaged, which whoever opens it is told
                known[key] = str(traces.get(key[0]).get("understood_as") or "")
    if len(known) > 2 * max(limit, REMEMBERED):
        _FULL_QUESTIONS[traces] = {key: known[key] for key, _ in listed if key in known}
    return [{**row, **({"understood_as": full} if (full := known.get(key)) else {})} for key, row in listed]


def path_in_words(path: Mapping[str, Any], *, cited: bool = True) -> str:
    """Return a path as ``A — born in → B [1] — country → C [2]``, with the numbers of its citations if ``cited``."""
    hops: Sequence[Mapping[str, Any]] = path["hops"]
    if not hops:
        return short(path["text"])
    parts = [_name(hops[0]["subject"])]
    for hop in hops:
        numbers = sorted({s["n"] for s in hop["sources"] if s.get("n")}) if cited else ()
        parts.append(f"{arrow(relation_of(hop))} {_name(hop['object'])}{''.join(f' [{n}]' for n in numbers)}")
    return short(" ".join(parts))


def _name(node: Mapping[str, Any]) -> str:
    return label_of(str(node["name"]))


def _citation(citation: Mapping[str, Any]) -> Json:
    return {name: citation[name] for name in ("n", "source", "locator", "url") if citation.get(name)}
