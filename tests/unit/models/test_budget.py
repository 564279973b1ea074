"""What may be spent is never exceeded, whoever spends it and however it fails."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.servers.model_server import Decline, ModelServer, Say
from helpers.time_limits import TimeLimits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hydra_kg.domain import Usage
from hydra_kg.errors import BudgetError, HydraError
from hydra_kg.models.budget import Budget
from hydra_kg.models.compose import make_model
from hydra_kg.settings import Settings

ONE = Usage(1, 100, 50, 0.25)
MESSAGES = [{"role": "user", "content": "word " * 40}]


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def refusal(budget: Budget, most: Usage = ONE) -> BudgetError:
    with pytest.raises(BudgetError) as caught:
        budget.reserve(most)
    return caught.value


@pytest.mark.parametrize(
    "name, limits, flag",
    [
        ("calls", {"calls": 2}, "--budget-calls"),
        ("tokens", {"tokens": 300}, "--budget-tokens"),
        ("money", {"money": 0.5}, "--budget-money"),
    ],
)
def test_each_limit_names_itself_and_its_remedy(name: str, limits: dict[str, float], flag: str):
    budget = Budget(**limits)  # type: ignore[arg-type]
    for _ in range(2):
        budget.reserve(ONE)
        budget.settle(ONE, ONE, step="judge")
    error = refusal(budget)
    assert name in str(error)
    assert flag in error.remedy
    assert budget.stopped in str(error)
    assert budget.usage == Usage(2, 200, 100, 0.5, steps={"judge": Usage(2, 200, 100, 0.5)})


def test_seconds():
    now = [100.0]
    budget = Budget(seconds=5, clock=lambda: now[0])
    assert budget.remaining() == 5
    budget.reserve(ONE)
    now[0] = 105
    assert not budget.late
    assert "--budget-seconds" in refusal(budget).remedy
    assert budget.late


def test_nothing_is_limited_by_default_and_by_zero():
    budget = Budget()
    for _ in range(100):
        budget.reserve(ONE)
    assert budget.stopped == ""
    assert budget.remaining() == float("inf")


def test_what_is_held_counts_until_it_is_settled():
    budget = Budget(tokens=320)
    budget.reserve(ONE)
    budget.reserve(ONE)
    refusal(budget)
    budget.settle(ONE, Usage(1, 10, 5), step="a")
    budget.reserve(ONE)


def test_a_run_limits_its_questions_and_adds_them_up():
    run = Budget(calls=3, owner="this run")
    first, second = Budget(calls=2, within=run), Budget(calls=2, within=run)
    for budget in (first, first, second):
        budget.reserve(ONE)
        budget.settle(ONE, ONE, step="judge")
    assert "this question" in str(refusal(first))
    error = refusal(second)
    assert "this run" in str(error)
    assert "--budget-calls" not in error.remedy
    assert (run.usage.calls, second.usage.calls, second.stopped != "") == (3, 1, True)
    assert run._reserved == second._reserved == {"calls": 0, "tokens": 0, "money": 0}


def test_what_is_replayed_counts_and_is_never_refused():
    budget = Budget(calls=1)
    for _ in range(3):
        budget.charge(ONE, step="judge")
    assert budget.usage.calls == 3
    assert budget.stopped == ""


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(1, 9),
    st.integers(1, 2000),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300), st.floats(0, 1)), max_size=30),
)
def test_never_over(calls: int, tokens: int, wanted: list[tuple[int, int, float]]):
    """Whatever is reserved, and whatever share of it is used."""
    budget = Budget(calls=calls, tokens=tokens)
    for tokens_in, tokens_out, share in wanted:
        most = Usage(1, tokens_in, tokens_out)
        try:
            budget.reserve(most)
        except BudgetError:
            continue
        budget.settle(most, Usage(1, int(tokens_in * share), int(tokens_out * share)))
    spent = budget.usage
    assert spent.calls <= calls
    assert spent.tokens_in + spent.tokens_out <= tokens


@pytest.mark.parametrize("faults", [(), 0.5])
@pytest.mark.usefixtures("hurried")
def test_sixteen_threads_make_ten_attempts(faults: float | tuple[()]):
    """Attempts that fail, and are made again, count as well."""
    kinds = ("429", "500", "reset", "cut", "garbage")
    with ModelServer(lambda body: "fine", faults=faults, kinds=kinds) as server:
        budget = Budget(calls=10)
        chosen = Settings(model={"name": "m", "base_url": server.url, "reply_cache": False})
        start = threading.Barrier(16)

        def ask(n: int) -> str:
            model = make_model(chosen, budget=budget)
            start.wait()
            try:
                return model.complete([{"role": "user", "content": f"question {n}"}], max_tokens=9, step="judge").text
            except HydraError as e:
                return type(e).__name__

        with ThreadPoolExecutor(16) as pool:
            said = list(pool.map(ask, range(16)))
    assert len(server.bodies) == 10 == budget.usage.calls
    assert "BudgetError" in said
    assert said.count("fine") == 10 - sum(server.failed.values())
    assert "10 of 10" in budget.stopped


def test_tokens_are_reserved_before_and_settled_after():
    with ModelServer([Say("yes", tokens=(60, 1))]) as server:
        chosen = Settings(model={"name": "m", "base_url": server.url})
        budget = Budget(tokens=400)
        model = make_model(chosen, budget=budget)
        model.complete(MESSAGES, max_tokens=200, step="a")
        assert budget.usage.tokens_in == 60
        model.complete(MESSAGES, max_tokens=100, step="b")
        with pytest.raises(BudgetError, match="tokens"):
            model.complete(MESSAGES, max_tokens=250, step="b")
        assert len(server.bodies) == 2
    steps = {name: (u.calls, u.tokens_in, u.tokens_out) for name, u in budget.usage.steps.items()}
    assert steps == {"a": (1, 60, 1), "b": (1, 60, 1)}
    assert budget.usage.seconds > 0


@pytest.mark.usefixtures("hurried")
def test_a_reply_that_was_lost_counts_as_if_it_had_come():
    with ModelServer(["x"], faults=["cut", "500"]) as server:
        budget = Budget()
        model = make_model(Settings(model={"name": "m", "base_url": server.url}), budget=budget)
        model.complete(MESSAGES, max_tokens=200)
    usage = budget.usage
    assert usage.calls == 3
    assert usage.tokens_out == 200 + 0 + 1
    assert usage.tokens_in > 2 * 40


def test_money_by_the_table_of_prices():
    with ModelServer([Say("yes", tokens=(1_000, 100))]) as server:
        chosen = Settings(
            model={"name": "m", "base_url": server.url, "prices": (("m", 2.0, 8.0),)}, budget={"money": 0.01}
        )
        budget = Budget.of(chosen)
        model = make_model(chosen, budget=budget)
        for _ in range(3):
            model.complete(MESSAGES, max_tokens=100)
        assert budget.usage.money == pytest.approx(3 * (2_000 + 800) / 1e6)
        with pytest.raises(BudgetError, match="money"):
            model.complete(MESSAGES, max_tokens=1000)


def test_seconds_end_a_reply(limits: TimeLimits):
    passed = [0.0]

    def said(event: int) -> None:
        if event == 3:
            passed[0] = 60.0
            limits.run_out()
            server.closing.wait(60)

    with ModelServer(["word " * 100], said=said) as server:
        budget = Budget(seconds=60, clock=lambda: passed[0])
        model = make_model(Settings(model={"name": "m", "base_url": server.url}), budget=budget)
        assert model.complete(MESSAGES, max_tokens=100).late
        assert "time" in budget.stopped
        assert budget.late
        with pytest.raises(BudgetError, match="seconds"):
            model.complete(MESSAGES, max_tokens=100)
        assert len(server.bodies) == 1


def test_seconds_end_a_wait():
    """An endpoint that asks to wait for longer than the question has left is not waited for."""
    with ModelServer([Decline(503, "busy", {"Retry-After": "50"})]) as server:
        budget = Budget(seconds=40, clock=lambda: 0.0)
        model = make_model(Settings(model={"name": "m", "base_url": server.url}), budget=budget)
        with pytest.raises(BudgetError, match="time"):
            model.complete(MESSAGES, max_tokens=100)
        assert len(server.bodies) == 1
        assert budget.stopped
