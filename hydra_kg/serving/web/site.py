"""Serve the web application: one page for all its addresses, and the files that it loads, none of which has data."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.util.fast_dataclass import dataclass

router = APIRouter(include_in_schema=False)

PAGE: Final = "index.html"
FOREVER: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Cache header for files whose name changes with their content."""

FOLDER: Final = Path(__file__).with_name("built")
TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@router.get("/")
async def page(request: Request) -> Response:
    """Return the page. What it shows is in the fragment of its address, which is never sent."""
    return _file(request, PAGE, {"Cache-Control": "no-cache"})


@router.get("/assets/{name}")
async def asset(name: str, request: Request) -> Response:
    """Return a file of the application. Raise ProblemError (404)."""
    return _file(request, f"assets/{name}", FOREVER)


@router.get("/favicon.ico")
async def icon() -> Response:
    """Return no icon, because the page names its own."""
    return Response(status_code=204)


def _file(request: Request, name: str, headers: dict[str, str]) -> Response:
    file = built_files().get(name)
    if file is None:
        raise ProblemError(404, "There is no such file.")
    if "gzip" in request.headers.get("accept-encoding", ""):
        more = {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(file.packed, headers=more, media_type=file.media_type)
    return Response(file.plain, headers={**headers, "Vary": "Accept-Encoding"}, media_type=file.media_type)


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """One file: its bytes, the gzipped bytes, and its media type."""

    plain: bytes
    packed: bytes
    media_type: str


@cache
def built_files() -> dict[str, BuiltFile]:
    """Return the files of the application by their path below its folder."""
    found = {}
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix in TYPES:
            content = path.read_bytes()
            packed = gzip.compress(content, 9, mtime=0)
            found[path.relative_to(FOLDER).as_posix()] = BuiltFile(content, packed, TYPES[path.suffix])
    return found
