"""Conversion of a person's confirmation of an answer into right and wrong votes for its sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hydra_kg.errors import UsageError
from hydra_kg.text.folding import fold

Row = tuple[str, str, bool]


def judge_stated_values(doc: Mapping[str, Any], *, right: bool, answer: str = "") -> list[Row]:
    """Return (source, value, right?) for each stated value of an ``ask --json`` answer.

    ``answer`` names the only right value. Refuting a value says nothing about the others. Raises UsageError for
    contradictions.
    """
    given = {fold(str(a.get("value") or a["name"])) for a in doc["answers"]} | {fold(a["name"]) for a in doc["answers"]}
    if not given:
        raise UsageError(
            "That question was not answered, so there is nothing to confirm.",
            remedy="hydra-kg show lists the stored answers.",
        )
    if right and answer and fold(answer) not in given:
        raise UsageError(
            f"{answer!r} is none of the answers given.",
            remedy="If it is right, the answer was not: confirm ID --wrong --answer X.",
        )
    found: dict[tuple[str, str], bool] = {}
    for source, value in _list_stated_ends(doc):
        name = fold(value)
        if answer:
            found[source, value] = name == fold(answer)
        elif name in given:
            found[source, value] = right
        elif right:
            found[source, value] = False
    return [(source, value, correct) for (source, value), correct in sorted(found.items())]


def _list_stated_ends(doc: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the source and the name of each end of the answer's paths.

    Ends of other explored paths with the same relation are included.
    """
    own = [p["hops"][-1] for p in doc["paths"] if p["hops"]]
    attributes = {(h["subject"]["id"], h["predicate"]) for h in own}
    others = [p["hops"][-1] for x in doc["explorations"] for p in x["paths"] if p["hops"]]
    for hop in (*own, *(h for h in others if (h["subject"]["id"], h["predicate"]) in attributes)):
        for fact in hop["sources"]:
            yield str(fact["source"]), str(hop["object"]["name"])
