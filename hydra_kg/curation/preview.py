"""Ask the saved questions of a store as it would be with a waiting load in use, or without a source."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from hydra_kg.curation.asking_again import AskedAgain, QuestionAsker, ask_again
from hydra_kg.curation.saved_questions import SavedQuestion, SavedQuestions
from hydra_kg.errors import UsageError
from hydra_kg.events import Listener, ignore
from hydra_kg.stores.embedded.operations.abilities import Holdable
from hydra_kg.stores.embedded.operations.pending_load import flip_pending
from hydra_kg.stores.embedded.operations.preview import preview_change

if TYPE_CHECKING:
    from hydra_kg.ports import Store
    from hydra_kg.stores.embedded.store import EmbeddedStore


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
