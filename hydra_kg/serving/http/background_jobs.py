"""Run long work in a process of its own as a job: signs of life, progress, stopping, a deadline, the result."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import time
import uuid
from contextlib import AsyncExitStack, suppress
from http import HTTPStatus
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from hydra_kg import errors
from hydra_kg.serving.http.desk import Desk
from hydra_kg.serving.http.gate.problems import ProblemError, problem_of
from hydra_kg.serving.http.gate.watch import log
from hydra_kg.serving.shared.jobs import BEAT, STOPPED, Jobs, Kind, ServiceJob, State
from hydra_kg.serving.shared.service_keys import ApiKey

LOOK: Final = 0.2
"""Seconds between two checks whether to stop a job."""

MESSAGE: Final = 16 << 20
"""Most bytes of one message of the process, which may be a result."""

IMPORTED: Final = (
    "hydra_kg.serving.load_process",
    "hydra_kg.ingest.load",
    "hydra_kg.ingest.neighbourhood.ball",
    "hydra_kg.match.match_run",
    "hydra_kg.models.embedding.embedders",
    "hydra_kg.reasoner",
    "hydra_kg.stores.embedded.reads.snapshot",
    "hydra_kg.stores.embedded.store",
    "hydra_kg.stores.embedded.writes.writer",
    "hydra_kg_loaders.documents.loader",
    "hydra_kg_loaders.feeds.loader",
    "hydra_kg_loaders.freebase.loader",
    "hydra_kg_loaders.links.matches",
    "hydra_kg_loaders.links.sameas",
    "hydra_kg_loaders.passages.loader",
    "hydra_kg_loaders.rdf.loader",
    "hydra_kg_loaders.tables.loader",
    "hydra_kg_loaders.wikidata.json_loader",
    "hydra_kg_loaders.wikidata.nt_loader",
    "hydra_kg_loaders.wikipedia.loader",
    "duckdb",
    "faiss",
    "numpy.random",
)
"""Modules that the process from which jobs fork imports before the first job.

None of them starts a thread, because a forked process has no threads of its parent. onnxruntime starts one, so each job
imports it itself."""

WAITING: Final = 20
"""Most jobs of one kind that wait or run in a store."""

Json = dict[str, Any]
ADMIN: Final = frozenset({"load", "flip", "discard", "drop", "correct", "formula", "match", "link"})
"""Kinds of job that only an administrator may stop."""


def identity() -> str:
    """Return the id of a new job."""
    return uuid.uuid4().hex[:12]


async def begun(desk: Desk, key: ApiKey, kind: Kind, order: Json, *, seconds: float, name: str = "") -> Response:
    """Begin a job and reply with its address. Raise ProblemError (503) if too many wait."""
    name, jobs = name or identity(), desk.jobs(key)
    if not await asyncio.to_thread(jobs.add, name, seconds=seconds, kind=kind, most=WAITING):
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Too many jobs wait.", retry=30)
    whole = {**order, "kind": kind, "store": desk.address(key), "settings": desk.options.settings}
    desk.spawn(_run_job(desk, jobs, name, whole, seconds))
    now = time.time()
    job = ServiceJob(name, "waiting", now, now, now + seconds, "", False, kind)
    return JSONResponse(job_json(job), HTTPStatus.ACCEPTED, {"Location": f"/v1/jobs/{name}"})


def job_json(job: ServiceJob) -> Json:
    """Return a job in the form of replies."""
    doc: Json = {"id": job.id, "kind": job.kind, "state": job.state, "made": job.made, "heartbeat": job.beat}
    doc |= {"deadline": job.deadline, "why": job.why}
    doc["progress"] = json.loads(job.progress) if job.progress else None
    return {**doc, "result": json.loads(job.result) if job.result else None}


async def _run_job(desk: Desk, jobs: Jobs, name: str, order: Json, seconds: float) -> None:
    """Run one job when it is its tenant's turn. While it waits it shows signs of life and can be stopped."""
    state: State = "failed"
    why, result = "The worker ended.", ""
    run = _Run(jobs, name, time.monotonic() + seconds)
    beating = asyncio.create_task(run.beats())
    try:
        async with AsyncExitStack() as turn:
            with suppress(TimeoutError):
                async with run.waiting:
                    await turn.enter_async_context(desk.job_turns.turn(order["store"]))
            if not run.why and await asyncio.to_thread(jobs.begin, name):
                result, why = await run.done(order)
        state = "done" if result else "failed"
        if run.why and not result:
            state, why = "stopped", run.why
    finally:
        beating.cancel()
        jobs.end(name, state, why=why, result=result)


class _Run:
    """One job from queue to end. ``why``: what stopped it, or "". ``waiting``: its time limit."""

    def __init__(self, jobs: Jobs, name: str, until: float) -> None:
        self._jobs, self._name, self._until = jobs, name, until
        self._process: ForkServerProcess | None = None
        self._progress = self.why = ""
        self.waiting = asyncio.timeout(None)

    async def beats(self) -> None:
        """Record signs of life, and end the job when somebody stopped it or its time is over."""
        last = 0.0
        while True:
            job = await asyncio.to_thread(self._jobs.get, self._name)
            if job is not None and job.stop:
                self._end(STOPPED)
            if time.monotonic() > self._until:
                self._end("It took too long.")
            if time.monotonic() - last > BEAT:
                last = time.monotonic()
                await asyncio.to_thread(self._jobs.beat, self._name, progress=self._progress)
            await asyncio.sleep(LOOK)

    async def done(self, order: Json) -> tuple[str, str]:
        """Return the result as JSON and "", or "" and why there is no result."""
        try:
            self._process, ours = await asyncio.to_thread(start, order)
            while "progress" in (doc := json.loads(await asyncio.to_thread(ours.recv_bytes, MESSAGE))):
                self._progress = json.dumps(doc["progress"])
            if "result" in doc:
                return json.dumps(doc["result"], ensure_ascii=False), ""
            return "", _describe_problem(doc)
        except EOFError:
            return "", "It ended without a result."
        except (OSError, ValueError) as e:
            log("fault", error=type(e).__name__, text=str(e)[:300])
            return "", "It ended without a result."
        finally:
            self._kill()
            if self._process is not None:
                await asyncio.to_thread(self._process.join)

    def _end(self, why: str) -> None:
        self.why = self.why or why
        with suppress(RuntimeError):  # it does not wait, or no longer
            self.waiting.reschedule(0)
        self._kill()

    def _kill(self) -> None:
        if self._process is not None and self._process.pid is not None and self._process.exitcode is None:
            with suppress(ProcessLookupError):  # it leads no group yet
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()


def start(order: Json) -> tuple[ForkServerProcess, Connection]:
    """Start the process of a job, and return it and the end of its pipe.

    It forks from a process that has imported what jobs need and does nothing else, so that it begins at once.
    """
    from hydra_kg.serving.load_process import carry_out

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(IMPORTED))
    ours, theirs = context.Pipe()
    with theirs:
        process = context.Process(target=carry_out, args=(order, theirs))
        process.start()
    return process, ours


def _describe_problem(doc: Json) -> str:
    """Return a problem of the process in words that disclose nothing about the machine."""
    if "fault" in doc:
        log("fault", error=doc["fault"], text=doc["text"])
        return "This is a fault of hydra-kg."
    kind = getattr(errors, str(doc["problem"]), errors.HydraError)
    if issubclass(kind, errors.LoadError):  # what the file's own lines are blamed for
        return str(doc["text"]).partition("\n")[0]
    return problem_of(kind(str(doc["text"]))).detail
