"""Marks that steps, models and the web leave for tracing, free without a tracer; hydra_kg.telemetry sends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Final, Protocol


class TraceSpan(Protocol):
    """A span that runs. Attributes are texts, numbers, truths and lists of these."""

    def put(self, attributes: Mapping[str, Any], *, content: Callable[[], Mapping[str, Any]] | None = None) -> None:
        """Add attributes; those of ``content`` only where the user wants questions and answers in spans."""


class Tracer(Protocol):
    """Begins spans. An exception that leaves one marks it with the exception's type, never with its text."""

    def span(self, name: str, attributes: Mapping[str, Any], *, client: bool) -> AbstractContextManager[TraceSpan]:
        """Return a span within the one that runs; ``client``: whether it waits for another service."""

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """A moment in the span that runs: of its data the numbers, and the texts where content is wanted."""


class _Untraced:
    """The span of nobody."""

    def put(self, attributes: Mapping[str, Any], *, content: Callable[[], Mapping[str, Any]] | None = None) -> None:
        """Nothing."""


_NOBODY: Final[AbstractContextManager[TraceSpan]] = nullcontext(_Untraced())
_TRACER: Final[ContextVar[Tracer | None]] = ContextVar("hydra_kg_tracer", default=None)
_OPEN: Final[ContextVar[str]] = ContextVar("hydra_kg_span", default="")
_NONE: Final[Mapping[str, Any]] = {}

RETRIEVALS: Final = frozenset({"explore", "text", "retrieve_text", "read_pages"})
"""Phases and steps that look things up, in the words of the GenAI conventions."""


def tracer() -> Tracer | None:
    """Who traces the question that this thread works for."""
    return _TRACER.get()


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Yield the block is traced."""
    before = _TRACER.set(tracer)
    try:
        yield
    finally:
        _TRACER.reset(before)


def span(
    name: str, attributes: Mapping[str, Any] = _NONE, *, client: bool = False
) -> AbstractContextManager[TraceSpan]:
    """Return the block as a span; within one of the same name it is a part of that one."""
    found = _TRACER.get()
    if found is None or _OPEN.get() == name:
        return _NOBODY
    return _begun(found, name, attributes, client=client)


def event(name: str, data: Mapping[str, Any]) -> None:
    """What happened, for the span that runs."""
    if (found := _TRACER.get()) is not None:
        found.event(name, data)


@contextmanager
def _begun(tracer: Tracer, name: str, attributes: Mapping[str, Any], *, client: bool) -> Iterator[TraceSpan]:
    if name in RETRIEVALS:
        attributes = {"gen_ai.operation.name": "retrieval", **attributes}
    before = _OPEN.set(name)
    try:
        with tracer.span(name, attributes, client=client) as begun:
            yield begun
    finally:
        _OPEN.reset(before)
