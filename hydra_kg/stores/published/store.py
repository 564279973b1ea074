"""The store of a reader: an embedded store whose folder is a copy of a published store and follows its updates."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from hydra_kg.errors import HydraError, UsageError
from hydra_kg.events import Listener, ignore
from hydra_kg.ports import LoadPlan
from hydra_kg.settings import ReaderSettings
from hydra_kg.stores.embedded.catalog.catalog import LoadRow
from hydra_kg.stores.embedded.catalog.locks import Lock
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.embedded.upkeep.compaction import MANY
from hydra_kg.stores.published.addresses import copy_folder
from hydra_kg.stores.published.copy import check_folder, update
from hydra_kg.stores.published.publication_places import open_place

if TYPE_CHECKING:
    from hydra_kg.stores.embedded.reads.snapshot import EmbeddedSnapshot


class PublishedStore(EmbeddedStore):
    """A read-only store with a copy of what is published at ``address``.

    If the address cannot be reached, questions are answered from an earlier copy, with a warning. While the store is in
    use, a thread looks for something newer every ``readers.poll`` seconds; of several processes with one copy, only one
    does. ``follow`` means: look for something newer now. Nothing can be loaded into the store.

    Raises StoreError, NotFoundError or StoreCorruptError if there is no copy yet and none can be made.
    """

    def __init__(self, address: str, readers: ReaderSettings, *, follow: bool = True) -> None:
        folder = Path(readers.copy_folder).expanduser().absolute() if readers.copy_folder else copy_folder(address)
        check_folder(folder, address)
        self._place = open_place(address)
        self._poll = readers.poll
        self._ended = threading.Event()
        self._following = 0
        self._last_warning = ""
        super().__init__(folder)
        self.url = address
        if not follow:
            return
        if self.catalog.generation():
            self._try()
        else:
            self.update(wait=True)

    def update(self, *, wait: bool = False, back: bool = False) -> bool:
        """Take over the published state. Return True if it changed.

        Without ``wait``, returns False if another process is updating. ``back`` allows an older generation. Raises
        StoreError; the copy then stays as it is.
        """
        with Lock(self.path / "locks" / "follow") as lock:
            newer = lock.exclusive(wait=wait) and update(
                self.path, self.catalog, self._place, go_on=lambda: not self._ended.is_set(), back=back
            )
        self._tidy_later()  # also what several that let go at once left to one another
        return newer

    @contextmanager
    def snapshot(self) -> Iterator[EmbeddedSnapshot]:
        """See :class:`EmbeddedStore`; the first one in a process begins to follow."""
        self._follow()
        with super().snapshot() as found:
            yield found

    def begin(self, load: LoadPlan) -> NoReturn:
        """Raise the error that this store is read-only."""
        raise self._refusal()

    def drop(self, name: str) -> NoReturn:
        """Raise the error that this store is read-only."""
        raise self._refusal()

    def compact(self, *, more_than: int = MANY, everything: bool = False, listener: Listener = ignore) -> NoReturn:
        """Raise the error that this store is read-only."""
        raise self._refusal()

    def flip(self, *, ready: Sequence[LoadRow], replace: bool) -> NoReturn:
        """Raise the error that this store is read-only."""
        raise self._refusal()

    def close(self) -> None:
        """See :class:`EmbeddedStore`; what is being fetched is left where it is."""
        self._ended.set()
        super().close()

    def _refusal(self) -> UsageError:
        return UsageError(
            f"{self.url} is published: it is only read here.", remedy="Load into the store that is published there."
        )

    def _follow(self) -> None:
        with self._mutex:
            if self._poll and self._following != os.getpid() and not self._ended.is_set():
                self._following = os.getpid()
                threading.Thread(target=self._look, name="hydra-kg follow", daemon=True).start()

    def _look(self) -> None:
        while not self._ended.wait(self._poll):
            self._try()

    def _try(self) -> None:
        """Update, and turn each error into one warning."""
        try:
            self.update()
            self._last_warning = ""
        except (HydraError, OSError) as e:
            said = " ".join(str(e).replace("ADDRESS", self.url).splitlines())
            if said != self._last_warning and not self._ended.is_set():
                logging.getLogger("hydra_kg").warning("%s is answered from the earlier copy: %s", self.url, said)
            self._last_warning = said
