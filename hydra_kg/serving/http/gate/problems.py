"""Convert errors of the service to ``application/problem+json`` (RFC 9457), with what to do."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from starlette.responses import Response

from hydra_kg.errors import (
    BudgetError,
    HydraError,
    ModelError,
    NetworkError,
    NoStoreError,
    NotFoundError,
    StoppedError,
    StoreBusyError,
    StoreError,
    UserError,
)
from hydra_kg.serving.http.gate.watch import log

TYPE = "application/problem+json"

FRAMES: Final = 8
"""Number of innermost calls of an unexpected error that are logged."""


class ProblemError(Exception):
    """An error of a route that ends the request with this status."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        remedy: str = "",
        retry: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.remedy, self.retry = status, detail, remedy, retry
        self.headers = dict(headers or {})


def document(status: int, detail: str, *, remedy: str = "") -> dict[str, Any]:
    """Return the body of a problem."""
    doc = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return {**doc, "remedy": remedy} if remedy else doc


def response(error: ProblemError) -> Response:
    """Return the error as a response."""
    more = dict(error.headers)
    if error.retry is not None:
        more["Retry-After"] = str(max(1, math.ceil(error.retry)))
    if error.status == HTTPStatus.UNAUTHORIZED:
        more["WWW-Authenticate"] = "Bearer"
    body = json.dumps(document(error.status, error.detail, remedy=error.remedy), ensure_ascii=False)
    return Response(body, error.status, more, TYPE)


def unforeseen(error: Exception) -> ProblemError:
    """Log an unexpected error, and return what its client may know."""
    frames = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)]
    log("fault", error=type(error).__name__, text=str(error)[:300], frames=frames[-FRAMES:])
    return ProblemError(HTTPStatus.INTERNAL_SERVER_ERROR, "This is a fault of hydra-kg.")


def problem_of(error: HydraError) -> ProblemError:
    """Return the problem for an error of hydra-kg.

    Nothing about the machine is disclosed: only the caller's own mistakes are described.
    """
    detail = " ".join(str(error).partition("\n")[0].split())
    if isinstance(error, NoStoreError):
        return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "The store of this service or key is missing.", retry=30)
    if isinstance(error, NotFoundError):
        return ProblemError(HTTPStatus.NOT_FOUND, detail)
    if isinstance(error, UserError):
        return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, detail)
    if isinstance(error, StoppedError):
        return ProblemError(HTTPStatus.GATEWAY_TIMEOUT, detail, remedy="Ask as a job: Prefer: respond-async.")
    if isinstance(error, StoreBusyError):
        return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "The store is busy.", retry=5)
    if isinstance(error, StoreError):
        return ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "The store cannot be read.", retry=30)
    if isinstance(error, ModelError | NetworkError | BudgetError):
        return ProblemError(HTTPStatus.BAD_GATEWAY, "The model or a source of the web did not answer.")
    return ProblemError(HTTPStatus.INTERNAL_SERVER_ERROR, "The question could not be answered.")
