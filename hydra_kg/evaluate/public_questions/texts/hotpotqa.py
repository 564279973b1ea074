"""HotpotQA (Yang et al., EMNLP 2018), and the adversarial 308 of Ye and Durrett (NeurIPS 2022)."""

from __future__ import annotations

from typing import Any

from hydra_kg.evaluate.public_questions.layout import (
    Converted,
    PublicSet,
    Record,
    distinct,
    entity,
    listed,
    maybe,
    said,
)
from hydra_kg.evaluate.public_questions.reading import json_records


def question(record: Any, number: int, split: str) -> Converted:
    """The answer is a text, or "yes" or "no" of some comparisons; supporting titles stay, paragraphs do not."""
    titles = dict.fromkeys(str(fact[0]) for fact in listed(record, "supporting_facts"))
    return Converted(
        f"hotpot-{said(record, '_id')}",
        said(record, "question"),
        (entity("", said(record, "answer")),) if "answer" in record else None,
        more={"supporting_pages": list(titles), "type": maybe(record, "type"), "level": maybe(record, "level")},
    )


def adversarial(record: Any, number: int, split: str) -> Converted:
    """Topics, if there are any, are a mapping from ids to names, as the files that go with ToG-2 and HydraRAG have."""
    key = next((maybe(record, name) for name in ("_id", "id", "ID", "qid") if maybe(record, name)), str(number))
    given = record["answer"]
    answers = given if isinstance(given, list) else [said(record, "answer")]
    return Converted(
        f"hotpotadv-{key.removeprefix('hotpotadv-')}",
        said(record, "question"),
        distinct(entity("", str(a)) for a in answers),
        _topics(record, "qid_topic_entity"),
        more={"freebase_topic_entities": list(_topics(record, "topic_entity"))},
    )


def _topics(record: Record, name: str) -> tuple[Record, ...]:
    found = record.get(name) or {}
    if not isinstance(found, dict):
        raise TypeError(f"{name} is {type(found).__name__}, not an object")
    return distinct(entity(str(key), str(value)) for key, value in found.items())


HOTPOTQA = PublicSet("hotpotqa", "HotpotQA", "wikipedia", "hotpot_dev_distractor_v1.json", json_records, question)
ADVERSARIAL = PublicSet(
    "hotpotadv", "AdvHotpotQA", "wikidata+wikipedia", "hotpotadv_dev.json", json_records, adversarial
)
