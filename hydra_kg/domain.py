"""Define the domain model: frozen values for the results of a question, numpy columns for subgraphs.

This is one room because all other packages use these classes, and the classes refer to one another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from hydra_kg.plan.model import Plan, Root, Step
from hydra_kg.util.fast_dataclass import dataclass, field

Ids = npt.NDArray[np.int64]
Index = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

SourceKind = Literal["kg", "wiki", "web", "table", "derived"]
Hops = Literal["entity", "paper"]
Verdict = Literal["supported", "single-source", "partial", "contested", "contradicted", "unsupported"]

TRUST: Mapping[str, float] = {"kg": 1.0, "wiki": 0.8, "web": 0.7, "table": 0.8, "derived": 0.0}
"""Trust ρ by kind of source (HydraRAG §4.3, ρ_KG > ρ_Wiki > ρ_Web); ``derived`` never counts."""

_SPAN: Final = re.compile(r"(.*\S) \[([0-9]{1,15}):([0-9]{1,15})\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """A source of facts. Sources with the same ``origin`` are not independent; the default is the source itself."""

    name: str
    kind: SourceKind = "kg"
    origin: str = ""
    licence: str = ""
    version: str = ""
    checksum: str = ""
    url: str = ""
    trust: float | None = None

    @property
    def rho(self) -> float:
        """Return the source trust ρ: the override, or the value of its kind."""
        return TRUST[self.kind] if self.trust is None else self.trust

    @property
    def group(self) -> str:
        """Return the independence group."""
        return self.origin or self.name


@dataclass(frozen=True, slots=True)
class LoadInfo:
    """Public description of one ready load: part of the manifest of every answer."""

    name: str
    sources: tuple[Source, ...]
    facts: int
    checksum: str
    created: str = ""


@dataclass(frozen=True, slots=True)
class Locator:
    """Where in its source a fact or passage is. Empty fields do not apply."""

    file: str = ""
    line: int = 0
    page: str = ""
    url: str = ""
    start: int = -1
    end: int = -1

    @classmethod
    def at(cls, text: str, *, file: str = "", line: int = 0) -> Locator:
        """Return the place that a loader described in words, in addition to file and line.

        Examples of ``text``: ``Q42$8419C20C…`` and ``row 3, column capital``. It may end in a span of characters:
        ``Paris § History [120:180]``.
        """
        span = _SPAN.fullmatch(text) if text.endswith("]") else None
        if span is None:
            return cls(file=file, line=line, page=text)
        return cls(file=file, line=line, page=span[1], start=int(span[2]), end=int(span[3]))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        if not self.page:
            return place
        span = f" [{self.start}:{self.end}]" if self.start >= 0 else ""
        return f"{self.page}{span} ({place})" if place else f"{self.page}{span}"


@dataclass(frozen=True, slots=True)
class Node:
    """A same-as class as people see it. ``id`` is its representative, ``key`` that id as text."""

    id: int
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A class with its descriptions, for linking and display. ``keys`` are all its members, sorted."""

    node: Node
    keys: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    description: str = ""
    degree: int = 0
    mediator: bool = False


@dataclass(frozen=True, slots=True)
class NameHit:
    """A link candidate that the store proposes. Shared code above the port ranks them.

    ``how`` is one of:

    - ``name``, ``alias``: the folded text is equal
    - ``tokens``: all tokens are contained
    - ``near``: the edit distance is small
    - ``like``: the spelling is similar as a whole, by the index of names
    """

    node: int
    text: str
    how: Literal["name", "alias", "tokens", "near", "like"]
    degree: int


@dataclass(frozen=True, slots=True)
class Fact:
    """Subject, predicate and object as one source states them, with the place in the source.

    ``subject`` and ``object`` are keys as that source wrote them, not class representatives.
    """

    id: int
    subject: str
    predicate: str
    object: str
    source: Source
    locator: Locator
    rank: str = ""
    confidence: float = 1.0
    qualifiers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation that one sentence states between two of its mentions.

    Attributes:
        subject, object: the nodes.
        phrase: the phrase that connects them.
        start, end: characters of the sentence from the start of the first mention to the end of the second.
        confidence: how often statements of this form are right, 0 to 1.
    """

    subject: int
    phrase: str
    object: int
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text about an entity. ``node`` is the class it is about, or 0."""

    id: str
    title: str
    text: str
    source: Source
    locator: Locator
    node: int = 0
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class TextFinding:
    """A sentence that states the answer's value (``agrees``) or another one (``differs``).

    Attributes:
        passage: the sentence, with page and characters in its locator.
        likeness: cosine of what the sentence states and what was asked.
        node: class of the value, 0 if it is only a name in the text.
    """

    stance: Literal["agrees", "differs"]
    value: str
    passage: Passage
    likeness: float
    node: int = 0


@dataclass(frozen=True, slots=True)
class Predicates:
    """All predicates of a snapshot; every ``pred`` column is an index into these.

    Attributes:
        ids: int64 (P,), sorted.
        keys, texts: P strings; ``texts`` are for people and embedding.
        inverse: key of the reverse property if the source declares one, else "".
        counts: int64 (P,), number of facts over all ready loads.
    """

    ids: Ids
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    inverse: tuple[str, ...]
    counts: Ids


@dataclass(frozen=True, slots=True, eq=False)
class Subgraph:
    """The subgraph G_q of a question as columns. Edges run in the stored direction; both ends are classes.

    Attributes:
        ids: int64 (N,) class ids, ascending; may contain more than the cut reached.
        mediator: bool (N,), whether the class is a mediator.
        degree: int32 (N,), facts of the class over all loads.
        nodes: int32 (n,), indices into ids that were reached, nearest first.
        depth: int8 (n,), hops from the nearest topic. A mediator has the depth of the entity hop it belongs to.
        src, dst: int32 (m,), indices into ids.
        pred: int32 (m,), index into Predicates.
        segment, row: int16 and int64 (m,), the handle of the fact.
        level: int8 (m,), hop at which the edge was found, from 0.
        topics: int32 indices into ids.
    """

    ids: Ids
    mediator: npt.NDArray[np.bool_]
    degree: Index
    nodes: Index
    depth: npt.NDArray[np.int8]
    src: Index
    dst: Index
    pred: Index
    segment: npt.NDArray[np.int16]
    row: Ids
    level: npt.NDArray[np.int8]
    topics: Index
    truncated: bool = False
    dropped: int = 0
    """Number of edges within the depth that the budget left out; exact if known, else a lower bound."""
    skipped_hubs: int = 0

    def __len__(self) -> int:
        return len(self.src)

    def of_loads(self, allowed: npt.NDArray[np.bool_] | None) -> Subgraph:
        """Return the same graph with only the edges of loads that may be used, bool (loads,), or None for all."""
        return self if allowed is None else self.select(allowed[self.segment])

    def select(self, keep: npt.NDArray[np.bool_]) -> Subgraph:
        """Return the same graph with only the edges of ``keep`` (bool (m,)). All nodes stay."""
        rows = np.flatnonzero(keep)  # a mask takes four times as long
        return Subgraph(
            self.ids,
            self.mediator,
            self.degree,
            self.nodes,
            self.depth,
            self.src[rows],
            self.dst[rows],
            self.pred[rows],
            self.segment[rows],
            self.row[rows],
            self.level[rows],
            self.topics,
            self.truncated,
            self.dropped,
            self.skipped_hubs,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Literal facts of some classes, as columns.

    Attributes:
        node: int64 (n,) class ids.
        pred: int32 (n,), index into Predicates.
        literal: n keys in N-Triples form.
        segment, row: int16 and int64 (n,), handle of the fact. Rows of literal facts are negative (``~position``).
    """

    node: Ids
    pred: Index
    literal: tuple[str, ...]
    segment: npt.NDArray[np.int16]
    row: Ids


@dataclass(frozen=True, slots=True, eq=False)
class Witnesses:
    """Sources and qualifiers of facts, as columns.

    Attributes:
        source: int32 (n,), index into ``sources``.
        qualifiers: int32 (n,), index into ``known``, whose first is ().
    """

    source: Index
    qualifiers: Index
    sources: tuple[Source, ...]
    known: tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Facts between given pairs of classes. ``pair`` int32 (k,) is the index of the pair; the rest as in Subgraph."""

    pair: Index
    forward: npt.NDArray[np.bool_]
    pred: Index
    segment: npt.NDArray[np.int16]
    row: Ids


@dataclass(frozen=True, slots=True)
class Hop:
    """One hop of a path, read in the direction of the path.

    Attributes:
        predicate: the key (``a./b`` through a mediator).
        text: the relation in words, in this direction.
        forward: False if the stored fact runs the other way; through a mediator, that of the first leg.
        facts: all facts of every source that state the hop; through a mediator, those of both legs.
    """

    subject: Node
    predicate: str
    text: str
    object: Node
    forward: bool = True
    via: Node | None = None
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """A chain of hops, or a chain that the agent wrote from a sentence (then ``passage`` is set)."""

    hops: tuple[Hop, ...]
    passage: Passage | None = None
    checked: bool = True
    """False if the passage was not found to state the chain. A model may read it, but it supports no verdict."""

    @property
    def text(self) -> str:
        """Return one line for people: ``A — relation → B — relation → C``.

        The sign ``; `` marks where the path continues from an earlier entity.
        """
        if not self.hops:
            return self.passage.text if self.passage else ""
        line = self.hops[0].subject.name
        for before, h in zip((None, *self.hops), self.hops, strict=False):
            fork = "" if before is None or before.object.id == h.subject.id else f"; {h.subject.name}"
            line += f"{fork} — {h.text} → {h.object.name}"
        return line

    @property
    def entities(self) -> tuple[Node, ...]:
        """Return Ent(p): the entities on the path in order, each once, without mediators."""
        seen: dict[int, Node] = {}
        for h in self.hops:
            seen.setdefault(h.subject.id, h.subject)
            seen.setdefault(h.object.id, h.object)
        return tuple(seen.values())


@dataclass(frozen=True, slots=True)
class Scores:
    """All scores of HydraRAG §4.3 for one path. Each is in [0, 1], unless a strategy says otherwise."""

    relevance: float
    f1: float = 0.0
    f2: float = 0.0
    f3: float = 0.0
    verification: float = 0.0
    cross: float = 0.0
    llm: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A path with its scores, whether it was kept, and the answers it leads to. ``reason`` says why."""

    path: Path
    scores: Scores
    phase: str
    kept: bool
    reason: str = ""
    answers: tuple[Node, ...] = ()
    origins: tuple[str, ...] = ()
    sentence: str = ""
    line: str = ""
    """How the path is shown to a model: ``{A} → relation → {B, C}``; "" means the path's own text."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of the question with its link candidates, best first. ``chosen`` is the first unless overridden."""

    text: str
    start: int
    end: int
    candidates: tuple[Candidate, ...]
    chosen: Candidate | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked link candidate."""

    node: Node
    score: float
    how: str
    description: str = ""
    degree: int = 0


@dataclass(frozen=True, slots=True)
class RelationCompetition:
    """How the best path compares with the other relations that a question may mean.

    These relations count whether or not they are stated of the topics. Shares of probability are in [0, 1], leads in
    relevance in [−1, 1]. A value is None if the facts around the topics are not known.

    *Kin* are the relations of the types that the topics are known to have, and the relations that are stated of them.
    """

    own_of_all: float
    """The path's share of all relations in the sources."""
    expected: float
    """Relevance (0 to 1) of the best fitting relation of all: how clearly the sources cover what is asked."""
    own: float | None = None
    """The path's share among kin."""
    stated: float | None = None
    """Share of kin that is stated of the topics."""
    better: float | None = None
    """ln(1 + number of kin that fit better than the path and are not stated)."""
    lead: float | None = None
    """Lead of the path over the best of kin that is not stated."""
    unfilled: float | None = None
    """Lead over the best slot that is empty in a mediator next to a topic."""
    missing: str = ""
    """The best of kin that fits better than the path and is not stated, in words, or ""."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a nested question.

    Attributes:
        text: its words, with ``_`` for what it is about: a name, or the result of the clause before it.
        noun: what the result is ("country"), "" if it is the answer.
        hints: as in Analysis, for these words alone.
    """

    text: str
    noun: str = ""
    hints: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """Question analysis (HydraRAG §4.1): the skyline indicator, its order of topics, and the predicted depth.

    Attributes:
        indicator: the text that paths are compared with.
        answer_type: a coarse expected type (person, location, date, number, …) or "".
        constraints: words such as ``first`` or ``1995`` that select among answers.
        kind: ``entity``, ``count``, ``boolean``, ``date`` or ``value``.
    """

    question: str
    indicator: str
    topics: tuple[int, ...]
    d_predict: int
    sub_questions: tuple[str, ...] = ()
    answer_type: str = ""
    kind: str = "entity"
    constraints: tuple[str, ...] = ()
    hints: tuple[tuple[str, ...], ...] = ()
    """Groups of relation wordings that the question's words suggest (("place of birth",) for "where … born")."""
    answer_noun: str = ""
    """What the question asks for in its own words ("football clubs"), or ""."""
    answer_kinds: frozenset[str] = frozenset()
    """Kinds that an answer must have if the wording says so ("person"); see steps.other_kind."""
    composed: bool = False
    """Whether the question is nested ("the city where … was born"), so that longer paths cost less."""
    clauses: tuple[Clause, ...] = ()
    """The nested question as a chain: the clause about a name comes first, the one for the answer last.

    It is () if the question is one clause, or if it names several things, because its clauses are then as often about
    one end.
    """
    sources: tuple[str, ...] = ()
    """Kinds of source that the agent chose with the analysis (S_a), or () for no choice."""
    unknown: tuple[str, ...] = ()
    """Names in the question that the graph does not know."""
    reading: float = 1.0
    """Probability that the names mean what ``topics`` says, if they are not read in the likeliest way."""
    wanted: int = 0
    """How many answers the question asks for ("which five countries"), 0 if it does not say."""
    namesakes: frozenset[int] = frozenset()
    """Classes that a name may mean in another reading, and that are not answers; for questions with several names.

    Example: "JFK" was linked to the film, and the question does not ask for the person whom the film is about.
    """
    plan: Plan | None = None
    """What the question asks for as operators over sets, if its wording is understood."""
    conditions: tuple[str, ...] = ()
    """Words of the question that an answer must meet (negation, comparison, order, number), in its order."""
    skyline: str = ""
    """The solving chain that a model wrote (§4.1): ``Ottawa - capital of - country - currency - answer``, or ""."""


@dataclass(frozen=True, slots=True)
class SearchState:
    """The state of the search for an answer, as far as a judgement of evidence uses it."""

    competition: RelationCompetition | None = None
    """How the best path compares with all relations that the question may mean; None if this was not computed."""
    unexplained: float = 0.0
    """Relevance (0 to 1) that the best path lacks, compared with what fits its least explained clause best."""


UNSEARCHED: Final = SearchState()


UNSURE: Final = 0.5
"""Confidence in an answer from paths that were not judged sufficient; half of it if only a model knows the answer."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether evidence answers a question. ``confidence`` is a probability; ``missing`` says what was not found.

    Attributes:
        answers: names or values that a model gave, () if the evidence itself decides.
        sub_answers: (sub-question, answer or "") in the order in which they were judged.
        own_knowledge: whether the answers rest on the model's own knowledge, not on the evidence.
    """

    sufficient: bool
    confidence: float
    missing: str = ""
    answers: tuple[str, ...] = ()
    sub_answers: tuple[tuple[str, str], ...] = ()
    own_knowledge: bool = False
    clues: str = ""
    """What a model found in the evidence that helps, in short, even if it was not sufficient (ToG-2 Eq. 7)."""
    by_model: bool = field(default=False, compare=False)
    """Whether a language model's reply decided it. It is also False if a model was asked and failed."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sentence that paths are written from: its passage, its text, and its mentions (start, end, class id)."""

    passage: Passage
    text: str
    mentions: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class StatedInText:
    """A value that an agent read in an excerpt (its position, from 0), in the words of the excerpt."""

    excerpt: int
    value: str


@dataclass(frozen=True, slots=True)
class WrittenPath:
    """A path that an agent wrote from an excerpt (HydraRAG App. E).

    Attributes:
        excerpt: position of the excerpt, from 0.
        chain: entity, phrase, entity, …, entity in words.
        nodes: the class id of each of its entities, 0 if it is not linked.
        checked: False if the excerpt was not found to state it.
    """

    excerpt: int
    chain: tuple[str, ...]
    nodes: tuple[int, ...]
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Picked:
    """A path that an agent selected: its position among the candidates, and its score in [0, 1]."""

    place: int
    score: float


@dataclass(frozen=True, slots=True)
class Option:
    """One line of a list that an agent prunes, and how well it fits the question by vectors, in [0, 1]."""

    text: str
    score: float


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The follow-up question q_new and its indicator I_new (HydraRAG §4.2.2)."""

    question: str
    indicator: str


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted answer e and its indicator I_pred(e) (HydraRAG §4.2.3)."""

    name: str
    indicator: str


@dataclass(frozen=True, slots=True)
class WebResult:
    """A search engine's result for a page. ``question``: a related question that ``snippet`` answers."""

    title: str
    url: str
    snippet: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class WebPage:
    """A fetched page: where it was found after redirects, its title and its main text."""

    url: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply.

    Attributes:
        cut: whether it stopped before its end, at ``max_tokens`` or because time was up.
        late: whether it stopped because time was up.
        first: alternatives of the first token with their log-probabilities, () if the endpoint gives none.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cut: bool = False
    first: tuple[tuple[str, float], ...] = ()
    late: bool = False


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim: which source states which value of which attribute of which entity.

    It is the node of a homologous group (MultiRAG Definition 3) for one value. ``confidence`` is C(v) / 2 (Eq. 9), in
    [0, 1]. ``believed`` says whether the value is believed.
    """

    source: str
    subject: Node
    attribute: str
    object: Node
    confidence: float
    believed: bool


@dataclass(frozen=True, slots=True)
class Exploration:
    """One phase of one question: what was cut, found, pruned and kept, and why.

    ``counts`` are named integers. ``claims`` are what the sources state about the attribute asked for, if that was
    judged.
    """

    phase: str
    topics: tuple[Node, ...]
    indicator: str
    depth: int
    counts: Mapping[str, int] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    seconds: float = 0.0
    truncated: bool = False
    claims: tuple[Claimed, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered citation ``[n]`` that a reader can open: a line of a dump or a span of a page."""

    n: int
    source: str
    locator: Locator
    fact: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost. ``steps`` has the same for each step of the agent (``analyse``, ``judge``, …)."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    seconds: float = 0.0
    steps: Mapping[str, Usage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnswerValue:
    """One answer: an entity (``node``) or a literal (``value``).

    ``keys`` are all members of the entity's class. ``unit`` is the unit or currency of an amount, "" if none is stated.
    """

    name: str
    node: Node | None = None
    value: str | None = None
    keys: tuple[str, ...] = ()
    score: float = 0.0
    unit: str = ""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Answers with several columns: the headings, and one row of texts for each answer."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AnswerData:
    """The result of one question, with everything needed to check it (contract: ``ask --json`` version 1)."""

    id: str
    question: str
    strategy: str
    agent: str
    answers: tuple[AnswerValue, ...]
    answer_text: str
    label: str
    verdict: Verdict
    agreement: float
    amount: float
    confidence: float
    abstained: bool
    truncated: bool
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    explorations: tuple[Exploration, ...]
    mentions: tuple[Mention, ...]
    usage: Usage
    seconds: Mapping[str, float]
    manifest: Mapping[str, object]
    dissent: tuple[str, ...] = ()
    claim: str | None = None
    missing: str = ""
    """If abstained: what evidence was looked for and not found."""
    computation: str = ""
    """What was computed over the evidence, with the numbers that were used; "" if nothing was."""
    table: AnswerTable | None = None
    """All columns of an answer with several, such as names and prices, or groups with their values."""
    notes: tuple[str, ...] = ()
    """What went wrong on the way and how hydra-kg continued: a model's reply, a page, a budget."""
    plan: Plan | None = None
    """What the question was understood to ask for."""
    query: Root | None = None
    """The query that was computed, however the question was read; None if a search or a text gave the answer."""
    steps: tuple[Step, ...] = ()
    """What each operator of the plan did, if the plan was executed."""
    unchecked: tuple[str, ...] = ()
    """Conditions of the question, in its words, that the answer was not checked against."""
    checked: str = ""
    """What was checked about an answer from one source of the user's own data: "all words matched; 3 rows"."""
    findings: tuple[TextFinding, ...] = ()
    """What texts state for the answer and against it."""
    perhaps: tuple[AnswerValue, ...] = ()
    """If abstained: values that nearly fit, but with something that is not checked or not sure."""
    after: str = ""
    """Id of the answer that the question follows."""
    understood_as: str = ""
    """The full question that a follow-up was resolved to, and that was asked. Mentions have their positions in it."""
    choices: tuple[str, ...] = ()
    """If a follow-up was not resolved: full questions that it may mean."""
