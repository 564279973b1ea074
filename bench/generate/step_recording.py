"""Runs a strategy once over the sample with a scripted model and a scripted search engine, and records its steps."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from hydra_kg.domain import WebPage, WebResult
from hydra_kg.fakes import FakeLanguageModel, FakePageFetcher, FakeWebSearch
from hydra_kg.ports import Embedder
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools, make_cached_embedder
from hydra_kg.settings import Settings
from hydra_kg.stores import open_store

QUESTION: Final = "Where was the director of Inception born?"
ANSWER: Final = "London"
FILM, DIRECTOR = "Inception", "Christopher Nolan"

_LINE: Final = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
_URL: Final = "https://films.example/inception"
_SKYLINE: Final = f"{FILM} - director - person - place of birth - answer"
_TEXT: Final = f"{FILM} was directed by {DIRECTOR}. {DIRECTOR} was born in {ANSWER}."
_WANTED: Final = ("} → place of birth", "birth", "direct")

Say = Callable[[Sequence[str]], Mapping[str, Any]]


def _best(lines: Sequence[str]) -> Mapping[str, Any]:
    """Ten of what is shown: first what speaks of the birth, then of the director, then the rest as it came."""
    order = sorted(range(len(lines)), key=lambda n: next((i for i, w in enumerate(_WANTED) if w in lines[n]), 9))
    return {"best": [{"n": n + 1, "score": max(3, 10 - place)} for place, n in enumerate(order[:10])]}


def _numbers(key: str) -> Say:
    return lambda lines: {key: list(range(1, min(len(lines), 3) + 1))}


SAYS: Final[Mapping[str, Say]] = {
    "topics": lambda _: {"names": [FILM]},
    "analyse": lambda _: {
        "parts": [f"Who directed {FILM}?", f"Where was {DIRECTOR} born?"],
        "skyline": _SKYLINE,
        "plan": [
            {"op": "follow", "of": [FILM], "by": "director of _"},
            {"op": "follow", "of": ["#1"], "by": "where _ born"},
        ],
    },
    "select_sources": lambda _: {"sources": ["kg", "wiki", "web"]},
    "prune_topics": _best,
    "prune_relations": _best,
    "prune_entities": _best,
    "prune_authority": _best,
    "select_pages": _numbers("pages"),
    "select_paths": _best,
    "write_paths": lambda _: {"paths": [{"n": 1, "path": f"{{{DIRECTOR}}} → born in → {{{ANSWER}}}"}]},
    "summarise": _numbers("keep"),
    "refine": lambda _: {"facts": f"{DIRECTOR} directed {FILM}."},
    "judge": lambda _: {"enough": "no", "answers": [], "missing": "where he was born"},
    "follow_up": lambda _: {"question": f"Where was {DIRECTOR} born?", "skyline": _SKYLINE},
    "predict": lambda _: {"predictions": [{"name": ANSWER, "skyline": _SKYLINE}]},
    "answer": lambda _: {"why": "", "answers": [ANSWER]},
    "compose_thought": lambda lines: {"lines": [f"{DIRECTOR} directed {FILM}, and {len(lines)} lines say so."]},
    "compose_rewrite": lambda _: {"lines": [f"birthplace of {DIRECTOR}"]},
    "compose_decompose": lambda _: {"lines": [f"Who directed {FILM}?", f"Where was {DIRECTOR} born?"]},
    "compose_disambiguate": lambda _: {"lines": [f"birthplace of the director of the film {FILM}"]},
    "compose_evidence": lambda _: {"lines": [f"{DIRECTOR} was born in the city of"]},
    "compose_query": lambda _: {"lines": ["director place of birth", f"where {DIRECTOR} was born"]},
    "compose_critique": lambda _: {"lines": ["The birthplace is asked for."]},
    "know": lambda _: {"why": "", "answers": [ANSWER]},
}
"""What the model says, by step, to the numbered lines that it is shown: never that the evidence is enough, so that
every exploration of a strategy runs."""


@dataclass(slots=True)
class RecordedStep:
    """One step as it ran, with its depth in other steps and the number of its own model calls."""

    name: str
    depth: int
    calls: int = 0


@dataclass(slots=True)
class StepRecording:
    """Records steps in the order of their starts. Do not mark concurrent steps.

    ``calls`` returns the number of model calls so far.
    """

    calls: Callable[[], int]
    steps: list[RecordedStep] = field(default_factory=list)
    _open: list[RecordedStep] = field(default_factory=list)
    _seen: int = 0

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self._settle()
        inside = bool(self._open) and self._open[-1].name == name  # a step that calls itself is one
        ran = self._open[-1] if inside else RecordedStep(name, len(self._open))
        if not inside:
            self.steps.append(ran)
        self._open.append(ran)
        try:
            yield
        finally:
            self._settle()
            self._open.pop()

    def _settle(self) -> None:
        """Count the model calls since the last look as calls of the innermost open step."""
        now = self.calls()
        if self._open:
            self._open[-1].calls += now - self._seen
        self._seen = now


@dataclass(frozen=True, slots=True)
class Recorded:
    """The steps of one run in the order in which they began, and all calls of the model."""

    steps: tuple[RecordedStep, ...]
    calls: int


def recorded(store: Path, strategy: str) -> Recorded:
    """One question under the preset ``paper``, by a strategy over the sample's store."""
    draws, here = 0, 0
    aside: list[str] = []  # of the threads that search the web: each search is waited for, their order is nobody's

    def reply(messages: Sequence[Mapping[str, str]]) -> str:
        nonlocal draws, here
        if threading.current_thread() is threading.main_thread():
            here, step = here + 1, model.steps[-1]
        else:
            aside.append(step := "select_pages")
        says = dict(SAYS[step.removesuffix("_chain").removesuffix("_joined")](_lines(messages)))
        if step.startswith("know") and strategy in {"cok", "metarag"}:  # draws that disagree: more follows
            draws += 1
            says["answers"] = [f"Place {draws}"]
        return json.dumps(says)

    model = FakeLanguageModel(reply, name="script")
    chosen = Settings(model={"name": "script"}, web={"engine": "searxng", "url": "http://127.0.0.1:9"})
    settings = with_preset(chosen, "paper", strategy=strategy)
    search = FakeWebSearch([WebResult(FILM, _URL, _TEXT)])
    fetcher = FakePageFetcher([WebPage(_URL, FILM, _TEXT)])
    tools = Tools(settings, "llm", model=model, search=search, fetcher=fetcher)
    with open_store(store) as opened:
        embedder = _embedder(store, settings)
        reasoner = Reasoner(opened, settings=settings, strategy=strategy, tools=tools, embedder=embedder)
        reasoner.recorder = recording = StepRecording(lambda: here)
        reasoner.ask(QUESTION)
    return Recorded(tuple(_with_searches(recording.steps, aside)), len(model.steps))


@cache
def _embedder(store: Path, settings: Settings) -> Embedder:
    """One for all strategies, which ask the same of the same store."""
    return make_cached_embedder(store, settings)


def _with_searches(steps: Sequence[RecordedStep], aside: Sequence[str]) -> list[RecordedStep]:
    """The steps with the calls of searches, each after the step that waited for it."""
    searches = [n for n, step in enumerate(steps) if step.name == "search_web"]
    found = list(steps)
    for at, name in reversed(list(zip(searches, aside, strict=False))):
        found.insert(at + 1, RecordedStep(name, steps[at].depth + 1, 1))
    return found


def _lines(messages: Sequence[Mapping[str, str]]) -> list[str]:
    return _LINE.findall(messages[-1]["content"])
