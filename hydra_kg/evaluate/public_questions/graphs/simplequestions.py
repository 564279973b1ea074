"""SimpleQuestions v2 (Bordes et al. 2015): ``annotated_fb_data_test.txt``, four tab-separated columns."""

from __future__ import annotations

from typing import Any, Final

from hydra_kg.evaluate.public_questions.layout import Converted, PublicSet, entity
from hydra_kg.evaluate.public_questions.reading import text_lines

_BEFORE: Final = "www.freebase.com/"


def question(text: Any, number: int, split: str) -> Converted:
    """Subject, relation, object, question; the file has ids alone, and only one of the right objects."""
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
    """``m.0abc`` of ``www.freebase.com/m/0abc``. Raises ValueError."""
    path = text.strip().removeprefix("http://").removeprefix(_BEFORE)
    if path == text.strip() or not path.replace("/", "").replace("_", "").isalnum():
        raise ValueError(f"{text[:80]!r} is no address on {_BEFORE}")
    return path.strip("/").replace("/", ".")


SET = PublicSet("simplequestions", "SimpleQuestions", "freebase", "annotated_fb_data_test.txt", text_lines, question)
