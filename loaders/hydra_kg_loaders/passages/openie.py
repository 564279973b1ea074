"""Load relations found in text as facts. Phrases become predicates, and the same fact in many passages is one fact."""

from __future__ import annotations

import math
from typing import Final

from hydra_kg import ids
from hydra_kg.ingest.contract.choices import Rule
from hydra_kg.ingest.contract.work import Work

RARE: Final = 10_000
"""Number of relations from which rare phrases are left out.

Of n relations, phrases with fewer than √(n / RARE) pairs are rare.
"""

RELATIONS: Final = Rule(
    "state what a sentence says of two named things as a fact, with the phrase between them as predicate"
)
RARE_RULE: Final = Rule("of very many such facts leave out those whose phrase joins only few pairs")

Predicate = tuple[int, str, str, str]


def extract_links(work: Work, *, rare: bool) -> tuple[str, tuple[Predicate, ...], dict[str, int]]:
    """Return links, predicates and counts from the table ``stated``.

    The table has the columns s, phrase, o, line, confidence and locator. Each fact gets its first line and its best
    confidence. With ``rare``, rare phrases are dropped (Fader, Soderland and Etzioni 2011, §3.2).
    """
    total = work.one("SELECT count(*) FROM stated")
    least = max(1, math.isqrt(total // RARE)) if rare else 1
    work.db.execute("CREATE TABLE open AS SELECT phrase, count(DISTINCT (s, o)) AS pairs FROM stated GROUP BY phrase")
    left = work.one(
        f"SELECT count(*) FROM stated SEMI JOIN (SELECT phrase FROM open WHERE pairs < {least}) USING (phrase)"
    )
    phrases = [row[0] for row in work.db.execute(f"SELECT phrase FROM open WHERE pairs >= {least}").fetchall()]
    predicates = tuple(sorted((ids.encode(ids.OPEN + p), ids.OPEN + p, p, "") for p in phrases))
    work.db.execute("CREATE TABLE phrase (phrase VARCHAR, p BIGINT)")
    work.insert("phrase", [(text, p) for p, _, text, _ in predicates], ("VARCHAR", "BIGINT"))
    links = (
        "SELECT s, p, o, min(line) AS line, max(confidence) AS confidence, arg_min(locator, (line, locator)) AS"
        " locator FROM stated JOIN phrase USING (phrase) GROUP BY s, p, o"
    )
    return links, predicates, {"relations": total, "relations of rare phrases": left}
