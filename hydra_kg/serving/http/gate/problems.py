"""Errors of the service as ``application/problem+json`` (RFC 9457), with what to do."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from hydra_kg.errors import (
    BudgetError,
    HydraError,
    ModelError,
    NetworkError,
    NotFoundError,
    StoppedError,
    StoreBusyError,
    StoreError,
    UserError,
)

TYPE = "application/problem+json"


class ProblemError(Exception):
    """Raised by a route: ends the request with this status."""

    def __init__(self, status: int, detail: str, *, remedy: str = "", retry: float | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.remedy, self.retry = status, detail, remedy, retry


def document(status: int, detail: str, *, remedy: str = "") -> dict[str, Any]:
    """The body."""
    doc = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return {**doc, "remedy": remedy} if remedy else doc


def response(error: ProblemError, headers: Mapping[str, str] | None = None) -> Response:
    """The error as a response."""
    more = dict(headers or {})
    if error.retry is not None:
        more["Retry-After"] = str(max(1, math.ceil(error.retry)))
    if error.status == HTTPStatus.UNAUTHORIZED:
        more["WWW-Authenticate"] = "Bearer"
    body = json.dumps(document(error.status, error.detail, remedy=error.remedy), ensure_ascii=False)
    return Response(body, error.status, more, TYPE)


def problem_of(error: HydraError) -> ProblemError:
    """The status of an error of ours. Nothing of the machine is told: only the caller's own mistakes are in words."""
    detail = " ".join(str(error).partition("\n")[0].split())
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
