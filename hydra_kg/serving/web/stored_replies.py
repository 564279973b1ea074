"""Reuse replies that depend on a store alone until the store changes, with an ETag for clients that have them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from starlette.responses import JSONResponse, Response

from hydra_kg.curation import saved_questions
from hydra_kg.serving.web import examples
from hydra_kg.stores.embedded.catalog import catalog

FILES: Final = tuple(
    f"{name}{end}" for name in (catalog.FILE, saved_questions.FILE, examples.FILE) for end in ("", "-wal")
)
"""Files of a store that change whenever its loads, its saved questions or its overview change."""

SETTLED: Final = 2.0
"""Seconds without a change after which a reply is stored. Two changes within one tick of the clock look like one."""

_Revision = tuple[tuple[int, int] | None, ...]


class StoredReplies:
    """Replies by address and path, each with the revision of the store that it was made for.

    ``clock``: seconds since the epoch, like the times of files.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._found: dict[tuple[str, str], tuple[_Revision, bytes]] = {}

    async def reply(
        self,
        request: Request,
        folder: Path | None,
        make: Callable[[], Awaitable[Mapping[str, Any]]],
        *,
        lasting: Callable[[Mapping[str, Any]], bool] = lambda _: True,
    ) -> Response:
        """Return what ``make`` returns as JSON, or 304 if the client has it already.

        Args:
            folder: the folder of the store; None for a store on a server, whose replies are made each time.
            lasting: whether a document may be used again.
        """
        place = str(folder), f"{request.url.path}?{request.url.query}"
        revision = _revision(folder) if folder else ()
        known, body = self._found.get(place, ((), b""))
        if not revision or known != revision:
            doc = await make()
            body = bytes(JSONResponse(doc).body)
            if revision and lasting(doc) and self._is_settled(revision):
                self._found[place] = revision, body
        tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization, Accept-Language"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(body, headers=headers, media_type="application/json")

    def _is_settled(self, revision: _Revision) -> bool:
        return max(about[0] for about in revision if about) / 1e9 < self._clock() - SETTLED


def _revision(folder: Path) -> _Revision:
    """Return time and size of each file that a change of the store changes, or () if there is none."""
    found: list[tuple[int, int] | None] = []
    for name in FILES:
        about = None
        with suppress(OSError):
            stat = (folder / name).stat()
            about = stat.st_mtime_ns, stat.st_size
        found.append(about)
    return tuple(found) if any(found) else ()
