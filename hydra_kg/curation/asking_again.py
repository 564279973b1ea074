"""Ask saved questions again, over a store as it is or as a change would make it, and report which answers differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from hydra_kg.answer import Answer
from hydra_kg.curation.saved_questions import SavedQuestion, SavedQuestions, names_of
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.events import Event, Listener, ignore
from hydra_kg.stores.embedded.operations.abilities import Holdable
from hydra_kg.stores.embedded.operations.pending_load import flip_pending, preview_change
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    from hydra_kg.ports import Store
    from hydra_kg.stores.embedded.store import EmbeddedStore


UNKNOWN: Final[Mapping[str, Any]] = MappingProxyType(
    {"id": "", "answers": (), "answer_text": "", "verdict": "unsupported", "confidence": 0.0, "abstained": True}
)
"""Answer to a question about a thing or by a relation that no load has any more."""


class QuestionAsker(Protocol):
    """Port for something that asks one question over a store, such as a Hydra."""

    def ask(
        self, question: str, *, topics: Sequence[str] = (), strategy: str = "", keep: bool = True, relation: str = ""
    ) -> Answer:
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
        found.append(AskedAgain(saved, _ask_as_saved(asker, saved, keep=keep)))
        listener(
            Event(
                "saved.ask",
                {"done": done, "total": len(questions), "unit": "questions", "name": "saved questions"},
                0.0,
            )
        )
    return found


def _ask_as_saved(asker: QuestionAsker, saved: SavedQuestion, *, keep: bool) -> Mapping[str, Any]:
    """Return the present answer, which is none if what a person chose is no longer known."""
    try:
        answer = asker.ask(
            saved.question, topics=saved.topics, strategy=saved.strategy, keep=keep, relation=saved.relation
        )
    except NotFoundError:
        return UNKNOWN
    return answer.to_dict()


def count_changes(asked: Sequence[AskedAgain]) -> dict[str, int]:
    """Return how many questions were asked, and how many answers and verdicts changed."""
    answers, verdicts = sum(one.differs for one in asked), sum(one.verdict_differs for one in asked)
    return {"asked": len(asked), "answers": answers, "verdicts": verdicts}


class SavedAsker(QuestionAsker, Protocol):
    """What asks over a store and knows its saved questions, such as a Hydra."""

    @property
    def store(self) -> Store:
        """The store, opened."""

    @property
    def saved(self) -> SavedQuestions:
        """The questions that people saved with their answers."""


def ask_saved(
    asker: SavedAsker,
    opened: Callable[[Store], AbstractContextManager[QuestionAsker]],
    *,
    flip: str = "",
    drop: str = "",
    keep: bool = False,
    listener: Listener = ignore,
) -> list[AskedAgain]:
    """Ask the saved questions over the store as it is, or as it would be with ``flip`` in use or without ``drop``.

    ``keep``: whether the answers over the store as it is are kept for ``show``. The rest is as for `ask_before_change`.
    """
    known = asker.saved.all()
    if known and (flip or drop):
        return ask_before_change(asker.store, known, opened, flip=flip, drop=drop, listener=listener)
    return ask_again(asker, known, keep=keep, listener=listener)


def ask_before_change(
    store: Store,
    questions: list[SavedQuestion],
    opened: Callable[[Store], AbstractContextManager[QuestionAsker]],
    *,
    flip: str = "",
    drop: str = "",
    listener: Listener = ignore,
) -> list[AskedAgain]:
    """Ask questions over a store as it would be after ``sources flip FLIP`` or ``sources drop DROP``.

    ``opened`` makes the asker over the changed store. Raise UsageError for a store on a server, NotFoundError.
    """

    def change(copy: EmbeddedStore) -> object:
        return flip_pending(copy, flip) if flip else copy.drop(drop)

    with preview_change(_in_folder(store), change) as changed, opened(changed) as asker:
        return ask_again(asker, questions, listener=listener)


def _in_folder(store: Store) -> Holdable:
    if not isinstance(store, Holdable):
        raise UsageError(
            "Changes are tried on a copy of the store's files, but this store is on a server.",
            remedy="Change it, then run hydra-kg saved check.",
        )
    return store
