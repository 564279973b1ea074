"""Answer the questions of one worker: stores by tenant, a limited number at a time, and a short queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.types import Receive

from hydra_kg.client import Hydra
from hydra_kg.errors import HydraError, StoppedError
from hydra_kg.serving.asynchronous import AsyncHydra
from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.serving.http.gate.watch import Watch, log
from hydra_kg.serving.http.request_slots import FairTurns, RequestSlots
from hydra_kg.serving.shared.day_budget import KeyAccount, until_tomorrow
from hydra_kg.serving.shared.jobs import Jobs
from hydra_kg.serving.shared.service_keys import ApiKey, Keys
from hydra_kg.serving.web.stored_replies import StoredReplies
from hydra_kg.settings import Settings
from hydra_kg.stores import store_path
from hydra_kg.util.cancelling import Cancellation, under
from hydra_kg.util.heap import settle

T = TypeVar("T")

RETRY: Final = 2.0
"""Seconds after which a client may ask a busy service again."""

JOBS: Final = 4
"""Most jobs (loads, fusion) that a worker runs at once, each in its own process and each for another tenant."""

READING: Final = 10.0
"""Most seconds for reading facts or kept answers."""

_OWN: Final = ApiKey("", "", frozenset(), "", 0.0, 0.0)
"""Tenant of the service's own store."""


class Desk:
    """The questions of one worker. It is made in the worker's event loop; :meth:`close` ends it with its questions."""

    def __init__(self, options: ServeOptions, watch: Watch) -> None:
        self.options, self.watch = options, watch
        self.running: set[Cancellation] = set()
        self.tasks: set[asyncio.Task[Any]] = set()
        self._hydras: dict[str, AsyncHydra] = {}
        self.job_turns = FairTurns(JOBS)
        self.slots = RequestSlots(options.threads, options.queue)
        self.replies = StoredReplies()
        self.asking_examples: dict[str, tuple[str, list[dict[str, Any]]]] = {}
        self._closed = self._warm = False

    def hydra(self, key: ApiKey) -> AsyncHydra:
        """Return the store of a key, opened by its first question."""
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
        """Return the jobs of a key's store."""
        return Jobs(self.folder(key))

    def folder(self, key: ApiKey) -> Path:
        """Return the folder for data of a key's store."""
        return store_path(self.address(key))

    def own_folder(self, key: ApiKey) -> Path | None:
        """Return the folder of a key's store, or None for a store on a server."""
        return None if "://" in self.address(key) else self.folder(key)

    def address(self, key: ApiKey) -> str:
        """Return the address by which a key's store is opened."""
        return key.store or self.options.store or Settings(**self.options.settings).store

    def check_room(self, key: ApiKey) -> None:
        """Raise ProblemError (503) if the service is ending or too many questions wait already."""
        if self._closed or self.slots.is_full(self.address(key)):
            self.watch.stopped.labels("busy").inc()
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Too many questions are being answered.", retry=RETRY)

    async def take_question(self, key: ApiKey) -> KeyAccount | None:
        """Book a question on the budget of its key and return its account, or None if the key has no budget.

        Raise ProblemError (429) if the budget is spent.
        """
        if not key.budget.limits:
            return None
        account = Keys(Path(self.options.keys)).account(key)
        if why := await asyncio.to_thread(account.take_question):
            self.watch.stopped.labels("budget").inc()
            remedy = "It starts again at midnight, UTC; the operator of the service can raise it."
            raise ProblemError(HTTPStatus.TOO_MANY_REQUESTS, why, remedy=remedy, retry=until_tomorrow())
        return account

    @asynccontextmanager
    async def question(
        self, key: ApiKey, receive: Receive, *, seconds: float
    ) -> AsyncIterator[tuple[Cancellation, KeyAccount | None]]:
        """Run the block in a slot with the question's cancellation token and paying account.

        The token ends when the client disconnects or after ``seconds``, waiting included. Raise ProblemError 429
        (budget) or 503 (no slot, not booked).
        """
        account = await self.take_question(key)
        with self.token(seconds) as token:
            watching = asyncio.create_task(_cancel_when_left(receive, token))
            try:
                try:
                    await self._take_slot(token, key)
                except ProblemError:
                    if account is not None:
                        await asyncio.to_thread(account.give_back_question)
                    raise
                try:
                    yield token, account
                finally:
                    self.slots.release()
            except (ProblemError, StoppedError):
                if token.cancelled:
                    self.watch.stopped.labels("left" if watching.done() else "late").inc()
                raise
            finally:
                watching.cancel()

    async def _take_slot(self, token: Cancellation, key: ApiKey) -> None:
        """Wait for a free slot. Raise ProblemError if the wait is stopped."""
        try:
            await self._wait_for_slot(token, key)
        except StoppedError as e:
            raise ProblemError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"{e} It was not begun, because the service was busy with other questions.",
                remedy="Ask again later, or as a job: Prefer: respond-async.",
                retry=RETRY,
            ) from e

    async def _wait_for_slot(self, token: Cancellation, key: ApiKey) -> None:
        self.check_room(key)
        with self.watch.waiting.track_inprogress():
            await self.slots.take(token, self.address(key))

    @asynccontextmanager
    async def turn(self, token: Cancellation, key: ApiKey) -> AsyncIterator[None]:
        """Run the block in a slot. Raise ProblemError (503) if too many wait, StoppedError when cancelled."""
        await self._wait_for_slot(token, key)
        try:
            yield
        finally:
            self.slots.release()

    @contextmanager
    def token(self, seconds: float) -> Iterator[Cancellation]:
        """Yield a token that cancels a question.

        It is cancelled by hand, when the worker ends, after so many seconds, or when the block is left.
        """
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
        """Return the result of ``work`` on a key's store, within the time limit of reading."""
        hydra = self.hydra(key)
        with self.token(READING) as token, under(token):  # the thread is started in this context
            found: T = await hydra.call(work, hydra.hydra)
        return found

    def spawn(self, work: Any) -> None:
        """Run a job next to the requests. An unexpected failure is logged."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log("fault", error=type(error).__name__, text=str(error)[:300])

    async def find_obstacle(self) -> str:
        """Return why questions cannot be answered now, or "". The model is not asked."""

        def is_readable() -> bool:
            try:
                with self.hydra(_OWN).hydra.store.snapshot() as snapshot:
                    snapshot.manifest()
            except HydraError:
                return False
            return True  # an empty store, too: what is loaded on the page may be the first

        if self._closed:
            return "The service is ending."
        if self.slots.is_stuck(self.options.seconds):
            return f"Questions wait, and no other question has ended for more than {self.options.seconds:g} seconds."
        if not self._warm:
            return "The store is still being opened."
        return "" if await asyncio.to_thread(is_readable) else "The store cannot be read."

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
        """Stop everything that runs and close the stores."""
        self._closed = True
        for token in list(self.running):
            token.cancel("The service ends.")
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for hydra in self._hydras.values():
            await hydra.close()
            await asyncio.to_thread(hydra.hydra.close)


async def _cancel_when_left(receive: Receive, token: Cancellation) -> None:
    """Cancel the token when the client closes its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
    token.cancel("The client left.")


def desk_and_key(request: Request) -> tuple[Desk, ApiKey]:
    """Return the desk of a request's application, and the request's key."""
    return request.app.state.desk, request.scope["state"]["key"]
