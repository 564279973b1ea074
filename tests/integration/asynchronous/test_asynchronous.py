"""AsyncHydra, the events of a question, and stopping it wherever it is."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from hydra_kg import AsyncHydra, Cancellation, Hydra, StoppedError, load_settings
from hydra_kg.events import Answered, Cut, Event, Found, Linked, Pruned, Understood
from hydra_kg.models.embedding.onnx_embedder import OnnxEmbedder
from hydra_kg.util.cancelling import under
from hydra_kg.web.providers import ask, base_address

BORN = "where was Steve Jobs born?"
PATIENCE = 60
"""Seconds for what must happen on a loaded machine; what is stopped here would last longer, or for ever."""


@contextmanager
def silent() -> Iterator[tuple[int, threading.Event]]:
    """A server that takes connections and never says anything: its port, and whether somebody has come."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        came, taken = threading.Event(), []

        def take() -> None:
            with suppress(OSError):
                while True:
                    taken.append(one.accept()[0])
                    came.set()

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        try:
            yield one.getsockname()[1], came
        finally:
            one.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE)
            for connection in taken:
                connection.close()


def stop_when(hangs: threading.Event, work: Callable[[Cancellation], object]) -> None:
    """Stop ``work`` once it hangs; it must end, and raise StoppedError."""
    token = Cancellation()
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work, token)
        try:
            assert hangs.wait(PATIENCE)
        finally:
            token.cancel()
        with pytest.raises(StoppedError):
            working.result(PATIENCE)


class StoppedAtALook(Cancellation):
    """A token that stops its question when the question has looked at it so many times. ``looks``: how many it did."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.looks, self._most = 0, most

    def check(self, work: int = 0) -> None:
        self.looks += 1
        if self.looks == self._most:
            self.cancel()
        super().check(work)


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
    with silent() as (port, hangs):
        at = {
            "model.name": "m",
            "model.base_url": f"http://127.0.0.1:{port}/v1",
            "model.retries": 3,
            "model.timeout": 600,
            "agent.graph_first": 1,
        }
        with Hydra(store=sample_store, settings=load_settings(at), agent="llm") as hydra:
            stop_when(hangs, lambda token: hydra.ask(BORN, keep=False, cancellation=token))


def test_a_web_fetch_that_hangs_ends():
    with silent() as (port, hangs):

        def fetch(token: Cancellation) -> None:
            with under(token):
                ask(base_address(f"http://127.0.0.1:{port}"), "search", {"q": "x"}, seconds=600)

        stop_when(hangs, fetch)


def test_embedding_many_texts_looks_between_batches_whether_it_is_stopped():
    texts = [f"{'a long text about nothing in particular ' * 20} {n}" for n in range(100)]
    token = StoppedAtALook(3)
    with under(token), pytest.raises(StoppedError):
        OnnxEmbedder().embed(texts)
    assert token.looks == 3  # nothing goes on after that


def test_a_token_that_was_used_stops_at_once(sample: Hydra):
    token = Cancellation()
    token.cancel("the budget of time is over")
    with pytest.raises(StoppedError, match="budget of time"):
        sample.ask(BORN, cancellation=token)
