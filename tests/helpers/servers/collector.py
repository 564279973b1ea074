"""A collector on loopback: takes spans over OTLP/HTTP as the real one does, and lets a test look at them.

``with Collector() as collector:`` listens at ``collector.url``; ``collector.spans`` are those that came, by the
messages of OpenTelemetry's own protocol; ``collector.text`` is all that came in words.
"""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Collector:
    """See the module. ``status``: what every delivery is answered with."""

    def __init__(self, *, status: int = 200) -> None:
        self.status = status
        self.requests: list[ExportTraceServiceRequest] = []
        self.paths: list[str] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            """Keeps what is delivered."""

            def do_POST(self) -> None:
                """One delivery."""
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                collector.paths.append(self.path)
                collector.requests.append(ExportTraceServiceRequest.FromString(body))
                reply = ExportTraceServiceResponse().SerializeToString()
                self.send_response(collector.status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def spans(self) -> list[Any]:
        """All spans that came, in the order of their beginning."""
        found = [s for r in self.requests for one in r.resource_spans for scope in one.scope_spans for s in scope.spans]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    @property
    def text(self) -> str:
        """All that came."""
        return "\n".join(map(str, self.requests))

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    """The attributes of a span or an event as Python values."""
    return {a.key: _value(a.value) for a in span.attributes}


def _value(value: Any) -> Any:
    name = value.WhichOneof("value")
    if name == "array_value":
        return [_value(v) for v in value.array_value.values]
    return getattr(value, name)
