"""Reads the Cypher queries of the package: one query per file, without its header comment."""

from __future__ import annotations

from functools import lru_cache

from hydra_kg.util.package_data import find_content


@lru_cache(maxsize=256)
def statement(name: str) -> str:
    """Return the query in ``cypher/NAME.cypher``. Raise NotFoundError."""
    lines = find_content("cypher", f"{name}.cypher").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//")).strip()
