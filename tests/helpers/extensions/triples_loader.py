"""Triples as tab-separated text: subject, relation and object, one fact a line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.feed import Feed
from hydra_kg.ingest.contract.loader import Streams
from hydra_kg.ingest.contract.work import Work


class TriplesLoader:
    """One link a line; both ends are entities called by their text."""

    name = "triples"
    version = 1
    source = Source("triples", "table")
    rules: Mapping[str, Rule] = {}

    def sniff(self, head: bytes, path: Path) -> float:
        """Sure of files that say so in their name."""
        return 0.9 if path.name.endswith(".triples") else 0.0

    def read(self, work: Work) -> Mapping[str, int]:
        """The table ``stated``; a line without exactly three columns is rejected."""
        feed = Feed(work.files, work.folder / "aside.bin", limit=work.options.limit, progress=work.progress())
        lines = (line for block in feed.blocks() for line in block.decode().splitlines())
        rows: list[tuple[Any, ...]] = []
        for number, line in enumerate(lines, 1):
            cells = line.split("\t")
            if len(cells) == 3:
                rows.append((number, *cells))
            else:
                work.reject([(number, "columns", 0, line)])
        work.db.execute("CREATE TABLE stated (line UBIGINT, s VARCHAR, p VARCHAR, o VARCHAR)")
        work.insert("stated", rows, ("UBIGINT", "VARCHAR", "VARCHAR", "VARCHAR"))
        work.db.execute("CREATE TABLE entity (id BIGINT, text VARCHAR)")
        texts = sorted({text for _, s, _, o in rows for text in (s, o)})
        work.insert("entity", [(ids.encode(text), text) for text in texts], ("BIGINT", "VARCHAR"))
        work.lines = feed.lines
        return {}

    def clean(self, work: Work) -> Streams:
        """Every row is a link, every text a name."""
        keys = [key for (key,) in work.db.execute("SELECT DISTINCT p FROM stated ORDER BY p").fetchall()]
        work.db.execute("CREATE TABLE relation (p VARCHAR, id BIGINT)")
        work.insert("relation", [(key, ids.encode(key)) for key in keys], ("VARCHAR", "BIGINT"))
        return Streams(
            links="SELECT a.id AS s, r.id AS p, b.id AS o, line FROM stated t JOIN relation r USING (p)"
            " JOIN entity a ON a.text = t.s JOIN entity b ON b.text = t.o",
            terms="SELECT id, text FROM entity",
            names="SELECT id AS node, 'name' AS kind, text, 1 AS line FROM entity",
            predicates=tuple((ids.encode(key), key, key.replace("_", " "), "") for key in keys),
            derived=("names",),
        )
