"""Client of an OpenAI-compatible endpoint: one request makes one attempt, and nothing is remembered."""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from hydra_kg.domain import Completion
from hydra_kg.errors import NetworkError, SettingsError
from hydra_kg.models.budget import out_of_time
from hydra_kg.models.completion_body import CompletionReading, read
from hydra_kg.models.deadline import RequestTimer, watch_sockets
from hydra_kg.models.endpoint import endpoint
from hydra_kg.models.faults import LONGEST_ERROR, Declined, FailedAttempt, failure
from hydra_kg.models.request import Failed, Request, count_tokens, prompt_tokens
from hydra_kg.util import cancelling

if TYPE_CHECKING:
    import openai

CONNECTING = 10.0
"""Seconds allowed for connecting to an endpoint."""

CLOSING = 0.2
"""Seconds that a stream may stay open after its last event."""

_deadline: ContextVar[RequestTimer] = ContextVar("deadline")


class OpenAIChat:
    """Client for streamed chat completions, which are cut when the time is over. Safe for threads.

    ``key`` is sent only to ``url`` and is removed from replies. ``timeout`` is the number of seconds for a whole
    request. Raises SettingsError for an invalid address, and for a key that plain http would carry to another machine.
    """

    def __init__(self, url: str = "", *, key: str = "", timeout: float = 60.0, no_network: bool = False) -> None:
        self.url, self.local = endpoint(url)
        self._timeout = timeout
        self._no_network = no_network
        if key and not self.local and not self.url.startswith("https://"):
            raise SettingsError(
                f"The key would be sent unencrypted to {self.url}.",
                remedy="Use an https address, or unset OPENAI_API_KEY for an endpoint that needs none.",
            )
        self._key = key
        self._client: openai.OpenAI | None = None
        self._making = threading.Lock()

    @property
    def keyless(self) -> bool:
        """Whether there is no key although the endpoint is on another machine and will therefore need one."""
        return not self._key and not self.local

    def send(self, request: Request) -> Completion:
        """Make one attempt and return its reply. Raises Failed or StoppedError."""
        if self._no_network:
            raise Failed(
                NetworkError(
                    f"The network is forbidden, so {self.url} was not asked.",
                    remedy="Leave --no-network (no_network) out, use --replay FILE, or --agent offline.",
                ),
                spent="nothing",
            )
        seconds = min(self._timeout, request.deadline - time.monotonic())
        if seconds <= 0:
            raise Failed(out_of_time(), spent="nothing")
        reading = CompletionReading()
        with RequestTimer(seconds) as deadline, cancelling.ending(deadline.expire):
            token = _deadline.set(deadline)
            try:
                while not self._ask(request, seconds, reading, deadline):
                    pass
            except Exception as e:
                if (stopped := cancelling.stop_error()) is not None:
                    raise stopped from None
                if not (deadline.expired and reading.text):
                    seen = FailedAttempt(self.url, request, seconds, deadline.expired, self._hide)
                    raise failure(e, seen) from None
                late = True
            else:
                late = False
            finally:
                _deadline.reset(token)
        cancelling.check()  # what was cut short by stopping is no reply
        reading.text = self._hide(reading.text)
        return reading.completion(guess_in=prompt_tokens(request), guess_out=count_tokens(reading.text), late=late)

    def _ask(self, request: Request, seconds: float, into: CompletionReading, deadline: RequestTimer) -> bool:
        """Send one request and read its reply, streamed or whole.

        Returns False if a kept connection turned out to be closed by the endpoint, which then never saw the request.
        """
        import openai

        timeout = openai.Timeout(seconds, connect=min(CONNECTING, seconds))
        chat = self._connected().chat.completions.with_streaming_response
        asking = chat.create(**parameters(request), timeout=timeout)
        with contextlib.ExitStack() as stack:
            try:
                response = stack.enter_context(asking)
            except openai.APIConnectionError as e:
                closed = type(e.__cause__).__name__ == "RemoteProtocolError"  # orderly, unlike a reset
                if closed and deadline.unheard and not deadline.expired:
                    return False
                raise
            pieces = response.iter_bytes()
            read(pieces, into, max_tokens=request.max_tokens)
            if into.done:  # the end of the stream is still to come; a connection is kept only if it was read
                deadline.shorten(CLOSING)
                with contextlib.suppress(Exception):
                    for _ in pieces:
                        pass
        return True

    def _connected(self) -> openai.OpenAI:
        """Return the client, made at the first call."""
        import openai

        with self._making:
            if self._client is None:
                http = openai.DefaultHttpxClient(
                    follow_redirects=False, trust_env=not self.local, event_hooks={"response": [_look]}
                )
                watch_sockets(http, lambda: _deadline.get(None))
                weakref.finalize(self, http.close)
                # Without a key of its own an endpoint gets a word that is none, never one from elsewhere.
                self._client = openai.OpenAI(
                    api_key=self._key or "none", base_url=self.url, max_retries=0, http_client=http
                )
            return self._client

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def parameters(request: Request) -> dict[str, Any]:
    """Return the body of a request in the style that the endpoint accepts."""
    style = request.style
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{k: v.encode("utf-8", "replace").decode() for k, v in m.items()} for m in request.messages],
        style.limit: request.max_tokens,
        "temperature": request.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.logprobs:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    if request.schema is not None and style.form == "json_schema":
        schema = {"name": request.step or "reply", "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.schema is not None and style.form == "json_object":
        body["response_format"] = {"type": "json_object"}
    left_out = {"logprobs": {"logprobs", "top_logprobs"}}
    gone = {name for key in style.without for name in left_out.get(key, {key})}
    return {name: value for name, value in body.items() if name not in gone}


def _look(response: Any) -> None:
    """Raise Declined, with the beginning of the body, for a response that reports an error."""
    if response.is_success:
        return
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > LONGEST_ERROR:
            break
    raise Declined(response.status_code, response.headers, bytes(body[:LONGEST_ERROR]).decode("utf-8", "replace"))
