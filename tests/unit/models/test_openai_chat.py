"""The client against a real HTTP server: what it sends, what it makes of replies, faults and hostile bodies."""

from __future__ import annotations

import contextlib
import json
import math
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from helpers.servers.model_server import Decline, ModelServer, Say
from helpers.time_limits import TimeLimits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hydra_kg.errors import BudgetError, ModelError, NetworkError, SettingsError
from hydra_kg.models.completion_body import CompletionReading, Garbage, Refusal, read
from hydra_kg.models.endpoint import endpoint, key_from_environment
from hydra_kg.models.middleware.dialect import EndpointDialect
from hydra_kg.models.openai_chat import OpenAIChat
from hydra_kg.models.request import Failed, Request, Style, count_tokens, most_prompt_tokens, prompt_tokens

KEY = "sk-canary-4f0c9e"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}, "required": ["a"]}


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def ask(text: str = "hello there", *, max_tokens: int = 50, **more: object) -> Request:
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": text}]
    return Request("m1", "e", messages, max_tokens, **more)  # type: ignore[arg-type]


def failure(client: OpenAIChat, request: Request) -> Failed:
    with pytest.raises(Failed) as caught:
        client.send(request)
    return caught.value


def test_what_is_asked_and_what_comes_back():
    with ModelServer([Say("Yes , it is", first=[("Yes", -0.1), (" yes", -2.5), ("No", -4.0)])]) as server:
        reply = OpenAIChat(server.url).send(ask(logprobs=2, schema=SCHEMA, step="judge", temperature=0.4))
    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.cut, reply.late) == ("Yes , it is", 4, 4, False, False)
    assert reply.first == (("Yes", -0.1), (" yes", -2.5))
    body = server.bodies[0]
    assert body["messages"][1] == {"role": "user", "content": "hello there"}
    assert (body["model"], body["max_tokens"], body["temperature"], body["stream"]) == ("m1", 50, 0.4, True)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 2)
    shape = body["response_format"]
    assert (shape["type"], shape["json_schema"]["name"], shape["json_schema"]["schema"]) == (
        "json_schema",
        "judge",
        SCHEMA,
    )


def test_a_reply_that_stops_at_its_limit_says_so():
    with ModelServer([Say("one two", finish="length")]) as server:
        assert OpenAIChat(server.url).send(ask()).cut


def test_a_reply_without_a_stream_without_usage_and_without_logprobs():
    with ModelServer(["so be it"], streams=False, usage=False, logprobs=False) as server:
        request = ask(logprobs=3)
        reply = OpenAIChat(server.url).send(request)
    assert (reply.text, reply.first) == ("so be it", ())
    assert (reply.tokens_in, reply.tokens_out) == (prompt_tokens(request), count_tokens("so be it"))


def test_a_reply_longer_than_any_limit_is_not_read_to_its_end():
    with ModelServer(["word " * 10_000]) as server:
        reply = OpenAIChat(server.url).send(ask(max_tokens=5))
    assert reply.cut
    assert 64 * 5 < len(reply.text) < 64 * 5 + 10


def test_half_characters_in_a_prompt_are_no_fault():
    with ModelServer(["ok"]) as server:
        assert OpenAIChat(server.url).send(ask("a \udc80 b")).text == "ok"
    assert server.bodies[0]["messages"][1]["content"] == "a ? b"


@pytest.mark.parametrize(
    "status, passing, kind, remedy",
    [
        (400, False, ModelError, "reply_tokens"),
        (401, False, ModelError, "OPENAI_API_KEY"),
        (404, False, ModelError, "HYDRA_MODEL_NAME"),
        (429, True, ModelError, "model.rate"),
        (500, True, ModelError, "endpoint"),
        (503, True, ModelError, "endpoint"),
        (307, False, ModelError, "base_url"),
    ],
)
def test_statuses(status: int, passing: bool, kind: type, remedy: str):
    headers = {"Retry-After": "7", "Location": "http://127.0.0.1:9/v1/chat/completions"}
    with ModelServer([Decline(status, "no\nsuch luck", headers)]) as server:
        failed = failure(OpenAIChat(server.url), ask())
    assert (failed.passing, type(failed.error), failed.spent, failed.wait) == (passing, kind, "call", 7.0)
    assert f"answered {status} to model 'm1'" in str(failed.error)
    assert remedy in failed.error.remedy
    assert len(server.bodies) == 1


def test_an_account_without_money_is_not_asked_again():
    with ModelServer([Decline(429, "You exceeded your current quota", code="insufficient_quota")]) as server:
        failed = failure(OpenAIChat(server.url), ask())
    assert not failed.passing
    assert "nothing left to spend" in failed.error.remedy


@pytest.mark.parametrize(
    "fault, words",
    [
        ("garbage", "answered with something else"),
        ("page", "OpenAI-compatible"),
        ("cut", "middle of a reply"),
        ("reset", "127.0.0.1"),
    ],
)
def test_broken_replies_pass_and_count_in_full(fault: str, words: str):
    with ModelServer(["never said"], faults=[fault]) as server:
        failed = failure(OpenAIChat(server.url), ask())
    assert (failed.passing, failed.spent) == (True, "all")
    assert words in str(failed.error)


def test_an_error_without_end_is_read_in_part():
    with ModelServer([Decline(400, "no " * 100_000)]) as server:
        failed = failure(OpenAIChat(server.url), ask())
    assert len(str(failed.error)) < 700


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"no", b'{"error": "no"}', b'{"error": null}', b'{"detail": [1]}', b"\xff"]
)
def test_errors_of_any_form(body: bytes):
    with ModelServer([Decline(500, body)]) as server:
        failed = failure(OpenAIChat(server.url), ask())
    assert "answered 500" in str(failed.error)


def test_nobody_there_costs_nothing():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    failed = failure(OpenAIChat(f"http://127.0.0.1:{port}/v1"), ask())
    assert (type(failed.error), failed.passing, failed.spent) == (NetworkError, True, "call")
    assert "Cannot reach" in str(failed.error)


def test_silence_ends_with_the_timeout(limits: TimeLimits):
    with ModelServer(["x"], faults=["hang"], silent=limits.run_out) as server:
        failed = failure(OpenAIChat(server.url, timeout=30), ask())
    assert (type(failed.error), failed.passing, failed.spent) == (NetworkError, True, "all")
    assert "no reply within 30 seconds" in str(failed.error)


def test_silence_in_the_middle_leaves_what_was_said(limits: TimeLimits):
    with ModelServer(["x"], faults=["stall"], silent=limits.run_out) as server:
        reply = OpenAIChat(server.url).send(ask())
    assert (reply.late, reply.cut) == (True, True)
    assert "half of a reply that breaks off".startswith(reply.text)
    assert reply.text


def test_time_runs_out_without_help():
    """The one test of the real timer: it ends a reply that would never end."""
    with ModelServer(["x"], faults=["hang"]) as server:
        failed = failure(OpenAIChat(server.url, timeout=0.1), ask())
    assert "no reply within 0.1 seconds" in str(failed.error)


def test_a_deadline_cuts_a_reply_that_trickles(limits: TimeLimits):
    """Every word comes in time; all of them would not."""
    words = 5

    def said(event: int) -> None:
        if event == words:  # the first event has no word
            limits.run_out()
            server.closing.wait(60)

    with ModelServer(["word " * 200], said=said) as server:
        reply = OpenAIChat(server.url, timeout=60).send(ask(deadline=time.monotonic() + 30))
    assert (reply.late, reply.text.split()) == (True, words * ["word"])
    assert len(limits.seconds) == 1  # no word began the time anew
    assert limits.seconds[0] <= 30


def test_a_deadline_that_is_over_asks_nobody():
    with ModelServer(["x"]) as server:
        failed = failure(OpenAIChat(server.url), ask(deadline=time.monotonic() - 1))
    assert (type(failed.error), failed.spent, server.bodies) == (BudgetError, "nothing", [])


@contextlib.contextmanager
def dripping(head: bytes, *, then: Callable[[], None]) -> Iterator[str]:
    """A server that answers one connection byte by byte without end. ``then``: called when the head is out, and a few
    bytes of what follows it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            one, _ = listening.accept()
            with one, contextlib.suppress(OSError):
                one.recv(1 << 16)
                for n in range(1 << 20):
                    one.sendall(head[n : n + 1] or b"x")
                    if n == len(head) + 5:
                        then()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        thread.join(30)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-Long: ",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 99,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:",
    ],
    ids=["status", "header", "continue", "stream"],
)
def test_time_counts_from_connecting_on(limits: TimeLimits, head: bytes):
    """A server that sends one byte now and then holds nobody beyond the time."""
    with dripping(head, then=limits.run_out) as url:
        failed = failure(OpenAIChat(url, timeout=30), ask())
    assert isinstance(failed.error, NetworkError)
    assert "no reply within 30 seconds" in str(failed.error)


def test_a_key_does_not_go_to_another_machine_in_the_clear():
    with pytest.raises(SettingsError, match="sent unencrypted"):
        OpenAIChat("http://models.example/v1", key=KEY)
    assert OpenAIChat("http://models.example/v1").url == "http://models.example/v1"
    assert OpenAIChat("https://models.example/v1", key=KEY).keyless is False
    assert OpenAIChat("http://127.0.0.1:8080/v1", key=KEY).local


def test_no_network_opens_no_socket():
    with ModelServer(["x"]) as server:
        failed = failure(OpenAIChat(server.url, no_network=True), ask())
    assert (type(failed.error), failed.spent, server.connections) == (NetworkError, "nothing", 0)
    assert "--replay" in failed.error.remedy


def test_connections_are_kept_and_shared_by_threads():
    with ModelServer(lambda body: body["messages"][1]["content"]) as server:
        client = OpenAIChat(server.url)
        said: list[str] = []
        for _ in range(3):
            threads = [
                threading.Thread(target=lambda n=n: said.append(client.send(ask(f"q{n}")).text)) for n in range(4)
            ]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        assert sorted(said) == sorted(f"q{n}" for n in range(4) for _ in range(3))
        assert server.connections <= 4


def test_a_kept_connection_that_the_endpoint_closed_is_replaced_and_costs_no_attempt():
    with ModelServer(["one", "two", "three"], faults=["", "close", "", "close"]) as server:
        client = OpenAIChat(server.url)
        assert [client.send(ask(f"q{n}")).text for n in range(3)] == ["one", "two", "three"]
        assert (server.connections, server.failed["close"]) == (3, 2)


def test_a_new_connection_without_a_reply_is_a_failed_attempt():
    with ModelServer(["never"], faults=["close"]) as server:
        failed = failure(OpenAIChat(server.url), ask())
    assert (failed.passing, failed.spent, server.connections) == (True, "all", 1)


def test_the_key_is_sent_and_never_shown():
    """A server that echoes the key in replies and errors does not get it into ours."""
    echo = ModelServer(lambda body: f"your key is {KEY}", key=KEY)
    with echo as server:
        reply = OpenAIChat(server.url, key=KEY).send(ask())
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert reply.text == "your key is [key]"
    wrong = f"{KEY}-wrong"
    with ModelServer(["x"], key=KEY) as server:
        failed = failure(OpenAIChat(server.url, key=wrong), ask())
    assert wrong not in repr(failed) + str(failed) + str(failed.error)
    assert failed.__cause__ is None
    assert failed.__suppress_context__


def test_an_endpoint_on_this_machine_is_not_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    with ModelServer(["here"]) as server:
        assert OpenAIChat(server.url).send(ask()).text == "here"


def test_addresses(monkeypatch: pytest.MonkeyPatch):
    assert endpoint() == ("https://api.openai.com/v1", False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8080/v1/")
    assert endpoint() == ("http://localhost:8080/v1", True)
    assert endpoint("http://[::1]:1/v1")[1]
    assert endpoint("http://127.9.9.9/v1")[1]
    assert not endpoint("http://10.0.0.1/v1")[1]
    assert not endpoint("http://localhost.example.org/v1")[1]
    for wrong in ("localhost:8080", "ftp://x/v1", "http://", "http://x:99999/v1", "http://a:b@x/v1", "http://x/?key=1"):
        with pytest.raises(SettingsError) as caught:
            endpoint(wrong)
        assert "a:b" not in str(caught.value)


def test_what_is_no_key_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    assert key_from_environment() == KEY
    for wrong in (f"{KEY}…", f"{KEY}\n{KEY}"):
        monkeypatch.setenv("OPENAI_API_KEY", wrong)
        with pytest.raises(SettingsError) as caught:
            key_from_environment()
        assert KEY not in str(caught.value)


@pytest.mark.slow
def test_importing_the_client_is_cheap():
    code = "import sys, hydra_kg.models.compose; print('openai' in sys.modules, 'httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


# What an endpoint does not take.


def forms(server: ModelServer) -> list[str]:
    return [(body.get("response_format") or {}).get("type", "text") for body in server.bodies]


def test_json_schema_then_object_then_text_remembered():
    dialect = EndpointDialect()
    with ModelServer(["{}"], forms=["text"]) as server:
        send = dialect.around(OpenAIChat(server.url).send)
        assert send(ask(schema=SCHEMA)).text == "{}"
        assert forms(server) == ["json_schema", "json_object", "text"]
        send(ask(schema=SCHEMA))
        send(ask())
    assert forms(server)[3:] == ["text", "text"]


def test_a_form_once_taken_is_not_dropped_for_a_refusal_that_is_about_something_else():
    replies = iter(["{}", Decline(400, "no"), Decline(400, "Invalid schema for response_format"), "{}", "{}"])
    with ModelServer(lambda body: next(replies)) as server:
        send = EndpointDialect().around(OpenAIChat(server.url).send)
        send(ask(schema=SCHEMA))
        with pytest.raises(Failed):
            send(ask(schema=SCHEMA))
        send(ask("this schema is beyond it", schema=SCHEMA))
        send(ask("but not all of them", schema=SCHEMA))
    assert forms(server) == ["json_schema", "json_schema", "json_schema", "json_object", "json_schema"]


def test_a_prompt_that_is_too_long_is_asked_once():
    with ModelServer([Decline(400, "maximum context length is 4096 tokens")]) as server:
        with pytest.raises(Failed):
            EndpointDialect().around(OpenAIChat(server.url).send)(ask(schema=SCHEMA))
        assert len(server.bodies) == 1


def test_parameters_that_newer_and_smaller_endpoints_refuse():
    with ModelServer(["ok"], refuses=["max_tokens", "temperature", "logprobs", "stream_options"]) as server:
        dialect = EndpointDialect()
        send = dialect.around(OpenAIChat(server.url).send)
        assert send(ask(logprobs=4)).text == "ok"
        first = len(server.bodies)
        assert send(ask(logprobs=4)).text == "ok"
        assert (first, len(server.bodies)) == (5, 6)
    assert set(server.bodies[-1]) == {"model", "messages", "max_completion_tokens", "stream"}
    assert dialect.style.limit == "max_completion_tokens"


def test_styles_end():
    """However an endpoint refuses, the ways of asking run out."""
    style: Style | None = Style()
    seen = set()
    words = "max_completion_tokens temperature stream_options logprobs response_format"
    while style is not None:
        assert style not in seen
        seen.add(style)
        style = style.softer(words, schema=True, logprobs=True, proven=False)
    assert len(seen) == 7


# Bodies that may be anything.

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@unhurried
@given(
    st.lists(st.binary(max_size=40)),
    st.sampled_from([b"", b"data: ", b'data: {"choices": [{"delta": {"content": "x"}}]}\n', b'{"choices": ']),
)
def test_any_bytes_are_a_reply_or_garbage(pieces: list[bytes], start: bytes):
    reading = CompletionReading()
    with contextlib.suppress(Garbage, Refusal):
        read([start, *pieces], reading, max_tokens=4)
    assert isinstance(reading.completion(guess_in=1, guess_out=1).text, str)


def _json() -> st.SearchStrategy[object]:
    names = st.sampled_from(["choices", "delta", "message", "content", "usage", "logprobs", "error", "finish_reason"])
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    return st.recursive(
        leaves, lambda c: st.lists(c, max_size=3) | st.dictionaries(names, c, max_size=4), max_leaves=12
    )


@unhurried
@given(st.lists(_json(), max_size=4))
def test_any_events_are_a_reply_or_garbage(events: list[object]):
    body = [f"data: {json.dumps(e)}\r\n\r\n".encode() for e in events]
    reading = CompletionReading()
    with contextlib.suppress(Garbage, Refusal):
        read(body, reading, max_tokens=4)
    reply = reading.completion(guess_in=1, guess_out=1)
    assert reply.tokens_in >= 0
    assert all(math.isfinite(p) or p == -math.inf for _, p in reply.first)


def test_pieces_may_end_anywhere():
    events = [{"choices": [{"delta": {"content": c}}]} for c in ("Grüße", " — ", "😀")]
    events.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    body = b"".join(f": comment\ndata: {json.dumps(e, ensure_ascii=False)}\n\n".encode() for e in events)
    for size in (1, 2, 3, 7, len(body)):
        reading = CompletionReading()
        read((body[i : i + size] for i in range(0, len(body), size)), reading, max_tokens=9)
        assert reading.text == "Grüße — 😀"


def test_a_body_without_end_is_not_read_for_ever():
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * (1 << 20)

    with pytest.raises(Garbage, match="more than"):
        read(endless(), CompletionReading(), max_tokens=9)


def test_an_error_inside_of_a_stream():
    with pytest.raises(Refusal, match="overloaded"):
        read([b'data: {"error": {"message": "overloaded"}}\n\n'], CompletionReading(), max_tokens=9)


def test_counting():
    text = "Where was the director of Forrest Gump born?"
    assert 9 <= count_tokens(text) <= 16
    assert count_tokens("") == 0
    assert count_tokens("\udc80" * 3) > 0
    assert most_prompt_tokens(ask(text)) > prompt_tokens(ask(text)) > count_tokens(text)
    assert most_prompt_tokens(ask(text, schema=SCHEMA)) > most_prompt_tokens(ask(text))


@pytest.mark.parametrize(
    "pieces, text",
    [((r"\ud83d", r"\ude00 ok"), "😀 ok"), ((r"a\ud800", "b"), "a\ufffdb"), ((r"\ude00",), "\ufffd"), (("é",), "é")],
    ids=["pair in two pieces", "first half", "second half", "whole"],
)
def test_halves_of_characters_are_joined_or_replaced(pieces: tuple[str, ...], text: str):
    deltas = [f'{{"choices": [{{"delta": {{"content": "{piece}"}}}}]}}' for piece in pieces]
    reading = CompletionReading()
    read([f"data: {delta}\n\n".encode() for delta in (*deltas, "[DONE]")], reading, max_tokens=9)
    assert reading.completion(guess_in=1, guess_out=1).text == text
