"""Rows of kept answers name the full question of a follow-up, which is read once from the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hydra_kg.errors import NotFoundError
from hydra_kg.serving.shortening import REMEMBERED, list_answers


class CountedTraces:
    """Kept answers in memory that count how often one is read whole."""

    def __init__(self) -> None:
        self.answers: dict[str, dict[str, Any]] = {}
        self.reads = 0

    def save(self, answer: Mapping[str, Any]) -> None:
        self.answers[answer["id"]] = dict(answer)

    def get(self, key: str = "") -> Mapping[str, Any]:
        self.reads += 1
        if self.answers[key].get("removed"):
            raise NotFoundError("gone")
        return self.answers[key]

    def list(self, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        newest = sorted(self.answers.values(), key=lambda a: a["created"], reverse=True)[:limit]
        return [{name: answer[name] for name in ("id", "question", "created")} for answer in newest]

    def questions_using(self, source: str) -> Sequence[Mapping[str, Any]]:
        return []


def keep(traces: CountedTraces, key: str, created: str, **more: Any) -> None:
    traces.save({"id": key, "question": "and he?", "created": created, **more})


def test_the_full_question_of_a_follow_up_is_read_once():
    traces = CountedTraces()
    keep(traces, "a", "1", understood_as="When did Ada die?")
    keep(traces, "b", "2")
    for _ in range(3):
        assert [row.get("understood_as") for row in list_answers(traces, limit=10)] == [None, "When did Ada die?"]
    assert traces.reads == 2
    keep(traces, "a", "3", understood_as="When did Bo die?")  # replaced
    assert list_answers(traces, limit=1)[0]["understood_as"] == "When did Bo die?"
    assert traces.reads == 3


def test_an_answer_that_cannot_be_read_is_listed_and_tried_again():
    traces = CountedTraces()
    keep(traces, "a", "1", removed=True)
    for reads in (1, 2):
        assert [row["id"] for row in list_answers(traces, limit=10)] == ["a"]
        assert traces.reads == reads


def test_only_the_newest_are_remembered():
    traces = CountedTraces()
    for number in range(3 * REMEMBERED):
        keep(traces, f"{number}", f"{number:04}")
        list_answers(traces, limit=1)
    reads = traces.reads
    list_answers(traces, limit=1)
    assert traces.reads == reads == 3 * REMEMBERED
    list_answers(traces, limit=3 * REMEMBERED)
    assert traces.reads > reads
