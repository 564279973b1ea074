"""ComplexWebQuestions 1.1 (Talmor and Berant, NAACL 2018): ``ComplexWebQuestions_dev.json`` and its like."""

from __future__ import annotations

import re
from typing import Any, Final

from hydra_kg.evaluate.public_questions.layout import Converted, PublicSet, distinct, entity, listed, maybe, said
from hydra_kg.evaluate.public_questions.reading import json_records

_NAMED: Final = re.compile(r"\bns:([mg]\.\w+)")


def question(record: Any, number: int, split: str) -> Converted:
    """The files name no topics: they are what the query names by id. Those of the test part may have no answers."""
    query = str(record.get("sparql") or "")
    answers = (
        entity(maybe(a, "answer_id"), maybe(a, "answer"), map(str, listed(a, "aliases")))
        for a in listed(record, "answers")
    )
    return Converted(
        said(record, "ID"),
        said(record, "question"),
        distinct(answers) if "answers" in record else None,
        distinct(entity(key) for key in _NAMED.findall(query)),
        query,
        more={"compositionality_type": maybe(record, "compositionality_type")},
    )


SET = PublicSet("cwq", "CWQ", "freebase", "ComplexWebQuestions_test.json", json_records, question)
