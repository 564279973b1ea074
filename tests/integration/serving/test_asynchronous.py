"""AsyncHydra, the events of a question, and stopping it wherever it is."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hydra_kg import AsyncHydra, Cancellation, Hydra, StoppedError, load_settings
from hydra_kg.events import Answered, Cut, Event, Found, Linked, Pruned, Understood
from hydra_kg.models.embedding.onnx_embedder import OnnxEmbedder
from hydra_kg.util.cancelling import under
from hydra_kg.web.providers import ask, base_address

BORN = "where was Steve Jobs born?"
LATE = 0.5
"""Seconds after which a question that is not stopped fails the test: 0.2 on a machine that does nothing else."""


@contextmanager
def silent() -> Iterator[int]:
    """The port of a server that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield one.getsockname()[1]


def stopped_after(seconds: float, work) -> float:  # how long after it was told to stop the work raised StoppedError
    token, told = Cancellation(), []

    def stop() -> None:
        told.append(time.perf_counter())
        token.cancel()

    threading.Timer(seconds, stop).start()
    with pytest.raises(StoppedError):
        work(token)
    return time.perf_counter() - told[0]


def test_events_tell_what_was_found_in_order(sample: Hydra):
    heard: list[Event] = []
    answer = sample.ask(BORN, keep=False, listener=heard.append)
    whats = [event.what for event in heard if event.what is not None]
    places = [next(n for n, w in enumerate(whats) if isinstance(w, kind)) for kind in (Linked, Understood, Cut, Found)]
    assert places == sorted(places)
    linked = whats[places[0]]
    assert isinstance(linked, Linked)
    assert [name.name for name in linked.names] == ["Steve Jobs"]
    pruned = next(w for w in whats if isinstance(w, Pruned))
    assert pruned.kept + pruned.pruned == next(w for w in whats if isinstance(w, Found)).paths
    assert whats[-1] == Answered(answer.id, answer.answer_text, answer.verdict, round(answer.confidence, 4), False)
    seconds = [event.seconds for event in heard]
    assert seconds == sorted(seconds)


def test_a_stream_gives_events_and_then_its_answer(sample: Hydra):
    async def run() -> None:
        async with AsyncHydra(sample) as hydra:
            async with hydra.stream(BORN, keep=False) as events:
                kinds = [event.kind async for event in events]
            assert kinds[-1] == "ask.answered"
            assert events.answer.answer_text == (await hydra.ask(BORN, keep=False)).answer_text

    asyncio.run(run())


def test_leaving_a_stream_or_a_task_stops_the_question(sample: Hydra):
    async def run() -> None:
        async with AsyncHydra(sample) as hydra:
            async with hydra.stream(BORN, keep=False) as events:
                async for event in events:
                    if event.kind == "ask.linked":
                        break
            with pytest.raises(StoppedError):
                _ = events.answer
            token = Cancellation()
            task = asyncio.create_task(hydra.ask(BORN, keep=False, cancellation=token))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert token.cancelled

    asyncio.run(run())


def test_every_phase_can_be_the_last(sample: Hydra):
    kinds: list[str] = []
    sample.ask(BORN, keep=False, listener=lambda e: kinds.append(e.kind))
    for n in range(0, len(kinds) - 2, 3):  # what comes after ask.total was answered already
        token, heard = Cancellation(), []

        def stop(event: Event, token=token, heard=heard, n=n) -> None:
            heard.append(event)
            if len(heard) > n:
                token.cancel()

        with pytest.raises(StoppedError):
            sample.ask(BORN, keep=False, listener=stop, cancellation=token)
    assert sample.ask(BORN, keep=False).answer_text == "San Francisco"  # nothing was left half done


def test_a_model_call_that_hangs_ends(sample_store):
    with silent() as port:
        at = {
            "model.name": "m",
            "model.base_url": f"http://127.0.0.1:{port}/v1",
            "model.retries": 3,
            "agent.graph_first": 1,
        }
        with Hydra(store=sample_store, settings=load_settings(at), agent="llm") as hydra:
            hydra.ask(BORN, keep=False, agent="offline")
            work = lambda token: hydra.ask(BORN, keep=False, cancellation=token)  # noqa: E731
            late = min(stopped_after(0.4, work) for _ in range(2))  # the first imports what nothing ends
    assert late < LATE


def test_a_web_fetch_that_hangs_ends():
    with silent() as port:

        def fetch(token: Cancellation) -> None:
            with under(token):
                ask(base_address(f"http://127.0.0.1:{port}"), "search", {"q": "x"}, seconds=30)

        assert stopped_after(0.2, fetch) < LATE


def test_embedding_many_texts_ends():
    texts = [f"{'a long text about nothing in particular ' * 20} {n}" for n in range(600)]

    OnnxEmbedder().embed(["what loads the model"])

    def embed(token: Cancellation) -> None:
        with under(token):
            OnnxEmbedder().embed(texts)

    assert stopped_after(0.3, embed) < LATE


def test_a_token_that_was_used_stops_at_once(sample: Hydra):
    token = Cancellation()
    token.cancel("the budget of time is over")
    with pytest.raises(StoppedError, match="budget of time"):
        sample.ask(BORN, cancellation=token)
