"""Where the questions of one worker are answered: stores by tenant, so many at a time, and a short line before them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

from hydra_kg.client import Hydra
from hydra_kg.errors import HydraError
from hydra_kg.serving.asynchronous import AsyncHydra
from hydra_kg.serving.http.fair_turns import FairTurns
from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.serving.http.gate.watch import Watch, log
from hydra_kg.serving.shared.day_budget import KeyAccount, until_tomorrow
from hydra_kg.serving.shared.jobs import Jobs
from hydra_kg.serving.shared.keys import ApiKey, Keys
from hydra_kg.settings import Settings
from hydra_kg.stores import store_path
from hydra_kg.util.cancelling import Cancellation, under
from hydra_kg.util.heap import settle

T = TypeVar("T")

RETRY: Final = 2.0
"""Seconds after which a service that is busy may be asked again."""

JOBS: Final = 4
"""Jobs (loads, fusion) that a worker runs at once, each in a process of its own and each of another tenant."""

READING: Final = 10.0
"""Seconds that reading facts or kept answers may take."""

_OWN: Final = ApiKey("", "", frozenset(), "", 0.0, 0.0)
"""Who has the service's own store."""


class Desk:
    """Made in the worker's event loop; :meth:`close` ends it with its questions."""

    def __init__(self, options: ServeOptions, watch: Watch) -> None:
        self.options, self.watch = options, watch
        self.running: set[Cancellation] = set()
        self.tasks: set[asyncio.Task[Any]] = set()
        self._hydras: dict[str, AsyncHydra] = {}
        self.job_turns = FairTurns(JOBS)
        self._turns = asyncio.Semaphore(options.threads)
        self._waiting = 0
        self._closed = self._warm = False

    def hydra(self, key: ApiKey) -> AsyncHydra:
        """The store of a key, opened by its first question."""
        address = key.store or self.options.store
        if address not in self._hydras:
            settings = Settings(**self.options.settings)
            made = Hydra(
                store=address,
                settings=settings,
                strategy=self.options.strategy,
                agent=self.options.agent,
                warn=lambda text: log("warning", text=text),
            )
            self._hydras[address] = AsyncHydra(made, threads=self.options.threads)
        return self._hydras[address]

    def jobs(self, key: ApiKey) -> Jobs:
        """The jobs of a key's store."""
        return Jobs(self.folder(key))

    def folder(self, key: ApiKey) -> Path:
        """Where what belongs to a key's store lies."""
        return store_path(self.address(key))

    def address(self, key: ApiKey) -> str:
        """The store of a key, as it is opened."""
        return key.store or self.options.store or Settings(**self.options.settings).store

    def full(self) -> bool:
        """Whether another question would have to wait too long."""
        return self._closed or self._waiting >= self.options.queue

    async def take_question(self, key: ApiKey) -> KeyAccount | None:
        """Book a question on the budget of its key; None where there is none. Raises ProblemError (429)."""
        if not key.budget.limits:
            return None
        account = Keys(Path(self.options.keys)).account(key)
        if why := await asyncio.to_thread(account.take_question):
            self.watch.stopped.labels("budget").inc()
            remedy = "It begins anew at midnight, UTC; whoever gave you the key can raise it."
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, why, remedy=remedy, retry=until_tomorrow())
        return account

    @asynccontextmanager
    async def question(self, key: ApiKey) -> AsyncIterator[KeyAccount | None]:
        """The turn of a question, booked on the budget of its key: the account that is to pay for its calls. Raises
        ProblemError (429, 503); one that found no place is not booked."""
        account = await self.take_question(key)
        if self.full() and account is not None:
            await asyncio.to_thread(account.give_back_question)
        async with self.turn():
            yield account

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a free thread. Raises ProblemError (503) where too many wait already."""
        if self.full():
            self.watch.stopped.labels("busy").inc()
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Too many questions are being answered.", retry=RETRY)
        self._waiting += 1
        self.watch.waiting.set(self._waiting)
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
            self.watch.waiting.set(self._waiting)
        try:
            yield
        finally:
            self._turns.release()

    @contextmanager
    def token(self, seconds: float) -> Iterator[Cancellation]:
        """What stops a question: by hand, when the worker ends, after so many seconds, or when the block is left."""
        token = Cancellation()
        self.running.add(token)
        why = f"The question took longer than {seconds:g} seconds."
        timer = asyncio.get_running_loop().call_later(seconds, token.cancel, why)
        try:
            yield token
        finally:
            timer.cancel()
            token.cancel()
            self.running.discard(token)

    async def read(self, key: ApiKey, work: Callable[[Hydra], T]) -> T:
        """What ``work`` gives of a key's store, within the time that reading may take."""
        hydra = self.hydra(key)
        with self.token(READING) as token, under(token):  # the thread is started in this context
            found: T = await hydra.call(work, hydra.hydra)
        return found

    def spawn(self, work: Any) -> None:
        """Run a job next to the requests. One that fails unforeseen leaves a line in the log."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log("fault", error=type(error).__name__, text=str(error)[:300])

    async def ready(self) -> bool:
        """Whether the service's own store can be read and its first question need not wait. The model is not asked."""

        def look() -> bool:
            try:
                with self.hydra(_OWN).hydra.store.snapshot() as snapshot:
                    return bool(snapshot.manifest())
            except HydraError:
                return False

        return self._warm and not self._closed and await asyncio.to_thread(look)

    async def warm(self) -> None:
        """Open the store and load what questions need."""
        try:
            await asyncio.to_thread(self._load, self.hydra(_OWN).hydra)
        except HydraError as e:
            log("warning", text=str(e).partition("\n")[0])
        self._warm = True

    def _load(self, hydra: Hydra) -> None:
        reasoner = hydra.reasoner
        with hydra.store.snapshot() as snapshot:
            snapshot.find(["nothing is called so"], limit=1, reach="near")
        reasoner.embedder.embed(["what loads the embedding model"])
        if self.options.agent == "llm":
            import openai.resources.chat.completions  # noqa: F401  a second that the first question would wait
        settle()

    async def close(self) -> None:
        """Stop what runs and close the stores."""
        self._closed = True
        for token in list(self.running):
            token.cancel("The service ends.")
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for hydra in self._hydras.values():
            await hydra.close()
            await asyncio.to_thread(hydra.hydra.close)
