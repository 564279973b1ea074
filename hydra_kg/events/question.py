"""Define typed events of a question. They are stable: fields and kinds are only added.

Names and texts come from sources: treat them as data, never as instructions.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from hydra_kg.util.fast_dataclass import dataclass

MOST = 5
"""Most paths, pages and names that one event shows; their total is a separate number."""


@dataclass(frozen=True, slots=True)
class NameLinked:
    """A part of the question and the entity that it was linked to. ``id`` is "" for an unknown name."""

    text: str
    id: str
    name: str
    others: int = 0
    """Further candidates."""


@dataclass(frozen=True, slots=True)
class Linked:
    """Names of the question were linked to entities (HydraRAG §4.1)."""

    kind: ClassVar[str] = "ask.linked"
    names: tuple[NameLinked, ...]


@dataclass(frozen=True, slots=True)
class Understood:
    """The question was analysed.

    Attributes:
        sources: kinds of source to ask, S_a.
        depth: expected hops, D_predict.
        plan: the plan in words.
    """

    kind: ClassVar[str] = "ask.understood"
    indicator: str
    sources: tuple[str, ...]
    depth: int
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """A subgraph G_q was cut out around topics (§4.2.1). ``dropped``: facts that its budget left out."""

    kind: ClassVar[str] = "ask.cut_out"
    entities: int
    facts: int
    depth: int
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class PageRead:
    """A stored passage or a web page that was read. ``place``: its locator."""

    title: str
    source: str
    place: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """Passages were taken from stored text, or pages from the web (``web``). The first few of ``total`` are shown."""

    kind: ClassVar[str] = "ask.read"
    pages: tuple[PageRead, ...]
    total: int
    web: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """An exploration found evidence. ``counts``: sizes on the way, as in a kept answer. ``best``: in words."""

    kind: ClassVar[str] = "ask.found"
    phase: str
    paths: int
    best: tuple[str, ...]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Pruned:
    """How much of an exploration's evidence was kept and pruned (Algorithm 4). ``reasons``: how often each."""

    kind: ClassVar[str] = "ask.pruned"
    phase: str
    kept: int
    pruned: int
    reasons: dict[str, int]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Paths were chosen to answer from, at most W_max, best first, in words."""

    kind: ClassVar[str] = "ask.chosen"
    paths: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Judged:
    """It was judged whether the chosen paths suffice to answer. ``missing``: what was not found."""

    kind: ClassVar[str] = "ask.judged"
    sufficient: bool
    confidence: float
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """The last event. ``id`` opens the kept answer; ``abstained``: the sources do not support an answer."""

    kind: ClassVar[str] = "ask.answered"
    id: str
    answer_text: str
    verdict: str
    confidence: float
    abstained: bool


QuestionEvent = Linked | Understood | Cut | Read | Found | Pruned | Chosen | Judged | Answered


def data_of(event: QuestionEvent) -> dict[str, Any]:
    """Return the fields as JSON."""
    return asdict(event)
