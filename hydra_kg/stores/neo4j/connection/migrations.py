"""Brings a server's schema up to date: numbered files, each applied once, recorded as a chain in the graph.

The format is that of neo4j-migrations. A file is called ``V0001__say_what.cypher``. Nodes ``:__Neo4jMigration`` are
joined by ``MIGRATED_TO``. Each has a CRC-32 of the statements, which must never change; comments around statements do
not count. A file called ``B0008__say_what.cypher`` contains the whole schema: in an empty database the chain begins
there, and earlier files are never applied to it. In other databases it is one of the files.
"""

from __future__ import annotations

import getpass
import re
import time
import zlib
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.errors import StoreError
from hydra_kg.stores.neo4j.connection.connect import bookmark_manager, database, explain, read, statement
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.package_data import find_content

if TYPE_CHECKING:
    from neo4j import Driver
    from neo4j.api import BookmarkManager

_NAME: Final = re.compile(r"([VB])(\d{4})__([a-z0-9_]+)\.cypher")
_COMMENT: Final = re.compile(r"^\s*//.*$\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration file. ``version`` is four digits; ``statements`` exclude comments on lines of their own."""

    version: str
    name: str
    statements: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Return True if the file contains the whole schema, so that a chain may begin with it."""
        return self.name.startswith("B")

    @property
    def description(self) -> str:
        """Return the description in the file name: ``say what``."""
        return self.name.removesuffix(".cypher").partition("__")[2].replace("_", " ")

    @property
    def checksum(self) -> str:
        """Return the CRC-32 of the statements, in decimal."""
        crc = 0
        for text in self.statements:
            crc = zlib.crc32(text.encode(), crc)
        return str(crc)


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """The state of a server's schema, as names of files in order.

    A later version of hydra-kg applied the files in ``foreign``.
    """

    applied: tuple[str, ...]
    pending: tuple[str, ...]
    changed: tuple[str, ...]
    foreign: tuple[str, ...]

    @property
    def ready(self) -> bool:
        """Return True if the schema is what this version needs."""
        return not self.pending and not self.changed

    def to_json(self) -> dict[str, Any]:
        """Return the status as plain lists."""
        return {k: list(getattr(self, k)) for k in ("applied", "pending", "changed", "foreign")}


def migrations(folder: Path | None = None) -> list[Migration]:
    """Return all migrations of this version, in order.

    Raises StoreError if a name is wrong, or a number is missing or used twice.
    """
    found = []
    for path in sorted((folder or find_content("migrations")).glob("*.cypher"), key=lambda path: path.name[1:]):
        if (match := _NAME.fullmatch(path.name)) is None:
            raise StoreError(f"{path.name} is not the name of a migration.", remedy="Name it V0001__say_what.cypher.")
        text = _COMMENT.sub("", path.read_text("utf-8"))
        parts = (part.strip() for part in re.split(r";[ \t]*(?:\r?\n|\Z)", text))
        found.append(Migration(match[2], path.name, tuple(part for part in parts if part)))
    for i, one in enumerate(found, 1):
        if int(one.version) != i:
            raise StoreError(
                f"The migrations are not numbered without gaps: {one.name} is at place {i}.",
                remedy="Install hydra-kg again.",
            )
    return found


def find_needed_migrations(known: list[Migration], applied: Set[str]) -> list[Migration]:
    """Return the migrations that a database needs, in order.

    If none was applied yet, they start with the last file that contains the whole schema. Otherwise they start with
    the whole schema with which the database began, or with the first file.
    """
    wholes = [i for i, m in enumerate(known) if m.whole]
    begun = next((i for i, m in enumerate(known) if m.version in applied), None)
    if begun is None:
        return known[max(wholes, default=0) :]
    return known[begun if begun in wholes else 0 :]


def schema_status(
    driver: Driver, *, url: str, folder: Path | None = None, bookmarks: BookmarkManager | None = None
) -> SchemaStatus:
    """Return which migrations were applied and which are missing. Changes nothing.

    ``bookmarks`` are writes that must be visible. Raises StoreError.
    """
    chain = read(driver, lambda tx: tx.run(statement("migration_chain")).data(), url=url, bookmarks=bookmarks)
    ours = {m.version: m for m in find_needed_migrations(migrations(folder), {row["version"] for row in chain})}
    known = [row for row in chain if row["version"] in ours]
    same = [row for row in known if row["checksum"] == ours[row["version"]].checksum]
    applied = {row["version"] for row in known}
    return SchemaStatus(
        applied=tuple(ours[row["version"]].name for row in same),
        pending=tuple(m.name for v, m in ours.items() if v not in applied),
        changed=tuple(ours[row["version"]].name for row in known if row not in same),
        foreign=tuple(str(row["source"]) for row in chain if row["version"] not in ours),
    )


def migrate(
    driver: Driver,
    *,
    url: str,
    folder: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
    bookmarks: BookmarkManager | None = None,
) -> SchemaStatus:
    """Apply missing migrations, each file once, and wait until their indexes are filled.

    Safe to repeat and to interrupt.

    Args:
        tell: gets one line per file.
        bookmarks: records the writes, so that readers with it see them on every server of a cluster. It must be a new
            one, because bookmarks of a database that a bulk load replaced are never reached.

    Raises StoreError, with the schema as it was, if an applied file was changed since, or one is missing before an
    applied one.
    """
    seen = bookmarks or bookmark_manager()
    if (now := schema_status(driver, url=url, folder=folder, bookmarks=seen)).ready:
        return now
    with _alone(driver, seen, url=url):
        before = schema_status(driver, url=url, folder=folder, bookmarks=seen)
        for one, last in _steps(before, migrations(folder), url=url):
            begun = time.monotonic()
            _apply(driver, one, last, seen, url=url, begun=begun)
            tell(f"{one.name}: {time.monotonic() - begun:.1f} s")
    return schema_status(driver, url=url, folder=folder, bookmarks=seen)


def _steps(before: SchemaStatus, known: list[Migration], *, url: str) -> list[tuple[Migration, str]]:
    """Return the migrations to apply, each with the version that it follows.

    Raises StoreError for a chain that cannot be continued.
    """
    if before.changed:
        raise StoreError(
            f"{before.changed[0]} was applied to {url} with other statements than it has now.",
            remedy="A migration never changes once it is applied: install the version of hydra-kg that "
            "was used, and add a new file for the change.",
        )
    done = [m.version for m in known if m.name in before.applied]
    todo = [m for m in known if m.name in before.pending]
    if done and todo and todo[0].version < done[-1]:
        raise StoreError(
            f"{todo[0].name} was never applied to {url}, but later ones were.",
            remedy="The chain in this graph is broken: load into an empty database.",
        )
    lasts = [done[-1] if done else "BASELINE", *(m.version for m in todo)]
    return list(zip(todo, lasts, strict=False))


@contextmanager
def _alone(driver: Driver, seen: BookmarkManager, *, url: str) -> Iterator[None]:
    """Lock a node so that no other process migrates meanwhile, because two at once may deadlock."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        _run(driver, seen, statement("migration_lock_make"), url)
        with (
            driver.session(database=database(url), bookmark_manager=seen) as session,
            session.begin_transaction() as tx,
        ):
            tx.run(statement("migration_lock_take"), by=_user()).consume()
            yield
    except (DriverError, Neo4jError, OSError) as e:
        raise explain(e, url) from e


def _apply(driver: Driver, one: Migration, last: str, seen: BookmarkManager, *, url: str, begun: float) -> None:
    """Apply the statements of a migration, then write its record.

    If this is interrupted, the statements are repeated, and they skip what is already done.
    """
    _run(driver, seen, statement("migration_guard"), url)
    for text in one.statements:
        if "IN TRANSACTIONS" in text:
            _run_in_batches(driver, seen, text, url)
        else:
            _run(driver, seen, text, url)
    _run(driver, seen, statement("indexes_await"), url)
    _run(
        driver,
        seen,
        statement("migration_record"),
        url,
        before=last,
        version=one.version,
        description=one.description,
        source=one.name,
        checksum=one.checksum,
        by=_user(),
        seconds=int(time.monotonic() - begun),
    )


def _run(driver: Driver, seen: BookmarkManager, text: Any, url: str, **parameters: object) -> None:
    """Run a statement on the leader of the cluster."""
    driver.execute_query(text, parameters, database_=database(url), bookmark_manager_=seen)


def _run_in_batches(driver: Driver, seen: BookmarkManager, text: Any, url: str) -> None:
    """Run a statement that commits its work in batches by itself."""
    with driver.session(database=database(url), bookmark_manager=seen) as session:
        session.run(text).consume()


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        return "hydra-kg"
