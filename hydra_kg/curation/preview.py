"""Ask the saved questions of a store as it would be with a waiting load in use, or without a source."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from hydra_kg.curation.asking_again import AskedAgain, QuestionAsker, ask_again
from hydra_kg.curation.saved_questions import SavedQuestion
from hydra_kg.errors import UsageError
from hydra_kg.events import Listener, ignore
from hydra_kg.stores.embedded.operations.abilities import Holdable
from hydra_kg.stores.embedded.operations.pending_load import flip_pending
from hydra_kg.stores.embedded.operations.preview import previewed

if TYPE_CHECKING:
    from hydra_kg.ports import Store
    from hydra_kg.stores.embedded.store import EmbeddedStore


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

    with previewed(_in_folder(store), change) as changed, opened(changed) as asker:
        return ask_again(asker, questions, listener=listener)


def _in_folder(store: Store) -> Holdable:
    if not isinstance(store, Holdable):
        raise UsageError(
            "A change is tried on a copy of the store's files, and this store is on a server.",
            remedy="Change it, then run hydra-kg saved check.",
        )
    return store
