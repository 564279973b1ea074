"""Marks of steps, models and web requests for tracing, free without a tracer. hydra_kg.telemetry exports them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Final, Protocol


class TraceSpan(Protocol):
    """A running span. Attributes are texts, numbers, booleans and lists of these."""

    def put(self, attributes: Mapping[str, Any], *, content: Callable[[], Mapping[str, Any]] | None = None) -> None:
        """Add attributes. Those of ``content`` are added only if the user wants questions and answers in spans."""


class Tracer(Protocol):
    """Starts spans. An exception that leaves a span marks it with the exception's type, never with its text."""

    def span(self, name: str, attributes: Mapping[str, Any], *, client: bool) -> AbstractContextManager[TraceSpan]:
        """Return a span within the running one. ``client`` is True if it waits for another service."""

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event in the running span.

        The numbers of its data are recorded, and the texts only if the user wants content.
        """


class _Untraced:
    """The span that is used when nothing is traced."""

    def put(self, attributes: Mapping[str, Any], *, content: Callable[[], Mapping[str, Any]] | None = None) -> None:
        """Do nothing."""


_NOBODY: Final[AbstractContextManager[TraceSpan]] = nullcontext(_Untraced())
_TRACER: Final[ContextVar[Tracer | None]] = ContextVar("hydra_kg_tracer", default=None)
_OPEN: Final[ContextVar[str]] = ContextVar("hydra_kg_span", default="")
_NONE: Final[Mapping[str, Any]] = {}

RETRIEVALS: Final = frozenset({"explore", "text", "retrieve_text", "read_pages"})
"""Phases and steps that are retrievals in the GenAI semantic conventions."""


def tracer() -> Tracer | None:
    """Return the tracer of the question for which this thread works, or None."""
    return _TRACER.get()


@contextmanager
def trace_with(tracer: Tracer) -> Iterator[None]:
    """Trace the block with a tracer."""
    before = _TRACER.set(tracer)
    try:
        yield
    finally:
        _TRACER.reset(before)


def span(
    name: str, attributes: Mapping[str, Any] = _NONE, *, client: bool = False
) -> AbstractContextManager[TraceSpan]:
    """Return a span for the block. Within a span of the same name no new one is started."""
    found = _TRACER.get()
    if found is None or _OPEN.get() == name:
        return _NOBODY
    return _begun(found, name, attributes, client=client)


def event(name: str, data: Mapping[str, Any]) -> None:
    """Record an event in the running span, if there is a tracer."""
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
