"""The page: a question box with live events, and answers drawn by the parts of ``show --html``; nothing inline."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from hydra_kg import pages
from hydra_kg.pages.drawing import drawing
from hydra_kg.pages.page import core, dialogue, readings, things
from hydra_kg.serving.http.answers import Id, found
from hydra_kg.serving.http.gate.problems import ProblemError

router = APIRouter(include_in_schema=False)

TYPES: Final = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
ASSETS: Final = frozenset({"base.css", "serve.css", "serve.js", "further.js", "page.js", "cytoscape.min.js"})


@router.get("/")
async def page() -> Response:
    """The empty page: it holds no data, so it needs no key."""
    return HTMLResponse(_file("serve.html"))


@router.get("/assets/{name}")
async def asset(name: str) -> Response:
    """A file of the page, by one of these names."""
    if name not in ASSETS:
        raise ProblemError(404, "There is no such file.")
    return Response(_file(name), headers={"Cache-Control": "max-age=3600"}, media_type=TYPES[Path(name).suffix])


@router.get("/v1/answers/{answer_id}/page")
async def part(answer_id: Id, request: Request) -> Response:
    """A kept answer as a part of the page (every text escaped), what is drawn, and what may be asked further."""
    doc = await found(request.app.state.desk, request.scope["state"]["key"], answer_id)
    more = {"drawing": drawing(doc), "readings": readings(doc), "things": things(doc), "dialogue": dialogue(doc)}
    return JSONResponse({"html": str(core(doc)), **more})


@router.get("/favicon.ico")
async def icon() -> Response:
    """None."""
    return Response(status_code=204)


@cache
def _file(name: str) -> str:
    return (Path(pages.__file__).parent / "assets" / name).read_text("utf-8")
