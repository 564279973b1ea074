"""Builds same-as classes from staged loads, before any server has them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.stores.common.same_as import GENERAL_TYPES, TYPE_PREDICATES, SameAsClasses, fuse_links
from hydra_kg.stores.neo4j.bulk.stored_streams import Staged
from hydra_kg.stores.neo4j.writes.scratch_tables import configure
from hydra_kg.text.quoting import sql_text


def derive_staged_classes(loads: Sequence[Staged], scratch: Path) -> SameAsClasses:
    """Return the same-as classes of staged loads, as ``same_as_resolution`` derives them."""
    with closing(connect_duckdb()) as db:
        configure(db, scratch)
        for load in loads:
            db.execute(f"ATTACH {sql_text(str(load.file))} AS l{load.number} (READ_ONLY)")
        every = " UNION ALL ".join(f"SELECT a, b FROM l{load.number}.same" for load in loads)
        found = db.execute(every).fetchnumpy()
        kinds = ", ".join(map(str, sorted(TYPE_PREDICATES)))
        stated = " UNION ALL ".join(
            f"SELECT s, o FROM l{load.number}.{table} WHERE p IN ({kinds})"
            for load in loads
            for table in ("link", "value")
        )

        def types_of(nodes: Sequence[int]) -> list[frozenset[int]]:
            types: dict[int, set[int]] = {}
            if nodes:
                if not db.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'stated'").fetchall()[0][0]:
                    db.execute(f"CREATE TABLE stated AS {stated}")
                asked = {"s": np.array(nodes, np.int64)}  # noqa: F841 - DuckDB finds it
                for s, o in db.execute("SELECT s, o FROM stated SEMI JOIN asked USING (s)").fetchall():
                    types.setdefault(s, set()).add(o)
            return [frozenset(types.get(node, set()) - GENERAL_TYPES) for node in nodes]

        return fuse_links(np.asarray(found["a"], np.int64), np.asarray(found["b"], np.int64), types_of)
