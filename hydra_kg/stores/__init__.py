"""Opens a store by its address: a folder (embedded), a Neo4j server, or a published store."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hydra_kg.errors import NoStoreError, StoreError, UsageError
from hydra_kg.stores.published.addresses import MARK, is_published, slug

if TYPE_CHECKING:
    from hydra_kg.events import Listener
    from hydra_kg.ports import Store
    from hydra_kg.settings import ReaderSettings

_SERVER = "server.txt"
SERVER_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


def is_server(address: str | Path) -> bool:
    """Return True if an address is that of a Neo4j server."""
    return isinstance(address, str) and address.partition("://")[0] in SERVER_SCHEMES and "://" in address


def store_path(address: str | Path = "") -> Path:
    """Return the folder of an embedded store, or the folder with the saved answers of a server.

    The address "" means the user's own store. Raises UsageError for other schemes.
    """
    from hydra_kg.settings import get_default_store

    if isinstance(address, Path):
        return address
    scheme, separator, rest = address.partition("://")
    if is_published(address):
        return get_default_store().with_name("readers") / slug(address)
    if not separator:
        return Path(address).expanduser() if address else get_default_store()
    if scheme == "file":
        return Path(rest)
    if scheme in SERVER_SCHEMES:
        return get_default_store().with_name("servers") / re.sub(r"[^A-Za-z0-9.-]", "_", rest.rstrip("/"))
    raise UsageError(f"There is no store for addresses that begin with {scheme}://.", remedy="Give --store a folder.")


def is_apart(address: str | Path) -> bool:
    """Return True if a store is elsewhere, so that its saved answers are in a folder of this user."""
    return is_server(address) or is_published(address)


def is_store(path: Path) -> bool:
    """Return True if a folder contains an embedded store, or the saved answers of a store on a server."""
    lost = next((path / "loads").glob("*/manifest.json"), None) if (path / "loads").is_dir() else None
    return (path / "catalog.sqlite").is_file() or lost is not None or (path / _SERVER).is_file()


def index_many_names(store: Store, listener: Listener) -> None:
    """Index the names of loads if there are too many names for a question to index them on first use."""
    from hydra_kg.index.shard import AT_ONCE
    from hydra_kg.ports import NameIndexing

    if isinstance(store, NameIndexing) and store.name_index()["missing"] > AT_ONCE:
        with suppress(OSError, StoreError):
            store.index_names(listener)


def demo_store() -> Path:
    """Return the folder where ``hydra-kg demo`` puts its store by default."""
    from hydra_kg.settings import get_default_store

    return get_default_store().with_name("demo")


def is_only_demo(address: str | Path) -> bool:
    """Return True if no store is named, the user has none, and the demo store exists."""
    return not address and not is_store(store_path()) and is_store(demo_store())


def open_store(address: str | Path = "", *, create: bool = False, readers: ReaderSettings | None = None) -> Store:
    """Open the store at an address.

    Args:
        address: a folder, a server address, or the address of a published store; "" means the user's own store.
        create: make an empty store if there is none.
        readers: settings for reading a published store.

    Raises NoStoreError, UsageError, StoreCorruptError, or StoreError for a server that refuses.
    """
    if is_server(address):
        from hydra_kg.stores.neo4j.store import Neo4jStore

        server = Neo4jStore(str(address), folder=store_path(address))
        _keep_apart(str(address))
        return server
    if is_published(address):
        return _open_published(str(address), create=create, readers=readers)
    path = store_path(address)
    if create and (path / MARK).is_file():
        raise UsageError(
            f"{path} is the copy of a published store, and follows that.",
            remedy="Load into the store that is published there.",
        )
    if not create and not is_store(path):
        what = "is no store" if path.exists() else "does not exist"
        raise NoStoreError(
            f"The store {path} {what}.", remedy="Load something first (hydra-kg load FILE), or try hydra-kg demo."
        )
    from hydra_kg.stores.embedded.store import EmbeddedStore

    return EmbeddedStore(path)


def _open_published(address: str, *, create: bool, readers: ReaderSettings | None) -> Store:
    """Open the local copy of a published store."""
    from hydra_kg.settings import load_settings
    from hydra_kg.stores.published.store import PublishedStore

    if create:
        raise UsageError(
            f"{address} is published: it is only read.", remedy="Load into the store that is published there."
        )
    store = PublishedStore(address, readers or load_settings().readers)
    _keep_apart(address)
    return store


def _keep_apart(address: str) -> None:
    """Make the private folder for this user's answers from a store that is elsewhere."""
    from hydra_kg.settings.folders import make_private_folder
    from hydra_kg.util.sidecar_db import make_private

    folder = store_path(address)
    with suppress(OSError):  # without it answers cannot be kept, which is said when one should be
        make_private_folder(folder.parent)
        make_private_folder(folder)
        make_private(folder / _SERVER)
        (folder / _SERVER).write_text(f"{address}\n", "utf-8")
