"""Predicted answers become entities: by name, by letters where nobody is called so, or by likeness within G_q."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hydra_kg.domain import Analysis, Entity, NameHit, Node, Prediction
from hydra_kg.settings import Settings
from hydra_kg.steps.exploration.analyse import entities_of

NAMES = {1: "Mozart", 2: "Salzburg", 3: "Salzburg Cathedral", 4: "Vienna", 5: "Austria"}
NEAR = {
    "City of Salzburg": {2: 0.9, 3: 0.7},
    "Wien": {4: 0.95},
    "Wien in Austria": {4: 0.95},
    "Salzburg": {2: 1.0, 3: 0.8},
}
INSIDE = [1, 2, 3]
"""The entities of the cut: Vienna is known, and does not lie in it."""


class World:
    """What entities_of asks for: names, the index of names, the cut, and vectors that are as near as ``NEAR`` says."""

    name, dimension = "world", 8

    def find(self, names, *, limit):
        return [[NameHit(n, t, "name", 1) for n, t in NAMES.items() if t == name] for name in names]

    def cut(self, topics, **how):
        assert how["depth"] == 3
        return SimpleNamespace(ids=np.array(INSIDE, np.int64), nodes=np.arange(len(INSIDE)))

    def entities(self, ids):
        return {n: Entity(Node(n, f"Q{n}", NAMES[n])) for n in ids}

    def like(self, names, limit):
        return [[NameHit(n, NAMES[n], "like", 1) for n in NEAR.get(name, {})] for name in names]

    def embed(self, texts):
        said, number = texts[0], {t: n for n, t in NAMES.items()}
        rows = np.zeros((len(texts), 8), np.float32)
        rows[0, 0] = 1
        rows[1:, 0] = [NEAR.get(said, {}).get(number[t], 0.1) for t in texts[1:]]
        return rows


def asked(names: list[str], **settings: Any) -> list[int | None]:
    world = World()
    context = SimpleNamespace(
        settings=Settings().changed(**settings),
        snapshot=world,
        space=SimpleNamespace(embedder=world),
        services=SimpleNamespace(like=world.like),
        depth=0,
        entities=world.entities,
    )
    analysis = Analysis(question="where?", indicator="", topics=(1,), d_predict=2)
    return entities_of(cast("Any", context), analysis, [Prediction(name, "") for name in names], ())


def test_by_name_and_no_topic():
    assert asked(["Salzburg", "Mozart", "Nobody at All"]) == [2, None, None]
    assert asked([]) == []


@pytest.mark.parametrize("by, found", [("letters", None), ("meaning", 4), ("off", None)])
def test_what_nobody_is_called_is_looked_up_in_the_index(by, found):
    assert asked(["Wien"], linking={"entities_by": by}) == [None]  # too short to be misspelt as a whole
    assert asked(["Wien in Austria"], linking={"entities_by": by}) == [found]


def test_by_likeness_the_nearest_of_the_graph(monkeypatch):
    similar = {"retrieval": {"predictions": "similarity"}}
    assert asked(["City of Salzburg", "Wien", "Salzburg"], **similar) == [2, None, 2]
    monkeypatch.setattr("hydra_kg.steps.exploration.analyse.LIKE_MEANING", 0.95)
    assert asked(["City of Salzburg"], **similar) == [None]
