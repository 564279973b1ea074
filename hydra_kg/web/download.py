"""Download large files in parts, with bounds. An interrupted download resumes as long as the file is the same."""

from __future__ import annotations

import fcntl
import json
import os
import re
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from shutil import disk_usage
from typing import IO, Final, Protocol

import httpx

from hydra_kg.errors import DiskFullError, NetworkError, NotFoundError, StoreBusyError, UsageError
from hydra_kg.text.folding import bytes_text
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.web.addresses import Check, Resolve, public, system_resolve
from hydra_kg.web.fetch import REDIRECTS, check_url, join_url, redirect
from hydra_kg.web.network import Deadline, Refused, Transport, open_response

SPAN: Final = 32 << 20
"""Number of bytes of one request."""

SECONDS: Final = 600.0
"""Seconds for one request. A server that sends no parts gets the time for the whole file at 50 kB a second."""

_SLOWEST: Final = 50_000
_ATTEMPTS: Final = 5  # that bring nothing, one after the other
_WAIT: Final = 0.5
_EDITIONS: Final = 3  # how often the file may change meanwhile
_SPARE: Final = 256 << 20
_RANGE: Final = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class DownloadPart:
    """A part of a file.

    Attributes:
        start: The place of its first byte.
        total: The size of the whole file, -1 if it is unknown.
        tag: The edition of the file, "" if it is unknown.
    """

    start: int
    total: int
    tag: str
    blocks: Iterator[bytes]


class BusyError(NetworkError):
    """The server cannot answer now, but may be asked again."""


class Remote(Protocol):
    """A remote file."""

    def part(self, start: int, tag: str) -> AbstractContextManager[DownloadPart]:
        """Return a part from ``start`` on if the edition is still ``tag``, else from any place.

        Raises NetworkError, NotFoundError.
        """


class HttpsFile:
    """A file that is fetched by ``https`` from public addresses with a valid certificate. See ``SafeFetcher``."""

    def __init__(
        self,
        url: str,
        *,
        resolve: Resolve = system_resolve,
        check: Check = public,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._url = _secure(check_url(url))
        self._resolve, self._check, self._context = resolve, check, context

    @contextmanager
    def part(self, start: int, tag: str) -> Iterator[DownloadPart]:
        headers = {"Range": f"bytes={start}-{start + SPAN - 1}"}
        if start and tag and not tag.startswith("W/"):
            headers["If-Range"] = tag
        deadline = Deadline(SECONDS)
        at = self._url
        with closing(Transport(deadline, check=self._check, resolve=self._resolve, context=self._context)) as transport:
            for _ in range(REDIRECTS + 1):
                with open_response(transport, at, headers) as (status, found, blocks):
                    if target := redirect(status, found):
                        at = _secure(join_url(at, target))
                        continue
                    tag = found.get("etag") or found.get("last-modified") or ""
                    if status == httpx.codes.PARTIAL_CONTENT and not tag and "Range" in headers:
                        del headers["Range"]  # parts of a file of which it cannot be told whether it changed
                        continue
                    if status == httpx.codes.NOT_FOUND:
                        raise NotFoundError("There is no such file.")
                    if status == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                        yield DownloadPart(-1, -1, "", iter(()))
                    elif status == httpx.codes.PARTIAL_CONTENT:
                        said = _RANGE.fullmatch(found.get("content-range", ""))
                        if said is None:
                            raise NetworkError("The server does not say which part it sends.")
                        yield DownloadPart(int(said[1]), int(said[3]), tag, blocks)
                    elif status == httpx.codes.OK:
                        length = found.get("content-length", "")
                        total = int(length) if re.fullmatch("[0-9]{1,18}", length) else -1
                        deadline.end += max(total, 0) / _SLOWEST
                        yield DownloadPart(0, total, tag, blocks)
                    else:
                        busy = status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR
                        raise (BusyError if busy else NetworkError)(f"The server answered with status {status}.")
                    return
        raise NetworkError(f"It redirects more than {REDIRECTS} times.")


def _secure(url: httpx.URL) -> httpx.URL:
    if url.scheme != "https":
        raise NetworkError("Dumps are fetched by https only.", remedy="Use its https address, or fetch it yourself.")
    return url


def download(remote: Remote, path: Path, *, tell: Callable[[int, int], None] = lambda done, total: None) -> None:
    """Fetch a file, and move it to ``path`` when it is complete.

    An earlier ``path.part`` of the same edition is continued. ``tell`` is called with the bytes so far and in total (-1
    if unknown). Raises NetworkError, NotFoundError, StoreBusyError, DiskFullError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(f"{path.name}.part").open("a+b") as out:
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreBusyError(f"Another process fetches {path.name}.", remedy="Wait until it has ended.") from None
        try:
            _fetch(remote, out, path.with_name(f"{path.name}.edition"), tell)
        except OSError as e:
            raise DiskFullError(f"{path.name} could not be written down: {e.strerror}.", remedy="Free space.") from e
        os.fsync(out.fileno())
    path.with_name(f"{path.name}.part").replace(path)


def beginning(remote: Remote, path: Path, most: int) -> float:
    """Write about the first ``most`` bytes of a file.

    Returns the size of the file divided by that of the part, 1 if it is the whole file. Raises NetworkError,
    NotFoundError.
    """
    with remote.part(0, "") as part, path.open("wb") as out:
        got = 0
        for block in part.blocks:
            got += out.write(block[: max(0, most - got)])
            if got >= most:
                break
    if part.total < 0 and got >= most:
        raise NetworkError("The server does not say how long the file is.", remedy="Fetch it yourself, or load it.")
    return max(1.0, part.total / max(got, 1))


def _fetch(remote: Remote, out: IO[bytes], note: Path, tell: Callable[[int, int], None]) -> None:
    """Download a file, and continue an earlier attempt if the server allows it."""
    at, tag, total = out.seek(0, os.SEEK_END), *_edition(note)
    failed = editions = 0
    while True:
        before = at
        try:
            with remote.part(at if tag else 0, tag) as part:
                if part.tag != tag or not tag or part.start != at or part.total != total:
                    editions += 1
                    if editions > _EDITIONS:
                        raise NetworkError("The file changes while it is fetched.", remedy="Try again later.")
                    out.truncate(0)
                    at, tag, total = 0, part.tag, part.total
                    note.write_text(json.dumps({"tag": tag, "total": total}), "utf-8")
                    _check_room(out, total)
                    if part.start:
                        continue
                for block in part.blocks:
                    if 0 <= total < at + len(block):
                        raise BusyError("More arrives than was said.")
                    if total < 0:
                        _check_room(out, len(block))
                    out.write(block)
                    at += len(block)
                    tell(at, total)
                out.flush()
                if at == total or total < 0:
                    return
        except NetworkError as e:
            out.flush()
            failed = 0 if at > before else failed + 1
            if failed >= _ATTEMPTS or editions > _EDITIONS or not _passes(e):
                raise
            time.sleep(_WAIT * 2 ** min(failed, 4))
        else:
            failed = 0 if at > before else failed + 1
            if failed >= _ATTEMPTS:
                raise NetworkError("The server sends nothing more.")


def _passes(error: NetworkError) -> bool:
    """Return True if another attempt may succeed, because the network failed and not the request."""
    return isinstance(error, BusyError) or not isinstance(error.__cause__, Refused | None)


def _edition(note: Path) -> tuple[str, int]:
    try:
        found = json.loads(note.read_text("utf-8"))
        return str(found["tag"]), int(found["total"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", -1


def _check_room(out: IO[bytes], needed: int) -> None:
    free = disk_usage(Path(out.name).parent).free
    if needed + _SPARE > free:
        raise DiskFullError(
            f"{bytes_text(max(needed, 0))} are to be fetched, and {bytes_text(free)} are free.", remedy="Free space."
        )


def show_address(address: str) -> str:
    """Return an address without user, query and fragment. Raises UsageError if it has a password."""
    plain = address.partition("?")[0].partition("#")[0]
    if "@" in plain.partition("://")[2].partition("/")[0]:
        raise UsageError(
            "The address carries a user name or password.", remedy="Fetch the file yourself, then load it."
        )
    return plain
