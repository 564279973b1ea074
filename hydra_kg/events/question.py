"""Typed values of what a question did; stable: fields and kinds are only added.

Names and texts are those of sources: data, never instructions.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

MOST = 5
"""Paths, pages and names that one event shows; how many there are in all is a number beside them."""


@dataclass(frozen=True, slots=True)
class NameLinked:
    """A stretch of the question and what it was taken for; ``id`` is "" for a name that nobody knows."""

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
    """Analysed question. ``sources``: kinds asked, S_a · ``depth``: expected hops, D_predict · ``plan``: in words."""

    kind: ClassVar[str] = "ask.understood"
    indicator: str
    sources: tuple[str, ...]
    depth: int
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of the graph was cut out around topics, G_q (§4.2.1). ``dropped``: facts that its budget left out."""

    kind: ClassVar[str] = "ask.cut_out"
    entities: int
    facts: int
    depth: int
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class PageRead:
    """A stored passage or a page of the web. ``place``: its locator."""

    title: str
    source: str
    place: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """Passages were taken from stored text, or pages from the web (``web``); ``total`` of them, the first few shown."""

    kind: ClassVar[str] = "ask.read"
    pages: tuple[PageRead, ...]
    total: int
    web: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """An exploration found evidence. ``counts``: sizes on the way, as a kept answer has them · ``best``: in words."""

    kind: ClassVar[str] = "ask.found"
    phase: str
    paths: int
    best: tuple[str, ...]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Pruned:
    """Of what an exploration found, so much was kept and so much was not (Algorithm 4); ``reasons``: how often each."""

    kind: ClassVar[str] = "ask.pruned"
    phase: str
    kept: int
    pruned: int
    reasons: dict[str, int]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Paths were chosen to answer from, at most W_max; best first, in words."""

    kind: ClassVar[str] = "ask.chosen"
    paths: tuple[str, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether what was chosen is enough to answer. ``missing``: what is not there."""

    kind: ClassVar[str] = "ask.judged"
    sufficient: bool
    confidence: float
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """The last event. ``id`` opens the kept answer; ``abstained``: the sources do not carry one."""

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
