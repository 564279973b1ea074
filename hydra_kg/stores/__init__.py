"""Opens a store by its address: a path for the embedded one; a server's address from a later version on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hydra_kg.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from hydra_kg.ports import Store

SERVER_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


def store_path(address: str | Path = "") -> Path:
    """The folder of an embedded store; "" is the user's own.

    Raises UsageError for the address of a server and for anything else with a scheme.
    """
    from hydra_kg.settings import default_store

    if isinstance(address, Path):
        return address
    scheme, separator, rest = address.partition("://")
    if not separator:
        return Path(address).expanduser() if address else default_store()
    if scheme == "file":
        return Path(rest)
    if scheme in SERVER_SCHEMES:
        raise UsageError(
            "A Neo4j server as a store is not part of this version yet.",
            remedy="Give --store a folder, or leave it out for the store in your data folder.",
        )
    raise UsageError(f"There is no store for addresses that begin with {scheme}://.", remedy="Give --store a folder.")


def is_store(path: Path) -> bool:
    """Whether a folder holds an embedded store."""
    return (path / "catalog.sqlite").is_file()


def open_store(address: str | Path = "", *, create: bool = False) -> Store:
    """The store at an address. ``create`` makes an empty one where there is none.

    Raises NotFoundError where there is none, UsageError for an address that is none, StoreCorruptError.
    """
    path = store_path(address)
    if not create and not is_store(path):
        what = "is no store" if path.exists() else "does not exist"
        raise NotFoundError(
            f"The store {path} {what}.", remedy="Load something first (hydra-kg load FILE), or try hydra-kg demo."
        )
    from hydra_kg.stores.embedded.store import EmbeddedStore

    return EmbeddedStore(path)
