"""Published questions and claims on texts of Wikipedia."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from hydra_kg.evaluate.public_questions.file_records import json_records
from hydra_kg.evaluate.public_questions.questions_layout import (
    Converted,
    PublicSet,
    Record,
    distinct,
    entity,
    get_list,
    get_text,
    maybe,
)


def hotpotqa(record: Any, number: int, split: str) -> Converted:
    """Convert a record of HotpotQA (Yang et al., EMNLP 2018).

    The titles of the supporting pages are kept, their paragraphs are not.
    """
    titles = dict.fromkeys(str(fact[0]) for fact in get_list(record, "supporting_facts"))
    return Converted(
        f"hotpot-{get_text(record, '_id')}",
        get_text(record, "question"),
        (entity("", get_text(record, "answer")),) if "answer" in record else None,
        more={"supporting_pages": list(titles), "type": maybe(record, "type"), "level": maybe(record, "level")},
    )


def adversarial(record: Any, number: int, split: str) -> Converted:
    """Convert a record of AdvHotpotQA, the 308 questions of Ye and Durrett (NeurIPS 2022).

    The topics, if any, are a map of ids to names.
    """
    key = next((maybe(record, name) for name in ("_id", "id", "ID", "qid") if maybe(record, name)), str(number))
    given = record["answer"]
    answers = given if isinstance(given, list) else [get_text(record, "answer")]
    return Converted(
        f"hotpotadv-{key.removeprefix('hotpotadv-')}",
        get_text(record, "question"),
        distinct(entity("", str(a)) for a in answers),
        _topics(record, "qid_topic_entity"),
        more={"freebase_topic_entities": list(_topics(record, "topic_entity"))},
    )


def _topics(record: Record, name: str) -> tuple[Record, ...]:
    found = record.get(name) or {}
    if not isinstance(found, dict):
        raise TypeError(f"{name} is {type(found).__name__}, not an object")
    return distinct(entity(str(key), str(value)) for key, value in found.items())


HOTPOTQA = PublicSet("hotpotqa", "HotpotQA", "wikipedia", "hotpot_dev_distractor_v1.json", json_records, hotpotqa)
ADVERSARIAL = PublicSet(
    "hotpotadv", "AdvHotpotQA", "wikidata+wikipedia", "hotpotadv_dev.json", json_records, adversarial
)


def twowiki(record: Any, number: int, split: str) -> Converted:
    """Convert a record of 2WikiMultihopQA (Ho et al., COLING 2020).

    The evidence is Wikidata relations. The later release has the ids of the entities.
    """
    chain = [fact for fact in get_list(record, "evidences") if isinstance(fact, list) and len(fact) == 3]
    answer = entity(maybe(record, "answer_id"), get_text(record, "answer")) if record.get("answer") else None
    return Converted(
        f"2wiki-{get_text(record, '_id')}",
        get_text(record, "question"),
        (answer,) if answer else None,
        distinct(entity(key) for key in maybe(record, "entity_ids").split("_") if key),
        relations=tuple(str(fact[1]) for fact in chain),
        more={"type": maybe(record, "type")},
    )


TWOWIKI = PublicSet("2wiki", "2WikiMultihopQA", "wikidata+wikipedia", "dev.json", json_records, twowiki)


LABELS: Final = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
_SIGNS: Final = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":", "_": " "}


def fever(record: Any, number: int, split: str) -> Converted:
    """Convert a record of FEVER 1.0 (Thorne et al., NAACL 2018).

    The gold is one of ``LABELS``. The blind test part has none.
    """
    label = record.get("label")
    if label is not None and label not in LABELS:
        raise ValueError(f"label is {str(label)[:40]!r}, not one of {', '.join(LABELS)}")
    facts = [fact for group in get_list(record, "evidence") if isinstance(group, list) for fact in group]
    pages = dict.fromkeys(_title(str(f[2])) for f in facts if isinstance(f, list) and len(f) > 2 and f[2])
    answers = (entity("", label),) if label else None
    return Converted(
        f"fever-{get_text(record, 'id')}", get_text(record, "claim"), answers, more={"evidence_pages": [*pages]}
    )


def _title(page: str) -> str:
    for sign, character in _SIGNS.items():
        page = page.replace(sign, character)
    return page


FEVER = PublicSet("fever", "FEVER", "wikipedia", "paper_dev.jsonl", json_records, fever)


def creak(record: Any, number: int, split: str) -> Converted:
    """Convert a record of CREAK (Onoe et al., NeurIPS 2021).

    It is a claim about an entity without an id. The test part has no labels.
    """
    label = maybe(record, "label").lower()
    if label not in {"", "true", "false"}:
        raise ValueError(f"label is {label[:40]!r}, neither true nor false")
    name = maybe(record, "entity")
    return Converted(
        f"creak-{get_text(record, 'ex_id')}",
        get_text(record, "sentence"),
        (entity("", label),) if label else None,
        (entity("", name),) if name else (),
        more={"explanation": maybe(record, "explanation")},
    )


CREAK = PublicSet("creak", "CREAK", "wikidata+wikipedia", "dev.json", json_records, creak)


_BETWEEN: Final = "[SEP]"


def convert_kilt(record: Any, number: int, split: str, *, prefix: str) -> Converted:
    """Convert a record of KILT's Zero-shot RE or T-REx (Petroni et al., NAACL 2021).

    The question is the first template, or "subject | relation" if there is none.
    """
    subject, sign, relation = (part.strip() for part in get_text(record, "input").partition(_BETWEEN))
    if not sign or not subject or not relation:
        raise ValueError(f"input is not SUBJECT {_BETWEEN} RELATION")
    templates = [str(t) for t in get_list(record.get("meta") or {}, "template_questions")]
    given = [name for out in get_list(record, "output") if (name := maybe(out, "answer"))]
    return Converted(
        f"{prefix}-{get_text(record, 'id')}",
        next(iter(templates), f"{subject} | {relation}"),
        distinct(entity("", name) for name in given) if given else None,
        (entity("", subject, map(str, get_list(record.get("meta") or {}, "subj_aliases"))),),
        relations=(relation,),
        more={"input": maybe(record, "input"), **({"template_questions": templates} if templates else {})},
    )


ZERO_SHOT_RE = PublicSet(
    "zero_shot_re",
    "ZeroShotRE",
    "wikidata",
    "structured_zeroshot-dev-kilt.jsonl",
    json_records,
    partial(convert_kilt, prefix="zsre"),
)
TREX = PublicSet("trex", "T-REx", "wikidata", "trex-dev-kilt.jsonl", json_records, partial(convert_kilt, prefix="trex"))
