"""Offer Hydra for asyncio as ``AsyncHydra``, with events as they happen; leaving stops the question."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.client import Hydra
from hydra_kg.events import Event
from hydra_kg.util.cancelling import Cancellation

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from hydra_kg.answer import Answer

THREADS: Final = 2
"""Most questions that are answered at the same time; others wait."""


class AsyncHydra:
    """A Hydra whose questions are awaited.

    ``hydra``: the Hydra to use, which you close yourself. Without it, one is made from ``options``, those of
    :class:`hydra_kg.Hydra`, and closed with this object. ``threads``: questions at a time.

    >>> async with AsyncHydra(store="my-store") as hydra:     # doctest: +SKIP
    ...     answer = await hydra.ask("where was mozart born?")
    ...     async with hydra.stream("where was mozart born?") as events:
    ...         async for event in events:
    ...             print(event.kind, event.data)
    """

    def __init__(self, hydra: Hydra | None = None, *, threads: int = THREADS, **options: Any) -> None:
        self.hydra = hydra if hydra is not None else Hydra(**options)
        self._own = hydra is None
        self._pool = ThreadPoolExecutor(threads, "hydra-kg ask")
        self._first = threading.Lock()
        self._running: set[Cancellation] = set()

    async def ask(self, question: str, *, cancellation: Cancellation | None = None, **options: Any) -> Answer:
        """Answer a question (arguments as :meth:`hydra_kg.Hydra.ask`); cancelling the task stops it."""
        token = cancellation or Cancellation()
        self._running.add(token)
        try:
            work = partial(copy_context().run, self._asked, question, token, options)  # in the caller's span, if any
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except asyncio.CancelledError:
            token.cancel()
            raise
        finally:
            self._running.discard(token)

    def stream(self, question: str, *, cancellation: Cancellation | None = None, **options: Any) -> AnswerStream:
        """Return the question's events as they happen (:mod:`hydra_kg.events`); ``options`` as :meth:`ask`."""
        token = cancellation or Cancellation()
        return AnswerStream(partial(self.ask, question, cancellation=token, **options), token)

    async def show(self, key: str = "") -> Mapping[str, Any]:
        """Return a kept answer, as :meth:`hydra_kg.Hydra.show`."""
        doc: Mapping[str, Any] = await self.call(self.hydra.show, key)
        return doc

    async def call(self, work: Callable[..., Any], *args: Any) -> Any:
        """Run any other function of a Hydra and return its result."""
        return await asyncio.to_thread(work, *args)

    async def close(self) -> None:
        """Stop the running questions, and close the store if it was opened here."""
        for token in list(self._running):
            token.cancel("The store was closed.")
        await asyncio.to_thread(self._pool.shutdown)
        if self._own:
            self.hydra.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def _asked(self, question: str, token: Cancellation, options: Mapping[str, Any]) -> Answer:
        token.check()
        with self._first:  # the store is opened once
            _ = self.hydra.reasoner
        return self.hydra.ask(question, cancellation=token, **options)


class AnswerStream:
    """Events of one question in order. The last one reports the answer, which is then :attr:`answer`.

    The question begins with the first ``async for`` or ``async with``. Leaving the ``with`` block, or :meth:`close`,
    stops it. Iterating raises the errors of the question.
    """

    def __init__(self, ask: Callable[..., Any], token: Cancellation) -> None:
        self._ask, self._token = ask, token
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._task: asyncio.Task[Answer] | None = None

    @property
    def answer(self) -> Answer:
        """Return the answer, once the stream has ended."""
        if self._task is None or not self._task.done():
            raise RuntimeError("the question is still being answered")
        return self._task.result()

    def _start(self) -> asyncio.Task[Answer]:
        """Start the question in a thread at the first call, and return its task."""
        if self._task is None:
            loop = asyncio.get_running_loop()

            def listen(event: Event) -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(self._queue.put_nowait, event)

            self._task = asyncio.create_task(self._ask(listener=listen))
            self._task.add_done_callback(self._end)
        return self._task

    def _end(self, task: asyncio.Task[Answer]) -> None:
        """End the iteration. Retrieve the error, so that asyncio reports none for a stream that was left."""
        if not task.cancelled():
            task.exception()
        self._queue.put_nowait(None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        task = self._start()
        event = await self._queue.get()
        if event is None:
            self._queue.put_nowait(None)
            task.result()
            raise StopAsyncIteration
        return event

    async def wait(self) -> None:
        """Begin the question, and wait until it has ended. The iteration reports how it ended."""
        await asyncio.wait([self._start()])

    async def close(self) -> None:
        """Stop the question if it is not answered yet."""
        self._token.cancel()
        if self._task is not None:
            await asyncio.wait([self._task])

    async def __aenter__(self) -> Self:
        self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
