"""Return the evidence of an answer as a bounded list of texts, each with its score, sources and citations."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from hydra_kg.citations import certainty, label_of, not_checked, split_unchecked
from hydra_kg.client import Hydra
from hydra_kg.errors import UsageError
from hydra_kg.phrases import arrow, phrase
from hydra_kg.serving.asynchronous import AsyncHydra
from hydra_kg.text.plain_text import clean
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    from hydra_kg.answer import Answer
    from hydra_kg.domain import Evidence, Hop, Locator, Passage, Source

ItemKind = Literal["answer", "path", "fact", "passage"]

KINDS: Final[tuple[ItemKind, ...]] = ("answer", "path", "passage")
"""Kinds of items that are returned by default.

The kind fact is left out because it repeats single hops of the paths.
"""

LIMIT: Final = 10
"""Default number of items of one retrieval."""

CHARACTERS: Final = 1_200
"""Default number of characters of one item's text."""

DISSENT: Final = 5
"""Number of statements against an answer that are returned with it."""

THREADS: Final = 4
"""Number of questions that one retriever answers at the same time. Others wait for their turn."""


@dataclass(frozen=True, slots=True)
class RetrievedItem:
    """One text for a language model or a reader.

    Attributes:
        id: ANSWER/KIND/N, where ANSWER is the id of the stored answer (``hydra-kg show ANSWER``).
        score: A number in [0, 1]: the confidence of an answer, the cross-score of a path, or the similarity of a
            sentence to the question.
        citations: Numbers of the answer's citations (``hydra-kg show ANSWER --cite N``).
        locator, url: The first place that states it.
        stance: Whether a sentence ``agrees`` with the answer or ``differs`` from it, "" if that was not checked.
    """

    id: str
    kind: ItemKind
    text: str
    score: float
    sources: tuple[str, ...] = ()
    citations: tuple[int, ...] = ()
    locator: str = ""
    url: str = ""
    stance: str = ""


@dataclass(frozen=True, slots=True)
class RetrievedItems:
    """The answer to one question and its items, best first within each kind.

    ``left_out`` is the number of items over the limit.
    """

    answer: Answer
    items: tuple[RetrievedItem, ...]
    left_out: int = 0

    def about(self) -> dict[str, Any]:
        """Return the JSON values that are the same for all items.

        They are ``answer_id``, ``answer``, ``verdict``, ``confidence`` and ``abstained``. If there are any,
        ``dissent``, ``unchecked`` and ``missing`` are added.
        """
        answer = self.answer
        doc: dict[str, Any] = {
            "answer_id": answer.id,
            "answer": clean(answer.answer_text),
            "verdict": answer.verdict,
            "confidence": round(answer.confidence, 4),
            "abstained": answer.abstained,
        }
        more = {
            "dissent": [clean(label_of(words)) for words in answer.dissent[:DISSENT]],
            "unchecked": list(answer.unchecked),
            "missing": clean(answer.missing),
        }
        return doc | {name: value for name, value in more.items() if value}

    def metadata(self, item: RetrievedItem) -> dict[str, Any]:
        """Return :meth:`about` and the values of one item, as texts, numbers, booleans and lists of these."""
        doc = self.about() | {"kind": item.kind, "sources": list(item.sources), "citations": list(item.citations)}
        more = {"locator": item.locator, "url": item.url, "stance": item.stance}
        return doc | {name: value for name, value in more.items() if value}


def retrieve(
    hydra: Hydra,
    question: str,
    *,
    limit: int = LIMIT,
    characters: int = CHARACTERS,
    kinds: Sequence[ItemKind] = KINDS,
    unanswered: bool = False,
    **options: Any,
) -> RetrievedItems:
    """Ask a question and return the evidence of its answer.

    Args:
        limit: Largest number of items.
        characters: Largest number of characters of an item.
        kinds: The kinds of items, in this order: the ``answer`` as a sentence with its verdict, the ``path`` to it hop
            by hop, each single ``fact`` of the paths, and each ``passage`` in which they were read or that agrees or
            differs.
        unanswered: Whether to return what was explored if the sources do not support an answer. By default there are no
            items then.
        options: Options of :meth:`hydra_kg.Hydra.ask`.

    Raises UsageError for invalid bounds or kinds, and whatever ``ask`` raises.
    """
    _check(limit, characters, kinds)
    return _collect_items(hydra.ask(question, **options), limit, characters, kinds, unanswered=unanswered)


class GraphRetriever:
    """A retriever with a store and fixed options for :func:`retrieve`. The classes for other frameworks use it.

    ``hydra`` is an open Hydra, which you close yourself, or the address of a store. Such a store is opened by the first
    question and closed by :meth:`close`. A retriever can be used by several threads.
    """

    def __init__(
        self,
        hydra: Hydra | str | Path,
        *,
        limit: int = LIMIT,
        characters: int = CHARACTERS,
        kinds: Sequence[ItemKind] = KINDS,
        unanswered: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        _check(limit, characters, kinds)
        self.limit, self.characters, self.kinds, self.unanswered = limit, characters, tuple(kinds), unanswered
        self.options = dict(options or {})
        self._own = not isinstance(hydra, Hydra)
        self.hydra = hydra if isinstance(hydra, Hydra) else Hydra(store=hydra)
        self._awaited = AsyncHydra(self.hydra, threads=THREADS)
        self._opening = threading.Lock()

    def retrieve(self, question: str, *, limit: int | None = None) -> RetrievedItems:
        """Return the evidence of an answer. See :func:`retrieve`. ``limit`` replaces the retriever's own."""
        with self._opening:
            _ = self.hydra.reasoner
        return self._given(self.hydra.ask(question, **self.options), limit)

    async def aretrieve(self, question: str, *, limit: int | None = None) -> RetrievedItems:
        """Return the same as :meth:`retrieve` in asyncio. Cancelling the task stops the question."""
        return self._given(await self._awaited.ask(question, **self.options), limit)

    def close(self) -> None:
        """Close the store, if it was opened here."""
        if self._own:
            self.hydra.close()

    def _given(self, answer: Answer, limit: int | None) -> RetrievedItems:
        most = self.limit if limit is None else limit
        _check(most, self.characters, self.kinds)
        return _collect_items(answer, most, self.characters, self.kinds, unanswered=self.unanswered)


def _check(limit: int, characters: int, kinds: Sequence[str]) -> None:
    if limit < 1 or characters < 1:
        raise UsageError("A retrieval gives at least one item, of at least one character.")
    if unknown := [kind for kind in kinds if kind not in get_args(ItemKind)]:
        raise UsageError(f"There is no kind {unknown[0]!r}.", remedy=f"Kinds: {', '.join(get_args(ItemKind))}.")


def _collect_items(
    answer: Answer, limit: int, characters: int, kinds: Sequence[ItemKind], *, unanswered: bool
) -> RetrievedItems:
    """Return the answer's passages and paths as retrieved items, best first."""
    if answer.abstained and not unanswered:
        return RetrievedItems(answer, ())
    found = _Found(answer, characters)
    every = {"answer": found.sentence, "path": found.paths, "fact": found.facts, "passage": found.passages}
    ranked = [
        (rank, place, item)
        for place, kind in enumerate(dict.fromkeys(kinds))
        for rank, item in enumerate(every[kind]())
    ]
    # Each kind has its turn before any has a second one, so that many paths leave room for a passage.
    chosen = sorted(ranked, key=lambda one: one[:2])[:limit]
    items = [item for _, _, item in sorted(chosen, key=lambda one: (one[1], one[0]))]
    return RetrievedItems(answer, tuple(items), len(ranked) - len(items))


class _Found:
    """The items of one answer by kind."""

    def __init__(self, answer: Answer, characters: int) -> None:
        self._answer, self._characters = answer, characters
        self._numbers = {(c.source, str(c.locator)): c.n for c in answer.citations}

    def sentence(self) -> Iterator[RetrievedItem]:
        """Yield the answer itself with its verdict, if there is an answer."""
        answer = self._answer
        if answer.abstained:
            return
        computed = f" ({answer.computation})" if answer.computation else ""
        parts = [f"{answer.question} — {answer.answer_text}{computed}"]
        parts += [", ".join(certainty(answer.verdict, answer.confidence, answer.checked)).capitalize()]
        asked, doubted = split_unchecked(answer.question, answer.unchecked)
        parts += [
            *answer.dissent[:DISSENT],
            *([not_checked(asked).removesuffix(".")] if asked else []),
            *(f"In doubt: {d}" for d in doubted),
        ]
        cited = answer.citations
        text = ". ".join(label_of(part) for part in parts)
        yield RetrievedItem(
            f"{answer.id}/answer/1",
            "answer",
            self._text(text),
            _share(answer.confidence),
            tuple(dict.fromkeys(c.source for c in cited)),
            tuple(c.n for c in cited),
        )

    def paths(self) -> Iterator[RetrievedItem]:
        """Yield each path as a chain, or as the sentence in which it was read."""
        for n, e in enumerate(self._answer.evidence, 1):
            path = e.path
            text = "; ".join(_chains(path.hops)) or path.text
            places = [*_places(path.hops), *([_place(path.passage)] if path.passage else [])]
            yield self._item("path", n, text, _score(e), places)

    def facts(self) -> Iterator[RetrievedItem]:
        """Yield each hop of the paths once."""
        hops: dict[tuple[int, str, int], tuple[Hop, float]] = {}
        for e in self._answer.evidence:
            for hop in e.path.hops:
                hops.setdefault((hop.subject.id, hop.predicate, hop.object.id), (hop, _score(e)))
        for n, (hop, score) in enumerate(hops.values(), 1):
            yield self._item("fact", n, _chains([hop])[0], score, _places([hop]))

    def passages(self) -> Iterator[RetrievedItem]:
        """Yield each passage once, best first: those in which a path was read, and those that agree or differ."""
        found: dict[str, tuple[Passage, float, str]] = {}
        for f in self._answer.findings:
            found.setdefault(f.passage.id, (f.passage, f.likeness, f.stance))
        for e in self._answer.evidence:
            if e.path.passage is not None:
                found.setdefault(e.path.passage.id, (e.path.passage, _score(e), ""))
        for n, (passage, score, stance) in enumerate(sorted(found.values(), key=lambda f: -f[1]), 1):
            title = label_of(passage.title)
            text = passage.text if passage.text.startswith(title) or not title else f"{title}: {passage.text}"
            yield self._item("passage", n, text, score, [_place(passage)], stance)

    def _item(
        self,
        kind: ItemKind,
        n: int,
        text: str,
        score: float,
        places: Sequence[tuple[Source, Locator]],
        stance: str = "",
    ) -> RetrievedItem:
        """Return an item with its text, score, sources and metadata."""
        keys = dict.fromkeys((source.name, str(locator)) for source, locator in places)
        return RetrievedItem(
            f"{self._answer.id}/{kind}/{n}",
            kind,
            self._text(text),
            _share(score),
            tuple(dict.fromkeys(source for source, _ in keys)),
            tuple(self._numbers[key] for key in keys if key in self._numbers),
            next((locator for _, locator in keys), ""),
            next(filter(None, (locator.url for _, locator in places)), ""),
            stance,
        )

    def _text(self, text: str) -> str:
        line = clean(text).strip()
        return line if len(line) <= self._characters else f"{line[: self._characters - 1]}…"


def _chains(hops: Sequence[Hop]) -> list[str]:
    """Return hops as texts such as ``A — born in → B — country → C``.

    A new chain begins where a hop does not continue at the last entity.
    """
    chains: list[str] = []
    for before, hop in zip((None, *hops), hops, strict=False):
        if before is None or before.object.id != hop.subject.id:
            chains.append(label_of(hop.subject.name))
        chains[-1] += f" {arrow(phrase(hop.predicate, hop.text))} {label_of(hop.object.name)}"
    return chains


def _places(hops: Sequence[Hop]) -> list[tuple[Source, Locator]]:
    """Return the source and place of the facts behind some hops."""
    return list(islice(((f.source, f.locator) for hop in hops for f in hop.facts), 100))


def _place(passage: Passage) -> tuple[Source, Locator]:
    return passage.source, passage.locator


def _score(evidence: Evidence) -> float:
    return evidence.scores.cross or evidence.scores.relevance


def _share(score: float) -> float:
    return round(min(max(float(score), 0.0), 1.0), 4)
