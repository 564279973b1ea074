"""Ask saved questions again and report which answers differ, over a store as it is or after a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from hydra_kg.answer import Answer
from hydra_kg.curation.saved_questions import SavedQuestion, names_of
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.util.fast_dataclass import dataclass


class QuestionAsker(Protocol):
    """Port for something that asks one question over a store, such as a Hydra."""

    def ask(self, question: str, *, strategy: str = "", keep: bool = True) -> Answer:
        """Return the answer to a question."""


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A saved question and its present answer, in the form of ``ask --json``."""

    saved: SavedQuestion
    now: Mapping[str, Any]

    @property
    def differs(self) -> bool:
        """Return whether other things are answered than were saved, or nothing, or something in place of nothing."""
        return list(self.saved.names) != names_of(self.now)

    @property
    def verdict_differs(self) -> bool:
        """Return whether the same is answered with another verdict."""
        return not self.differs and self.saved.verdict != self.now["verdict"]

    def to_json(self) -> dict[str, Any]:
        """Return the saved answer, the present answer and whether they differ, as a document."""
        fields = ("id", "answer_text", "verdict", "confidence", "abstained")
        now = {**{name: self.now[name] for name in fields}, "names": names_of(self.now)}
        changed = "answer" if self.differs else "verdict" if self.verdict_differs else ""
        return {**self.saved.to_json(), "now": now, "changed": changed}


def ask_again(
    asker: QuestionAsker, questions: Sequence[SavedQuestion], *, keep: bool = False, listener: Listener = ignore
) -> list[AskedAgain]:
    """Ask each question once more with its strategy. ``keep``: whether the answers are kept for ``show``."""
    found = []
    for done, saved in enumerate(questions, 1):
        answer = asker.ask(saved.question, strategy=saved.strategy, keep=keep)
        found.append(AskedAgain(saved, answer.to_dict()))
        listener(
            Event(
                "saved.ask",
                {"done": done, "total": len(questions), "unit": "questions", "name": "saved questions"},
                0.0,
            )
        )
    return found


def count_changes(asked: Sequence[AskedAgain]) -> dict[str, int]:
    """Return how many questions were asked, and how many answers and verdicts changed."""
    answers, verdicts = sum(one.differs for one in asked), sum(one.verdict_differs for one in asked)
    return {"asked": len(asked), "answers": answers, "verdicts": verdicts}
