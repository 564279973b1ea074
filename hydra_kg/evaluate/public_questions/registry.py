"""Every set of questions that ``eval convert`` reads, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hydra_kg.evaluate.public_questions.graphs import cwq, grailqa, metaqa, qald, simplequestions, webqsp, webquestions
from hydra_kg.evaluate.public_questions.layout import PublicSet
from hydra_kg.evaluate.public_questions.texts import creak, fever, hotpotqa, kilt, twowiki

QUESTION_SETS: Final[Mapping[str, PublicSet]] = {
    chosen.name: chosen
    for chosen in (
        webqsp.SET,
        cwq.SET,
        grailqa.SET,
        simplequestions.SET,
        webquestions.SET,
        qald.QALD7,
        qald.QALD10,
        hotpotqa.HOTPOTQA,
        hotpotqa.ADVERSARIAL,
        twowiki.SET,
        fever.SET,
        creak.SET,
        kilt.ZERO_SHOT_RE,
        kilt.TREX,
        metaqa.SET,
    )
}
