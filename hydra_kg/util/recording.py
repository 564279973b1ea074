"""Mark the steps of a question, and record them for a listener. Without a listener there is no cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from threading import Lock, local
from time import perf_counter
from typing import Any, ParamSpec, TypeVar, cast

from hydra_kg.util import cancelling, tracing

P = ParamSpec("P")
R = TypeVar("R")

Recorder = Callable[[str], AbstractContextManager[object]]
"""A function that is called with the name of a step. Its context lasts as long as the step."""


def step(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function as a step. Its first argument is the context or has it.

    A question that was stopped ends before its next step.
    """

    def mark(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            cancelling.check()
            first = cast("Any", args[0])
            observers = getattr(getattr(first, "context", first), "observers", None)
            recorder: Recorder | None = getattr(observers, "recorder", None)
            if recorder is None and tracing.tracer() is None:
                return function(*args, **kwargs)
            with tracing.span(name), nullcontext() if recorder is None else recorder(name):
                return function(*args, **kwargs)

        return run

    return mark


class RecordedAgent:
    """An agent whose every judgement is a step, named after its method and after what it prunes or composes."""

    def __init__(self, agent: Any, recorder: Recorder) -> None:
        self._agent, self._recorder = agent, recorder

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._agent, name)
        if not callable(found):
            return found

        def judged(*args: Any, **kwargs: Any) -> Any:
            with self._recorder(f"{name}_{args[1]}" if name in {"prune", "compose"} else name):
                return found(*args, **kwargs)

        return judged


class StepSeconds:
    """Adds up the seconds of each step in ``taken``, without inner steps, over all threads."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}
        self._lock, self._own = Lock(), local()

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        inner: list[float] = self._own.__dict__.setdefault("inner", [])
        inner.append(0.0)
        begun = perf_counter()
        try:
            yield
        finally:
            whole = perf_counter() - begun
            with self._lock:
                self.taken[name] = self.taken.get(name, 0.0) + whole - inner.pop()
            if inner:
                inner[-1] += whole
