"""Base class for a loader that is one generator: it yields the records of a file, and the load is made without SQL."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.errors import HydraError, LoadError
from hydra_kg.ingest.contract.feed import whole_lines
from hydra_kg.ingest.contract.loader import BaseLoader, Streams, qualifiers_text
from hydra_kg.ingest.contract.loader_records import (
    TIMES,
    DroppedLine,
    Labels,
    LoaderRecord,
    RejectedLine,
    StatedFact,
    literal_key,
    strip_unstorable,
)
from hydra_kg.ingest.contract.work import Work, escape_line
from hydra_kg.ingest.formats.archives import chunks
from hydra_kg.phrases import relation_text

TYPE: Final = "P31"
"""The relation of an entity to its types. Types of all sources use it."""

_PACKED: Final = (".gz", ".bz2", ".zst")
_BATCH: Final = 50_000
_DETAILS: Final = ("confidence", "qualifiers", "locator")
_TABLES: Final = {
    "fact": "line UBIGINT, s BIGINT, p BIGINT, o BIGINT, key VARCHAR, confidence DOUBLE, qualifiers VARCHAR,"
    " locator VARCHAR",
    "called": "line UBIGINT, node BIGINT, kind VARCHAR, text VARCHAR",
    "thing": "node BIGINT, key VARCHAR, text VARCHAR",  # key: of a hashed node; text: of one that is this load's own
    "relation": "p BIGINT, key VARCHAR",
    "refused": "line UBIGINT, reason VARCHAR, text VARCHAR",
    "left_out": "line UBIGINT, rule VARCHAR",
}
_OWN_TEXTS: Final = (
    "SELECT node, CASE WHEN node IN (SELECT node FROM named WHERE kind = 'name') THEN 'alias' ELSE 'name' END AS kind,"
    " text, 1 AS line FROM thing WHERE text IS NOT NULL AND node IN"
    " (SELECT s FROM stated UNION ALL SELECT o FROM stated UNION ALL SELECT node FROM named)"
)
"""SQL of the texts of a load's own entities: the name of an entity, or an alias if it has a name already."""


class LoadedFile:
    """A file that is being loaded.

    Iterate over it for its lines, decompressed and decoded, each with its line feed as in Python's own text files.
    Lines that are not UTF-8, too long or contain a NUL are rejected automatically. A format without lines is read from
    ``path``, and then each record counts as a line.

    Attributes:
        path: The path of the file.
        rules: The loader's cleaning rules, each with whether it is on.
        options: The person's other choices (languages, ``extra``).
        line: The number of the line that was read last.
    """

    def __init__(self, path: Path, *, work: Work, rows: _Rows, before: int) -> None:
        self.path, self.rules, self.options = path, work.rules, work.options
        self.line = 0
        self._rows, self._before, self._progress = rows, before, work.progress()
        self._read = sum(f.stat().st_size for f in work.files[: work.files.index(path)])
        self._most = self.options.limit - before if self.options.limit else 1 << 62
        self._lines: Iterator[str] | None = None

    def __iter__(self) -> Iterator[str]:
        if self._lines is None:
            self._lines = self._decoded()
        return self._lines

    @property
    def has_lines(self) -> bool:
        """Return True if its lines are read."""
        return self._lines is not None

    @property
    def full(self) -> bool:
        """Return True if the limit of lines is reached."""
        return self.line >= self._most

    def refuse(self, reason: str, text: bytes | str = b"") -> None:
        """Reject the line that was read last."""
        self._rows.add("refused", self._before + self.line, reason, escape_line(text))

    def _decoded(self) -> Iterator[str]:
        """Yield the lines as text. Lines that are not UTF-8 are rejected."""
        for block in whole_lines(chunks(self.path, self._count), self.options.max_line):
            for data in block[:-1].split(b"\n"):
                if self.full:
                    return
                self.line += 1
                try:
                    text = data.removesuffix(b"\r").decode()
                except UnicodeDecodeError:
                    self.refuse("encoding", data)
                    continue
                if len(data) > self.options.max_line or b"\0" in data:
                    self.refuse("nul" if b"\0" in data else "too-long", data)
                    continue
                if not text.strip():
                    self._rows.add("left_out", self._before + self.line, "blank")
                yield (text if self.line > 1 else text.removeprefix("\ufeff")) + "\n"

    def _count(self, read: int, _: int) -> None:
        self._read += read
        self._progress(self._read, 0, self._before + self.line)


class StatementLoader(BaseLoader):
    """A format read by one method, :meth:`statements`.

    Set ``name`` and ``source``, and the ``suffixes`` of files that are recognised without ``--as``.

    The base class does the rest: decompression, batches, identifiers, names, sorting, duplicates, provenance by line,
    progress and resuming. Every line is counted as one of these: loaded, ``repeated`` (everything in it was stated
    before), rejected, dropped by a rule, blank, or ``silent`` (nothing was yielded for it). A format without lines sets
    ``unit`` to ``records``.
    """

    suffixes: tuple[str, ...] = ()

    @abstractmethod
    def statements(self, file: LoadedFile) -> Iterable[LoaderRecord]:
        """Yield the records of the line that was read last.

        A record is a :class:`StatedFact`, :class:`Labels`, :class:`RejectedLine` or :class:`DroppedLine`.
        """

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score for files with one of the ``suffixes``, compressed or not."""
        name = path.name.lower()
        for packed in _PACKED:
            name = name.removesuffix(packed)
        return 0.95 if self.suffixes and name.endswith(tuple(s.lower() for s in self.suffixes)) else 0.0

    def read(self, work: Work) -> Mapping[str, int]:
        """Read the records into the tables of :data:`_TABLES`. See :class:`BaseLoader`."""
        for table, columns in _TABLES.items():
            work.db.execute(f"CREATE TABLE {table} ({columns})")
        rows = _Rows(work)
        work.lines = []
        for path in work.files:
            if work.options.limit and sum(work.lines) >= work.options.limit:
                break
            work.lines.append(self._read_file(path, work, rows))
        rows.flush()
        known = [(number, key) for key, number in rows.relations.items()]
        work.insert("relation", known, ("BIGINT", "VARCHAR"))
        work.reject_found("SELECT line, min(reason), 0, min(text) FROM refused GROUP BY line")
        work.db.execute("CREATE VIEW stated AS SELECT * FROM fact ANTI JOIN refused USING (line)")
        work.db.execute("CREATE VIEW named AS SELECT * FROM called ANTI JOIN refused USING (line)")
        return {"blank": work.one(f"SELECT count(*) FROM ({_left_out()}) WHERE rule = 'blank'")}

    def clean(self, work: Work) -> Streams:
        """Make one fact for each statement. See :class:`BaseLoader`.

        Entities of this load also get their texts as names.
        """
        stating, first = work.one(_lines_of("line")), work.one(_lines_of("min(line) AS line"))
        dropped = dict(work.db.execute(f"SELECT rule, count(*) FROM ({_left_out()}) GROUP BY rule").fetchall())
        refused = work.one("SELECT count(DISTINCT line) FROM refused")
        silent = sum(work.lines) - stating - refused - sum(dropped.values())
        dropped.pop("blank", None)
        known = work.db.execute("SELECT p, key FROM relation ORDER BY key").fetchall()
        some = "".join(f", {c}" for c in _DETAILS if work.one(f"SELECT 1 FROM fact WHERE {c} IS NOT NULL LIMIT 1"))
        return Streams(
            links=f"SELECT s, p, o, line{some} FROM stated WHERE key IS NULL",
            values=f"SELECT s, p, key, line{some} FROM stated WHERE key IS NOT NULL",
            terms="SELECT node AS id, key AS text FROM thing WHERE key IS NOT NULL",
            names=f"SELECT node, kind, text, line FROM named UNION ALL {_OWN_TEXTS}",
            predicates=tuple((number, key, self.relation_text(key), "") for number, key in known),
            dropped={**dropped, "repeated": stating - first, "silent": silent},
            kept={self.unit: first},
            derived=("links", "values", "names"),
        )

    def relation_text(self, key: str) -> str:
        """Return a relation in words for questions, such as ``directed by`` for ``directed_by``.

        Override it for relations that are ids, such as ``P57``.
        """
        return "instance of" if key == TYPE else relation_text(key)

    def _read_file(self, path: Path, work: Work, rows: _Rows) -> int:
        """Take the records of a file, and return the number of its lines, or of records if it has no lines."""
        before = sum(work.lines)
        file = LoadedFile(path, work=work, rows=rows, before=before)
        last = 0
        for record in self._guarded(file):
            if not file.has_lines:
                if file.full:
                    break
                file.line += 1
            line = getattr(record, "line", 0) or file.line  # what is no record is refused where it is taken
            last = max(last, line)
            rows.take(record, before + line, self)
        if file.has_lines:
            for _ in file:  # what the generator left is counted as well
                pass
        return max(last, file.line)

    def _guarded(self, file: LoadedFile) -> Iterator[LoaderRecord]:
        """Yield the records of a file. Any error of the loader becomes a LoadError with its line."""
        records = iter(self.statements(file))
        while True:
            try:
                record = next(records)
            except StopIteration:
                return
            except (HydraError, OSError):
                raise
            except Exception as e:
                raise LoadError(
                    f"The loader {self.name} failed at line {file.line:,} of {file.path.name}: {type(e).__name__}: {e}",
                    remedy="Nothing was loaded. Let it yield RejectedLine(reason) for what it cannot read.",
                ) from e
            yield record


class _Rows:
    """Rows on their way into the tables, written some thousands at a time."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.relations: dict[str, int] = {}
        self._rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        self._known: dict[str, int] = {}

    def add(self, table: str, *row: Any) -> None:
        """Add one row to a table."""
        rows = self._rows[table]
        rows.append(row)
        if len(rows) >= _BATCH:
            self.flush(table)

    def flush(self, *tables: str) -> None:
        """Write the waiting rows, of all tables if none is named."""
        for table in tables or _TABLES:
            kinds = [column.split()[1] for column in _TABLES[table].split(", ")]
            self.work.insert(table, self._rows[table], kinds)
            self._rows[table].clear()

    def take(self, record: LoaderRecord, line: int, loader: StatementLoader) -> None:
        """Add the rows of a record, whose ``line`` is counted over all files.

        Raises LoadError for anything but a record.
        """
        if isinstance(record, StatedFact):
            self._statement(record, line)
        elif isinstance(record, Labels):
            self._entity(record, line)
        elif isinstance(record, RejectedLine):
            self.add("refused", line, record.reason, escape_line(record.text))
        elif isinstance(record, DroppedLine):
            if record.rule not in loader.rules:
                names = ", ".join(loader.rules) or "none"
                raise LoadError(f"{loader.name} has no rule {record.rule}.", remedy=f"Its rules: {names}.")
            self.add("left_out", line, record.rule)
        else:
            raise LoadError(
                f"{loader.name} yields {record!r}, which is not a record.",
                remedy="Yield StatedFact, Labels, RejectedLine or DroppedLine.",
            )

    def _statement(self, fact: StatedFact, line: int) -> None:
        """Stage a fact, or reject it with a reason."""
        subject, relation, end = fact.subject.strip(), "_".join(fact.relation.split()), fact.object.strip()
        missing = "subject" if not subject else "relation" if not relation else ""
        if not missing and bool(end) == (fact.value is not None):
            missing = "object"
        try:
            value = literal_key(fact.value) if fact.value is not None else None
            when = {key: t for name, key in TIMES if (t := getattr(fact, name)) is not None}
            pairs = [(strip_unstorable(k), literal_key(v)) for k, v in {**fact.qualifiers, **when}.items()]
        except ValueError:
            missing = missing or "value"
        if missing:
            text = " · ".join(str(part) for part in (fact.subject, fact.relation, fact.object or fact.value) if part)
            self.add("refused", line, missing, escape_line(text))
            return
        self.add(
            "fact",
            line,
            self._node(subject),
            self._relation(strip_unstorable(relation)),
            self._node(end) if value is None else None,
            value,
            None if fact.confidence == 1 else fact.confidence,
            qualifiers_text(pairs) if pairs else None,
            strip_unstorable(fact.locator) or None,
        )

    def _entity(self, entity: Labels, line: int) -> None:
        """Stage the names, description and types of an entity."""
        if not (key := entity.key.strip()):
            self.add("refused", line, "entity", escape_line(entity.name))
            return
        node = self._node(key)
        own = () if entity.name or self._global(key) else (("name", key),)
        texts = (
            *own,
            ("name", entity.name),
            *(("alias", a) for a in entity.aliases),
            ("description", entity.description),
        )
        for kind, text in texts:
            if text.strip():
                self.add("called", line, node, kind, strip_unstorable(text.strip()))
        for name in filter(str.strip, entity.types):
            kind_of = self._node(name.strip())
            self.add(
                "fact",
                line,
                node,
                self._relation(TYPE),
                kind_of,
                None,
                None,
                None,
                strip_unstorable(entity.locator) or None,
            )

    def _node(self, text: str) -> int:
        """Return the id of an entity.

        The entity's text is recorded when it is first met, and again after many others have been met.
        """
        if (known := self._known.get(text)) is not None:
            return known
        if len(self._known) >= _BATCH:
            self._known.clear()
        own = not self._global(text)
        key = f"{self.work.name}:{strip_unstorable(text)}" if own else strip_unstorable(text)
        number = ids.encode(key)
        if not ids.is_inline(number):
            self.add("thing", number, key, strip_unstorable(text) if own else None)
        self._known[text] = number
        return number

    def _relation(self, key: str) -> int:
        return self.relations.setdefault(key, ids.encode(key))

    @staticmethod
    def _global(text: str) -> bool:
        """Return True if a key means the same in every source."""
        return "://" in text or ids.is_inline(ids.encode(text))


def _lines_of(line: str) -> str:
    """Return SQL that counts the lines that state something.

    If ``line`` is the least line of equal rows, it counts the lines that state something for the first time.
    """
    group = "GROUP BY" if line.startswith("min") else "GROUP BY line,"
    return (
        f"SELECT count(DISTINCT line) FROM (SELECT {line} FROM stated {group} s, p, o, key, confidence, qualifiers"
        f" UNION ALL SELECT {line} FROM named {group} node, kind, text)"
    )


def _left_out() -> str:
    """Return SQL for the lines that were left out, each once.

    Lines for which something else was yielded are not among them.
    """
    return (
        "SELECT line, max(rule) AS rule FROM left_out ANTI JOIN stated USING (line) ANTI JOIN named USING (line)"
        " ANTI JOIN refused USING (line) GROUP BY line"
    )
