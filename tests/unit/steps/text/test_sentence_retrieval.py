"""Sentences of passages: how many are compared, and which are read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hydra_kg.domain import Locator, Passage, Source
from hydra_kg.settings import Settings
from hydra_kg.steps.text.sentence_retrieval import read

TEXT = " ".join(f"Sentence number {n} is about nothing." for n in range(30)) + " Lions roar."
PASSAGE = Passage("p", "Page", TEXT, Source("text", "wiki"), Locator(page="Page"))


class Likes:
    """Vectors by which a text that speaks of lions is near to everything, and others to nothing."""

    def __init__(self) -> None:
        self.seen = 0

    def embed(self, texts: list[str]) -> Any:
        self.seen += len(texts) - 1
        return np.array([[1.0, 0.0], *([1.0, 0.0] if "Lions" in t else [0.0, 1.0] for t in texts[1:])], np.float32)


class Graph:
    """Something to remember by."""


@pytest.mark.parametrize("most, seen, first", [(8, 8, "Sentence number 0"), (0, 31, "Lions roar.")])
def test_all_sentences_are_compared_where_the_setting_says_so(most, seen, first):
    """No word of the question is in the sentence that its vector is nearest to."""
    embedder = Likes()
    settings = Settings().changed(retrieval={"sentences": most})
    context: Any = SimpleNamespace(graph=Graph(), space=SimpleNamespace(embedder=embedder), settings=settings)
    found = read(context, "Which sentence is about cats?", [PASSAGE])
    assert embedder.seen == seen
    assert found[0].text.startswith(first)
    assert len(found) == 6
