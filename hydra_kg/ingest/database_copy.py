"""Copy tables and declared keys of a PostgreSQL or MySQL database to a SQLite file, which can then be loaded.

One read-only transaction reads small batches until a deadline. Statements contain only quoted names from the server.
"""

from __future__ import annotations

import datetime
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.errors import LoadError, UsageError
from hydra_kg.text.quoting import sql_name
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection

FOLDER: Final = "databases"
"""The ending of the name of the folder of copies, after the name of the store next to it."""

SECONDS: Final = 1_800.0
"""Number of seconds that a copy may take."""

MOST_TABLES: Final = 500
MOST_BYTES: Final = 20 << 30
"""Largest number of characters of all cells of a copy."""

_CONNECT: Final = 10  # seconds
_BATCH: Final = 5_000
_ADDRESS: Final = re.compile(r"(postgres|postgresql|mysql|mariadb)(\+[a-z0-9]+)?://", re.IGNORECASE)
_DRIVERS: Final = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}
_SECRET: Final = re.compile(r"pass(word|wd|phrase)?|pwd|secret|token|api_?key", re.IGNORECASE)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy with the ``rows`` of all ``tables``.

    ``left_out`` has the columns that contain bytes or have names like those of secrets.
    """

    path: Path
    tables: tuple[str, ...]
    rows: int
    left_out: tuple[str, ...]


def is_address(text: str) -> bool:
    """Return True if a text is the address of a database."""
    return _ADDRESS.match(text) is not None


def database_name(address: str) -> str:
    """Return the name of the database in an address."""
    return _UNSAFE.sub("_", str(_url(address).database or "")) or "database"


def copy_database(address: str, path: Path, *, seconds: float = SECONDS) -> Copied:
    """Copy the default schema of an address to a SQLite file, and replace that file when the copy is complete.

    Raises UsageError, and LoadError for refusals, after ``seconds`` and over :data:`MOST_TABLES` or :data:`MOST_BYTES`.
    No error shows the password.
    """
    url = _url(address)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        with _reading(url, seconds) as server, closing(sqlite3.connect(new, isolation_level=None)) as out:
            out.execute("PRAGMA journal_mode = OFF")
            out.execute("PRAGMA synchronous = OFF")
            copied = _copy(server, out, path, time.monotonic() + seconds, shown=url.render_as_string())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    return copied


def _copy(server: Connection, out: sqlite3.Connection, path: Path, end: float, *, shown: str) -> Copied:
    """Copy all readable tables of a server into an SQLite file."""
    import sqlalchemy as sa

    known = sa.inspect(server)
    names = sorted(known.get_table_names())
    if not 0 < len(names) <= MOST_TABLES:
        raise LoadError(
            f"{shown} has {len(names):,} tables that may be read; 1 to {MOST_TABLES:,} can be copied.",
            remedy="Views are left out. Name another database, or a user who may read them.",
        )
    count, size, left_out = 0, 0, []
    for name in names:
        described = known.get_columns(name)
        columns = [c for c in described if not _left_out(c)]
        left_out += [f"{name}.{c['name']}" for c in described if c not in columns]
        if not columns:
            continue
        fields = [str(c["name"]) for c in columns]
        out.execute(_definition(known, name, fields, names))
        out.execute("BEGIN")
        insert = f"INSERT INTO {sql_name(name)} VALUES ({', '.join('?' * len(fields))})"
        query: Any = sa.select(*(sa.column(field) for field in fields)).select_from(sa.table(name))
        with server.execution_options(yield_per=_BATCH).execute(query) as rows:
            for batch in rows.partitions():
                texts = [tuple(map(_text, row)) for row in batch]
                out.executemany(insert, texts)
                count += len(texts)
                size += sum(len(cell) for row in texts for cell in row if cell)
                if time.monotonic() > end:
                    raise LoadError(f"{shown} was not copied in time.", remedy="Nothing was loaded. Allow more time.")
                if size > MOST_BYTES:
                    raise LoadError(
                        f"{shown} holds over {MOST_BYTES >> 30} GB.", remedy="Export what matters into files."
                    )
        out.execute("COMMIT")
    return Copied(path, tuple(names), count, tuple(left_out))


def _definition(known: Any, name: str, fields: Sequence[str], tables: Sequence[str]) -> str:
    """Return SQLite's definition of the table, with its declared keys."""
    parts = [f"{sql_name(field)} TEXT" for field in fields]
    keys = [known.get_pk_constraint(name).get("constrained_columns") or []]
    parts += [f"PRIMARY KEY ({', '.join(map(sql_name, key))})" for key in keys if key and set(key) <= set(fields)]
    for foreign in known.get_foreign_keys(name):
        own, to, other = foreign["constrained_columns"], foreign["referred_table"], foreign["referred_columns"]
        if to in tables and not foreign.get("referred_schema") and set(own) <= set(fields):
            parts.append(
                f"FOREIGN KEY ({', '.join(map(sql_name, own))}) REFERENCES {sql_name(to)}"
                f" ({', '.join(map(sql_name, other))})"
            )
    return f"CREATE TABLE {sql_name(name)} ({', '.join(parts)})"


def _left_out(column: Any) -> bool:
    import sqlalchemy as sa

    return isinstance(column["type"], sa.LargeBinary) or _SECRET.fullmatch(str(column["name"])) is not None


def _text(value: object) -> str | None:
    if value is None or isinstance(value, bytes | bytearray | memoryview):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return str(value)


@contextmanager
def _reading(url: URL, seconds: float) -> Iterator[Connection]:
    """Yield a connection in one read-only transaction. The server ends statements after the deadline."""
    import sqlalchemy as sa

    server = url.get_backend_name()
    more = {"connect_timeout": _CONNECT}
    try:
        engine = sa.create_engine(url, connect_args=more, poolclass=sa.NullPool, hide_parameters=True)
        with engine.connect().execution_options(isolation_level="REPEATABLE READ") as db:
            limit = int(max(seconds, 0.001) * 1000)
            if server == "postgresql":
                db.exec_driver_sql("SET TRANSACTION READ ONLY")
                db.exec_driver_sql(f"SET LOCAL statement_timeout = {limit}")
            else:
                dialect: Any = db.dialect
                own = f"max_statement_time = {limit / 1000}", f"max_execution_time = {limit}"
                timeout = own[0] if dialect.is_mariadb else own[1]
                db.exec_driver_sql(f"SET SESSION {timeout}")
                db.commit()
                db.exec_driver_sql("SET TRANSACTION READ ONLY")
                db.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
            try:
                yield db
            finally:
                db.rollback()
    except sa.exc.SQLAlchemyError as e:
        raise LoadError(
            f"{url.render_as_string()} cannot be read: {_cause(e, url)}",
            remedy="Nothing was loaded. Check the address, the user and what the user may read.",
        ) from None  # the chain could hold the password
    except ImportError as e:
        raise UsageError(
            f"{e.name} is needed to read {server} and is not installed.", remedy="pip install 'hydra-kg[databases]'"
        ) from e


def _cause(error: Exception, url: URL) -> str:
    text = str(getattr(error, "orig", None) or error).strip()
    line = " ".join(text.splitlines()[:2]) or type(error).__name__
    return line.replace(str(url.password), "***") if url.password else line


def _url(address: str) -> URL:
    """Return the parsed address of a database. Raises UsageError."""
    try:
        import sqlalchemy as sa
    except ImportError as e:
        raise UsageError(
            "Databases on servers need SQLAlchemy, which is not installed.", remedy="pip install 'hydra-kg[databases]'"
        ) from e
    scheme, _, rest = address.partition("://")
    driver = _DRIVERS.get(scheme.partition("+")[0].casefold(), "")
    try:
        url = sa.make_url(f"{driver}://{rest}")
    except (sa.exc.ArgumentError, ValueError):
        url = None
    if url is None or not url.database:
        raise UsageError(
            "That is not a database address.",
            remedy="For example: postgresql://reader@localhost/shop; the password in ~/.pgpass or PGPASSWORD.",
        )
    return url
