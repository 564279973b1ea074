"""CREAK (Onoe et al., NeurIPS 2021): ``dev.json``, JSON lines with claims about one entity, true or false."""

from __future__ import annotations

from typing import Any

from hydra_kg.evaluate.public_questions.layout import Converted, PublicSet, entity, maybe, said
from hydra_kg.evaluate.public_questions.reading import json_records


def question(record: Any, number: int, split: str) -> Converted:
    """The entity has a name and no id; the test part has no labels."""
    label = maybe(record, "label").lower()
    if label not in {"", "true", "false"}:
        raise ValueError(f"label is {label[:40]!r}, neither true nor false")
    name = maybe(record, "entity")
    return Converted(
        f"creak-{said(record, 'ex_id')}",
        said(record, "sentence"),
        (entity("", label),) if label else None,
        (entity("", name),) if name else (),
        more={"explanation": maybe(record, "explanation")},
    )


SET = PublicSet("creak", "CREAK", "wikidata+wikipedia", "dev.json", json_records, question)
