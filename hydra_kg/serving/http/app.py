"""The application: routes, errors, OpenAPI document, health and metrics, made in each worker process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp

from hydra_kg import __version__
from hydra_kg.errors import HydraError, UsageError
from hydra_kg.serving.http import answers, checking, curation, fusing, loads, overview, reads
from hydra_kg.serving.http.desk import Desk
from hydra_kg.serving.http.gate.guard import Guard
from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.http.gate.problems import TYPE, ProblemError, problem_of, response, unforeseen
from hydra_kg.serving.http.gate.watch import Watch
from hydra_kg.serving.validation_messages import explain_invalid
from hydra_kg.serving.web import site
from hydra_kg.serving.wording.replies import Worded
from hydra_kg.util.heap import keep_small

DESCRIPTION = (
    "Answers from a knowledge graph in which every fact keeps its source. POST /v1/answers gives JSON, server-sent "
    "events (Accept: text/event-stream) or a job (Prefer: respond-async)."
)
ROUTERS: Final = tuple(part.router for part in (answers, checking, reads, fusing, loads, curation, overview, site))


def app_from_environment() -> ASGIApp:
    """Return the application that uvicorn calls in each worker."""
    keep_small()
    return make_app(ServeOptions.from_environment())


def make_app(options: ServeOptions) -> ASGIApp:
    """Return the application with its guard around it, whose replies are worded in the client's language."""
    watch = Watch()
    app = FastAPI(
        title="hydra-kg",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.options, app.state.watch = options, watch
    for router in ROUTERS:
        app.include_router(router)
    for path, route in (("/livez", _live), ("/readyz", _ready), ("/metrics", _metrics)):
        app.add_api_route(path, route, include_in_schema=path != "/metrics", tags=["service"])
    app.router.routes.append(Route("/mcp", _Mcp(), methods=["POST"], include_in_schema=False))
    app.add_exception_handler(ProblemError, lambda _, e: response(_problem(e)))
    app.add_exception_handler(HydraError, lambda _, e: response(_problem(e)))
    app.add_exception_handler(RequestValidationError, lambda _, e: response(_invalid(e)))
    app.add_exception_handler(HTTPException, _respond_to_http_error)
    app.add_exception_handler(Exception, _respond_to_unexpected)
    app.openapi = _describe_api(app)  # type: ignore[method-assign]
    return Worded(Guard(app, options, watch))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Warm the stores when the worker starts, and close them when it ends."""
    desk = app.state.desk = Desk(app.state.options, app.state.watch)
    warming = asyncio.create_task(desk.warm())
    app.state.mcp, app.state.mcp_lock = None, asyncio.Lock()
    try:
        yield
    finally:
        await warming
        if app.state.mcp is not None:
            await app.state.mcp.close()
        await desk.close()


class _Mcp:
    """The route of MCP. Its package takes a third of a worker's start, so it is imported for the first client."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        state = scope["app"].state
        async with state.mcp_lock:
            if state.mcp is None:
                state.mcp = (await asyncio.to_thread(_import_mcp))(state.desk)
        await state.mcp(scope, receive, send)


def _import_mcp() -> Callable[[Desk], Any]:
    """Return the class of the application of MCP. Raise ProblemError (404) if its extra is not installed."""
    try:
        from hydra_kg.serving.http.tools import McpDoor
    except (ImportError, UsageError):
        raise ProblemError(
            HTTPStatus.NOT_FOUND, "MCP needs one more package.", remedy="pip install 'hydra-kg[mcp]'"
        ) from None
    return McpDoor


async def _live() -> dict[str, str]:
    """Return whether the process answers."""
    return {"state": "live"}


async def _ready(request: Request) -> Response:
    """Return whether questions can be answered: the store can be read, and waiting questions get their turn."""
    if obstacle := await request.app.state.desk.find_obstacle():
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, obstacle, retry=5)
    return JSONResponse({"state": "ready"})


async def _metrics(request: Request) -> Response:
    """Return counts and times in the format of Prometheus."""
    found: Response = request.app.state.watch.metrics()
    return found


def _problem(error: Exception) -> ProblemError:
    if isinstance(error, HydraError):
        return problem_of(error)
    assert isinstance(error, ProblemError)
    return error


def _invalid(error: Exception) -> ProblemError:
    """Return one sentence about the first invalid field of a request."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "The body of the request is not valid JSON.")
    place = ".".join(str(part) for part in first["loc"][1:4])[:100] or str(first["loc"][0])
    return ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, explain_invalid(place, first))


def _respond_to_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {}
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    return response(ProblemError(error.status_code, HTTPStatus(error.status_code).phrase, headers=headers))


def _methods(request: Request) -> set[str]:
    """Return all methods of an address; a router alone says only those of its first route."""
    found = set[str]()
    for route in (*request.app.routes, *(route for router in ROUTERS for route in router.routes)):
        if route.matches(request.scope)[0] is not Match.NONE:
            found |= set(getattr(route, "methods", None) or ())
    return found


def _describe_api(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """Return the OpenAPI document with the media type of problems, which FastAPI does not know."""
    plain = app.openapi

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            for methods in plain()["paths"].values():
                for reply in (reply for route in methods.values() for reply in route["responses"].values()):
                    content = reply.get("content", {})
                    if content.get("application/json", {}).get("schema", {}).get("$ref", "").endswith("/Problem"):
                        content[TYPE] = content.pop("application/json")
        assert app.openapi_schema is not None
        return app.openapi_schema

    return document


def _respond_to_unexpected(request: Request, error: Exception) -> Response:
    return response(unforeseen(error))
