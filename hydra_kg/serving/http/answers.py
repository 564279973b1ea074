"""Serve ``/v1/answers``: ask and wait, ask and listen, or ask and come back; read, follow and stop."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Path, Query, Request
from sse_starlette import EventSourceResponse
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from hydra_kg.errors import HydraError, NotFoundError, StoppedError
from hydra_kg.models.budget import paid_by
from hydra_kg.serialise import answer_json
from hydra_kg.serving.asynchronous import AnswerStream
from hydra_kg.serving.http import shapes
from hydra_kg.serving.http.desk import Desk, desk_and_key
from hydra_kg.serving.http.gate.problems import ProblemError, document, problem_of
from hydra_kg.serving.http.gate.watch import log
from hydra_kg.serving.shared.jobs import BEAT, STOPPED, Jobs, ServiceJob, State
from hydra_kg.serving.shared.service_keys import ApiKey
from hydra_kg.serving.shortening import explain_answer, list_answers
from hydra_kg.serving.web.readable import readable
from hydra_kg.util.cancelling import Cancellation

router = APIRouter(prefix="/v1/answers", tags=["answers"])

LOOK: Final = 0.1
"""Seconds between two checks whether to stop a job."""

PING: Final = 10
"""Seconds between two signs of life in a stream of events."""

Id = Annotated[str, Path(pattern="^[0-9a-f]{12}$", description="of a stored answer, or of a job")]
Responses = dict[int | str, dict[str, Any]]
PROBLEMS: Final[Responses] = {
    status: {"model": shapes.Problem, "description": text}
    for status, text in (
        (400, "No JSON, or none in UTF-8"),
        (401, "No key, or a wrong one"),
        (403, "The key may not"),
        (404, "There is none"),
        (413, "Larger than a request may be"),
        (422, "The request is not understood"),
        (429, "The key's limit or its budget of the day is reached; see Retry-After"),
        (503, "Too busy; see Retry-After"),
        (504, "Not answered in time"),
    )
}


@router.post(
    "",
    response_model=shapes.AnswerBody,
    responses={
        **PROBLEMS,
        200: {
            "description": "The answer; with `Accept: text/event-stream` its events, then the answer",
            "content": {
                "text/event-stream": {
                    "example": 'event: ask.linked\ndata: {"names": [{"text": "Mozart", "id": "Q254"}]}\n\n'
                    'event: answer\ndata: {"id": "0123456789ab", "answer_text": "Salzburg"}\n\n'
                }
            },
        },
        202: {"model": shapes.JobState, "description": "With `Prefer: respond-async`: a job; see Location"},
    },
)
async def ask(
    asked: shapes.QuestionBody,
    request: Request,
    accept: Annotated[str, Header()] = "",
    prefer: Annotated[str, Header()] = "",
) -> Response:
    """Answer a question. A client that disconnects stops it; a job continues."""
    desk, key = desk_and_key(request)
    if desk.options.log_questions:
        log("question", key=key.id, question=asked.question)
    if "respond-async" in prefer:
        return await _begun(desk, key, asked)
    if "text/event-stream" in accept:
        return AnswerEvents(desk, key, asked)
    async with desk.question(key, request.receive, seconds=_seconds(asked, desk.options.seconds)) as (token, account):
        with paid_by(account):
            answer = await desk.hydra(key).ask(asked.question, cancellation=token, **_arguments(asked))
        return JSONResponse(_document(desk, answer))


@router.get("", name="kept", response_model=list[shapes.Kept], responses=PROBLEMS)
async def recent(request: Request, limit: Annotated[int, Query(ge=1, le=100)] = 20) -> Response:
    """Return the newest kept answers."""
    desk, key = desk_and_key(request)
    return JSONResponse(await desk.read(key, lambda hydra: list_answers(hydra.traces, limit=limit)))


@router.get(
    "/{answer_id}",
    response_model=shapes.AnswerBody,
    responses={
        **PROBLEMS,
        202: {"model": shapes.JobState, "description": "It is being answered"},
        410: {"model": shapes.JobState, "description": "It ended without an answer"},
    },
)
async def one(answer_id: Id, request: Request) -> Response:
    """Return a kept answer, or the progress of its job."""
    desk, key = desk_and_key(request)
    try:
        return _answer_response(await find_answer(desk, key, answer_id))
    except NotFoundError:
        job = await asyncio.to_thread(desk.jobs(key).get, answer_id)
        if job is None or job.kind != "answer":
            raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such answer.") from None
        if job.state == "answered":  # since it was looked for
            return _answer_response(await find_answer(desk, key, answer_id))
        status = HTTPStatus.GONE if job.over else HTTPStatus.ACCEPTED
        return JSONResponse(_state(job), status, {"Retry-After": "1"} if not job.over else {})


@router.delete("/{answer_id}", status_code=202, responses={**PROBLEMS, 409: {"model": shapes.Problem}})
async def stop(answer_id: Id, request: Request) -> Response:
    """Stop a job, whichever worker answers it."""
    desk, key = desk_and_key(request)
    job = await asyncio.to_thread(desk.jobs(key).get, answer_id)
    if job is None or job.kind != "answer":  # loads are stopped by administrators
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such job.")
    if await asyncio.to_thread(desk.jobs(key).stop, answer_id) is not None:
        return JSONResponse({"id": answer_id, "state": "stopped"}, HTTPStatus.ACCEPTED)
    raise ProblemError(HTTPStatus.CONFLICT, f"The job is over: {job.state}.")


@router.get("/{answer_id}/explanation", responses=PROBLEMS)
async def explanation(
    answer_id: Id, request: Request, max_tokens: Annotated[int, Query(ge=200, le=20_000)] = 2_000
) -> Response:
    """Return how a kept answer came about, within a number of tokens.

    It has the steps, the kept paths, and the pruned paths with reasons.
    """
    desk, key = desk_and_key(request)
    return JSONResponse(explain_answer(await find_answer(desk, key, answer_id), max_tokens=max_tokens))


async def find_answer(desk: Desk, key: ApiKey, answer_id: str) -> Mapping[str, Any]:
    """Return a kept answer of the key's store. Raise NotFoundError."""
    return await desk.read(key, lambda hydra: hydra.show(answer_id))


def _arguments(asked: shapes.QuestionBody) -> dict[str, Any]:
    given = asked.model_dump(exclude={"question", "seconds"})
    return {name: value for name, value in given.items() if value}


class AnswerEvents(Response):
    """Sends a question's events (server-sent), then the answer or a problem, and frees the slot at once."""

    def __init__(self, desk: Desk, key: ApiKey, asked: shapes.QuestionBody) -> None:
        super().__init__(media_type="text/event-stream")
        self._desk, self._key, self._asked = desk, key, asked

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait for a slot, then answer. Raise ProblemError (429, 503) before anything is sent."""
        desk, asked = self._desk, self._asked
        tasks: list[asyncio.Task[None]] = []
        try:
            async with desk.question(self._key, receive, seconds=_seconds(asked, desk.options.seconds)) as paid:
                token, account = paid
                events = desk.hydra(self._key).stream(asked.question, cancellation=token, **_arguments(asked))
                with paid_by(account):  # the question begins here
                    tasks.append(asyncio.create_task(events.wait()))
                lines = EventSourceResponse(_event_lines(desk, events), ping=PING)
                tasks.append(asyncio.create_task(lines(scope, receive, send)))
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                await events.close()
            await tasks[-1]
        finally:
            for task in tasks:
                task.cancel()


async def _event_lines(desk: Desk, events: AnswerStream) -> AsyncIterator[dict[str, str]]:
    """Yield the events of a question that clients may see, then its answer or why there is none."""
    try:
        async for event in events:
            if event.what is not None:
                yield {"event": event.kind, "data": _line(event.to_json())}
        yield {"event": "answer", "data": _line(_document(desk, events.answer))}
    except HydraError as e:
        desk.watch.stopped.labels("late" if isinstance(e, StoppedError) else "failed").inc()
        problem = problem_of(e)
        yield {"event": "problem", "data": _line(document(problem.status, problem.detail, remedy=problem.remedy))}
    except (asyncio.CancelledError, GeneratorExit):
        desk.watch.stopped.labels("left").inc()
        raise


async def _begun(desk: Desk, key: ApiKey, asked: shapes.QuestionBody) -> Response:
    """Begin a job that answers next to the requests, and return it."""
    desk.check_room(key)
    account = await desk.take_question(key)
    identity, seconds = uuid.uuid4().hex[:12], _seconds(asked, desk.options.job_seconds)
    if not await asyncio.to_thread(desk.jobs(key).add, identity, seconds=seconds):
        if account is not None:
            await asyncio.to_thread(account.give_back_question)
        raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, "Too many jobs wait.", retry=30)
    with paid_by(account):  # the task is made in this context
        desk.spawn(_answer_job(desk, key, asked, identity, seconds))
    now = time.time()
    state = _state(ServiceJob(identity, "waiting", now, now, now + seconds, "", False))
    headers = {"Location": f"/v1/answers/{identity}", "Preference-Applied": "respond-async"}
    return JSONResponse(state, HTTPStatus.ACCEPTED, headers)


async def _answer_job(desk: Desk, key: ApiKey, asked: shapes.QuestionBody, identity: str, seconds: float) -> None:
    """Answer a job, with signs of life, until it is answered, stopped or late."""
    jobs, options = desk.jobs(key), {"answer_id": identity, **_arguments(asked)}
    state: State = "failed"
    why = "The worker ended."
    with desk.token(seconds) as token:
        beating = asyncio.create_task(_beats(jobs, identity, token))
        try:
            async with desk.turn(token, key):
                if not await asyncio.to_thread(jobs.begin, identity):
                    raise StoppedError(STOPPED)
                _document(desk, await desk.hydra(key).ask(asked.question, cancellation=token, **options))
                state, why = "answered", ""
        except StoppedError as e:
            state, why = "stopped", str(e)
            desk.watch.stopped.labels("job").inc()
        except HydraError as e:
            why = problem_of(e).detail
        except ProblemError as e:
            why = e.detail
        finally:
            beating.cancel()
            jobs.end(identity, state, why=why)


async def _beats(jobs: Jobs, identity: str, token: Cancellation) -> None:
    """Send signs of life, and check whether somebody wants the job stopped."""
    last = 0.0
    while True:
        job = await asyncio.to_thread(jobs.get, identity)
        if job is not None and job.stop:
            token.cancel(STOPPED)
        if time.monotonic() - last > BEAT:
            last = time.monotonic()
            await asyncio.to_thread(jobs.beat, identity)
        await asyncio.sleep(LOOK)


def _seconds(asked: shapes.QuestionBody, most: float) -> float:
    return min(asked.seconds or most, most)


def _document(desk: Desk, answer: Any) -> dict[str, Any]:
    doc = answer_json(answer)
    desk.watch.answers.labels(doc["verdict"]).inc()
    desk.watch.asking.observe(doc["seconds"].get("total", 0.0))
    return {**doc, "readable": readable(doc)}


def _answer_response(doc: Mapping[str, Any]) -> JSONResponse:
    return JSONResponse({**doc, "readable": readable(doc)})


def _state(job: ServiceJob) -> dict[str, Any]:
    times = {"made": job.made, "heartbeat": job.beat, "deadline": job.deadline}
    return {"id": job.id, "state": job.state, **times, "why": job.why}


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
