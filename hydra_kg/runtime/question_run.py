"""Hold the state of one running question: timer, events, notes, and its view of the history of sources."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hydra_kg.domain import Passage
from hydra_kg.events import Event, Listener, QuestionEvent, ignore
from hydra_kg.events.question import data_of
from hydra_kg.runtime.judges import Tools
from hydra_kg.util import tracing
from hydra_kg.util.cancelling import check


class QuestionRun:
    """State of one running question: its timer, events and notes."""

    def __init__(self, listener: Listener, tools: Tools) -> None:
        self.started = time.perf_counter()
        self.tools, self.judge = tools, tools.judge()
        self.notes: list[str] = []
        self.pages: list[Passage] = []
        self.listener = listener
        self.seconds: dict[str, float] = {}
        self.history: Mapping[str, tuple[float, float]] | None = None
        self.tell: Callable[[QuestionEvent], None] | None = self._tell
        if listener is ignore and tracing.tracer() is None:
            self.tell = None

    def _tell(self, what: QuestionEvent) -> None:
        tracing.event(what.kind, data_of(what))
        self.listener(Event.of(what, time.perf_counter() - self.started))

    def read(self, records: Callable[[], Mapping[str, tuple[float, float]]]) -> Mapping[str, tuple[float, float]]:
        """Return the history of sources as this question sees it. The first call reads it."""
        if self.history is None:
            self.history = records()
        return self.history

    def all_notes(self) -> tuple[str, ...]:
        """Return what went wrong, each message once."""
        notes, stopped = (*self.judge.agent.notes, *self.notes), self.judge.stopped()
        if stopped and not any(n.startswith(stopped.rstrip(".")) for n in notes):
            notes = (*notes, stopped)
        return tuple(dict.fromkeys(notes))

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, Any]]:
        """Time a phase. Values put into the yielded dictionary become part of its event."""
        check()
        began, data = time.perf_counter(), dict[str, Any]()
        if name == "ask":  # the whole has a span already
            yield data
        else:
            with tracing.span(name):
                yield data
        took = time.perf_counter() - began
        key = "total" if name == "ask" else name
        self.seconds[key] = round(self.seconds.get(key, 0.0) + took, 5)
        self.listener(Event(f"ask.{key}", data, time.perf_counter() - self.started))
