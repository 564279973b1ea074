"""Every set of questions that ``eval convert`` reads, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hydra_kg.evaluate.public_questions import freebase, kgqagen, metaqa, qald, texts
from hydra_kg.evaluate.public_questions.layout import PublicSet

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
        texts.HOTPOTQA,
        texts.ADVERSARIAL,
        texts.TWOWIKI,
        texts.FEVER,
        texts.CREAK,
        texts.ZERO_SHOT_RE,
        texts.TREX,
        metaqa.SET,
    )
}
