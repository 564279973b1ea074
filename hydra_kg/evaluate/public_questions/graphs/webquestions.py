"""WebQuestions (Berant et al., EMNLP 2013): ``webquestions.examples.test.json``, answers as a list in Lisp."""

from __future__ import annotations

import re
from typing import Any, Final

from hydra_kg.evaluate.public_questions.layout import Converted, PublicSet, distinct, entity, maybe, said
from hydra_kg.evaluate.public_questions.reading import json_records

_DESCRIPTION: Final = re.compile(r'\(description (?:"((?:[^"\\]|\\.)*)"|([^()"]+))\)')


def question(record: Any, number: int, split: str) -> Converted:
    """Answers have names and no ids. The topic has the name that stands in the address of its page."""
    target = said(record, "targetValue")
    names = [re.sub(r"\\(.)", r"\1", quoted) or plain for quoted, plain in _DESCRIPTION.findall(target)]
    if not names and target != "(list)":
        raise ValueError(f"targetValue is no list of descriptions: {target[:80]!r}")
    topic = maybe(record, "url").rpartition("/")[2].replace("_", " ")
    return Converted(
        f"webquestions-{number}",
        said(record, "utterance"),
        distinct(entity("", name.strip()) for name in names),
        (entity("", topic),) if topic else (),
    )


SET = PublicSet("webquestions", "WebQuestions", "freebase", "webquestions.examples.test.json", json_records, question)
