"""A scripted OpenAI-compatible endpoint on loopback: real HTTP, streamed replies, and faults on purpose.

``with ModelServer(reply) as server:`` answers each call with what ``reply`` says of its body (a function), or with the
next of a list, the last again after that; ``server.url`` is its address, ``server.bodies`` what it was asked.
``faults`` is a list of what goes wrong with the first calls ("" for nothing), or a share of all: which calls that hits
depends on the seed, the body and how often it came, never on timing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]

KINDS = ("429", "500", "503", "hang", "cut", "stall", "garbage", "empty", "page", "reset")
"""429 (with Retry-After: 0), 500, 503; hang: headers, then nothing; cut: the connection ends in the middle; stall:
silence in the middle; garbage: events that are no JSON; empty: a reply without text; page: HTML; reset: no answer.
A list of faults may also hold "close": the connection is closed in order, as if it had been kept for too long."""


@dataclass(frozen=True)
class Say:
    """A reply: its text, alternatives of the first token, why it ended, and its tokens (None: one a word)."""

    text: str
    first: Sequence[tuple[str, float]] = ()
    finish: str = "stop"
    tokens: tuple[int, int] | None = None


@dataclass(frozen=True)
class Decline:
    """An HTTP error; bytes are its whole body."""

    status: int
    message: str | bytes = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str | None = None


Reply = str | Say | Decline
Script = Sequence[Reply] | Callable[[Body], Reply]


class ModelServer:
    """See the module. ``usage``, ``logprobs``, ``streams``: what the endpoint can do; ``forms``: which kinds of
    ``response_format`` it takes; ``refuses``: parameters that it answers with status 400; ``key``: what it wants as
    key; ``count``: how it counts tokens, words by default · ``silent``: called in the thread of a call that hangs or
    stalls, once it has sent the last that it will send · ``said``: called with the number of each event, once it was
    sent."""

    def __init__(
        self,
        script: Script,
        *,
        faults: Sequence[str] | float = (),
        kinds: Sequence[str] = KINDS,
        seed: int = 0,
        usage: bool = True,
        logprobs: bool = True,
        streams: bool = True,
        forms: Sequence[str] = ("json_schema", "json_object", "text"),
        refuses: Sequence[str] = (),
        key: str = "",
        count: Callable[[str], int] = lambda text: len(text.split()),
        silent: Callable[[], None] = lambda: None,
        said: Callable[[int], None] = lambda number: None,
    ) -> None:
        self.script = script
        self.faults = faults
        self.kinds = kinds
        self.seed = seed
        self.usage = usage
        self.logprobs = logprobs
        self.streams = streams
        self.forms = forms
        self.refuses = refuses
        self.key = key
        self.count = count
        self.silent = silent
        self.said = said
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.failed: Counter[str] = Counter()
        self.connections = 0
        self.closing = threading.Event()
        self._seen: Counter[bytes] = Counter()
        self._said = 0
        self._lock = threading.Lock()
        self._server = _Server(self)
        self.port = int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address for ``base_url``."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def take(self, body: dict[str, Any], headers: Mapping[str, str]) -> tuple[Reply, str]:
        """What to say to a call, and what goes wrong with it ("" for nothing)."""
        text = json.dumps(body, sort_keys=True).encode()
        with self._lock:
            number = len(self.bodies)
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            again, self._seen[text] = self._seen[text], self._seen[text] + 1
            if self.key and headers.get("Authorization") != f"Bearer {self.key}":
                return Decline(401, f"Incorrect API key provided: {headers.get('Authorization')}"), ""
            if declined := self._declined(body):
                return declined, ""
            fault = self._fault(number, text, again)
            if fault:
                self.failed[fault] += 1
                return "half of a reply that breaks off", fault
            if callable(self.script):
                return self.script(body), ""
            self._said += 1
            return self.script[min(self._said, len(self.script)) - 1], ""

    def _declined(self, body: Body) -> Decline | None:
        for name in self.refuses:
            if name in body:
                instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                return Decline(400, f"Unsupported parameter: '{name}' is not supported with this model.{instead}")
        form = (body.get("response_format") or {}).get("type", "text")
        return None if form in self.forms else Decline(400, f"'response_format.type' {form} is not available")

    def _fault(self, number: int, text: bytes, again: int) -> str:
        if not isinstance(self.faults, float):
            return self.faults[number] if number < len(self.faults) else ""
        chance = random.Random(hashlib.sha256(b"%d %d " % (self.seed, again) + text).digest())
        return chance.choice(list(self.kinds)) if chance.random() < self.faults else ""


_AT_ONCE = struct.pack("ii", 1, 0)
"""The option of a socket that is to be reset at its end."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what many tests are about."""

    def shutdown_request(self, request: Any) -> None:
        if request.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == _AT_ONCE:
            self.close_request(request)  # a reset, where the end of the base class would close in order first
        else:
            super().shutdown_request(request)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server.owner.connections += 1

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions"):
            self._send(404, {"error": {"message": "no such path"}})
            return
        reply, fault = self.server.owner.take(body, self.headers)
        if fault in {"429", "500", "503"}:
            reply = Decline(int(fault), "on purpose", {"Retry-After": "0"} if fault == "429" else {})
        if isinstance(reply, Decline):
            error = {"error": {"message": reply.message, "type": "error", "code": reply.code}}
            self._send(reply.status, reply.message if isinstance(reply.message, bytes) else error, reply.headers)
        elif fault == "reset":
            self._reset()
        elif fault == "close":
            self.close_connection = True
        elif fault == "page":
            self._send(200, b"<html><body>Welcome to the hotel's network</body></html>", {"Content-Type": "text/html"})
        elif body.get("stream") and self.server.owner.streams:
            self._stream(body, Say("") if fault == "empty" else _say(reply), fault)
        else:
            self._send(200, self._whole(body, _say(reply)))

    def _stream(self, body: Body, say: Say, fault: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if fault == "hang":
            self._fall_silent()
            return
        events = list(self._events(body, say))
        for n, event in enumerate(events):
            if fault and n == len(events) // 2:
                if fault == "cut":
                    self._reset()
                    return
                if fault == "stall":
                    self._fall_silent()
                    return
                if fault == "garbage":
                    event = '{"choices": [{"delta": {"con\x00\ufffd'
            self._chunk(f"data: {event}\n\n".encode())
            self.server.owner.said(n)
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _events(self, body: Body, say: Say) -> Iterator[str]:
        def choice(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
            one = {"index": 0, "delta": delta, "finish_reason": finish, **more}
            return json.dumps({"object": "chat.completion.chunk", "model": body["model"], "choices": [one]})

        yield choice({"role": "assistant", "content": None})
        for n, piece in enumerate(_pieces(say.text)):
            shown = {"logprobs": self._logprobs(body, say, piece)} if n == 0 else {}
            yield choice({"content": piece}, **shown)
        yield choice({}, say.finish)
        if self.server.owner.usage and (body.get("stream_options") or {}).get("include_usage"):
            yield json.dumps({"choices": [], "usage": self._usage(body, say)})

    def _whole(self, body: Body, say: Say) -> dict[str, Any]:
        message = {"role": "assistant", "content": say.text}
        shown = self._logprobs(body, say, say.text[:1])
        choice = {"index": 0, "message": message, "finish_reason": say.finish, "logprobs": shown}
        return {
            "object": "chat.completion",
            "choices": [choice],
            **({"usage": self._usage(body, say)} if self.server.owner.usage else {}),
        }

    def _logprobs(self, body: Body, say: Say, token: str) -> dict[str, Any] | None:
        if not (self.server.owner.logprobs and body.get("logprobs")):
            return None
        pairs = list(say.first or [(token, 0.0)])[: body.get("top_logprobs", 0)]
        rows = [{"token": t, "logprob": p, "bytes": list(t.encode())} for t, p in pairs]
        return {"content": [{"token": token, "logprob": rows[0]["logprob"] if rows else 0.0, "top_logprobs": rows}]}

    def _usage(self, body: Body, say: Say) -> dict[str, int]:
        count = self.server.owner.count
        counted = sum(count(m["content"]) for m in body["messages"]), count(say.text)
        tokens_in, tokens_out = say.tokens or counted
        return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}

    def _send(self, status: int, document: Any, headers: Mapping[str, str] | None = None) -> None:
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _fall_silent(self) -> None:
        """Say nothing more until the test is over."""
        self.server.owner.silent()
        self.server.owner.closing.wait(60)
        self._reset()

    def _reset(self) -> None:
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.close_connection = True


def _say(reply: Reply) -> Say:
    assert not isinstance(reply, Decline)
    return reply if isinstance(reply, Say) else Say(reply)


def _pieces(text: str) -> list[str]:
    """Words with the space before them, as tokens come."""
    words = text.split(" ")
    return [w if n == 0 else f" {w}" for n, w in enumerate(words)]
