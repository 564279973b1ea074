"""Zero-shot RE and T-REx in KILT's layout (Petroni et al., NAACL 2021): ``structured_zeroshot-dev-kilt.jsonl``, …"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from hydra_kg.evaluate.public_questions.layout import Converted, PublicSet, distinct, entity, listed, maybe, said
from hydra_kg.evaluate.public_questions.reading import json_records

_BETWEEN: Final = "[SEP]"


def question(record: Any, number: int, split: str, *, prefix: str) -> Converted:
    """The question is the first template, else "subject | relation"; each answer in ``output`` is gold."""
    subject, sign, relation = (part.strip() for part in said(record, "input").partition(_BETWEEN))
    if not sign or not subject or not relation:
        raise ValueError(f"input is not SUBJECT {_BETWEEN} RELATION")
    templates = [str(t) for t in listed(record.get("meta") or {}, "template_questions")]
    given = [name for out in listed(record, "output") if (name := maybe(out, "answer"))]
    return Converted(
        f"{prefix}-{said(record, 'id')}",
        next(iter(templates), f"{subject} | {relation}"),
        distinct(entity("", name) for name in given) if given else None,
        (entity("", subject, map(str, listed(record.get("meta") or {}, "subj_aliases"))),),
        relations=(relation,),
        more={"input": maybe(record, "input"), **({"template_questions": templates} if templates else {})},
    )


ZERO_SHOT_RE = PublicSet(
    "zero_shot_re",
    "ZeroShotRE",
    "wikidata",
    "structured_zeroshot-dev-kilt.jsonl",
    json_records,
    partial(question, prefix="zsre"),
)
TREX = PublicSet("trex", "T-REx", "wikidata", "trex-dev-kilt.jsonl", json_records, partial(question, prefix="trex"))
