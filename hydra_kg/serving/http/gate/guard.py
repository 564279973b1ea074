"""Check every request's host, origin, size, time, key, scope and limit, as pure ASGI to notice disconnects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.http.gate.problems import ProblemError, response, unforeseen
from hydra_kg.serving.http.gate.watch import Watch
from hydra_kg.serving.shared.service_keys import ApiKey, Keys
from hydra_kg.util.fast_dataclass import dataclass

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
OPEN: Final = frozenset({"/", "/livez", "/readyz", "/openapi.json", "/favicon.ico"})
"""Paths without data that need no key, in addition to ``/assets/``."""

METHODS: Final = ("DELETE", "GET", "HEAD", "POST")
"""Methods that at least one address here accepts."""

USUAL: Final = frozenset({*METHODS, "OPTIONS", "PATCH", "PUT"})
"""Methods that each address refuses itself; any other method is refused before the key is checked."""

HEADS: Final = 16_384
"""Most bytes of all headers."""

UPLOADS: Final = "/v1/uploads"
"""Paths at which a request may be as large as an uploaded table, and take longer to arrive."""

SHARED: Final = ("/v1/teachings", "/v1/confirmations")
"""Paths that only administrators may change, because they change everybody's answers."""

SLOW: Final = 6
"""Factor on the time limit for uploads."""

REFUSED: Final = 1.0
"""Seconds in which the body of a refused request must arrive."""

SPILT: Final = 4
"""Factor on the size limit up to which a refused body is read, because a client that still sends reads no reply."""

OWN: Final = ("127.0.0.1", "localhost", "[::1]")
ANYBODY: Final = ApiKey("open", "open", frozenset({"ask", "read", "metrics"}), "", 0.0, 0.0)
"""The key that stands for everybody at a service without keys."""

OWNER: Final = ApiKey("open", "open", ANYBODY.scopes | {"admin"}, "", 0.0, 0.0)
"""The same where everybody may load."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The middleware around an application. ``watch`` counts and logs the requests."""

    app: ASGIApp
    options: ServeOptions
    watch: Watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. WebSockets are refused, because there are none here."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, seen, reusable, whole = time.perf_counter(), {"status": 0, "whole": 0}, self.options.open_, False
        admitted = False

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen["status"] = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    if name not in headers:
                        headers[name] = value
                if not reusable:  # whoever has no key holds no connection, nor does half a request
                    headers["Connection"] = "close"
            seen["whole"] = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        self.watch.begin()
        try:
            scope.setdefault("state", {})["key"] = key = self._admitted(scope)
            admitted, reusable = True, reusable or key is not ANYBODY
            receive = await self._body(scope, receive)
            whole = True
            await self.app(scope, receive, answer)
        except ProblemError as e:
            whole = whole or (not admitted and await _forgotten(receive, self.options.body))
            reusable = reusable and whole
            if not seen["status"]:
                await response(e)(scope, receive, answer)
        except Exception as e:
            reusable = False
            if not seen["status"]:
                await response(unforeseen(e))(scope, receive, answer)
            elif not seen["whole"]:  # only hanging up says that the rest of the reply is missing
                raise
        except asyncio.CancelledError:
            seen["status"] = seen["status"] or 499
            raise
        finally:
            self.watch.end(scope, seen["status"], time.perf_counter() - began)

    def _admitted(self, scope: Scope) -> ApiKey:
        """Return the key of the request. Raise ProblemError if it may not do this."""
        headers = Headers(scope=scope)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > HEADS:
            raise ProblemError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The head of the request is too large.")
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or self._name(host) not in self._names():
            raise ProblemError(HTTPStatus.MISDIRECTED_REQUEST, "This service is not called so.")
        if any(_authority(origin) != host.lower() for origin in headers.getlist("origin")):
            raise ProblemError(HTTPStatus.FORBIDDEN, "Pages of other sites may not ask here.")
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"} and scope["path"] != "/":
            raise ProblemError(HTTPStatus.FORBIDDEN, "Pages of other sites may not ask here.")
        if scope["method"] not in USUAL:
            detail = f"No address here knows the method {scope['method'][:20]}."
            raise ProblemError(HTTPStatus.METHOD_NOT_ALLOWED, detail, headers={"Allow": ", ".join(METHODS)})
        path = scope["path"]
        if path in OPEN or path.startswith("/assets/"):
            return ANYBODY
        wanted = _scope(scope["method"], path)
        if self.options.open_:
            anybody = OWNER if self.options.allow_loading else ANYBODY
            if not anybody.may(wanted) and not path.startswith(SHARED):  # it listens on this machine alone
                remedy = "Start it with --allow-loading, or make a key: hydra-kg keys add NAME --scope admin."
                raise ProblemError(HTTPStatus.FORBIDDEN, "Only a key with the scope 'admin' may load.", remedy=remedy)
            return anybody
        kind, _, secret = headers.get("authorization", "").partition(" ")
        keys = Keys(Path(self.options.keys))
        key = keys.find(secret.strip()) if kind.lower() == "bearer" and secret else None
        if key is None:
            raise ProblemError(HTTPStatus.UNAUTHORIZED, "A key is needed.", remedy="Send Authorization: Bearer KEY.")
        if not key.may(wanted):
            raise ProblemError(HTTPStatus.FORBIDDEN, f"This key has no scope {wanted!r}.")
        if wait := keys.wait(key):
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "This key's limit is reached.", retry=wait)
        return key

    def _names(self) -> set[str]:
        listening = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        return {*OWN, listening, *self.options.hosts}

    @staticmethod
    def _name(host: str) -> str:
        name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
        return (name if name and _is_number(port) else host).lower()

    async def _body(self, scope: Scope, receive: Receive) -> Receive:
        """Return the whole short body within its bounds, followed by the client's disconnect."""
        most, patience = self.options.body, self.options.patience
        if scope["path"] == UPLOADS:
            most, patience = self.options.upload, SLOW * self.options.patience
        until, body, size, more = time.monotonic() + patience, bytearray(), 0, True
        length = Headers(scope=scope).get("content-length", "0")
        too_large = ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {most:,} bytes.")
        if not _is_number(length) or int(length) > SPILT * most:
            raise too_large
        while more:
            try:
                message = await asyncio.wait_for(receive(), max(until - time.monotonic(), 0.0))
            except TimeoutError:
                raise ProblemError(HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive.") from None
            if message["type"] == "http.disconnect":
                raise ProblemError(HTTPStatus.BAD_REQUEST, "The request ended before its end.")
            part, more = message.get("body", b""), message.get("more_body", False)
            size += len(part)
            if size > SPILT * most:
                raise too_large
            if size <= most:
                body += part
        if size > most:
            raise too_large
        given = False

        async def replayed() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        return replayed


async def _forgotten(receive: Receive, most: int) -> bool:
    """Read and discard a refused request's short body, so that the client reads the reply.

    Return whether all was read.
    """
    size, more = 0, True
    try:
        async with asyncio.timeout(REFUSED):
            while more and size <= most:
                message = await receive()
                size += len(message.get("body", b""))
                more = message.get("more_body", False)
    except TimeoutError:
        return False
    return not more


def _authority(origin: str) -> str:
    """Return host and port of an origin in lower case, or "" if it is no URL."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _is_number(text: str) -> bool:
    """Return True for ASCII digits, at most 18 of them. ``str.isdigit`` accepts "²", which ``int`` does not."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def _scope(method: str, path: str) -> str:
    """Return the scope that a request needs."""
    if path == "/metrics":
        return "metrics"
    if path.startswith(("/v1/loads", "/v1/matches", "/v1/inbox", UPLOADS)):
        return "admin"
    if path.startswith("/v1/sources") and method == "DELETE":
        return "admin"
    if path.startswith(SHARED) and method != "GET":
        return "admin"
    changes = path.startswith(("/v1/answers", "/v1/fusion", "/v1/saved")) and method in {"POST", "DELETE"}
    return "ask" if changes or path.startswith("/mcp") else "read"
