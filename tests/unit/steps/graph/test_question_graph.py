"""What is worked out for a question is worked out once for it, never for another one, and goes with its graph."""

from __future__ import annotations

import gc
from typing import Any

from hydra_kg.steps.graph.question_graph import PerQuestion, QuestionGraph

NOTHING: Any = None


def test_one_question_is_given_the_same_again_and_another_one_its_own():
    made: list[str] = []

    def make() -> list[str]:
        made.append("once")
        return list(made)

    memory, one, other = PerQuestion(), QuestionGraph(NOTHING, NOTHING), QuestionGraph(NOTHING, NOTHING)
    first = memory.get(one, "key", make)
    assert memory.get(one, "key", make) is first
    assert memory.get(other, "key", make) is not first
    assert len(made) == 2


def test_nothing_is_remembered_of_a_question_that_is_over():
    memory, graph = PerQuestion(), QuestionGraph(NOTHING, NOTHING)
    memory.get(graph, "key", list)
    assert len(memory) == 1
    del graph
    gc.collect()
    assert len(memory) == 0
