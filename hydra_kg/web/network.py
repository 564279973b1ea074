"""Send one request over one socket, bounded in time and size, to an address that is checked before connecting."""

from __future__ import annotations

import socket
import ssl
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, Final

import httpcore
import httpx

from hydra_kg.errors import NetworkError
from hydra_kg.util import cancelling
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.web.addresses import Check, Resolve, resolve_within, system_resolve

AGENT: Final = "hydra-kg"
"""The product token by which robots.txt files address this program."""

HEADERS: Final = {
    "User-Agent": f"{AGENT} (reads pages that answer one question)",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "close",
}


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A status, headers with lower-case names, and a body that was decompressed within its limit."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Deadline:
    """Deadline of a request including its redirects, on ``clock``."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.end = clock() + seconds

    def left(self) -> float:
        """Return the seconds that are left. Raises TimeoutError if there are none."""
        if (left := self.end - self._clock()) <= 0:
            raise TimeoutError("no time is left")
        return left


class Refused(Exception):
    """Raised for an address or response that the SSRF guard rejects, with the reason."""


class Backend(httpcore.NetworkBackend):
    """Network backend that checks *every* address of a name and connects to a checked one before the deadline.

    TLS and the Host header use the name.
    """

    def __init__(self, deadline: Deadline, *, resolve: Resolve, check: Check) -> None:
        self._deadline, self._resolve, self._check = deadline, resolve, check
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect as the class describes.

        ``timeout`` is that of the deadline. Raises Refused, OSError, httpcore's errors.
        """
        places = cancelling.aside(lambda: resolve_within(self._resolve, host, port, self._deadline.left()))
        for address, _ in places:
            if why := self._check(address):
                raise Refused(f"{host} is at {address}, which is {why}")
        for n, (address, at) in enumerate(places, 1):
            seconds = self._deadline.left() / (len(places) - n + 1)
            try:
                stream = self._connected(address, at, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if n == len(places):
                    raise
            else:
                return _BodyStream(stream, self._deadline)
        raise AssertionError("there is a place, or resolving had failed")

    def _connected(self, *place: Any) -> httpcore.NetworkStream:
        return cancelling.aside(lambda: self._inner.connect_tcp(*place), undo=lambda late: late.close())


class _BodyStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with cancelling.ending(self._shut):
            return self._inner.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with cancelling.ending(self._shut):
            self._inner.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        with cancelling.ending(self._shut):
            inner = self._inner.start_tls(ssl_context, server_hostname, self._deadline.left())
        return _BodyStream(inner, self._deadline)

    def _shut(self) -> None:
        """Shut the plain socket, to end whatever waits for the other side. A closing TLS handshake would wait too."""
        if (one := self._inner.get_extra_info("socket")) is not None:
            socket.socket.shutdown(one, socket.SHUT_RDWR)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class Transport(httpx.BaseTransport):
    """An httpx transport over :class:`Backend`, without proxy, environment variables or reused connections."""

    def __init__(
        self,
        deadline: Deadline,
        *,
        check: Check,
        resolve: Resolve = system_resolve,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._deadline = deadline
        self._pool = httpcore.ConnectionPool(
            ssl_context=context or make_ssl_context(),
            max_keepalive_connections=0,
            network_backend=Backend(deadline, resolve=resolve, check=check),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its response.

        Raises NetworkError, which says what failed but never contains the requested address.
        """
        target = httpcore.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        with _translate_errors():
            reply = self._pool.handle_request(
                httpcore.Request(request.method, target, headers=request.headers.raw, content=b"")
            )
        return httpx.Response(reply.status, headers=reply.headers, stream=_Body(reply))

    def close(self) -> None:
        """Close the open connection."""
        self._pool.close()


def get(
    transport: httpx.BaseTransport, url: httpx.URL, *, limit: int, types: Collection[str] = (), whole: bool = True
) -> HttpReply:
    """GET one address without redirects and cookies.

    Args:
        limit: Largest number of bytes, also after decompression. The body is cut there unless ``whole``.
        types: Allowed media types.

    Raises NetworkError.
    """
    request = httpx.Request("GET", url, headers={**HEADERS, "Accept": ", ".join(types) or "*/*"})
    # Not through httpx.Client, which writes addresses into its log: one of them carries a key.
    with closing(transport.handle_request(request)) as response:
        headers = {k.lower(): v for k, v in response.headers.items()}
        body = b""
        if response.status_code == httpx.codes.OK:
            if types and media_type(headers) not in types:
                raise NetworkError(f"Its type is {media_type(headers)[:60] or 'unknown'!r}, which is not read.")
            with _translate_errors():
                body = decompress_body(
                    response.iter_raw(), headers.get("content-encoding", ""), limit=limit, whole=whole
                )
        return HttpReply(response.status_code, headers, body)


@contextmanager
def open_response(
    transport: httpx.BaseTransport, url: httpx.URL, headers: Mapping[str, str]
) -> Iterator[tuple[int, Mapping[str, str], Iterator[bytes]]]:
    """Yield status, lower-case headers and compressed blocks of one GET.

    Raises NetworkError, also while the blocks are read.
    """
    own = {**HEADERS, "Accept": "*/*", "Accept-Encoding": "identity", **headers}
    with closing(transport.handle_request(httpx.Request("GET", url, headers=own))) as response:

        def blocks() -> Iterator[bytes]:
            with _translate_errors():
                yield from response.iter_raw()

        yield response.status_code, {k.lower(): v for k, v in response.headers.items()}, blocks()


def media_type(headers: Mapping[str, str]) -> str:
    """Return the media type in a reply's headers, such as ``text/html``, "" if there is none."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def decompress_body(chunks: Iterable[bytes], coding: str, *, limit: int, whole: bool) -> bytes:
    """Decompress at most ``limit`` bytes.

    Raises Refused for a coding that was not requested, or more bytes if ``whole``.
    """
    packed = {
        "gzip": 16 + zlib.MAX_WBITS,
        "x-gzip": 16 + zlib.MAX_WBITS,
        "deflate": zlib.MAX_WBITS,
        "": 0,
        "identity": 0,
    }.get(coding.strip().lower())
    if packed is None:
        raise Refused(f"It is packed in a way that was not asked for ({coding[:40]!r})")
    inflate = zlib.decompressobj(packed) if packed else None
    body, arrived = bytearray(), 0
    for chunk in chunks:
        arrived += len(chunk)
        try:
            body += inflate.decompress(chunk, limit + 1 - len(body)) if inflate else chunk[: limit + 1 - len(body)]
        except zlib.error as e:
            raise Refused("It is not packed as it says") from e
        if len(body) > limit or arrived > limit:
            if whole:
                raise Refused(f"It is larger than {limit:,} bytes")
            break
    return bytes(body[:limit])


@cache
def make_ssl_context() -> ssl.SSLContext:
    """Return the trusted certificates. SSL_CERT_FILE and SSL_CERT_DIR may name others."""
    return httpx.create_ssl_context()


class _Body(httpx.SyncByteStream):
    def __init__(self, reply: httpcore.Response) -> None:
        self._reply = reply

    def __iter__(self) -> Iterator[bytes]:
        yield from self._reply.iter_stream()

    def close(self) -> None:
        self._reply.close()


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise a NetworkError without any address in place of any error of the network."""
    try:
        yield
        cancelling.check()  # a socket that was shut may look like the end of a body
    except Refused as e:
        raise NetworkError(f"{e}.") from e
    except (TimeoutError, httpcore.TimeoutException) as e:
        cancelling.check()
        raise NetworkError("It took too long.", remedy="Try again, or set web_timeout higher.") from e
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError) as e:
        cancelling.check()
        message = " ".join(str(e).split())[:200] or type(e).__name__
        raise NetworkError(f"The connection failed: {message}.") from e
