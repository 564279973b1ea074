"""Stores a load's streams in a DuckDB file, from which an import is written, now and for later bulk loads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.ports import Stage
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.stores.common.passages import stem_passages
from hydra_kg.stores.neo4j.bulk import expressions as sql
from hydra_kg.stores.neo4j.connection.load_rows import KINDS, LONGEST_KEY, TEXTS
from hydra_kg.stores.neo4j.reads.names import fold_key
from hydra_kg.stores.neo4j.writes.chunks import Ordinals
from hydra_kg.stores.neo4j.writes.scratch_tables import Digest, configure
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.plain_text import storable
from hydra_kg.util.fast_dataclass import dataclass, field

if TYPE_CHECKING:
    import duckdb

VERSION: Final = 1
"""Version of the tables. A file of another version is not read."""

BLOCK: Final = 1 << 18
"""Facts sorted by predicate at once.

The relationship index is then built ten times faster, and neighbours stay close.
"""

_BATCH: Final = 50_000

_TABLES: Final = """
CREATE TABLE link ("row" BIGINT, s BIGINT, p BIGINT, o BIGINT, line UBIGINT, source USMALLINT, n INTEGER);
CREATE TABLE value ("row" BIGINT, s BIGINT, p BIGINT, o BIGINT, line UBIGINT, source USMALLINT, n INTEGER);
CREATE TABLE detail ("row" BIGINT, rank VARCHAR, conf DOUBLE, qualifiers VARCHAR, place VARCHAR);
CREATE TABLE listed (id BIGINT);
CREATE TABLE mediator (id BIGINT);
CREATE TABLE term (id BIGINT, text VARCHAR);
CREATE TABLE raw_name (n BIGINT, node BIGINT, kind TINYINT, text VARCHAR);
CREATE TABLE predicate (id BIGINT, key VARCHAR, text VARCHAR, inverse VARCHAR);
CREATE TABLE passage (n BIGINT, node BIGINT, title VARCHAR, url VARCHAR, text VARCHAR, line BIGINT, words VARCHAR);
CREATE TABLE passage_word (text VARCHAR, count BIGINT);
CREATE TABLE same (n BIGINT, a BIGINT, b BIGINT, line BIGINT);
"""


@dataclass(frozen=True, slots=True)
class Staged:
    """One load that can be imported: the properties of its ``:HydraLoad``, and its file of tables."""

    file: Path
    load: Mapping[str, Any]
    attached: tuple[Path, ...] = ()

    @property
    def number(self) -> int:
        """Return the number of the load in the graph."""
        return int(self.load["id"])

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the rows by stream."""
        counts: dict[str, int] = json.loads(self.load["counts"])
        return counts

    def note(self) -> None:
        """Write the load's properties to a file next to the tables.

        Without that file the tables count as unfinished.
        """
        doc = {"version": VERSION, "load": dict(self.load), "attached": [f.name for f in self.attached]}
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(doc), "utf-8")
        new.replace(self.file.with_suffix(".json"))


def read_staged(file: Path) -> Staged | None:
    """Return the load that :meth:`Staged.note` recorded next to a file.

    Returns None if there is none, or it is of another version.
    """
    try:
        doc = json.loads(file.with_suffix(".json").read_text("utf-8"))
        if doc["version"] != VERSION or not file.is_file():
            return None
        return Staged(file, doc["load"], tuple(file.parent / name for name in doc["attached"]))
    except (OSError, ValueError, KeyError):
        return None


@dataclass(slots=True)
class StagedFile:
    """The contents of a stage file: rows by stream, counts that ranking needs, the checksum."""

    counts: dict[str, int]
    texts: dict[str, int]
    checksum: str


def copy_stage(stage: Stage, file: Path) -> StagedFile:
    """Copy a stage into a new file. Memory is limited to DuckDB's limit and one batch."""
    file.unlink(missing_ok=True)
    with closing(connect_duckdb(str(file))) as db:
        configure(db, file.parent)
        db.execute(_TABLES)
        return _StageCopier(db, stage).all()


@dataclass(slots=True)
class _StageCopier:
    db: duckdb.DuckDBPyConnection
    stage: Stage
    digest: Digest = field(default_factory=Digest)
    counts: dict[str, int] = field(default_factory=dict)
    texts: Counter[str] = field(default_factory=Counter)

    def all(self) -> StagedFile:
        self._terms()
        for name, batches in (("link", self.stage.links()), ("value", self.stage.values())):
            self.counts[f"{name}s"] = self._facts(name, batches)
        self._details()
        for many in self.stage.nodes():
            self._put("listed", {"id": many})
        for many in self.stage.mediators():
            self._put("mediator", {"id": many})
        self._names()
        self._passages()
        self._same_as()
        self._derived()
        for name in ("node", "name", "word", "passage", "passage_word", "predicate"):
            self.counts[f"{name}s"] = self._one(f"SELECT count(*) FROM {name}")
        self.counts["same_as"] = self._one("SELECT count(*) FROM same")
        return StagedFile({k: n for k, n in self.counts.items() if n}, dict(self.texts), self.digest.hex())

    def _terms(self) -> None:
        """Stage the terms of hashed ids."""
        for many, texts in self.stage.terms():
            self._put("term", {"id": many, "text": _texts(texts)})
        rows = sorted(self.stage.predicates())
        self.digest.rows("predicates", rows)
        for i in range(0, len(rows), _BATCH):
            numbers, key, text, inverse = zip(*rows[i : i + _BATCH], strict=True)
            self._put(
                "predicate",
                {
                    "id": np.array(numbers, np.int64),
                    "key": _texts(key),
                    "text": _texts(text),
                    "inverse": _texts(inverse),
                },
            )

    def _facts(self, table: str, batches: Iterator[Mapping[str, npt.NDArray[Any]]]) -> int:
        """Stage the facts of one table. Return their number."""
        row, numbers = 0, _RowNumbers()
        for batch in batches:
            if not (size := len(batch["s"])):
                continue
            self.digest.facts(f"{table}s", batch)
            columns = {name: np.asarray(batch[name]) for name in ("s", "p", "o", "line")}
            columns["source"] = np.asarray(batch.get("source", np.zeros(size, np.uint16)))
            columns["n"] = numbers.of(columns)
            columns["row"] = np.arange(row, row + size)
            if table == "link":
                order = np.lexsort((columns["p"], columns["row"] // BLOCK))
                columns = {name: column[order] for name, column in columns.items()}
            self._put(table, columns)
            row += size
        return row

    def _details(self) -> None:
        """Stage the details of facts."""
        for batch in self.stage.details():
            self.digest.rows("details", batch)
            if batch:
                numbers, rank, confidence, qualifiers, place = zip(*batch, strict=True)
                self._put(
                    "raw",
                    {
                        "row": np.array(numbers, np.int64),
                        "rank": _texts(rank),
                        "conf": np.array(confidence, np.float64),
                        "qualifiers": _texts(qualifiers),
                        "place": _texts(place),
                    },
                    "INSERT INTO detail SELECT \"row\", nullif(rank, ''), nullif(conf, 1.0),"
                    " nullif(qualifiers, '[]'), nullif(place, '') FROM raw",
                )

    def _names(self) -> None:
        """Stage the names of nodes."""
        place = 0
        for batch in self.stage.names():
            self.digest.rows("names", batch)
            if batch:
                node, kind, text = zip(*batch, strict=True)
                numbers = np.array([KINDS[k] for k in kind], np.int8)
                self._put(
                    "raw_name",
                    {
                        "n": np.arange(place, place + len(batch)),
                        "node": np.array(node, np.int64),
                        "kind": numbers,
                        "text": _texts(text),
                    },
                )
                place += len(batch)

    def _passages(self) -> None:
        """Stage the passages with their word counts."""
        place, words = 0, Counter[str]()
        for batch in self.stage.passages():
            self.digest.rows("passages", batch)
            for i in range(0, len(batch), TEXTS):
                here = batch[i : i + TEXTS]
                node, title, url, text, line = zip(*here, strict=True)
                titles, texts = _texts(title), _texts(text)
                stems = stem_passages(list(zip(titles.tolist(), texts.tolist(), strict=True)))
                self._put(
                    "passage",
                    {
                        "n": np.arange(place, place + len(here)),
                        "node": np.array(node, np.int64),
                        "title": titles,
                        "url": _texts(url),
                        "text": texts,
                        "line": np.array(line, np.int64),
                        "words": _texts([" ".join(own) for own in stems]),
                    },
                )
                place += len(here)
                self.texts["passages"] += len(here)
                self.texts["tokens"] += sum(map(len, stems))
                for own in stems:
                    words.update(set(own))
        rows = [(word, n) for word, n in sorted(words.items()) if len(word) <= LONGEST_KEY]
        if rows:
            text, count = zip(*rows, strict=True)
            self._put("passage_word", {"text": _texts(text), "count": np.array(count, np.int64)})

    def _same_as(self) -> None:
        """Stage the same-as links."""
        place = 0
        for batch in self.stage.same_as():
            a, b, line = (np.asarray(batch[c]).astype(np.int64) for c in ("a", "b", "line"))
            self.digest.rows("same_as", zip(a.tolist(), b.tolist(), line.tolist(), strict=True))
            self._put("same", {"n": np.arange(place, place + len(a)), "a": a, "b": b, "line": line})
            place += len(a)

    def _derived(self) -> None:
        """Make the derived tables: nodes with keys and numbers, folded names, word counts."""
        self.db.execute(f"""
            CREATE TABLE node AS
            WITH degrees AS (SELECT id, count(*) AS degree FROM (SELECT s AS id FROM link UNION ALL SELECT o FROM link)
                             GROUP BY id),
                 fames AS (SELECT s AS id, count(*) AS fame FROM value GROUP BY s),
                 shown AS (SELECT DISTINCT node AS id FROM raw_name
                           WHERE kind IN ({KINDS["name"]}, {KINDS["title"]}) AND text <> '')
            SELECT listed.id, coalesce({sql.key_of("listed.id")}, term.text, '') AS key,
                   coalesce(degree, 0) AS degree, coalesce(degree, 0) + coalesce(fame, 0) AS fame,
                   mediator.id IS NOT NULL AS mediator, shown.id IS NOT NULL AS named
            FROM listed LEFT JOIN term USING (id) LEFT JOIN degrees USING (id) LEFT JOIN fames USING (id)
            LEFT JOIN mediator ON mediator.id = listed.id LEFT JOIN shown ON shown.id = listed.id ORDER BY listed.id
        """)
        self.db.execute("CREATE TABLE folded (n BIGINT, fold VARCHAR, words VARCHAR)")
        others = self.db.cursor().execute(
            f"SELECT n, text FROM raw_name WHERE kind <> {KINDS['description']} AND NOT {sql.is_plain('text')}"
        )
        while rows := others.fetchmany(_BATCH):
            folds = [fold_key(fold(text)) for _, text in rows]
            words = [" ".join(dict.fromkeys(tokens(text))) for _, text in rows]
            self._put(
                "folded", {"n": np.array([n for n, _ in rows], np.int64), "fold": _texts(folds), "words": _texts(words)}
            )
        self.db.execute(f"""
            CREATE TABLE name AS
            SELECT n, node, kind, text, coalesce(folded.fold, {sql.fold_key("plain")}) AS fold,
                   coalesce(folded.words, {sql.distinct_words("plain")}) AS words
            FROM (SELECT *, CASE WHEN kind <> {KINDS["description"]} AND {sql.is_plain("text")}
                                 THEN {sql.fold_plain_name("text")} END AS plain FROM raw_name)
            LEFT JOIN folded USING (n) ORDER BY n
        """)
        self.db.execute(f"""
            CREATE TABLE word AS SELECT text, count(*) AS count
            FROM (SELECT unnest(string_split(words, ' ')) AS text FROM name WHERE words <> '')
            WHERE length(text) <= {LONGEST_KEY} GROUP BY text ORDER BY text
        """)
        for table in ("listed", "mediator", "raw_name", "folded"):
            self.db.execute(f"DROP TABLE {table}")

    def _put(self, table: str, columns: Mapping[str, npt.NDArray[Any]], insert: str = "") -> None:
        """Insert columns into a table."""
        raw = dict(columns)  # DuckDB finds it by its name
        names = ", ".join(f'"{name}"' for name in columns)
        self.db.execute(insert or f"INSERT INTO {table} ({names}) SELECT {names} FROM raw")
        del raw

    def _one(self, query: str) -> int:
        return int(self.db.execute(query).fetchall()[0][0])


class _RowNumbers:
    """Numbers each fact among those that state the same for the same source. Nearly all get 0."""

    def __init__(self) -> None:
        self._ordinals = Ordinals()
        self._last: tuple[int, int, int] | None = None

    def of(self, facts: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.int32]:
        """Return the numbers for a batch. Equal facts may continue in the next batch."""
        s, p, o, source = (facts[name] for name in ("s", "p", "o", "source"))
        made = np.zeros(len(s), np.int32)
        same = np.empty(len(s), np.bool_)
        same[0] = (int(s[0]), int(p[0]), int(o[0])) == self._last
        same[1:] = (s[1:] == s[:-1]) & (p[1:] == p[:-1]) & (o[1:] == o[:-1])
        self._last = int(s[-1]), int(p[-1]), int(o[-1])
        asked = same | np.append(same[1:], True)  # the last one may have a successor in the next batch
        for i in np.flatnonzero(asked).tolist():
            made[i] = self._ordinals.of(int(s[i]), int(p[i]), int(o[i]), int(source[i]))
        return made


def _texts(texts: Sequence[str]) -> npt.NDArray[Any]:
    column = np.empty(len(texts), object)
    column[:] = [storable(text) for text in texts]
    return column
