"""WebQSP (Yih et al., ACL 2016): ``WebQSP.train.json`` and ``WebQSP.test.json``, questions on Freebase with SPARQL."""

from __future__ import annotations

from functools import partial
from typing import Any

from hydra_kg.evaluate.public_questions.layout import (
    Converted,
    PublicSet,
    Record,
    argument,
    distinct,
    entity,
    listed,
    maybe,
    said,
)
from hydra_kg.evaluate.public_questions.reading import json_records

_ANSWER = partial(argument, value="AnswerArgument", name="EntityName", kind="AnswerType")


def question(record: Any, number: int, split: str) -> Converted:
    """Take answers, query and relations of the first parse that has answers, and topics of all parses."""
    parses: list[Record] = list(listed(record, "Parses"))
    best: Record = next((p for p in parses if listed(p, "Answers")), parses[0] if parses else {})
    topics = (entity(maybe(p, "TopicEntityMid"), maybe(p, "TopicEntityName")) for p in parses)
    text = maybe(record, "ProcessedQuestion") or said(record, "RawQuestion")
    return Converted(
        said(record, "QuestionId"),
        text,
        distinct(map(_ANSWER, listed(best, "Answers"))),
        tuple(t for t in distinct(topics) if t["id"]),
        str(best.get("Sparql") or ""),
        tuple(map(str, listed(best, "InferentialChain"))),
    )


SET = PublicSet("webqsp", "WebQSP", "freebase", "WebQSP.test.json", partial(json_records, key="Questions"), question)
