"""The outcome of one question, from its raw output alone: right, or which kind of error, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hydra_kg.citations import EvidenceClass, evidence_class
from hydra_kg.evaluate.questions.gold_graph import relations_of
from hydra_kg.evaluate.scoring.metrics import matches, score

Record = Mapping[str, Any]

KINDS: Final = ("right", "failed", "format", "refusal", "generation", "order", "other")
"""Kinds of outcome: ``right`` by Hits@1, or a kind of error.

HydraRAG App. B.4 and PoG App. B.3 have ``format``, ``refusal``, ``generation`` (right path, wrong answer) and
``other`` (wrong path). Ours are ``failed`` and ``order`` (right, but not first).
"""

_QUALIFIER: Final = re.compile(r"\^?P\d+(/\^?P\d+)+")
_UNREAD: Final = "this step was done without the model"
"""End of an agent's note if a model's reply was missing or unusable, even after a second try."""


def outcome(record: Record) -> str:
    """Return one of ``KINDS`` for a record."""
    scores = score(record, record["gold"] or ())
    if record.get("error"):
        return "failed"
    if scores["hits1"] == 1:
        return "right"
    if any(_UNREAD in note for note in record.get("notes") or ()):
        return "format"
    if not scores["answered"]:
        return "refusal"
    if scores["recall"]:
        return "order"
    return "generation" if is_on_paths(select_paths(record), record["gold"] or ()) else "other"


def select_paths(record: Record) -> list[Mapping[str, Any]]:
    """Return the paths that the answer rests on, or, if it has none, those that were selected."""
    own = list(record.get("paths") or ())
    return own or [p for x in record.get("explorations") or () for p in x["paths"] if p.get("reason") == "selected"]


def is_on_paths(paths: Iterable[Mapping[str, Any]], gold: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if a gold answer is on one of the paths."""
    for path in paths:
        nodes = [*path.get("answers", ()), *(h[end] for h in path.get("hops", ()) for end in ("subject", "object"))]
        if any(matches(node, g) for node in nodes for g in gold):
            return True
    return False


def gold_relations(record: Record) -> tuple[str, ...]:
    """Return the relations of the gold query, or those that the set names; () if it has neither."""
    return relations_of(record.get("gold_sparql") or "") or tuple(record.get("gold_relations") or ())


def path_relations(paths: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the relations of paths without the sign ``^`` of an inverse.

    ``a./b`` counts as ``a`` and ``b``, and ``P161/P453`` as both properties.
    """
    keys = {h["predicate"] for p in paths for h in p.get("hops", ())}
    return frozenset(part.strip("^/") for k in keys for part in _parts(k) if part.strip("^/"))


def overlap(record: Record) -> float | None:
    """Return the ratio of gold relations on the answer's paths, or None without gold relations.

    Ratio(P) = |Relation(P) ∩ Relation(P_G)| / |Relation(P_G)| (HydraRAG App. B.3, PoG App. B.2). A relation and its
    declared reverse (``reverse`` of the record) are one.
    """
    wanted = set(gold_relations(record))
    if not wanted:
        return None
    reverse = record.get("reverse") or {}
    found = path_relations(select_paths(record))
    return len(wanted & {*found, *(reverse[r] for r in found if r in reverse)}) / len(wanted)


def phase(record: Record) -> str:
    """Return the exploration that the answer comes from, or ""."""
    return str(next((p.get("phase") or "" for p in select_paths(record)), "")) if not record.get("abstained") else ""


def evidence(record: Record) -> EvidenceClass:
    """Return where the answer comes from (PoG App. B.2), or "" if the paper has no name for it."""
    return evidence_class(record.get("label") or "", {p.get("phase") or "" for p in record.get("paths") or ()})


def why(record: Record) -> str:
    """Return the outcome of the question in a few words for people."""
    kind = outcome(record)
    if kind == "failed":
        return f"failed: {record['error']}"
    if kind == "refusal":
        return f"no answer ({record.get('missing') or 'judged insufficient'}; confidence {record.get('confidence', 0)})"
    best = next((str(p.get("text") or "") for p in select_paths(record)), "")
    words = {
        "right": "right",
        "format": "a reply could not be used",
        "generation": "right path, other answer",
        "order": "right answer not first",
        "other": "other path",
    }
    return f"{words[kind]}: {best}" if best else words[kind]


def topics(record: Record) -> list[str]:
    """Return names and ids of the entities to which the question's names were linked."""
    chosen = [m["chosen"] for m in record.get("mentions") or () if m.get("chosen")]
    return [f"{c['name']} ({c['id']})" for c in chosen]


def _parts(key: str) -> list[str]:
    if "./" in key:
        return key.split("./")
    return key.split("/") if _QUALIFIER.fullmatch(key) else [key]
