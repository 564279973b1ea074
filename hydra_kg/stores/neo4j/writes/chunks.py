"""A stage as chunks of rows for the server, always cut in the same way, so that a resumed load skips existing ones."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Ids, Source
from hydra_kg.errors import StoreError
from hydra_kg.ports import Stage
from hydra_kg.stores.common.passages import stem_passages
from hydra_kg.stores.neo4j.connection.load_rows import (
    KINDS,
    LINKS,
    LONGEST_KEY,
    NAMES,
    NODES,
    PASSAGE_WORDS,
    PASSAGES,
    PREDICATES,
    SAME_AS,
    TEXTS,
    VALUES,
    WORDS,
    chunk_number,
)
from hydra_kg.stores.neo4j.connection.queries import SHARED, SPAN, type_name
from hydra_kg.stores.neo4j.reads.names import fold_key
from hydra_kg.stores.neo4j.reads.nodes import part
from hydra_kg.stores.neo4j.writes.scratch_tables import Digest
from hydra_kg.text.folding import fold, tokens
from hydra_kg.text.plain_text import storable
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import match

Step = tuple[str, dict[str, Any]]  # a file in cypher/ and its parameters


@dataclass(frozen=True, slots=True)
class Chunk:
    """The rows of one transaction, the checksum ``check`` of its content, and the nodes that its links need."""

    number: int
    check: int
    subjects: list[int]
    steps: tuple[Step, ...]
    rows: int


@dataclass(slots=True)
class Chunks:
    """Reads a stage ``rows`` at a time. ``shared`` predicates get no relationship type of their own.

    ``checksum`` and ``counts`` cover everything read so far, and ``texts`` is what ranking needs. Nodes and hashed
    texts are in memory.
    """

    stage: Stage
    load: int
    sources: Sequence[Source]
    rows: int
    shared: frozenset[str] = frozenset()
    counts: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    _nodes: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    _fame: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    _terms: dict[int, str] = field(default_factory=dict)
    _digest: Digest = field(default_factory=Digest)
    _keys: dict[int, str] = field(default_factory=dict)

    def all(self) -> Iterator[Chunk]:
        """Yield all chunks, in the order in which they are written."""
        self._terms = {
            int(i): storable(t) for many, texts in self.stage.terms() for i, t in zip(many, texts, strict=True)
        }
        self._keys = {i: storable(key) for i, key, _, _ in self.stage.predicates()}
        yield from self._node_chunks()
        yield from self._link_chunks(_Details(self.stage))
        yield from self._value_chunks(_Details(self.stage))
        yield from self._name_chunks()
        yield from self._passage_chunks()
        yield from self._predicate_chunks()
        yield from self._same_as_chunks()
        for batch in self.stage.details():
            self._digest.rows("details", batch)

    @property
    def checksum(self) -> str:
        """Return the checksum of the load as 16 hexadecimal digits."""
        return self._digest.hex()

    def _node_chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of nodes with their keys."""
        nodes = self._nodes = np.concatenate([np.empty(0, np.int64), *self.stage.nodes()])
        degree, fame = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
        for batch in self.stage.links():
            for column in ("s", "o"):
                np.add.at(degree, self._places(batch[column]), 1)
        for batch in self.stage.values():
            np.add.at(fame, self._places(batch["s"]), 1)
        self._fame = degree + fame
        mediator, named = np.zeros(len(nodes), np.bool_), np.zeros(len(nodes), np.bool_)
        for many in self.stage.mediators():
            at = match(nodes, many)
            mediator[at[at >= 0]] = True
        for names in self.stage.names():
            shown = [node for node, kind, text in names if kind in ("name", "title") and storable(text)]
            named[self._places(np.array(shown, np.int64))] = True
        parts = part(self.load, degree, mediator, named)
        for n, low in enumerate(range(0, len(nodes), self.rows)):
            here = nodes[low : low + self.rows].tolist()
            rows = []
            for i, key, what, is_mediator in zip(
                here,
                map(self._key, here),
                parts[low : low + self.rows].tolist(),
                mediator[low : low + self.rows].tolist(),
                strict=True,
            ):
                long = len(key) > LONGEST_KEY
                rows.append([i, key[:LONGEST_KEY] if long else key, key if long else None, what, is_mediator])
            yield self._chunk("nodes", NODES, n, rows, ("write_nodes", {"rows": rows}), subjects=here)

    def _link_chunks(self, details: _Details) -> Iterator[Chunk]:
        """Yield the chunks of links with their details."""
        base, row, ordinals = self.load * SPAN, 0, Ordinals()
        for n, (s, p, o, line, source) in enumerate(self._facts("links", self.stage.links())):
            plain: list[list[Any]] = []
            detailed: list[list[Any]] = []
            for a, pred, b, at, origin in zip(s, p, o, line, source, strict=True):
                name = self.sources[origin].name
                fid = ids.fact_id(self._key(a), self._keys[pred], self._key(b), name, ordinals.of(a, pred, b, origin))
                kind = type_name(self._keys[pred])
                fact = [
                    b,
                    *((SHARED, row, fid, name, at, kind) if kind in self.shared else (kind, row, fid, name, at, None)),
                ]
                if more := details.of(row):
                    detailed.append([a, *fact, *more])
                elif plain and plain[-1][0] == a:
                    plain[-1][1].append(fact)
                else:
                    plain.append([a, [fact]])
                row += 1
            steps = [("write_links", {"base": base, "rows": plain})] if plain else []
            if detailed:
                steps.append(("write_links_detailed", {"base": base, "rows": detailed}))
            yield self._chunk("links", LINKS, n, s, *steps, subjects=s)

    def _value_chunks(self, details: _Details) -> Iterator[Chunk]:
        """Yield the chunks of literal values with their details."""
        row, ordinals = 0, Ordinals()
        for n, (s, p, o, line, source) in enumerate(self._facts("values", self.stage.values())):
            rows = []
            for a, pred, b, at, origin in zip(s, p, o, line, source, strict=True):
                name, key, literal = self.sources[origin].name, self._keys[pred], self._key(b)
                fid = ids.fact_id(self._key(a), key, literal, name, ordinals.of(a, pred, b, origin))
                more = details.of(~row) or (None, None, None, None)
                rows.append([row, a, pred, key, literal, fid, name, at, *more])
                row += 1
            yield self._chunk("values", VALUES, n, rows, ("write_values", {"load": self.load, "rows": rows}))

    def _name_chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of names."""
        words: Counter[str] = Counter()
        for n, rows in enumerate(_pieces(self.stage.names(), self.rows)):
            self._digest.rows("names", rows)
            fame = (-self._fame[self._places(np.array([row[0] for row in rows], np.int64))]).tolist()
            made, shown = [], []
            for (node, kind, text), known in zip(rows, fame, strict=True):
                text, number = storable(text), KINDS[kind]
                if number == KINDS["description"]:
                    made.append([node, number, text, None, None, known])
                    continue
                own = list(dict.fromkeys(tokens(text)))
                words.update(own)
                made.append([node, number, text, fold_key(fold(text)), " ".join(own), known])
                if number != KINDS["alias"] and text:
                    shown.append([node, text])
            yield self._chunk(
                "names",
                NAMES,
                n,
                made,
                ("write_names", {"load": self.load, "rows": made}),
                *((("show_names", {"rows": shown}),) if shown else ()),
            )
        yield from self._word_chunks("words", WORDS, words)

    def _passage_chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of passages."""
        place, words = 0, Counter[str]()
        for n, rows in enumerate(_pieces(self.stage.passages(), TEXTS)):
            self._digest.rows("passages", rows)
            texts = [
                (node, storable(title), storable(url), storable(text), line) for node, title, url, text, line in rows
            ]
            stems = stem_passages([(title, text) for _, title, _, text, _ in texts])
            made = [[place + i, *row, " ".join(own)] for i, (row, own) in enumerate(zip(texts, stems, strict=True))]
            place += len(made)
            self.texts["passages"] += len(made)
            self.texts["tokens"] += sum(map(len, stems))
            for own in stems:
                words.update(set(own))
            yield self._chunk("passages", PASSAGES, n, made, ("write_passages", {"load": self.load, "rows": made}))
        yield from self._word_chunks("passage_words", PASSAGE_WORDS, words)

    def _word_chunks(self, name: str, stream: int, words: Counter[str]) -> Iterator[Chunk]:
        rows = [[word, count] for word, count in sorted(words.items()) if len(word) <= LONGEST_KEY]
        for n, low in enumerate(range(0, len(rows), self.rows)):
            here = rows[low : low + self.rows]
            yield self._chunk(name, stream, n, here, (f"write_{name}", {"load": self.load, "rows": here}))

    def _predicate_chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of predicates."""
        count: Counter[int] = Counter()
        for facts in (self.stage.links(), self.stage.values()):
            for batch in facts:
                found, many = np.unique(batch["p"], return_counts=True)
                count.update(dict(zip(found.tolist(), many.tolist(), strict=True)))
        rows = [
            [i, storable(key), storable(text), storable(inverse), count[i]]
            for i, key, text, inverse in sorted(self.stage.predicates())
        ]
        self._digest.rows("predicates", sorted(self.stage.predicates()))
        for n, low in enumerate(range(0, len(rows), self.rows)):
            here = rows[low : low + self.rows]
            yield self._chunk(
                "predicates", PREDICATES, n, here, ("write_predicates", {"load": self.load, "rows": here})
            )

    def _same_as_chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of same-as links."""
        batches = (
            list(zip(*(np.asarray(b[c]).tolist() for c in ("a", "b", "line")), strict=True))
            for b in self.stage.same_as()
        )
        for n, rows in enumerate(_pieces(batches, self.rows)):
            made = [list(row) for row in rows]
            self._digest.rows("same_as", made)
            yield self._chunk(
                "same_as",
                SAME_AS,
                n,
                made,
                ("write_same_as", {"load": self.load, "rows": made}),
                subjects=[row[0] for row in made],
            )

    def _chunk(
        self, name: str, stream: int, n: int, rows: Sequence[Any], *steps: Step, subjects: Sequence[int] = ()
    ) -> Chunk:
        """Return a chunk with the checksum of its content."""
        self.counts[name] += len(rows)
        # The number of the load stands in handles and parts only: it must not count.
        content = [step[1]["rows"] for step in steps]
        if stream == NODES:
            content = [[*row[:3], row[3] % SPAN, row[4]] for row in rows]
        own = zlib.crc32(repr(content).encode("utf-8", "surrogatepass"))
        return Chunk(chunk_number(stream, n), own, list(subjects), steps, len(rows))

    def _facts(self, stream: str, batches: Iterator[Mapping[str, npt.NDArray[Any]]]) -> Iterator[tuple[list[int], ...]]:
        """Yield s, p, o, line and source of ``rows`` facts at a time."""
        buffered: list[list[npt.NDArray[Any]]] = []
        size = 0
        for batch in batches:
            self._digest.facts(stream, batch)
            source = batch.get("source")
            columns = [np.asarray(batch[c]) for c in ("s", "p", "o", "line")]
            columns.append(np.zeros(len(columns[0]), np.uint16) if source is None else np.asarray(source))
            buffered.append(columns)
            size += len(columns[0])
            while size >= self.rows:
                joined = [np.concatenate(c) for c in zip(*buffered, strict=True)]
                yield tuple(c[: self.rows].tolist() for c in joined)
                buffered, size = [[c[self.rows :] for c in joined]], size - self.rows
        if size:
            yield tuple(np.concatenate(c).tolist() for c in zip(*buffered, strict=True))

    def _key(self, node: int) -> str:
        own = ids.decode(node)
        return own if own is not None else self._terms.get(node, "")

    def _places(self, wanted: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        at = match(self._nodes, wanted)
        if (at < 0).any():
            raise StoreError("The stage names a node that it does not list.", remedy="Please report this as a bug.")
        return at


class Ordinals:
    """Numbers identical statements of a source consecutively, for fact ids. Equal rows must be adjacent."""

    def __init__(self) -> None:
        self._last: tuple[int, int, int] | None = None
        self._seen: Counter[int] = Counter()

    def of(self, s: int, p: int, o: int, source: int) -> int:
        """Return the number of the next fact among identical statements of its source, from 0."""
        if (s, p, o) != self._last:
            self._last = (s, p, o)
            self._seen.clear()
        self._seen[source] += 1
        return self._seen[source] - 1


class _Details:
    """Rank, confidence, qualifiers and locator of the facts that have any.

    Ask for facts in the order in which a stage gives them. Default values are None, because null stores nothing.
    """

    def __init__(self, stage: Stage) -> None:
        self._rows = (row for batch in stage.details() for row in batch)
        self._next = next(self._rows, None)

    def of(self, row: int) -> tuple[str | None, float | None, str | None, str | None] | None:
        """Return the details of a fact, or None if all are default.

        Rows of links come first, then rows of values, each kind ascending by position.
        """
        while self._next is not None and _before(self._next[0], row):
            self._next = next(self._rows, None)
        if self._next is None or self._next[0] != row:
            return None
        _, rank, confidence, qualifiers, locator = self._next
        return (
            storable(rank) or None,
            None if confidence == 1.0 else confidence,
            None if qualifiers == "[]" else storable(qualifiers),
            storable(locator) or None,
        )


def _before(a: int, b: int) -> bool:
    return (a < 0, a if a >= 0 else ~a) < (b < 0, b if b >= 0 else ~b)


def _pieces(batches: Iterator[Sequence[Any]], size: int) -> Iterator[list[Any]]:
    buffered: list[Any] = []
    for batch in batches:
        buffered += batch
        while len(buffered) >= size:
            yield buffered[:size]
            buffered = buffered[size:]
    if buffered:
        yield buffered
