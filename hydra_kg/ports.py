"""Small interfaces between reasoning and the outside world; each has a shipped fake in :mod:`hydra_kg.fakes`.

This is one room because people who replace a part look here for everything that it must offer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import (
    Analysis,
    Completion,
    Entity,
    Evidence,
    Excerpt,
    Fact,
    Floats,
    FollowUp,
    Hops,
    Ids,
    Index,
    Judgement,
    Links,
    LoadInfo,
    Mention,
    NameHit,
    Option,
    Passage,
    Picked,
    Predicates,
    Prediction,
    Relation,
    SearchState,
    Source,
    StatedInText,
    Subgraph,
    Values,
    WebPage,
    WebResult,
    Witnesses,
    WrittenPath,
)
from hydra_kg.events import Listener
from hydra_kg.text.text_column import TextColumn
from hydra_kg.util.fast_dataclass import dataclass

Reach = Literal["exact", "tokens", "near"]
Pruned = Literal["topics", "relations", "entities", "chunks", "authority"]
ServerCut = Literal["levels", "pattern", "subgraph", "spanning-tree"]
"""How a server is asked for a cut.

The choices are level by level, or first at once, by a Cypher pattern of variable length or by
``apoc.path.subgraphAll`` or ``apoc.path.spanningTree``. The cut is the same.
"""
Composed = Literal["thought", "rewrite", "decompose", "disambiguate", "evidence", "query", "critique", "cypher", "sql"]
"""What an agent writes for the strategies that search text with the words of a model.

- ``thought``: the next sentence of a chain of thought (IRCoT)
- ``rewrite``, ``decompose``, ``disambiguate``: search queries, made in one of three ways (RQ-RAG)
- ``evidence``: what the next passage would say (MDQA)
- ``query``: a query for facts and one for text (CoK)
- ``critique``: what is wrong with an answer (MetaRAG)
- ``cypher``, ``sql``: a query in the language of the store, or over its tables
"""


@dataclass(frozen=True, slots=True)
class CypherQuery:
    """A query that a model wrote with the names that it was given.

    ``names`` maps each parameter to class ids, ``relations`` each relation to its index in the predicates.
    """

    text: str
    names: Mapping[str, Sequence[int]]
    relations: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """Limits of a query: seconds, rows that it returns, and rows that any part of it is expected to read."""

    seconds: float
    rows: int
    estimate: float


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One answer (a class id, a literal or a number) with the handles (load, row) of the facts that lead to it."""

    node: int
    literal: str
    number: float | None
    handles: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CypherResult:
    """Rows, whether there were more (``cut``), and as a clause why the query was not run (``refused``)."""

    rows: tuple[QueryRow, ...] = ()
    cut: bool = False
    refused: str = ""


@runtime_checkable
class TakesQueries(Protocol):
    """Optional ability of a snapshot: to run queries that others wrote, safely whatever they contain."""

    def cypher_query(self, query: CypherQuery, limits: QueryLimits) -> CypherResult:
        """Return what the query finds, read-only and within the limits.

        The query returns ``answer`` and ``facts``. A thing is a node with the label ``Thing``. A value is a node whose
        label is its relation and whose ``subject`` is the id of its thing.
        """


class CutOptions(TypedDict, total=False):
    """Options of :meth:`Snapshot.cut`, for snapshots that pass them on."""

    hops: Hops
    rank: Floats | None
    budget: int
    hub_cap: int


class Snapshot(Protocol):
    """What a store knows at one moment: the set of ready loads, pinned for one question. Reads only.

    Classes are named by their representative id (int64). A store proposes, expands and fetches; everything that
    decides an answer is shared code above this port. All results are deterministic: same ready loads, same result,
    in every store.
    """

    def manifest(self) -> tuple[LoadInfo, ...]:
        """Return the ready loads, sorted by name."""

    def predicates(self) -> Predicates:
        """Return all predicates. Calling it again is cheap."""

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        """Return link candidates for each text.

        - ``exact``: the folded name or alias is equal (hundreds of n-grams a call, fast)
        - ``tokens``: if that finds nothing, also names that contain all tokens
        - ``near``: if that finds nothing either, also names within a small edit distance (:mod:`hydra_kg.text.typos`)

        There are at most ``limit`` candidates for each text, highest degree first, ties by class id. A class has one
        hit at most; a title counts as an alias.
        """

    def lookup(self, keys: Sequence[str]) -> list[int | None]:
        """Return the class of each key (``m.042f1``, ``Q42``), or None if no ready load knows it."""

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        """Return names, members, aliases, types, description and degree of classes, in the order asked. Batch it.

        The name is the representative's own if it has one, else that of the first load by name. A class without a name
        shows its key. A class that no ready load knows has no ``keys``.
        """

    def cut(
        self,
        topics: Sequence[int],
        *,
        depth: int,
        hops: Hops = "entity",
        rank: Floats | None = None,
        budget: int = 0,
        hub_cap: int = 0,
    ) -> Subgraph:
        """Return all edges with an end nearer than ``depth`` to a topic (HydraRAG §4.2.1, subgraph detection).

        Args:
            depth: number of hops. UsageError is raised for more than 100.
            hops: with ``entity``, entity–mediator–entity is one hop, and a mediator expands only to its own slots.
                ``paper`` counts the mediator.
            rank: float32 (P,), higher first, rounded by the caller.
            budget: if above 0, the most edges to keep. They are the first in the order (level, -rank of predicate,
                predicate id, neighbour id); the last admitted predicate is cut by neighbour id.
            hub_cap: if above 0, a class with more edges is kept but not expanded, unless it is a topic.

        The neighbour is the end that was expanded later (the object, if both were expanded at once). Ties are broken by
        the other end, then by whether it is the subject, then by the fact's handle. Edges come level by level, and each
        fact once. In a truncated cut, only topics and ends of kept edges are ``nodes``.
        """

    def values(self, nodes: Sequence[int]) -> Values:
        """Return literal facts of classes, in the order asked. Names, aliases and descriptions are not among them."""

    def between(self, left: Ids, right: Ids) -> Links:
        """Return all facts of every source that link the classes left[i] and right[i], in either direction.

        They are sorted by (pair, forward first, predicate, handle).
        """

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        """Return facts with provenance, by handle. No other call reads provenance: ask only for facts that you keep."""

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        """Return at most ``limit`` passages about the classes, best first for the query.

        With ``query``, they are followed by other passages that contain a word of it, best first. Any text is a legal
        query.
        """

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        """Return at most ``limit`` classes after the id ``after`` in ascending order; none at the end.

        It serves callers that read everything, a page at a time. A literal is not a class.
        """

    def relation_pairs(self) -> npt.NDArray[np.int32]:
        """Return the distinct relations of two legs through mediators, as int32 (k, 4).

        The columns are predicate and direction (1 forward) into the mediator, then predicate and direction out of it.
        They are used to compute vectors of these relations in advance.
        """


@runtime_checkable
class Witnessing(Protocol):
    """Optional capability of a snapshot: bulk access to the sources and qualifiers of facts, for whole-store scans."""

    def witnesses(self, segment: npt.NDArray[np.int16], row: Ids) -> Witnesses:
        """Return sources and qualifiers of facts by handle, the same as :meth:`Snapshot.facts`."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedValues:
    """Literal facts as :class:`Values`, with the id of each literal in ``object``, int64 (n,)."""

    node: Ids
    pred: Index
    object: Ids
    segment: npt.NDArray[np.int16]
    row: Ids


@dataclass(frozen=True, slots=True, eq=False)
class Things:
    """What is known of n classes, as columns.

    Attributes:
        key, name: key and display name of each, which is the key for want of another.
        named, names: names and aliases, with the place of the class that each belongs to, ascending.
        mediator, typed: bool (n,); whether a class is a mediator, and whether it has types.
    """

    key: TextColumn
    name: TextColumn
    named: Ids
    names: TextColumn
    mediator: npt.NDArray[np.bool_]
    typed: npt.NDArray[np.bool_]


@runtime_checkable
class LoadScanning(Protocol):
    """Optional capability of a snapshot: what one load is about, without a walk over the whole store."""

    def load_predicates(self, load: int) -> tuple[Index, Ids]:
        """Return the predicates of the load at a place in the manifest, and the number of its facts with each."""

    def load_classes(self, load: int) -> Ids:
        """Return the ids of the classes in the facts of the load at a place in the manifest, ascending."""

    def coded_values(self, nodes: Ids) -> CodedValues:
        """Return what :meth:`Snapshot.values` does, with an id in place of each text."""

    def texts(self, ids: Ids) -> TextColumn:
        """Return the keys of ids, "" for one that the store does not know."""

    def things(self, nodes: Ids) -> Things:
        """Return what :meth:`Snapshot.entities` knows of classes that the store has, as columns."""


@runtime_checkable
class CutChoosing(Protocol):
    """Optional capability of a snapshot: several ways to make a cut, all with the same result."""

    def cutting(self, way: ServerCut) -> Snapshot:
        """Return the same loads, cut in this way."""


@runtime_checkable
class LikeNaming(Protocol):
    """Optional capability of a snapshot: an index of all names by their vectors (HydraRAG §4.1, H_S)."""

    def like(self, names: Sequence[str], *, limit: int, listener: Listener = ...) -> list[list[NameHit]]:
        """Return for each text at most ``limit`` classes, those with the most similar spelling first.

        The caller decides whether one of them is meant. A missing index is built first, and ``listener`` gets its
        progress.
        """


@runtime_checkable
class NameCompleting(Protocol):
    """Optional capability of a snapshot: complete the beginning of a name."""

    def starting(self, text: str, *, limit: int) -> list[str]:
        """Return at most ``limit`` names and aliases whose folded text begins with that of ``text``.

        For each load, names of its best known things come first.
        """


class Store(Protocol):
    """A graph in which every fact keeps its source."""

    url: str

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Pin the ready loads and return a snapshot to read them.

        Many can be open at once, from several processes, while loads run.
        """

    def begin(self, load: LoadPlan) -> LoadWriter:
        """Start (or resume) a load. Raise StoreBusyError if another process loads the same name."""

    def loads(self) -> list[Mapping[str, Any]]:
        """Return all loads with state (staging, ready, dropped), counts, sizes, dates and reconciliation."""

    def drop(self, name: str) -> Mapping[str, Any]:
        """Drop a load or a source by name, in one flip. Return counts. Raise NotFoundError."""

    def close(self) -> None:
        """Release files and connections."""


@runtime_checkable
class NameIndexing(Protocol):
    """A store that keeps an index of its names by their vectors."""

    def index_names(self, listener: Listener) -> None:
        """Build the parts of the index that are missing."""

    def name_index(self) -> Mapping[str, Any]:
        """Return the state of the index: ``names`` in it, ``missing`` ones, ``bytes``, and ``seconds`` to build it."""


class LoadPlan(Protocol):
    """What a store must know before a load: a plain value."""

    @property
    def name(self) -> str:
        """Return the name of the load (by default its source's name)."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources whose facts it adds, in the order in which the stage's column ``source`` numbers them."""

    @property
    def replace(self) -> bool:
        """Return whether ready loads of the same name are dropped in the same flip."""

    @property
    def file(self) -> str:
        """Return the name of the input, as locators show it, or "" if there is none."""


class Stage(Protocol):
    """One cleaned, sorted, de-duplicated load, ready to be written. Streams can be read more than once.

    All ids are int64 as in :mod:`hydra_kg.ids`; all streams come in bounded batches.
    """

    def counts(self) -> Mapping[str, int]:
        """Return the number of rows per stream: links, values, nodes, terms, names, passages, same_as."""

    def links(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Yield columns of links: s, p, o (int64) and line (uint32 or uint64), sorted by (s, p, o).

        The columns source (uint16) and detail (bool) are optional.

        Equal (s, p, o) of one source are statements that differ in rank, confidence or qualifiers. Their order does not
        depend on that of the input: it gives the n of their fact ids.
        """

    def values(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Yield the same columns for literal facts, where o is the id of the literal, sorted by (s, p, o)."""

    def nodes(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield in ascending order the distinct ids of all nodes with a link, value, name, passage or same-as link."""

    def mediators(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield in ascending order the ids of nodes that the cleaning rules call mediators."""

    def terms(self) -> Iterator[tuple[npt.NDArray[np.int64], Sequence[str]]]:
        """Yield hashed ids with their text, each once, in ascending order."""

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        """Yield (node, kind, text), where kind is name, alias, description or title."""

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        """Return (id, key, text, key of the declared reverse property or "") for each predicate."""

    def passages(self) -> Iterator[Sequence[tuple[int, str, str, str, int]]]:
        """Yield (node or 0, title, url, text, line)."""

    def same_as(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Yield columns a, b (int64) and line of the accepted same-as links."""

    def details(self) -> Iterator[Sequence[tuple[int, str, float, str, str]]]:
        """Yield (row, rank, confidence, qualifiers, locator) for each fact whose ``detail`` is set.

        Most sources have none.

        - row: position in :meth:`links`, or ``~position`` in :meth:`values`
        - qualifiers: a JSON list of [key, value]
        - locator: the place in words (:meth:`hydra_kg.domain.Locator.at`), or "" if the line says enough

        Facts of links come first, by position, then those of values by position.
        """


class LoadWriter(Protocol):
    """Writer of one load. Nothing of the load is visible before ``commit``."""

    @property
    def staging(self) -> Path:
        """Return a folder for the stage of this load, on the store's disk if it has one.

        A load that was killed and is started again gets the same folder. ``commit`` and ``abort`` remove it. ``write``
        does not touch files that it did not put there.
        """

    def attach(self, file: Path) -> None:
        """Store a copy of a file with the load under its own name (``rejects.tsv.gz``). Safe to call again."""

    def write(self, stage: Stage) -> None:
        """Write everything. Safe to call again after a crash."""

    def commit(self, details: Mapping[str, Any]) -> None:
        """Build derived data, then flip: the load and everything derived become visible together.

        ``details`` (reconciliation, file, licence, …) are stored with the load.
        """

    def abort(self) -> None:
        """Remove what was written."""

    def release(self) -> None:
        """Stop without removing anything: the next load of this name continues it."""


class TraceStore(Protocol):
    """Storage of explorations, apart from the graph, so that asking never waits for loading."""

    def save(self, answer: Mapping[str, Any]) -> None:
        """Store one answer (``ask --json`` form plus its explorations) of at most 200 KB."""

    def get(self, key: str = "") -> Mapping[str, Any]:
        """Return one kept answer by id or unique prefix, or the newest for "". Raise NotFoundError."""

    def list(self, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        """Return the newest kept answers: id, question, answer text, verdict, date."""

    def questions_using(self, source: str) -> Sequence[Mapping[str, Any]]:
        """Return where kept paths used something from a source.

        Each row has the question, the exploration, the fact (or a passage's id) and the entity (an end of the hop, or
        "").
        """


@runtime_checkable
class Embedder(Protocol):
    """Port for turning texts into vectors.

    The same text gives bit-identical vectors, whatever else is in the batch.
    """

    name: str
    dimension: int
    checksum: str

    def embed(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of the texts, float32 (n, dimension), each of length 1."""


class VectorIndex(Protocol):
    """Index of vectors that finds the nearest ones by cosine."""

    def add(self, ids: Ids, vectors: Floats) -> None:
        """Add n vectors (n, d) under n ids."""

    def search(self, vectors: Floats, k: int) -> tuple[Ids, Floats]:
        """Return the k nearest of each, (n, k), best first, ties by id; missing ones have id -1."""

    def within(self, vectors: Floats, gamma: float) -> list[tuple[Ids, Floats]]:
        """Return for each vector all ids with cosine ≥ gamma, in ascending order."""


class LanguageModel(Protocol):
    """Port for a language model: one completion a call. Middleware wraps it (design, "Middleware")."""

    name: str

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
        sample: int = 0,
        step: str = "",
        logprobs: int = 0,
    ) -> Completion:
        """Return the reply.

        Args:
            schema: JSON schema that the reply should follow (it may still not).
            sample: tells repeated draws apart.
            step: names the agent's step for accounts.
            logprobs: if above 0, how many alternatives of the first token to ask for.

        Raise ModelError, BudgetError or NetworkError.
        """


class Agent(Protocol):
    """Port for all judgements (HydraRAG App. E); ``llm`` and ``offline`` implement it.

    One contract suite tests both. Evidence comes best first. No method raises ModelError, BudgetError or NetworkError:
    if a model fails, the offline step takes its place, and ``notes`` says so.
    """

    name: str
    reads: bool
    """Whether it reads lists and texts itself. If not, vectors rank and rules write paths."""

    @property
    def notes(self) -> Sequence[str]:
        """Return what went wrong in this question and how the agent continued, for people."""

    def topics(self, question: str) -> Sequence[str]:
        """Return names of topic entities in the question's words; () leaves it to linking (§4.1)."""

    def analyse(
        self, question: str, mentions: Sequence[Mention], *, d_max: int, kinds: Sequence[str] = (), form: bool = False
    ) -> Analysis:
        """Return the question analysis (§4.1): indicator, order of topics, predicted depth, sub-questions.

        Args:
            kinds: kinds of source that could answer (``kg``, ``wiki``, ``web``, ``table``). With these, the analysis
                also chooses among them, in the same call.
            form: whether to have a plan of the agent's own, whatever the settings say about plans.
        """

    def parse(self, question: str, mentions: Sequence[Mention], *, d_max: int) -> Analysis:
        """Return what the question's wording alone says, without a call.

        It serves methods that have no question analysis.
        """

    def prune(self, analysis: Analysis, what: Pruned, options: Sequence[Option], *, most: int) -> tuple[Picked, ...]:
        """Return at most ``most`` of the options, best first, each with its score.

        The options come best first by vectors. They are topics, relations, entities of a relation, pieces of text (ToG;
        ToG-2 §3.1, Eq. 2 and 3, §4.5.2), or statements of sources to be ranked by authority (MultiRAG Eq. 10).
        """

    def know(self, analysis: Analysis, *, think: bool = False, sample: int = 0) -> Judgement:
        """Return the answer from the agent's own knowledge, after a chain of thought if ``think`` is set.

        ``sample`` > 0 draws another answer. The judgement is insufficient if the agent knows nothing, as without a
        model.
        """

    def compose(
        self, analysis: Analysis, what: Composed, evidence: Sequence[Evidence], *, notes: str = "", sample: int = 0
    ) -> tuple[str, ...]:
        """Return a few short lines that the agent writes from the evidence so far and from ``notes``.

        ``notes`` are a chain of thought or an answer to be criticised. ``sample`` > 0 draws another version. Return ()
        without a model.
        """

    def select_sources(self, analysis: Analysis, kinds: Sequence[str]) -> tuple[str, ...]:
        """Return S_a, a non-empty part of ``kinds`` (§4.1, agentic source selector)."""

    def select_pages(self, analysis: Analysis, results: Sequence[WebResult], *, most: int) -> tuple[int, ...]:
        """Return the positions of at most ``most`` results to read, best first (Algorithm 2 line 3)."""

    def write_paths(self, analysis: Analysis, excerpts: Sequence[Excerpt]) -> Sequence[WrittenPath]:
        """Return knowledge paths that the excerpts state (Algorithm 2 lines 6 and 10).

        Their nodes are mentions of the excerpts only.
        """

    def read_statements(
        self, analysis: Analysis, subject: str, relation: str, excerpts: Sequence[Excerpt]
    ) -> Sequence[StatedInText] | None:
        """Return what sentences state about a relation of a subject, with the words that say so.

        None means that rules should read them.
        """

    def summarise(self, analysis: Analysis, paths: Sequence[WrittenPath]) -> Sequence[WrittenPath]:
        """Return the written paths that matter (Algorithm 2 line 11)."""

    def select_paths(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int, state: SearchState
    ) -> tuple[Picked, ...]:
        """Return at most ``most`` paths, best first (Algorithm 4 line 16).

        ``state`` is the state of the search that found them.
        """

    def refine(self, analysis: Analysis, evidence: Sequence[Evidence]) -> str:
        """Return in short what the paths say about the question (§4.4, path refinement), or ""."""

    def judge(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState
    ) -> Judgement:
        """Judge whether the best evidence answers the sub-questions, then the question, and how sure that is (§4.4)."""

    def follow_up(self, analysis: Analysis, evidence: Sequence[Evidence]) -> FollowUp | None:
        """Return q_new and I_new after a phase that gave no answer (§4.2.2), or None if there is nothing new to ask."""

    def predict(self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int = 3) -> tuple[Prediction, ...]:
        """Return predicted answers, each with its indicator (§4.2.3)."""

    def answer(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState
    ) -> Judgement:
        """Return the answer after all phases, from the paths and the agent's own knowledge (§4.4)."""


class WebSearch(Protocol):
    """Port for a search engine."""

    name: str

    def search(self, query: str, *, limit: int) -> Sequence[WebResult]:
        """Return the best pages, then related questions, at most ``limit`` each. Raise NetworkError."""


class PageFetcher(Protocol):
    """Port for fetching pages safely (design §8)."""

    def fetch(self, url: str) -> WebPage:
        """Return the page's main text. Raise NetworkError."""


class Extractor(Protocol):
    """Port for information extraction: from sentences to knowledge paths and facts.

    The rules in :mod:`hydra_kg.extract` implement it; a model may too.
    """

    def paths(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> Sequence[tuple[int, str, int]]:
        """Return (node, connecting phrase, node) for mentions given as (start, end, node)."""

    def relations(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> Sequence[Relation]:
        """Return facts to be stored: only relations that are sure enough, each with its span and confidence."""
