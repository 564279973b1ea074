"""Serve ``/v1/teachings``, ``/v1/saved`` and ``/v1/confirmations``: what people say about words and answers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from hydra_kg.client import Hydra
from hydra_kg.curation.teachings import check_entity, is_formula
from hydra_kg.fusion.gathering.confirmation import judge_stated_values
from hydra_kg.fusion.truth_discovery.source_history import FILE, History
from hydra_kg.serving.http import shapes
from hydra_kg.serving.http.answers import PROBLEMS
from hydra_kg.serving.http.background_jobs import begun
from hydra_kg.serving.http.desk import desk_and_key
from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.serving.http.loads import JOB

router = APIRouter(prefix="/v1", tags=["curation"])


class ConfirmationBody(BaseModel):
    """Whether a kept answer was right. ``value``: the only right value, of the answer or another one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answer_id: Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
    right: bool
    value: Annotated[str, Field(max_length=300)] = ""


class ConfirmedBody(BaseModel):
    """The sources whose statements were judged, each with its right values and its judged values so far."""

    id: str
    right: bool
    sources: dict[str, dict[str, int]]


Number = Annotated[int, Path(ge=1, le=1 << 53, description="of a teaching or of a saved question")]


@router.get("/teachings", response_model=shapes.TeachingsBody, responses=PROBLEMS)
async def teachings(request: Request) -> Response:
    """Return the meanings that people taught and that are in use."""
    desk, key = desk_and_key(request)
    found = await desk.read(key, lambda hydra: [one.to_json() for one in hydra.teachings.all()])
    return JSONResponse({"teachings": found})


@router.post("/teachings", status_code=201, response_model=shapes.TeachingRow, responses=JOB)
async def teach(asked: shapes.TeachingBody, request: Request) -> Response:
    """Teach what a phrase means: words or one thing. The next question uses it, and its answer says so.

    A meaning that begins with = is a formula over the columns of a table. That table is loaded again with it, as a job
    (202), whose result is the teaching.
    """
    desk, key = desk_and_key(request)
    if bool(asked.meaning) == bool(asked.entity):
        detail = "Say what the phrase means: words as meaning, or an id as entity."
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, detail)

    if is_formula(asked.meaning):
        order = {"number": 0, "phrase": asked.phrase, "meaning": asked.meaning, "author": asked.author or key.name}
        return await begun(desk, key, "formula", order, seconds=desk.options.load_seconds)

    def change(hydra: Hydra) -> dict[str, Any]:
        if asked.entity:
            with hydra.store.snapshot() as snapshot:
                check_entity(snapshot, asked.entity)
        meaning = asked.meaning or asked.entity
        author = asked.author or key.name
        return hydra.teachings.teach(asked.phrase, meaning, entity=bool(asked.entity), author=author).to_json()

    return JSONResponse(await desk.read(key, change), HTTPStatus.CREATED)


@router.delete("/teachings/{number}", response_model=shapes.TeachingRow, responses=JOB)
async def undo(number: Number, request: Request) -> Response:
    """Take a teaching out of use. For a formula its table is loaded again, as a job (202)."""
    desk, key = desk_and_key(request)
    known = await desk.read(key, lambda hydra: hydra.teachings.all())
    if any(one.number == number and is_formula(one.meaning) for one in known):
        return await begun(desk, key, "formula", {"number": number}, seconds=desk.options.load_seconds)
    return JSONResponse(await desk.read(key, lambda hydra: hydra.teachings.undo(number).to_json()))


@router.get("/saved", response_model=shapes.SavedBody, responses=PROBLEMS)
async def saved(request: Request) -> Response:
    """Return the questions that people saved with their answers."""
    desk, key = desk_and_key(request)
    return JSONResponse({"saved": await desk.read(key, lambda hydra: [one.to_json() for one in hydra.saved.all()])})


@router.post("/saved", status_code=201, response_model=shapes.SavedRow, responses=PROBLEMS)
async def save(asked: shapes.SaveBody, request: Request) -> Response:
    """Save the question of a kept answer with that answer."""
    desk, key = desk_and_key(request)
    found = await desk.read(key, lambda hydra: hydra.saved.save(hydra.show(asked.answer_id)).to_json())
    return JSONResponse(found, HTTPStatus.CREATED)


@router.delete("/saved/{number}", response_model=shapes.SavedRow, responses=PROBLEMS)
async def forget(number: Number, request: Request) -> Response:
    """Forget a saved question. Answers that were given stay."""
    desk, key = desk_and_key(request)
    return JSONResponse(await desk.read(key, lambda hydra: hydra.saved.remove(number).to_json()))


@router.post("/saved/check", status_code=202, response_model=shapes.JobBody, responses=JOB)
async def check(asked: shapes.CheckBody, request: Request) -> Response:
    """Ask all saved questions again as a job; the result says which answers change.

    With ``flip`` or ``drop``, the change is tried on links to the store's files before it counts.
    """
    desk, key = desk_and_key(request)
    if asked.flip and asked.drop:
        raise ProblemError(HTTPStatus.UNPROCESSABLE_ENTITY, "Give flip or drop, not both.")
    return await begun(desk, key, "saved", asked.model_dump(), seconds=desk.options.job_seconds)


@router.post("/confirmations", status_code=201, response_model=ConfirmedBody, responses=PROBLEMS)
async def confirm(asked: ConfirmationBody, request: Request) -> Response:
    """Say that a kept answer was right or wrong, so that later answers trust its sources more or less.

    An answer that is confirmed again is judged anew.
    """
    desk, key = desk_and_key(request)

    def change(hydra: Hydra) -> dict[str, Any]:
        doc = hydra.show(asked.answer_id)
        history = History(desk.folder(key) / FILE, frozen=hydra.settings.verification.history == "frozen")
        rows = judge_stated_values(doc, right=asked.right, answer=asked.value)
        counts = history.confirm(str(doc["id"]), rows)
        moved = sorted({source for source, _, _ in rows})
        sources = {s: {"right": counts[s][0], "judged": counts[s][1]} for s in moved}
        return {"id": doc["id"], "right": asked.right, "sources": sources}

    return JSONResponse(await desk.read(key, change), HTTPStatus.CREATED)
