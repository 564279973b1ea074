"""Extract the main text of pages with trafilatura in separate processes."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from hydra_kg.errors import NetworkError
from hydra_kg.util import cancelling
from hydra_kg.web.maintext_process import TEXT, decode_body, tidy

IDLE_PROCESSES: Final = 3  # processes that wait for the next page, some 40 MB each
PAGES: Final = 100  # that one process reads before another takes its place
_LONGEST: Final = 4 << 20
_LOOK: Final = 0.1  # seconds after which a question that was stopped is noticed
_ENVIRONMENT: Final = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL")  # no key is among them


class Readers:
    """Pool of sandboxed processes for page text, because the parser is C code on hostile input.

    Up to three are reused.
    """

    def __init__(self) -> None:
        self._idle: deque[ReaderProcess] = deque()
        self._ended = weakref.finalize(self, _end, self._idle)

    @contextmanager
    def reader(self) -> Iterator[ReaderProcess]:
        """Yield a process for one page. Start it while the page is still being fetched. Raises NetworkError."""
        reader = None
        while reader is None:
            try:
                reader = self._idle.popleft()
            except IndexError:
                reader = ReaderProcess()
            if reader.process.poll() is not None:
                reader.end()
                reader = None
        try:
            yield reader
        finally:
            if reader.sound and reader.pages < PAGES and len(self._idle) < IDLE_PROCESSES and self._ended.alive:
                self._idle.append(reader)
            else:
                reader.end()

    def close(self) -> None:
        """End the waiting processes."""
        self._ended()


class ReaderProcess:
    """One process that reads pages. Raises NetworkError if it cannot be started."""

    def __init__(self) -> None:
        env = {k: os.environ[k] for k in _ENVIRONMENT if k in os.environ}
        env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        command = [sys.executable, "-m", "hydra_kg.web.maintext_process"]
        try:
            self.process = subprocess.Popen(
                command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
            )
        except OSError as e:
            raise NetworkError(f"The reader of pages could not be started ({e.strerror}).") from e
        self.pages = 0
        self.sound = True

    def read(self, body: bytes, *, charset: str, seconds: float) -> tuple[str, str]:
        """Return title and text (200,000 characters) of a page. Raises NetworkError."""
        self.pages += 1
        self.sound = False
        reply = self._exchange(json.dumps([len(body), charset]).encode() + b"\n" + body, seconds)
        self.sound = True
        title, text, error = map(str, reply)
        if error:
            raise NetworkError(f"It was not read: {error}.")
        return title, text

    def end(self) -> None:
        """End the process, even if it is busy."""
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self.process.wait()

    def _exchange(self, asked: bytes, seconds: float) -> list[object]:
        """Send a page to the process and return its reply. Raises an error after ``seconds``."""
        into, out = self.process.stdin, self.process.stdout
        assert into is not None
        assert out is not None
        until, reply, rest = time.monotonic() + seconds, bytearray(), memoryview(asked)
        while not reply.endswith(b"\n") and len(reply) < _LONGEST:
            left = max(until - time.monotonic(), 0.0)
            readable, writable, _ = select.select([out], [into] if rest else [], [], min(left, _LOOK))
            cancelling.check()
            if not readable and not writable and left <= _LOOK:
                raise NetworkError("Finding its text took too long.")
            try:
                if writable:
                    rest = rest[os.write(into.fileno(), rest[: select.PIPE_BUF]) :]
                piece = os.read(out.fileno(), 1 << 16) if readable else b""
            except OSError:
                piece, readable = b"", [out]
            if readable and not piece:
                raise NetworkError("It takes more memory or time to parse than a page may.")
            reply += piece
        try:
            found: list[object] = json.loads(reply)
        except ValueError:
            raise NetworkError("Its text could not be found.") from None
        return found


def decode_plain_text(body: bytes, *, charset: str) -> str:
    """Return the text of a page that is plain text. Raises NetworkError if it has none."""
    text = tidy(decode_body(body, charset))[:TEXT]
    if not text:
        raise NetworkError("It was not read: it has no text.")
    return text


def _end(idle: deque[ReaderProcess]) -> None:
    while idle:
        idle.pop().end()
