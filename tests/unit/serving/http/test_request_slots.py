"""Slots: first come first served, left by who is cancelled, and stuck when nobody releases one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hydra_kg.errors import StoppedError
from hydra_kg.serving.http.request_slots import RequestSlots
from hydra_kg.util.cancelling import Cancellation

ANN, BEN = "ann", "ben"


class Clock:
    """Seconds that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run a test that must not hang."""

    async def bounded() -> None:
        async with asyncio.timeout(20):
            await test()

    asyncio.run(bounded())


async def wait_in(slots: RequestSlots, tenant: str = ANN) -> tuple[asyncio.Task[None], Cancellation]:
    """A question that waits for a slot, and its token."""
    token = Cancellation()
    task = asyncio.create_task(slots.take(token, tenant))
    await asyncio.sleep(0)
    assert not task.done()
    return task, token


def test_slots_go_to_those_that_waited_longest() -> None:
    async def test() -> None:
        slots = RequestSlots(1, 2)
        await slots.take(Cancellation(), ANN)
        assert not slots.is_full(ANN)
        (first, _), (second, _) = [await wait_in(slots) for _ in range(2)]
        assert slots.is_full(ANN)
        slots.release()
        await first
        assert not second.done()
        slots.release()
        await second

    run(test)


def test_a_cancelled_question_leaves_the_queue() -> None:
    async def test() -> None:
        slots = RequestSlots(1, 1)
        await slots.take(Cancellation(), ANN)
        waiting, token = await wait_in(slots)
        assert slots.is_full(ANN)
        token.cancel("The client left.")
        with pytest.raises(StoppedError, match="left"):
            await waiting
        assert not slots.is_full(ANN)
        slots.release()
        await slots.take(Cancellation(), ANN)  # the slot was not lost

    run(test)


@pytest.mark.parametrize("by_token", [True, False])
def test_a_slot_given_to_a_question_that_just_ended_is_not_lost(by_token: bool) -> None:
    async def test() -> None:
        slots = RequestSlots(1, 2)
        await slots.take(Cancellation(), ANN)
        waiting, token = await wait_in(slots)
        slots.release()
        if by_token:
            token.cancel()
            await waiting  # it has the slot, and sees its token when it begins
            slots.release()
        else:
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await slots.take(Cancellation(), ANN)

    run(test)


def test_without_a_queue_free_slots_are_used() -> None:
    async def test() -> None:
        slots = RequestSlots(1, 0)
        assert not slots.is_full(ANN)
        await slots.take(Cancellation(), ANN)
        assert slots.is_full(ANN)

    run(test)


def test_slots_are_stuck_when_a_question_waits_and_none_is_released() -> None:
    async def test() -> None:
        clock = Clock()
        slots = RequestSlots(1, 2, clock=clock)
        clock.now = 100
        await slots.take(Cancellation(), ANN)
        clock.now = 200
        assert not slots.is_stuck(60)  # long, but nobody waits
        waiting, token = await wait_in(slots)
        assert slots.is_stuck(60)
        assert not slots.is_stuck(100)
        token.cancel()
        with pytest.raises(StoppedError):
            await waiting
        assert slots.is_stuck(60)  # until a slot is released, also if nobody waits any more
        slots.release()
        assert not slots.is_stuck(60)

    run(test)


def test_tenants_take_turns() -> None:
    async def test() -> None:
        slots = RequestSlots(1, 9)
        await slots.take(Cancellation(), ANN)
        first, second, third = [(await wait_in(slots))[0] for _ in range(3)]
        other, _ = await wait_in(slots, BEN)
        for task in (other, first, second, third):
            slots.release()
            await task

    run(test)


def test_a_tenant_that_fills_the_queue_leaves_others_a_place() -> None:
    async def test() -> None:
        slots = RequestSlots(1, 2)
        await slots.take(Cancellation(), ANN)
        tasks = [(await wait_in(slots))[0] for _ in range(2)]
        assert slots.is_full(ANN)
        assert not slots.is_full(BEN)
        tasks.append((await wait_in(slots, BEN))[0])
        assert slots.is_full(BEN)
        for _ in tasks:
            slots.release()
        await asyncio.gather(*tasks)

    run(test)
