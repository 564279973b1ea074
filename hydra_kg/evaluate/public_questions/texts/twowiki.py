"""2WikiMultihopQA (Ho et al., COLING 2020): ``dev.json``, with chains of Wikidata relations as evidence."""

from __future__ import annotations

from typing import Any

from hydra_kg.evaluate.public_questions.layout import Converted, PublicSet, distinct, entity, listed, maybe, said
from hydra_kg.evaluate.public_questions.reading import json_records


def question(record: Any, number: int, split: str) -> Converted:
    """The later release names Wikidata's ids: topics by ``entity_ids``, the answer by ``answer_id``."""
    chain = [fact for fact in listed(record, "evidences") if isinstance(fact, list) and len(fact) == 3]
    answer = entity(maybe(record, "answer_id"), said(record, "answer")) if record.get("answer") else None
    return Converted(
        f"2wiki-{said(record, '_id')}",
        said(record, "question"),
        (answer,) if answer else None,
        distinct(entity(key) for key in maybe(record, "entity_ids").split("_") if key),
        relations=tuple(str(fact[1]) for fact in chain),
        more={"type": maybe(record, "type")},
    )


SET = PublicSet("2wiki", "2WikiMultihopQA", "wikidata+wikipedia", "dev.json", json_records, question)
