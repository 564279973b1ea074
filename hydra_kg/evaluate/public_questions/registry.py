"""Every set of questions that ``eval convert`` reads, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hydra_kg.evaluate.public_questions import freebase, text_questions
from hydra_kg.evaluate.public_questions.graph_questions import KGQAGEN, METAQA, QALD7, QALD10
from hydra_kg.evaluate.public_questions.questions_layout import PublicSet

QUESTION_SETS: Final[Mapping[str, PublicSet]] = {
    chosen.name: chosen
    for chosen in (
        freebase.WEBQSP,
        freebase.CWQ,
        freebase.GRAILQA,
        freebase.SIMPLEQUESTIONS,
        freebase.WEBQUESTIONS,
        QALD7,
        QALD10,
        KGQAGEN,
        text_questions.HOTPOTQA,
        text_questions.ADVERSARIAL,
        text_questions.TWOWIKI,
        text_questions.FEVER,
        text_questions.CREAK,
        text_questions.ZERO_SHOT_RE,
        text_questions.TREX,
        METAQA,
    )
}
