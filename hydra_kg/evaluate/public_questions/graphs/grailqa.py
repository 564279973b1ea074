"""GrailQA 1.0 (Gu et al., WWW 2021): ``grailqa_v1.0_train.json`` and ``_dev.json``; the test part has no answers."""

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

_ANSWER = partial(argument, value="answer_argument", name="entity_name", kind="answer_type")


def question(record: Any, number: int, split: str) -> Converted:
    """Topics are the entities of the graph query, relations its edges."""
    graph: Record = record.get("graph_query") or {}
    topics = (
        entity(said(node, "id"), maybe(node, "friendly_name"))
        for node in listed(graph, "nodes")
        if node.get("node_type") == "entity"
    )
    return Converted(
        f"grailqa-{said(record, 'qid')}",
        said(record, "question"),
        distinct(map(_ANSWER, listed(record, "answer"))) if "answer" in record else None,
        distinct(topics),
        str(record.get("sparql_query") or ""),
        tuple(said(edge, "relation") for edge in listed(graph, "edges")),
        {name: record[name] for name in ("level", "function", "num_edge", "s_expression") if name in record},
    )


SET = PublicSet("grailqa", "GrailQA", "freebase", "grailqa_v1.0_dev.json", json_records, question)
