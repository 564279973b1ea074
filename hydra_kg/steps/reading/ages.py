"""Compute how old somebody was at an event from the two dates that a page states."""

from __future__ import annotations

from datetime import date
from typing import Final

from hydra_kg.execution.value_differences import age
from hydra_kg.extract.reading.page import Page
from hydra_kg.extract.reading.page_question import Asked
from hydra_kg.extract.reading.sentence_answers import AnswerSpan, answers
from hydra_kg.util.fast_dataclass import replace

AGE: Final = "age"
_BIRTH: Final = Asked("date", ("bear",), past=True)


def age_at(page: Page, asked: Asked) -> list[AnswerSpan]:
    """Return the age at an event, with the sentence that dates it, or nothing unless both days are stated."""
    event = replace(asked, kind="date", words=asked.words[1:], dimensions=())
    born, then = (next(iter(answers(page, shape)), None) for shape in (_BIRTH, event))
    if not event.words or born is None or then is None or born.key == then.key:
        return []
    try:
        years = age(_day(born), date.fromisoformat(_day(then)))
    except ValueError:  # only a year or words
        return []
    if years is None or years[0] != years[1]:
        return []
    key = f'"{years[0]}"^^xsd:integer'
    return [replace(then, text=str(years[0]), key=key, name=False, score=min(born.score, then.score))]


def _day(found: AnswerSpan) -> str:
    return found.key[1:].partition('"')[0]
