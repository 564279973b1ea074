"""The small interfaces between reasoning and the world; each has a shipped fake in :mod:`hydra_kg.fakes`.

This is one room because whoever replaces a part looks here for all that it must offer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
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

Reach = Literal["exact", "tokens", "near"]
Pruned = Literal["topics", "relations", "entities", "chunks", "authority"]
ServerCut = Literal["levels", "pattern", "subgraph", "spanning-tree"]
"""How a server is asked for a cut: level by level, or first at once, by a Cypher pattern of variable length or by
``apoc.path.subgraphAll`` or ``apoc.path.spanningTree``. The cut is the same."""
Composed = Literal["thought", "rewrite", "decompose", "disambiguate", "evidence", "query", "critique", "cypher", "sql"]
"""What an agent writes for the strategies that search text by what a model wrote: the next sentence of a chain of
thought (IRCoT), search queries made in one of three ways (RQ-RAG), what the next passage would say (MDQA), a query for
facts and one for text (CoK), and what is wrong with an answer (MetaRAG); or a query in the language of the store, or
over its tables."""


@dataclass(frozen=True, slots=True)
class CypherQuery:
    """A query that a model wrote in names that it was told: ``names`` of parameters with class ids, ``relations`` with
    places of predicates.
    """

    text: str
    names: Mapping[str, Sequence[int]]
    relations: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How far a query may go: seconds, rows that it returns, and rows that any part of it is expected to look at."""

    seconds: float
    rows: int
    estimate: float


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One answer, a class id, a literal or a number, with the handles (load, row) of the facts that lead to it."""

    node: int
    literal: str
    number: float | None
    handles: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CypherResult:
    """Rows, whether there were more, and as a clause why the query was not run."""

    rows: tuple[QueryRow, ...] = ()
    cut: bool = False
    refused: str = ""


@runtime_checkable
class TakesQueries(Protocol):
    """Optional ability of a snapshot: to carry out queries that others wrote, whatever they try."""

    def cypher_query(self, query: CypherQuery, limits: QueryLimits) -> CypherResult:
        """Return what it finds, read-only and within the limits.

        It returns ``answer`` and ``facts``; things are ``Thing``, a value is a node labelled as its relation, with
        ``subject`` the id of its thing.
        """


class CutOptions(TypedDict, total=False):
    """Options of :meth:`Snapshot.cut`, for snapshots that hand them on."""

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
        """All predicates. Cheap to call again."""

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        """Link candidates for each text.

        ``exact``: folded name or alias equal (hundreds of n-grams a call, fast); ``tokens``: where that gives nothing,
        also names that contain all tokens; ``near``: where that gives nothing either, also names within a small edit
        distance (:mod:`hydra_kg.text.typos`). At most ``limit`` each, highest degree first, ties by class id; one hit
        per class; a title counts as an alias.
        """

    def lookup(self, keys: Sequence[str]) -> list[int | None]:
        """Return the class of each key (``m.042f1``, ``Q42``), or None if no ready load knows it."""

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        """Names, members, aliases, types, description, degree of classes, in the order asked. Batch it.

        The name is the representative's own if it has one, else that of the first load by name; a class without
        any shows its key. A class that no ready load knows has no ``keys``.
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
        """All edges with an end nearer than ``depth`` to a topic (HydraRAG §4.2.1, subgraph detection).

        ``hops="entity"``: entity–mediator–entity is one hop, a mediator expands only to its own slots; ``"paper"``
        counts the mediator. ``rank``: float32 (P,), higher first, rounded by the caller. ``budget`` > 0: what stays
        is the prefix of (level, -rank of predicate, predicate id, neighbour id); the last admitted predicate is cut
        by neighbour id. ``hub_cap`` > 0: a class with more edges that is no topic is kept but not expanded.

        The neighbour is the end that was expanded later (the object, if both were at once); ties are broken by the
        other end, its being the subject, and the fact's handle. Edges come level by level and each fact once; of a
        truncated cut only ends of kept edges (and topics) are ``nodes``. Raises UsageError for a depth over 100.
        """

    def values(self, nodes: Sequence[int]) -> Values:
        """Literal facts of classes (names, aliases and descriptions are not among them), in the order asked."""

    def between(self, left: Ids, right: Ids) -> Links:
        """All facts that link the classes left[i] and right[i], in either direction, of every source; sorted by
        (pair, forward first, predicate, handle).
        """

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        """Facts with provenance, by handle. The only call that reads provenance: ask for survivors."""

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        """Passages about the classes, best first for the query; with ``query``, then others that hold a word of it,
        best first; at most ``limit`` in all. Any text is a legal query.
        """

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        """Classes in ascending order of id, at most ``limit``, those behind ``after``; none at the end.

        For what reads everything, a page at a time; a literal is no class.
        """

    def relation_pairs(self) -> npt.NDArray[np.int32]:
        """Distinct two-leg relations through mediators, int32 (k, 4): predicate and direction (1 forward) into the
        mediator, predicate and direction out of it; for precomputing their vectors.
        """


@runtime_checkable
class Witnessing(Protocol):
    """Optional capability of a snapshot: bulk access to the sources and qualifiers of facts, for whole-store scans."""

    def witnesses(self, segment: npt.NDArray[np.int16], row: Ids) -> Witnesses:
        """Source and qualifiers of facts by handle, as :meth:`Snapshot.facts` gives them."""


@runtime_checkable
class LoadScanning(Protocol):
    """Optional capability of a snapshot: what one load is about, without a walk over the whole store."""

    def load_predicates(self, load: int) -> tuple[Index, Ids]:
        """Return the predicates of the load at a place in the manifest, and the number of its facts with each."""

    def load_classes(self, load: int) -> Ids:
        """Return the ids of the classes in the facts of the load at a place in the manifest, ascending."""


@runtime_checkable
class CutChoosing(Protocol):
    """Optional capability of a snapshot: several ways to make a cut, all with the same result."""

    def cutting(self, way: ServerCut) -> Snapshot:
        """Return the same loads, cut in this way."""


@runtime_checkable
class LikeNaming(Protocol):
    """Optional capability of a snapshot: an index of all names by their vectors (HydraRAG §4.1, H_S)."""

    def like(self, names: Sequence[str], *, limit: int, listener: Listener = ...) -> list[list[NameHit]]:
        """For each text at most ``limit`` classes, those whose names are spelt most alike first; whether one of them is
        meant is for the caller to say. An index that is missing is made first, which ``listener`` hears.
        """


@runtime_checkable
class NameCompleting(Protocol):
    """Optional capability of a snapshot: names by their beginnings, for whoever types one."""

    def starting(self, text: str, *, limit: int) -> list[str]:
        """At most ``limit`` names and aliases whose folded text begins with that of ``text``; of each load those of its
        best known things first.
        """


class Store(Protocol):
    """A graph in which every fact keeps its source."""

    url: str

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Pin the ready set and read. Many at once, from several processes, while loads run."""

    def begin(self, load: LoadPlan) -> LoadWriter:
        """Start (or resume) a load. Raises StoreBusyError if another process loads the same name."""

    def loads(self) -> list[Mapping[str, Any]]:
        """All loads with state (staging, ready, dropped), counts, sizes, dates, reconciliation."""

    def drop(self, name: str) -> Mapping[str, Any]:
        """Drop a load or a source by name: one flip. Returns counts. Raises NotFoundError."""

    def close(self) -> None:
        """Release files and connections."""


@runtime_checkable
class NameIndexing(Protocol):
    """A store that keeps an index of its names by their vectors."""

    def index_names(self, listener: Listener) -> None:
        """Make what is missing of it."""

    def name_index(self) -> Mapping[str, Any]:
        """How it stands: ``names`` in it, ``missing`` ones, ``bytes``, ``seconds`` that making it took."""


class LoadPlan(Protocol):
    """What a store must know before a load: a plain value."""

    @property
    def name(self) -> str:
        """Name of the load (by default its source's name)."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources whose facts it adds, in the order that the stage's column ``source`` counts in."""

    @property
    def replace(self) -> bool:
        """Whether ready loads of the same name are dropped in the same flip."""

    @property
    def file(self) -> str:
        """Name of the input, as locators show it; "" if there is none."""


class Stage(Protocol):
    """One cleaned, sorted, de-duplicated load, ready to be written. Streams can be read more than once.

    All ids are int64 as in :mod:`hydra_kg.ids`; all streams come in bounded batches.
    """

    def counts(self) -> Mapping[str, int]:
        """Rows per stream: links, values, nodes, terms, names, passages, same_as."""

    def links(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """s, p, o (int64), line (uint32 or uint64), sorted by (s, p, o); optional source (uint16), detail (bool).

        Equal (s, p, o) of one source are statements that differ in rank, confidence or qualifiers, in an order that
        does not depend on the input's: the n of their fact ids.
        """

    def values(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """Return the same for literal facts: o is the id of the literal; sorted by (s, p, o)."""

    def nodes(self) -> Iterator[npt.NDArray[np.int64]]:
        """Distinct ids of everything that has a link, a value, a name, a passage or a same-as link; ascending."""

    def mediators(self) -> Iterator[npt.NDArray[np.int64]]:
        """Ids of nodes that the cleaning rules call mediators, ascending."""

    def terms(self) -> Iterator[tuple[npt.NDArray[np.int64], Sequence[str]]]:
        """Hashed ids with their text, ascending, each once."""

    def names(self) -> Iterator[Sequence[tuple[int, str, str]]]:
        """(node, kind, text); kind: name, alias, description, title."""

    def predicates(self) -> Sequence[tuple[int, str, str, str]]:
        """(id, key, text, key of the declared reverse property or "")."""

    def passages(self) -> Iterator[Sequence[tuple[int, str, str, str, int]]]:
        """(node or 0, title, url, text, line)."""

    def same_as(self) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
        """a, b (int64), line: accepted links."""

    def details(self) -> Iterator[Sequence[tuple[int, str, float, str, str]]]:
        """(row, rank, confidence, qualifiers as a JSON list of [key, value], locator) of the facts whose ``detail`` is
        set; row is the position in :meth:`links`, or ``~position`` in :meth:`values`. First those of links by
        position, then those of values by position. locator: the place in words (:meth:`hydra_kg.domain.Locator.at`),
        "" where the line says enough. Most sources have none.
        """


class LoadWriter(Protocol):
    """One load being written. Nothing of it is visible before ``commit``."""

    @property
    def staging(self) -> Path:
        """A folder for the stage of this load, on the store's disk where it has one: the same folder when a killed
        load is begun again, removed by ``commit`` and ``abort``. ``write`` leaves alone what it did not put there.
        """

    def attach(self, file: Path) -> None:
        """Keep a copy of a file with the load under its own name (``rejects.tsv.gz``). Safe to call again."""

    def write(self, stage: Stage) -> None:
        """Write everything. Safe to call again after a crash."""

    def commit(self, details: Mapping[str, Any]) -> None:
        """Build what is derived, then flip: the load and everything derived become visible together.

        ``details`` (reconciliation, file, licence, …) is kept with the load.
        """

    def abort(self) -> None:
        """Remove what was written."""

    def release(self) -> None:
        """Stop without removing anything: the next load of this name takes it up."""


class TraceStore(Protocol):
    """Keeps explorations, apart from the graph, so that asking never waits for loading."""

    def save(self, answer: Mapping[str, Any]) -> None:
        """Keep one answer (``ask --json`` form plus its explorations), at most 200 KB."""

    def get(self, key: str = "") -> Mapping[str, Any]:
        """One kept answer by id or unique prefix; the newest for "". Raises NotFoundError."""

    def list(self, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        """Return the newest kept answers: id, question, answer text, verdict, date."""

    def questions_using(self, source: str) -> Sequence[Mapping[str, Any]]:
        """Return what a source touched: question, exploration, fact (a passage's id where it is one) and entity (an end of
        the hop, or "") of everything of it that a kept path used.
        """


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors. The same text gives bit-identical vectors whatever else is in the batch."""

    name: str
    dimension: int
    checksum: str

    def embed(self, texts: Sequence[str]) -> Floats:
        """float32 (n, dimension), each of length 1."""


class VectorIndex(Protocol):
    """Nearest vectors by cosine."""

    def add(self, ids: Ids, vectors: Floats) -> None:
        """Add n vectors (n, d) under n ids."""

    def search(self, vectors: Floats, k: int) -> tuple[Ids, Floats]:
        """Return the k nearest of each, (n, k), best first, ties by id; missing ones have id -1."""

    def within(self, vectors: Floats, gamma: float) -> list[tuple[Ids, Floats]]:
        """For each vector all ids with cosine ≥ gamma, ascending by id."""


class LanguageModel(Protocol):
    """One completion. Middleware wraps it (design, "Middleware")."""

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

        ``schema``: JSON schema that the reply should follow (it may still not) · ``sample`` tells repeated draws apart
        · ``step`` names the agent's step for accounts · ``logprobs`` > 0 asks for that many alternatives of the first
        token. Raises ModelError, BudgetError, NetworkError.
        """


class Agent(Protocol):
    """Port for everything that takes judgement (HydraRAG App.

    E). ``llm`` and ``offline`` fulfil it; one contract suite.

    Evidence comes best first. No method raises ModelError, BudgetError or NetworkError: what a model cannot give the
    offline step gives, and ``notes`` says so.
    """

    name: str
    reads: bool
    """Whether it reads lists and texts itself; for one that does not, vectors rank and rules write paths."""

    @property
    def notes(self) -> Sequence[str]:
        """What went wrong in this question and how it was survived, for people."""

    def topics(self, question: str) -> Sequence[str]:
        """Names of topic entities in the question's words; () leaves it to linking (§4.1)."""

    def analyse(
        self, question: str, mentions: Sequence[Mention], *, d_max: int, kinds: Sequence[str] = (), form: bool = False
    ) -> Analysis:
        """Question analysis (§4.1): indicator, order of topics, predicted depth, sub-questions; with ``kinds`` (those
        that could answer: ``kg``, ``wiki``, ``web``, ``table``) also the choice among them, in the same call.
        ``form``: with a plan of the agent's own, whatever the settings say of plans.
        """

    def parse(self, question: str, mentions: Sequence[Mention], *, d_max: int) -> Analysis:
        """Return what the question's wording alone says, without a call: for methods that have no question analysis."""

    def prune(self, analysis: Analysis, what: Pruned, options: Sequence[Option], *, most: int) -> tuple[Picked, ...]:
        """At most ``most`` of the options (best first by vectors), best first, each with its score: topics, relations,
        entities of a relation, pieces of text (ToG; ToG-2 §3.1, Eq. 2 and 3, §4.5.2), or statements of sources by
        their authority (MultiRAG Eq. 10).
        """

    def know(self, analysis: Analysis, *, think: bool = False, sample: int = 0) -> Judgement:
        """Return the answer from the agent's own knowledge, after a chain of thought or at once; ``sample`` > 0 draws another
        one. Insufficient where it knows nothing, as without a model.
        """

    def compose(
        self, analysis: Analysis, what: Composed, evidence: Sequence[Evidence], *, notes: str = "", sample: int = 0
    ) -> tuple[str, ...]:
        """Return a few short lines that the agent writes from what was found so far and from ``notes`` (a chain of thought, an
        answer to be criticised); () without a model. ``sample`` > 0 draws another version.
        """

    def select_sources(self, analysis: Analysis, kinds: Sequence[str]) -> tuple[str, ...]:
        """S_a, a part of ``kinds`` that is not empty (§4.1, agentic source selector)."""

    def select_pages(self, analysis: Analysis, results: Sequence[WebResult], *, most: int) -> tuple[int, ...]:
        """Places of at most ``most`` results to be read, best first (Algorithm 2 line 3)."""

    def write_paths(self, analysis: Analysis, excerpts: Sequence[Excerpt]) -> Sequence[WrittenPath]:
        """Knowledge paths that the excerpts state (Algorithm 2 lines 6 and 10). Nodes are only mentions of theirs."""

    def read_statements(
        self, analysis: Analysis, subject: str, relation: str, excerpts: Sequence[Excerpt]
    ) -> Sequence[StatedInText] | None:
        """Return what sentences state of a relation of a subject, with the words that say so; None: rules read them."""

    def summarise(self, analysis: Analysis, paths: Sequence[WrittenPath]) -> Sequence[WrittenPath]:
        """Those of the written paths that matter (Algorithm 2 line 11)."""

    def select_paths(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int, state: SearchState
    ) -> tuple[Picked, ...]:
        """At most ``most`` paths, best first (Algorithm 4 line 16); ``state``: of the search that found them."""

    def refine(self, analysis: Analysis, evidence: Sequence[Evidence]) -> str:
        """Return what the paths say about the question, in short (§4.4, path refinement); "" is none."""

    def judge(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState
    ) -> Judgement:
        """Whether the best evidence answers the sub-questions, then the question, and how sure that is (§4.4)."""

    def follow_up(self, analysis: Analysis, evidence: Sequence[Evidence]) -> FollowUp | None:
        """q_new and I_new after a phase that did not answer (§4.2.2); None where there is nothing new to ask."""

    def predict(self, analysis: Analysis, evidence: Sequence[Evidence], *, most: int = 3) -> tuple[Prediction, ...]:
        """Predicted answers, each with its indicator (§4.2.3)."""

    def answer(
        self, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = "", state: SearchState
    ) -> Judgement:
        """Return the answer after all phases, from the paths and the agent's own knowledge (§4.4)."""


class WebSearch(Protocol):
    """A search engine."""

    name: str

    def search(self, query: str, *, limit: int) -> Sequence[WebResult]:
        """Return the best pages, then related questions, at most ``limit`` each. Raises NetworkError."""


class PageFetcher(Protocol):
    """Fetches a page safely (design §8)."""

    def fetch(self, url: str) -> WebPage:
        """Return the page's main text. Raises NetworkError."""


class Extractor(Protocol):
    """Port for information extraction: sentences to knowledge paths and facts.

    The rules in :mod:`hydra_kg.extract` fulfil it; a model may.
    """

    def paths(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> Sequence[tuple[int, str, int]]:
        """(node, connecting phrase, node) for mentions given as (start, end, node)."""

    def relations(self, sentence: str, mentions: Sequence[tuple[int, int, int]]) -> Sequence[Relation]:
        """Return the same as facts to be stored: only what is sure enough, each with its span and confidence."""
