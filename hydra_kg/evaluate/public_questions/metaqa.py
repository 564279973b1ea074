"""MetaQA (Zhang et al., AAAI 2018): questions on films, in files such as ``1-hop/vanilla/qa_test.txt``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from hydra_kg.evaluate.public_questions.file_records import Row, text_lines
from hydra_kg.evaluate.public_questions.questions_layout import Converted, PublicSet, distinct, entity

_TOPIC: Final = re.compile(r"\[([^\[\]]+)\]")
_HOPS: Final = re.compile(r"([123])-?hop")


def rows(path: Path) -> Iterator[Row]:
    """Yield each line with the number of hops in the name of the file or of a folder above it."""
    hops = next((found[1] for part in reversed(path.parts) if (found := _HOPS.search(part))), "")
    for line, number, text in text_lines(path):
        yield Row(line, number, (hops, text))


def question(value: Any, number: int, split: str) -> Converted:
    """Convert a line: question, tab, and answers separated by bars; the topic is in square brackets."""
    hops, line = value
    text, sign, answers = line.partition("\t")
    if not sign:
        raise ValueError("no tab between question and answers")
    topics = _TOPIC.findall(text)
    name = "-".join(part for part in ("metaqa", f"{hops}hop" if hops else "", split, str(number)) if part)
    return Converted(
        name,
        " ".join(_TOPIC.sub(r"\1", text).split()),
        distinct(entity("", a.strip()) for a in answers.split("|")),
        distinct(entity("", t) for t in topics),
        more={"hops": int(hops)} if hops else {},
    )


SET = PublicSet("metaqa", "MetaQA", "metaqa", "1-hop/vanilla/qa_test.txt", rows, question)
