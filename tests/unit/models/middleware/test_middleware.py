"""What stands between a question and the endpoint: attempts, pace, kept replies, cassettes, and no key anywhere."""

from __future__ import annotations

import json
import logging
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.servers.model_server import Decline, ModelServer, Say
from helpers.time_limits import TimeLimits

from hydra_kg.domain import Completion
from hydra_kg.errors import (
    BudgetError,
    FormatError,
    HydraError,
    ModelError,
    NetworkError,
    NotFoundError,
    SettingsError,
    UsageError,
)
from hydra_kg.models.budget import Budget
from hydra_kg.models.compose import Model, make_model
from hydra_kg.models.middleware.cache import ReplyCache
from hydra_kg.models.middleware.cassette import UnrecordedError
from hydra_kg.models.middleware.limits import Rate
from hydra_kg.models.middleware.retry import retrying
from hydra_kg.models.request import Failed, Request
from hydra_kg.ports import LanguageModel
from hydra_kg.settings import Settings, load_settings

KEY = "sk-canary-77aa31"
ASKED = [{"role": "user", "content": "where was Mozart born?"}]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HYDRA_MODEL_NAME"):
        monkeypatch.delenv(name, raising=False)


def model_at(server: ModelServer, budget: Budget | None = None, **more: object) -> Model:
    paths = {k: more.pop(k) for k in ("folder", "record", "replay", "warn") if k in more}
    changes = {k: more.pop(k) for k in ("no_network",) if k in more}
    settings = Settings(model={"name": "m", "base_url": server.url, **more}, **changes)
    return make_model(settings, budget=budget or Budget(), **paths)  # type: ignore[arg-type]


# Who may be asked at all.


def test_it_is_the_port(tmp_path: Path):
    with ModelServer(["Salzburg"]) as server:
        model: LanguageModel = model_at(server)
        assert model.name == "m"
        assert model.complete(ASKED, max_tokens=9).text == "Salzburg"


def test_nothing_is_asked_without_a_name_a_key_or_a_price():
    for settings, words in (
        (Settings(), "HYDRA_MODEL_NAME"),
        (Settings(model={"name": "m"}), "OPENAI_API_KEY"),
        (Settings(model={"name": "m", "base_url": "http://127.0.0.1:1"}, budget={"money": 1}), "[model.prices]"),
    ):
        with pytest.raises(SettingsError) as caught:
            make_model(settings, budget=Budget())
        assert words in str(caught.value)
    with pytest.raises(UsageError, match="not both"):
        make_model(Settings(model={"name": "m"}), budget=Budget(), record="a", replay="b")


def test_no_network_is_a_clear_error_and_costs_nothing():
    with ModelServer(["x"]) as server:
        budget = Budget()
        with pytest.raises(NetworkError, match="forbidden"):
            model_at(server, budget, no_network=True).complete(ASKED, max_tokens=9)
        assert (server.connections, budget.usage.calls) == (0, 0)


def test_prices_come_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "hydra-kg").mkdir(parents=True)
    (tmp_path / "config" / "hydra-kg" / "hydra.toml").write_text('[model.prices]\nb = [1, 2.5]\n"a/1" = [0.1, 0]\n')
    settings = load_settings(folder=tmp_path)
    assert settings.model.prices == (("a/1", 0.1, 0.0), ("b", 1.0, 2.5))
    monkeypatch.setenv("HYDRA_MODEL_PRICES", '{"c": [3, 4]}')
    assert load_settings(folder=tmp_path).model.prices == (("c", 3.0, 4.0),)
    for wrong in ('"x"', "[1]", '{"c": [1]}', '{"c": [-1, 2]}', '{"c": ["a", 2]}', "{"):
        monkeypatch.setenv("HYDRA_MODEL_PRICES", wrong)
        with pytest.raises(SettingsError, match="prices"):
            load_settings(folder=tmp_path)


# Attempts.


@pytest.mark.parametrize("faults", [["429", "500"], ["503", "cut"], ["garbage", "page"], ["reset", "reset"]])
@pytest.mark.usefixtures("hurried")
def test_what_passes_is_tried_again(faults: list[str]):
    with ModelServer(["Salzburg"], faults=faults) as server:
        assert model_at(server).complete(ASKED, max_tokens=9).text == "Salzburg"
        assert len(server.bodies) == 3


@pytest.mark.usefixtures("hurried")
def test_a_hanging_endpoint_is_tried_again(limits: TimeLimits):
    with ModelServer(["Salzburg"], faults=["hang"], silent=limits.run_out) as server:
        assert model_at(server).complete(ASKED, max_tokens=9).text == "Salzburg"
        assert len(server.bodies) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 501])
def test_what_does_not_pass_is_not(status: int):
    with ModelServer([Decline(status, "no")]) as server:
        with pytest.raises(ModelError, match=f"answered {status}"):
            model_at(server).complete(ASKED, max_tokens=9)
        assert len(server.bodies) == 1


@pytest.mark.usefixtures("hurried")
def test_attempts_end():
    with ModelServer([Decline(500, "broken")]) as server:
        with pytest.raises(ModelError, match="broken"):
            model_at(server, retries=1).complete(ASKED, max_tokens=9)
        assert len(server.bodies) == 2


def test_waits_grow_and_retry_after_is_obeyed():
    waits: list[float] = []
    asked = iter([0.0, 0.0, 7.0, 0.0, 61.0])

    def busy(request: Request) -> Completion:
        raise Failed(ModelError("busy"), passing=True, wait=next(asked))

    send = retrying(busy, retries=9, budget=Budget(), first_wait=1, sleep=waits.append)
    with pytest.raises(ModelError, match="busy"):
        send(Request("m", "e", ASKED, 9))
    assert 0.5 <= waits[0] <= 1 <= waits[1] <= 2
    assert waits[2] == 7
    assert 4 <= waits[3] <= 8
    assert len(waits) == 4, "an endpoint that asks for more than a minute is not waited for"


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_half_of_all_calls_fail_and_every_one_ends(limits: TimeLimits):
    """Replies are the right ones or named errors, and the account is what the server saw."""
    with ModelServer(lambda body: body["messages"][0]["content"], faults=0.5, seed=3, silent=limits.run_out) as server:
        budget = Budget()
        model = model_at(server, budget, retries=2)
        said = []
        for n in range(10):
            try:
                reply = model.complete([{"role": "user", "content": f"say {n}"}], max_tokens=20)
                said.append(reply.text == f"say {n}" or reply.late or not reply.text)
            except (ModelError, NetworkError) as e:
                said.append(bool(e.remedy))
        assert all(said)
        assert len(said) == 10
        assert budget.usage.calls == len(server.bodies)
        assert len(server.failed) >= 3


# Pace.


def test_rate_spreads_calls_over_threads():
    waits: list[float] = []
    rate = Rate(50, clock=lambda: 100.0, sleep=waits.append)
    send = rate.around(lambda request: Completion("x"))
    threads = [threading.Thread(target=send, args=(Request("m", "e", ASKED, 9),)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(waits) == pytest.approx([n / 50 for n in range(8)])
    with pytest.raises(Failed) as caught:
        send(Request("m", "e", ASKED, 9, deadline=100.1))
    assert isinstance(caught.value.error, BudgetError)
    assert caught.value.spent == "nothing"


# Kept replies.


def test_the_same_call_is_paid_for_once(tmp_path: Path):
    with ModelServer(lambda body: Say(body["messages"][0]["content"].upper(), first=[("W", -0.5)])) as server:
        budget = Budget()
        model = model_at(server, budget, folder=tmp_path)
        first = model.complete(ASKED, max_tokens=9, logprobs=1, step="a")
        assert model.complete(ASKED, max_tokens=9, logprobs=1, step="b") == first
        assert model_at(server, budget, folder=tmp_path).complete(ASKED, max_tokens=9, logprobs=1) == first
        assert (len(server.bodies), budget.usage.calls) == (1, 1)
        others = {"sample": 1, "temperature": 0.4, "schema": {"type": "object"}, "max_tokens": 10, "logprobs": 2}
        for n, (name, value) in enumerate(others.items(), 2):
            model.complete(ASKED, **{"max_tokens": 9, "logprobs": 1, name: value})  # type: ignore[arg-type]
            assert len(server.bodies) == n, name
        offline = model_at(server, folder=tmp_path, no_network=True)
        assert offline.complete(ASKED, max_tokens=9, logprobs=1) == first
    assert b"Mozart" not in (tmp_path / "replies.sqlite").read_bytes().replace(b"MOZART", b"")
    with ModelServer(["Wien"]) as elsewhere:
        assert model_at(elsewhere, folder=tmp_path).complete(ASKED, max_tokens=9).text == "Wien"


def test_faults_empty_and_late_replies_are_not_kept(tmp_path: Path, limits: TimeLimits):
    with ModelServer(["Salzburg"], faults=["empty", "500", "stall"], silent=limits.run_out) as server:
        model = model_at(server, folder=tmp_path, retries=0)
        assert model.complete(ASKED, max_tokens=9).text == ""
        with pytest.raises(ModelError):
            model.complete(ASKED, max_tokens=9)
        assert model.complete(ASKED, max_tokens=9).late
        assert model.complete(ASKED, max_tokens=9).text == "Salzburg"
        assert len(server.bodies) == 4


@pytest.mark.slow
def test_several_processes_share_the_file(tmp_path: Path):
    code = """
import sys
from pathlib import Path
from hydra_kg.domain import Completion
from hydra_kg.models.middleware.cache import ReplyCache
cache = ReplyCache(Path(sys.argv[1]), warn=lambda text: sys.exit(text))
for n in range(25):
    cache.write(f"{n}", Completion(f"reply {n}", 1, 2, first=(("a", -1.0),)))
    assert cache.read(f"{n}").text == f"reply {n}"
"""
    command = [sys.executable, "-c", code, str(tmp_path / "replies.sqlite")]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    assert ReplyCache(tmp_path / "replies.sqlite").read("24") == Completion("reply 24", 1, 2, first=(("a", -1.0),))


def test_the_file_does_not_grow_for_ever(tmp_path: Path):
    cache = ReplyCache(tmp_path / "replies.sqlite", max_replies=20)
    for n in range(50):
        cache.write(f"{n}", Completion(f"{n}"))
    with sqlite3.connect(cache.path) as db:
        kept = db.execute("SELECT count(*) FROM reply").fetchone()[0]
    db.close()
    assert 15 <= kept <= 20
    assert cache.read("49") == Completion("49")
    assert cache.read("0") is None


def test_a_file_that_cannot_be_used_is_one_warning(tmp_path: Path):
    said: list[str] = []
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "replies.sqlite").write_bytes(b"this is no database at all" * 99)
    with ModelServer(["Salzburg"]) as server:
        for folder in (tmp_path / "broken", tmp_path / "is not there"):
            said.clear()
            model = model_at(server, folder=folder, warn=said.append)
            for _ in range(3):
                assert model.complete(ASKED, max_tokens=9).text == "Salzburg"
            assert len(said) == 1
            assert "are not stored" in said[0]


@pytest.mark.slow
def test_a_full_disk_is_one_warning(tmp_path: Path):
    """A limit on the size of files is what a full disk looks like to SQLite."""
    code = """
import resource, sys
from pathlib import Path
from hydra_kg.domain import Completion
from hydra_kg.models.middleware.cache import ReplyCache
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
cache = ReplyCache(Path(sys.argv[1]), warn=print)
for n in range(20):
    cache.write(f"{n}", Completion("x" * 4000))
assert cache.read("0") == Completion("x" * 4000)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "replies.sqlite")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("are not stored") == 1


# Cassettes.


def test_record_and_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tape = tmp_path / "tape.jsonl"
    calls = [
        ([{"role": "user", "content": "say 1"}], {"step": "analyse", "schema": {"type": "object"}}),
        ([{"role": "user", "content": "say half \udc80 characters"}], {"step": "judge", "logprobs": 2}),
        ([{"role": "user", "content": "fail"}], {"step": "judge"}),
        ([{"role": "user", "content": "fail"}], {"step": "judge"}),
        ([{"role": "user", "content": "say 1"}], {"step": "late", "sample": 1}),
    ]

    def say(body: dict) -> Say | Decline:  # type: ignore[type-arg]
        text = body["messages"][0]["content"]
        return Decline(404, "no such model") if text == "fail" else Say(text[4:], first=[("a", -0.25), ("b", -1.5)])

    def run(model: Model) -> list[object]:
        said: list[object] = []
        for messages, more in calls:
            try:
                said.append(model.complete(messages, max_tokens=9, **more))  # type: ignore[arg-type]
            except HydraError as e:
                said.append((type(e), str(e)))
        return said

    recorded, replayed = Budget(calls=6), Budget()
    with ModelServer(say, faults=["500"]) as server:
        live = run(model_at(server, recorded, record=str(tape)))
    assert live[-1][0] is BudgetError if isinstance(live[-1], tuple) else True
    lines = [json.loads(line) for line in tape.read_text("utf-8").splitlines()]
    assert [line["step"] for line in lines] == ["analyse", "judge", "judge", "judge", "late"]
    assert (lines[0]["reply"]["text"], lines[0]["spent"]["calls"]) == ("1", 2)
    assert "127.0.0.1" not in json.dumps([{k: v for k, v in line.items() if k != "error"} for line in lines])

    monkeypatch.setattr(socket, "socket", _no_socket)
    settings = Settings(model={"name": "m", "base_url": "http://10.1.1.1/v1"}, no_network=True)
    assert run(make_model(settings, budget=replayed, replay=str(tape))) == live
    spent = [(name, u.calls, u.tokens_in, u.tokens_out) for name, u in recorded.usage.steps.items()]
    assert [(name, u.calls, u.tokens_in, u.tokens_out) for name, u in replayed.usage.steps.items()] == spent
    assert replayed.stopped == recorded.stopped


def _no_socket(*_: object, **__: object) -> None:
    raise AssertionError("a replay opened a socket")


@pytest.mark.slow
def test_a_replay_opens_no_socket_at_all(tmp_path: Path):
    """Seen from outside: the process may open none."""
    with ModelServer(["Salzburg"]) as server:
        model_at(server, record=str(tmp_path / "tape")).complete(ASKED, max_tokens=9)
    code = """
import sys
def watch(event, args):
    if event.startswith("socket."): raise SystemExit("a socket: " + event)
sys.addaudithook(watch)
from hydra_kg.models.budget import Budget
from hydra_kg.models.compose import make_model
from hydra_kg.settings import Settings
model = make_model(Settings(model={"name": "m"}), budget=Budget(), replay=sys.argv[1])
print(model.complete([{"role": "user", "content": "where was Mozart born?"}], max_tokens=9).text)
print("openai" in sys.modules)
"""
    command = [sys.executable, "-c", code, str(tmp_path / "tape")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Salzburg", "False"]


def test_replies_of_equal_calls_come_in_order(tmp_path: Path):
    tape = str(tmp_path / "tape")
    with ModelServer(["one", "two"]) as server:
        model = model_at(server, record=tape)
        for _ in range(2):
            model.complete(ASKED, max_tokens=9)
    model = make_model(Settings(model={"name": "m"}), budget=Budget(), replay=tape)
    assert [model.complete(ASKED, max_tokens=9).text for _ in range(3)] == ["one", "two", "two"]


def test_a_call_that_is_not_in_the_cassette_is_a_named_error(tmp_path: Path):
    tape = tmp_path / "tape"
    with ModelServer(["one"]) as server:
        model_at(server, record=str(tape)).complete(ASKED, max_tokens=9)
    with pytest.raises(UnrecordedError, match="no reply for this call of step 'judge'") as caught:
        make_model(Settings(model={"name": "m"}), budget=Budget(), replay=str(tape)).complete(
            ASKED, max_tokens=8, step="judge"
        )
    assert "--record" in caught.value.remedy
    with pytest.raises(UnrecordedError):
        make_model(Settings(model={"name": "other"}), budget=Budget(), replay=str(tape)).complete(ASKED, max_tokens=9)


@pytest.mark.parametrize("text", ["{", "[]", "{}", "null", '{"model": "m"}', "\x00", "5", '{"error": {"kind": "os"}}'])
def test_cassettes_that_are_none(tmp_path: Path, text: str):
    (tmp_path / "tape").write_text(text)
    with pytest.raises(FormatError, match="Line 1"):
        make_model(Settings(model={"name": "m"}), budget=Budget(), replay=str(tmp_path / "tape"))
    with pytest.raises(NotFoundError):
        make_model(Settings(model={"name": "m"}), budget=Budget(), replay=str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="Cannot record"):
        make_model(
            Settings(model={"name": "m", "base_url": "http://127.0.0.1:1"}),
            budget=Budget(),
            record=str(tmp_path / "no" / "folder"),
        )


# The key.


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """Everything that any library logs."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage() + str(record.__dict__))

    root, handler = logging.getLogger(), Keep()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lines
    root.setLevel(before)
    root.removeHandler(handler)


def test_the_key_is_in_no_file_log_or_exception(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: list[str]):
    """The endpoint does its worst: it repeats the key in replies, in errors and inside of streams."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    script = [
        f"you are {KEY}",
        Decline(400, f"wrong: Bearer {KEY}"),
        Decline(401, f"Incorrect API key provided: {KEY}"),
        Decline(500, f"trace: {KEY}"),
    ]
    shown: list[str] = []
    with ModelServer(script, key=KEY) as server:
        model = model_at(server, folder=tmp_path, record=str(tmp_path / "tape"), retries=0)
        for n in range(4):
            try:
                reply = model.complete([{"role": "user", "content": f"{n}"}], max_tokens=9)
                shown += [repr(reply)]
            except HydraError as e:
                shown += ["".join(traceback.format_exception(e)), repr(e), repr(vars(e))]
        assert all(h["authorization"] == f"Bearer {KEY}" for h in server.headers)
        shown += [repr(model), repr(vars(model)), repr(Settings())]
    assert len(server.bodies) == 4
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"you are [key]" in kept
    assert KEY.encode() not in kept
    assert KEY not in "\n".join([*shown, *logged])
    assert any("HTTP Request" in line for line in logged), "the log was watched"
    assert os.environ["OPENAI_API_KEY"] == KEY
