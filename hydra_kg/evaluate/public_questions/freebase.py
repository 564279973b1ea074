"""Published questions on Freebase, most of them with the query that answers them."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

from hydra_kg.evaluate.public_questions.file_records import json_records, text_lines
from hydra_kg.evaluate.public_questions.questions_layout import (
    Converted,
    PublicSet,
    Record,
    argument,
    distinct,
    entity,
    get_list,
    get_text,
    maybe,
)

_WEBQSP_ANSWER = partial(argument, value="AnswerArgument", name="EntityName", kind="AnswerType")


def webqsp(record: Any, number: int, split: str) -> Converted:
    """Convert a record of WebQSP (Yih et al., ACL 2016).

    The first parse with answers counts. The topics are those of all parses.
    """
    parses: list[Record] = list(get_list(record, "Parses"))
    best: Record = next((p for p in parses if get_list(p, "Answers")), parses[0] if parses else {})
    topics = (entity(maybe(p, "TopicEntityMid"), maybe(p, "TopicEntityName")) for p in parses)
    text = maybe(record, "ProcessedQuestion") or get_text(record, "RawQuestion")
    return Converted(
        get_text(record, "QuestionId"),
        text,
        distinct(map(_WEBQSP_ANSWER, get_list(best, "Answers"))),
        tuple(t for t in distinct(topics) if t["id"]),
        str(best.get("Sparql") or ""),
        tuple(map(str, get_list(best, "InferentialChain"))),
    )


WEBQSP = PublicSet("webqsp", "WebQSP", "freebase", "WebQSP.test.json", partial(json_records, key="Questions"), webqsp)


_NAMED: Final = re.compile(r"\bns:([mg]\.\w+)")


def cwq(record: Any, number: int, split: str) -> Converted:
    """Convert a record of ComplexWebQuestions 1.1 (Talmor and Berant, NAACL 2018).

    The topics are the ids in the query. The test part may lack answers.
    """
    query = str(record.get("sparql") or "")
    answers = (
        entity(maybe(a, "answer_id"), maybe(a, "answer"), map(str, get_list(a, "aliases")))
        for a in get_list(record, "answers")
    )
    return Converted(
        get_text(record, "ID"),
        get_text(record, "question"),
        distinct(answers) if "answers" in record else None,
        distinct(entity(key) for key in _NAMED.findall(query)),
        query,
        more={"compositionality_type": maybe(record, "compositionality_type")},
    )


CWQ = PublicSet("cwq", "CWQ", "freebase", "ComplexWebQuestions_test.json", json_records, cwq)


_GRAILQA_ANSWER = partial(argument, value="answer_argument", name="entity_name", kind="answer_type")


def grailqa(record: Any, number: int, split: str) -> Converted:
    """Convert a record of GrailQA 1.0 (Gu et al., WWW 2021).

    Topics and relations are in the graph query. The test part has no answers.
    """
    graph: Record = record.get("graph_query") or {}
    topics = (
        entity(get_text(node, "id"), maybe(node, "friendly_name"))
        for node in get_list(graph, "nodes")
        if node.get("node_type") == "entity"
    )
    return Converted(
        f"grailqa-{get_text(record, 'qid')}",
        get_text(record, "question"),
        distinct(map(_GRAILQA_ANSWER, get_list(record, "answer"))) if "answer" in record else None,
        distinct(topics),
        str(record.get("sparql_query") or ""),
        tuple(get_text(edge, "relation") for edge in get_list(graph, "edges")),
        {name: record[name] for name in ("level", "function", "num_edge", "s_expression") if name in record},
    )


GRAILQA = PublicSet("grailqa", "GrailQA", "freebase", "grailqa_v1.0_dev.json", json_records, grailqa)


_BEFORE: Final = "www.freebase.com/"


def simplequestions(text: Any, number: int, split: str) -> Converted:
    """Convert a line of SimpleQuestions v2 (Bordes et al. 2015).

    It has subject, relation and one right object, all as ids, and the question.
    """
    parts = text.split("\t")
    if len(parts) != 4:
        raise ValueError(f"{len(parts)} columns instead of 4")
    subject, relation, value = (_id(part) for part in parts[:3])
    return Converted(
        f"simplequestions-{split}-{number}",
        " ".join(parts[3].split()),
        (entity(value),),
        (entity(subject),),
        f"PREFIX ns: <http://rdf.freebase.com/ns/> SELECT DISTINCT ?x WHERE {{ ns:{subject} ns:{relation} ?x . }}",
        (relation,),
    )


def _id(text: str) -> str:
    """Return the id in an address: ``m.0abc`` for ``www.freebase.com/m/0abc``. Raises ValueError."""
    path = text.strip().removeprefix("http://").removeprefix(_BEFORE)
    if path == text.strip() or not path.replace("/", "").replace("_", "").isalnum():
        raise ValueError(f"{text[:80]!r} is not an address on {_BEFORE}")
    return path.strip("/").replace("/", ".")


SIMPLEQUESTIONS = PublicSet(
    "simplequestions", "SimpleQuestions", "freebase", "annotated_fb_data_test.txt", text_lines, simplequestions
)


_DESCRIPTION: Final = re.compile(r'\(description (?:"((?:[^"\\]|\\.)*)"|([^()"]+))\)')


def webquestions(record: Any, number: int, split: str) -> Converted:
    """Convert a record of WebQuestions (Berant et al., EMNLP 2013).

    The answers are names. The topic is in the address of the page.
    """
    target = get_text(record, "targetValue")
    names = [re.sub(r"\\(.)", r"\1", quoted) or plain for quoted, plain in _DESCRIPTION.findall(target)]
    if not names and target != "(list)":
        raise ValueError(f"targetValue is not a list of descriptions: {target[:80]!r}")
    topic = maybe(record, "url").rpartition("/")[2].replace("_", " ")
    return Converted(
        f"webquestions-{number}",
        get_text(record, "utterance"),
        distinct(entity("", name.strip()) for name in names),
        (entity("", topic),) if topic else (),
    )


WEBQUESTIONS = PublicSet(
    "webquestions", "WebQuestions", "freebase", "webquestions.examples.test.json", json_records, webquestions
)
