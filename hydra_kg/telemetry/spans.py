"""Trace with OpenTelemetry: through our own provider that sends to a collector, or that of the application."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from hydra_kg.errors import SettingsError
from hydra_kg.settings import Settings
from hydra_kg.util.source_code import code_version

try:
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
except ImportError as e:
    raise SettingsError("telemetry.spans needs more packages.", remedy="pip install 'hydra-kg[telemetry]'") from e

LONGEST: Final = 20_000
"""Most characters of one text in a span."""

TIMEOUT: Final = 3.0
"""Seconds for one delivery to a collector, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise."""

PLAIN: Final = frozenset({"counts", "phase", "sources", "verdict"})
"""Fields of events whose texts are our words, never those of a question or a source."""

Warn = Callable[[str], None]


class OtelSpan:
    """A span that is running."""

    def __init__(self, span: trace.Span, *, content: bool) -> None:
        self._span, self._content = span, content

    def put(self, attributes: Mapping[str, Any], *, content: Callable[[], Mapping[str, Any]] | None = None) -> None:
        """Add attributes, those of ``content`` only if they are wanted."""
        more = content() if self._content and content is not None else {}
        self._span.set_attributes({name: _bound_value(value) for name, value in {**attributes, **more}.items()})


class OtelTracer:
    """A tracer of OpenTelemetry behind :class:`hydra_kg.util.tracing.Tracer`."""

    def __init__(self, tracer: trace.Tracer, *, content: bool) -> None:
        self._tracer, self._content = tracer, content

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, Any], *, client: bool) -> Iterator[OtelSpan]:
        """Yield a span within the running one."""
        kind = trace.SpanKind.CLIENT if client else trace.SpanKind.INTERNAL
        quiet: dict[str, Any] = {"record_exception": False, "set_status_on_exception": False}
        with self._tracer.start_as_current_span(name, kind=kind, attributes=dict(attributes), **quiet) as span:
            try:
                yield OtelSpan(span, content=self._content)
            except BaseException as e:  # its text may hold the question, or what a model said
                span.set_attribute("error.type", type(e).__qualname__)
                span.set_status(trace.StatusCode.ERROR)
                raise

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event in the running span."""
        flat: dict[str, Any] = {}
        for key, value in data.items():
            if self._content or _is_harmless(key, value):
                flat[f"hydra.{key}"] = _bound_value(value)
            elif isinstance(value, tuple | list | dict):
                flat[f"hydra.{key}.count"] = len(value)
        trace.get_current_span().add_event(name, flat)


class WarningExporter(SpanExporter):
    """An exporter that reports its first failure once. What it could not deliver is lost."""

    def __init__(self, inner: SpanExporter, *, warn: Warn | None) -> None:
        self._inner, self._warn = inner, warn

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Deliver the spans."""
        result = self._inner.export(spans)
        if result is not SpanExportResult.SUCCESS and self._warn is not None:
            self._warn("Spans could not be delivered to the collector (telemetry.endpoint); questions go on.")
            self._warn = None
        return result

    def shutdown(self) -> None:
        """Shut down the exporter."""
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Deliver the waiting spans."""
        return self._inner.force_flush(timeout_millis)


_made: dict[tuple[int, str, bool], OtelTracer] = {}
_providers: list[TracerProvider] = []
_lock = threading.Lock()


def tracer_of(settings: Settings, *, warn: Warn | None = None) -> OtelTracer | None:
    """Return the tracer of the settings, made once in a process, or None if nothing may be sent."""
    chosen = settings.telemetry
    if chosen.spans == "application":
        return OtelTracer(trace.get_tracer("hydra_kg", code_version()), content=chosen.content)
    if settings.no_network:
        return None
    key = os.getpid(), chosen.endpoint, chosen.content
    with _lock:
        if key not in _made:
            _made[key] = OtelTracer(
                _provider(chosen.endpoint, warn).get_tracer("hydra_kg", code_version()), content=key[2]
            )
        return _made[key]


def flush(seconds: float = 5.0) -> bool:
    """Deliver the waiting spans of a process that may end abruptly. Return whether that worked."""
    results = [provider.force_flush(round(seconds * 1000)) for provider in _providers]
    return all(results)


def _provider(endpoint: str, warn: Warn | None) -> TracerProvider:
    """Return our own provider, never the process's, so that spans of other libraries are not sent through it."""
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())  # one warning of ours in place of each of its
    given = any(os.environ.get(f"OTEL_EXPORTER_OTLP_{name}TIMEOUT") for name in ("", "TRACES_"))
    address = f"{endpoint.rstrip('/').removesuffix('/v1/traces')}/v1/traces" if endpoint else None
    exporter = OTLPSpanExporter(endpoint=address, timeout=None if given else TIMEOUT)
    named = os.environ.get("OTEL_SERVICE_NAME") or "hydra-kg"
    resource = Resource.create({"service.name": named, "service.version": code_version()})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(WarningExporter(exporter, warn=warn)))
    _providers.append(provider)
    return provider


def _is_harmless(key: str, value: object) -> bool:
    """Return whether a value reveals nothing of the question or of what was found."""
    return isinstance(value, int | float) or key in PLAIN


def _bound_value(value: Any) -> Any:
    """Return a value in a form and size that a span accepts."""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, tuple | list) and all(isinstance(v, str) for v in value):
        return [v[:LONGEST] for v in value]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text[:LONGEST]
