"""Every set of questions that ``eval convert`` reads, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hydra_kg.evaluate.public_questions import freebase, kgqagen, metaqa, qald, text_questions
from hydra_kg.evaluate.public_questions.questions_layout import PublicSet

QUESTION_SETS: Final[Mapping[str, PublicSet]] = {
    chosen.name: chosen
    for chosen in (
        freebase.WEBQSP,
        freebase.CWQ,
        freebase.GRAILQA,
        freebase.SIMPLEQUESTIONS,
        freebase.WEBQUESTIONS,
        qald.QALD7,
        qald.QALD10,
        kgqagen.SET,
        text_questions.HOTPOTQA,
        text_questions.ADVERSARIAL,
        text_questions.TWOWIKI,
        text_questions.FEVER,
        text_questions.CREAK,
        text_questions.ZERO_SHOT_RE,
        text_questions.TREX,
        metaqa.SET,
    )
}
