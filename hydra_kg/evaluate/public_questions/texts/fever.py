"""FEVER 1.0 (Thorne et al., NAACL 2018): ``paper_dev.jsonl``, ``shared_task_dev.jsonl``, claims on Wikipedia."""

from __future__ import annotations

from typing import Any, Final

from hydra_kg.evaluate.public_questions.layout import Converted, PublicSet, entity, listed, said
from hydra_kg.evaluate.public_questions.reading import json_records

LABELS: Final = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
_SIGNS: Final = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":", "_": " "}


def question(record: Any, number: int, split: str) -> Converted:
    """The gold answer is one of ``LABELS``; the blind test part has none."""
    label = record.get("label")
    if label is not None and label not in LABELS:
        raise ValueError(f"label is {str(label)[:40]!r}, not one of {', '.join(LABELS)}")
    facts = [fact for group in listed(record, "evidence") if isinstance(group, list) for fact in group]
    pages = dict.fromkeys(_title(str(f[2])) for f in facts if isinstance(f, list) and len(f) > 2 and f[2])
    answers = (entity("", label),) if label else None
    return Converted(f"fever-{said(record, 'id')}", said(record, "claim"), answers, more={"evidence_pages": [*pages]})


def _title(page: str) -> str:
    for sign, character in _SIGNS.items():
        page = page.replace(sign, character)
    return page


SET = PublicSet("fever", "FEVER", "wikipedia", "paper_dev.jsonl", json_records, question)
