"""Finds which saved answers used a source, and which of them would lose their only support without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra_kg.ports import TraceStore

Doc = Mapping[str, Any]


def impact(traces: TraceStore, source: str) -> dict[str, Any]:
    """Return the saved answers that used facts or passages of a source, newest first, and their ``counts``.

    Each question has ``loses`` (answers all of whose paths need the source) and ``keeps``.
    """
    used: dict[str, set[str]] = {}
    for row in traces.questions_using(source):
        used.setdefault(str(row["question"]), set()).add(str(row["fact"]))
    dates = {str(k["id"]): k["created"] for k in traces.list(limit=1_000_000)} if used else {}
    newest_first = {key: place for place, key in enumerate(dates)}  # several may be of one millisecond
    questions = []
    for key, facts in sorted(used.items(), key=lambda row: newest_first.get(row[0], len(dates))):
        doc = traces.get(key)
        loses = losing(doc, source)
        names = [str(a["name"]) for a in doc["answers"]]
        questions.append(
            {
                "id": key,
                "question": doc["question"],
                "answer_text": doc["answer_text"],
                "created": dates.get(key, ""),
                "abstained": doc["abstained"],
                "facts": len(facts),
                "loses": [n for n in names if n in loses],
                "keeps": [n for n in names if n not in loses],
            }
        )
    counts = {
        "questions": len(questions),
        "facts": len(set().union(*used.values())) if used else 0,
        "lost": sum(bool(q["loses"]) and not q["keeps"] for q in questions),
        "weakened": sum(bool(q["loses"]) and bool(q["keeps"]) for q in questions),
    }
    return {"source": source, "counts": counts, "questions": questions}


def losing(doc: Doc, source: str) -> set[str]:
    """Return the answers that no path reaches without the source. Answers without any path are not included."""
    if doc["abstained"]:
        return set()
    paths = [p for p in doc["paths"] if p["kept"]]
    out = set()
    for a in doc["answers"]:
        key = a["id"] if a["id"] is not None else a.get("value")
        leading = [p for p in paths if any(n["id"] == key or n["id"] in a["ids"] for n in p["answers"])]
        if leading and all(needs(p, source) for p in leading):
            out.add(str(a["name"]))
    return out


def needs(path: Doc, source: str) -> bool:
    """Return True if a path breaks without a source.

    It does if only that source states one of its hops, or if it has no hops and is a passage of that source.
    """
    if not path["hops"]:
        return bool((path.get("passage") or {}).get("source") == source)
    return any(h["sources"] and all(f["source"] == source for f in h["sources"]) for h in path["hops"])
