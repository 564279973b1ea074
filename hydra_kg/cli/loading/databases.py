"""Accept addresses of databases as files of ``hydra-kg load``: the database is copied next to the store and loaded."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from hydra_kg.cli.terminal import note, number, warn
from hydra_kg.text.plain_text import clean


class FileOrAddress(click.Path):
    """An existing file or folder, ``-``, the address of a database, or that of a dump."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert a value: see :class:`click.Path`."""
        from hydra_kg.cli.loading.downloads import is_download
        from hydra_kg.ingest.database_copy import is_address

        text = str(value)
        return text if is_address(text) or is_download(text) else super().convert(value, param, ctx)


@contextmanager
def copy_databases(
    given: Sequence[Path | str], *, store: str, source: str, again: bool, append: bool, dry_run: bool, no_network: bool
) -> Iterator[tuple[tuple[Path, ...], Callable[[], dict[Path, Path]]]]:
    """Yield the files, with temporary copies of databases, and a function that moves these to their place.

    ``again``: whether it replaces a load. Raise NetworkError, and UsageError for server stores, appending, and copies
    that a load cites.
    """
    from hydra_kg.errors import NetworkError, UsageError
    from hydra_kg.ingest.database_copy import FOLDER, copy_database, database_name
    from hydra_kg.stores import store_path

    addresses = [one for one in given if isinstance(one, str)]
    if addresses and no_network:
        raise NetworkError(
            f"{database_name(addresses[0])} is the address of a database, and --no-network forbids connecting to it.",
            remedy="Load a file, or leave --no-network (no_network) out.",
        )
    if addresses and append:
        raise UsageError("Only whole databases can be loaded.", remedy="Load it again, with --replace.")
    if addresses and "://" in store:
        raise UsageError(
            "A database is copied next to its store, and this store is on a server.",
            remedy="Load into a folder with --store FOLDER, then hydra-kg db copy.",
        )
    own = store_path(store)
    folder = own.with_name(f"{own.name}.{FOLDER}")
    near = folder.parent if addresses and not dry_run else None
    if near is not None:
        near.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".hydra-kg-", dir=near) as scratch:
        files: list[Path] = []
        for one in given:
            if isinstance(one, Path):
                files.append(one)
                continue
            name = (source if len(addresses) == 1 else "") or database_name(one)
            path = folder / f"{Path(name).name}.sqlite"
            if path.exists() and not again and not dry_run:
                raise UsageError(f"{path.stem} was copied and loaded before.", remedy="Load it again with --replace.")
            made = copy_database(one, Path(scratch) / path.name)
            note(f"Copied {number(made.rows)} rows of {number(len(made.tables))} tables into {path}")
            if made.left_out:
                warn(f"Left out: {clean(', '.join(made.left_out[:20]))}")
            files.append(Path(scratch) / path.name)

        def keep() -> dict[Path, Path]:
            copies = [] if dry_run else [file for file in files if file.parent == Path(scratch)]
            if copies:
                folder.mkdir(exist_ok=True)
            return {file: file.replace(folder / file.name) for file in copies}

        yield tuple(files), keep
