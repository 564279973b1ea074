"""Turns of several tenants: round-robin, bounded, and left by those that no longer wait."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine

import pytest

from hydra_kg.serving.http.request_slots import FairTurns

Work = Callable[[str], Coroutine[None, None, None]]


def jobs(turns: FairTurns, order: list[str], done: asyncio.Event | None = None) -> Work:
    """A job that writes its tenant into ``order`` when its turn comes, and holds the turn until ``done``."""

    async def job(tenant: str) -> None:
        async with turns.turn(tenant):
            order.append(tenant)
            await (done.wait() if done is not None else asyncio.sleep(0))

    return job


async def settle() -> None:
    """Let every task run until all of them wait."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("total", [1, 2])
def test_a_tenant_with_many_jobs_gets_every_other_turn(total: int):
    async def run() -> list[str]:
        order: list[str] = []
        job = jobs(FairTurns(total), order)
        await asyncio.gather(*(job("a") for _ in range(20)), job("b"), job("b"), job("c"))
        return order

    order = asyncio.run(run())
    assert Counter(order) == {"a": 20, "b": 2, "c": 1}
    assert sorted(order[:3]) == ["a", "b", "c"]
    assert "b" in order[3:5]


def test_one_tenant_leaves_turns_to_the_others_and_all_together_are_bounded():
    async def run() -> None:
        order: list[str] = []
        end = asyncio.Event()
        job = jobs(FairTurns(3), order, end)
        tasks = [asyncio.create_task(job(tenant)) for tenant in "aaabbcd"]
        await settle()
        assert order == ["a", "b", "c"]  # no second one of a, and no fourth in all
        end.set()
        await asyncio.gather(*tasks)
        assert sorted(order) == sorted("aaabbcd")

    asyncio.run(run())


def test_one_tenant_may_have_several_turns_where_that_was_agreed():
    async def run() -> None:
        order: list[str] = []
        end = asyncio.Event()
        job = jobs(FairTurns(3, each=2), order, end)
        tasks = [asyncio.create_task(job(tenant)) for tenant in "aaab"]
        await settle()
        assert order == ["a", "a", "b"]
        end.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_whoever_stops_waiting_leaves_no_turn_behind():
    async def run() -> None:
        order: list[str] = []
        end = asyncio.Event()
        turns = FairTurns(1)
        job = jobs(turns, order, end)
        first, second, third = (asyncio.create_task(job(tenant)) for tenant in "aab")
        await settle()
        second.cancel()
        third.cancel()
        end.set()  # in the same moment: the turn may be granted to one that was cancelled
        await asyncio.gather(first, second, third, return_exceptions=True)
        granted = asyncio.create_task(job("c"))
        granting = asyncio.create_task(job("d"))
        await asyncio.gather(granted, granting)
        assert order == ["a", "c", "d"]

    asyncio.run(run())


def test_a_turn_granted_to_a_task_that_is_cancelled_goes_on():
    async def run() -> None:
        turns, order = FairTurns(1), list[str]()
        end = asyncio.Event()
        holding = asyncio.create_task(jobs(turns, order, end)("a"))
        waiting = asyncio.create_task(jobs(turns, order)("b"))
        await settle()
        end.set()
        while not holding.done():
            await asyncio.sleep(0)
        waiting.cancel()  # granted, but it has not run since
        await asyncio.gather(waiting, return_exceptions=True)
        await jobs(turns, order)("c")
        assert order[-1] == "c"

    asyncio.run(run())
