"""Supp over one pool, by hand: a path rises when a passage agrees, and falls behind when only its rival has one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.samples.answers import MOZART, SALZBURG, VIENNA, fact

from hydra_kg.domain import Hop, Locator, Passage, Path, Source
from hydra_kg.index.faiss_index import PathIndex
from hydra_kg.settings import Settings
from hydra_kg.steps.verification.prune import Member, supported
from hydra_kg.steps.verification.verify import scores

WIKI = Source("wiki", "wiki")
SALZBURG_FACT = Path((Hop(MOZART, "birth", "place of birth", SALZBURG, facts=(fact(1),)),))
VIENNA_FACT = Path((Hop(MOZART, "birth", "place of birth", VIENNA, facts=(fact(2),)),))


def written(place) -> Path:
    passage = Passage("p", "Mozart", "…", WIKI, Locator())
    return Path((Hop(MOZART, "was born in", "was born in", place),), passage)


class Vectors:
    """Texts that name the same place are alike, .9; others are not."""

    def embed(self, texts):
        place = [(1.0, 0.0) if "Salzburg" in t else (0.0, 1.0) if "Vienna" in t else (0.7, 0.7) for t in texts]
        said = [0.3 if "born" in t else -0.3 for t in texts]
        rows = np.array([(*p, s) for p, s in zip(place, said, strict=True)], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def pooled(preset: dict[str, object], *paths: Path):
    settings = Settings().changed(**{"verification.alpha_cross": 0.7, **preset})
    context = SimpleNamespace(
        settings=settings,
        space=SimpleNamespace(embedder=Vectors()),
        services=SimpleNamespace(new_index=lambda: PathIndex(3)),
    )
    kinds = settings.verification.independence == "kind"
    pool = []
    for path in paths:
        own = frozenset({"wiki"} if path.passage else {"kg" if kinds else "freebase"})
        numbers = scores(path, 0.5, supporters=own, inside={n.id for n in path.entities}, settings=settings)
        pool.append(Member(path, own, numbers))
    return supported(context, pool)


PAPER = {"verification.support": "paths", "verification.independence": "kind"}


@pytest.mark.parametrize("preset", [{}, PAPER], ids=["default", "paper"])
def test_a_path_rises_when_a_passage_agrees(preset):
    alone, rival = pooled(preset, SALZBURG_FACT, VIENNA_FACT)
    assert (alone.scores.f2, rival.scores.f2) == pytest.approx((1 / 3, 1 / 3))
    agreed, rival, text = pooled(preset, SALZBURG_FACT, VIENNA_FACT, written(SALZBURG))
    # f1 = 1, f2 = 2/3, f3 = 1: s_ver = 8/9, cross = .7 · .5 + .3 · 8/9 = .61667; the rival's is .35 + .3 · 7/9
    assert (agreed.scores.f2, rival.scores.f2) == pytest.approx((2 / 3, 1 / 3))
    assert (agreed.scores.cross, rival.scores.cross) == pytest.approx((0.35 + 0.8 / 3, 0.35 + 0.7 / 3))
    assert "wiki" in agreed.supporters
    assert "wiki" in text.supporters


@pytest.mark.parametrize("preset", [{}, PAPER], ids=["default", "paper"])
def test_a_path_falls_behind_when_only_the_rival_has_a_passage(preset):
    left, rival, _ = pooled(preset, SALZBURG_FACT, VIENNA_FACT, written(VIENNA))
    assert rival.scores.cross > left.scores.cross


def test_the_published_code_takes_its_table_and_the_likeness_of_text():
    code = {**PAPER, "verification.f2": "code", "verification.f3": "code"}
    agreed, rival, text = pooled(code, SALZBURG_FACT, VIENNA_FACT, written(SALZBURG))
    assert (agreed.scores.f2, rival.scores.f2, text.scores.f2) == (0.7, 0.6, 0.7)
    # of unit vectors (1, 0, ±.3) / √1.09 the cosine is .91 / 1.09
    assert text.scores.f3 == pytest.approx(0.91 / 1.09, abs=1e-5)
