"""Observe requests from outside: counts and times for Prometheus, and a log of JSON lines without questions."""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.responses import Response
from starlette.types import Scope

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Watch:
    """Counters of one worker. With several, Prometheus' client adds them up in the folder PROMETHEUS_MULTIPROC_DIR."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        made: dict[str, Any] = {"registry": self.registry}
        self.requests = Counter("hydra_kg_requests", "Requests by route and status", ["route", "status"], **made)
        self.seconds = Histogram("hydra_kg_request_seconds", "Seconds of requests", ["route"], buckets=BUCKETS, **made)
        self.open = Gauge("hydra_kg_requests_open", "Requests under way", multiprocess_mode="livesum", **made)
        self.answers = Counter("hydra_kg_answers", "Answers by verdict", ["verdict"], **made)
        self.asking = Histogram("hydra_kg_answer_seconds", "Seconds of questions", buckets=BUCKETS, **made)
        self.stopped = Counter("hydra_kg_stopped", "Questions that ended without an answer", ["why"], **made)
        self.waiting = Gauge("hydra_kg_waiting", "Questions that wait", multiprocess_mode="livesum", **made)

    def begin(self) -> None:
        """Count a request that came in."""
        self.open.inc()

    def end(self, scope: Scope, status: int, seconds: float) -> None:
        """Count and log a request that was answered. The route is a template and never contains what was asked."""
        self.open.dec()
        route = getattr(scope.get("route"), "path", "") or ("/mcp" if scope["path"].startswith("/mcp") else "other")
        self.requests.labels(route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)
        if route not in {"/livez", "/readyz", "/metrics"}:
            key = scope.get("state", {}).get("key")
            log(
                "request",
                method=scope["method"],
                route=route,
                status=status,
                ms=round(1000 * seconds, 1),
                key=key and key.id,
            )

    def metrics(self) -> Response:
        """Return the metrics of all workers for Prometheus."""
        registry = self.registry
        if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def log(kind: str, **fields: Any) -> None:
    """Write one line of JSON to stderr; control characters are escaped."""
    at = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")
    given = {name: value for name, value in fields.items() if value is not None}
    sys.stderr.write(json.dumps({"at": at, "kind": kind, **given}) + "\n")
