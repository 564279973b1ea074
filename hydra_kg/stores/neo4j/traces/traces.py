"""Saved answers in the graph of a Neo4j store, where Neo4j Browser shows them and every machine can read them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hydra_kg.serialise import fact_key, trim
from hydra_kg.stores.common.kept_answer import read_kept_answer
from hydra_kg.stores.common.refusals import no_answers, several_answers
from hydra_kg.stores.neo4j.connection.queries import Database, Transaction
from hydra_kg.stores.neo4j.traces.push import Pushed
from hydra_kg.stores.neo4j.traces.rows import Trace, trace


class Neo4jTraces:
    """The port TraceStore on a Neo4j server (docs/adr/0019-explored-questions-on-neo4j.md).

    The graph of an answer has these parts:
        Paths: ``(:HydraQuestion)-[:RAN]->(:HydraExploration)-[:FOUND {rank, kept, scores…}]->(:HydraPath)``. A pruned
            path is ``:HydraPath:HydraPruned``.
        Hops: a path starts ``FROM`` a node and goes ``-[:HOP {i, predicate, direction, fid, sources}]->`` to others,
            ``VIA`` mediators. These are ``:HydraEntity`` nodes of the store, or a ``:HydraMention`` if the store has no
            node (above all for values).
        Answers: ``(:HydraQuestion)-[:ANSWERED]->(:HydraAnswer)-[:BECAUSE]->`` the path.
        Citations: ``(:HydraPath)-[:CITES]->(:HydraSource | :HydraDocument)``.
        Uses: one ``(:HydraQuestion)-[:USED {fid, source, exploration}]->`` for every fact used.
        Claims, of an attribute that was judged: ``(:HydraExploration)-[:HEARD]->(:HydraClaim {source, attribute,
            confidence, believed})-[:ABOUT]->`` the entity, and ``-[:SAYS_1]->`` … ``-[:SAYS_5]->`` the value; the
            number is higher if the claim is trusted more. A label ``HydraVoice1`` … ``HydraVoice8`` tells sources
            apart. Browser draws these as widths and colours.
        Findings, the statements of sentences: ``(:HydraAnswer)-[:BACKED_BY | :OPPOSED_BY]->(:HydraFinding {value,
            likeness, source, text, locator})-[:SAID_IN]->(:HydraDocument)``.

    The whole answer is stored in another node, which has no relationships.
    """

    def __init__(self, db: Database) -> None:
        self.db = db

    def save(self, answer: Mapping[str, Any]) -> None:
        """Save one answer (in the form of ``ask --json``, at most 200 KB) or replace it. Raise StoreError."""
        self._save(answer, None)

    def push(self, answer: Mapping[str, Any], facts: Pushed) -> None:
        """Save an answer of another store here, with the facts that it used.

        The facts are for people who browse; no reader of this store sees them. Safe to repeat. Raises StoreError.
        """
        self._save(answer, facts)

    def remove(self, key: str) -> bool:
        """Remove a saved answer and what only it needed. Return False if no answer has that id."""
        return self.db.write(lambda tx: _remove(tx, key))

    def get(self, key: str = "") -> Mapping[str, Any]:
        """Return a saved answer by id or unique prefix; the newest for "". Raise NotFoundError, StoreCorruptError."""
        if key:
            found = [row[0] for row in self.db.read("trace_find", {"key": key})]
            found = [key] if key in found else found
        else:
            found = [row[0] for row in self.db.read("trace_list", {"limit": 1})]
        if not found:
            raise no_answers(key)
        if len(found) > 1:
            raise several_answers(key, found)
        rows = self.db.read("trace_get", {"id": found[0]})
        return read_kept_answer(rows[0][0] if rows else b"", f"The stored answer {found[0]}")

    def list(self, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        """Return the newest saved answers.

        Each has id, question, answer_text, verdict, label, strategy, abstained and created (UTC).
        """
        columns = ("id", "question", "answer_text", "verdict", "label", "strategy", "abstained", "created")
        rows = self.db.read("trace_list", {"limit": limit})
        return [
            {name: value if name == "abstained" else str(value) for name, value in zip(columns, row, strict=True)}
            for row in rows
        ]

    def questions_using(self, source: str) -> Sequence[Mapping[str, Any]]:
        """Return the question id, exploration, fact or passage id, and entity of everything used from a source."""
        rows = [
            {
                "question": question,
                "exploration": exploration,
                "entity": entity or "",
                "fact": passage if fid is None else fact_key(fid),
            }
            for question, exploration, fid, passage, entity in self.db.read("trace_using", {"source": source})
        ]
        return sorted(rows, key=lambda r: (r["question"], r["exploration"], r["fact"], r["entity"]))

    def _save(self, answer: Mapping[str, Any], facts: Pushed | None) -> None:
        doc = trim(dict(answer))
        packed = zlib.compress(json.dumps(doc, separators=(",", ":")).encode(), 6)
        created = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        rows = trace(doc, created=created, pushed=facts is not None)
        self.db.write(lambda tx: _write(tx, rows, packed, facts))


def _remove(tx: Transaction, key: str) -> bool:
    """Remove an answer, with the store's lock.

    The lock makes sure that no load uses a node that is removed here, and no import misses what is written now.
    """
    tx.run("store_lock")
    tx.run("trace_remove_facts", {"id": key})
    return bool(tx.run("trace_remove", {"id": key})[0][0])


def _write(tx: Transaction, rows: Trace, packed: bytes, facts: Pushed | None) -> None:
    """Write all rows of one question. The server may run this more than once."""
    key = rows.question["id"]
    _remove(tx, key)
    tx.run("trace_question", {"properties": rows.question, "doc": packed})
    tx.run("trace_explorations", {"question": key, "rows": rows.explorations})
    nodes = {**(facts.nodes if facts else {}), **rows.nodes}
    ((there, _),) = tx.run("keys", {"ids": sorted(nodes)})
    mentions = [
        {
            "id": i,
            "properties": {"key": nodes[i][0], "name": nodes[i][1]},
            "more": facts.details.get(i, {}) if facts else {},
        }
        for i in sorted(nodes.keys() - set(there))
    ]
    tx.run("trace_mentions", {"rows": mentions})
    tx.run("trace_paths", {"rows": rows.paths})
    tx.run("trace_hops", {"starts": rows.starts, "vias": rows.vias, "rows": rows.hops})
    tx.run("trace_answers", {"question": key, "rows": rows.answers})
    tx.run("trace_sources", {"sources": facts.sources if facts else [], "rows": rows.sources})
    tx.run("trace_documents", {"documents": [*rows.documents.values()], "rows": rows.passages})
    tx.run("trace_claims", {"rows": rows.claims})
    tx.run("trace_findings", {"question": key, "rows": rows.findings})
    tx.run("trace_used", {"question": key, "rows": rows.used})
    if facts:
        tx.run("trace_facts", {"rows": facts.rows})
