"""Load as an administrator: files of the inbox and small uploads, which wait until they are flipped; and jobs."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from hydra_kg.client import Hydra
from hydra_kg.errors import NotFoundError
from hydra_kg.ingest.appending import get_loaded_inputs
from hydra_kg.serving.corrections import correctable
from hydra_kg.serving.http import shapes, table_shapes
from hydra_kg.serving.http.answers import PROBLEMS
from hydra_kg.serving.http.background_jobs import ADMIN, begun, identity, job_json
from hydra_kg.serving.http.desk import Desk, desk_and_key
from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.serving.inbox import files_of, inbox_file, inbox_files, is_document, store_upload
from hydra_kg.serving.shared.service_keys import ApiKey
from hydra_kg.serving.shortening import short

router = APIRouter(prefix="/v1", tags=["loads"])

LoadName = Annotated[str, Path(pattern=shapes.SOURCE, max_length=80, description="of a load")]
JobId = Annotated[str, Path(pattern="^[0-9a-f]{12}$", description="of a job")]
JOB: Final[dict[int | str, dict[str, Any]]] = {
    **PROBLEMS,
    202: {"model": shapes.JobBody, "description": "A job; see Location"},
    409: {"model": shapes.Problem, "description": "A load of that name is waiting, or the job is over"},
}


class UploadBody(BaseModel):
    """An upload that waits for more files. ``batch``: its id, which the next file names."""

    batch: str
    files: list[str]


@router.get("/inbox", response_model=shapes.InboxBody, responses=PROBLEMS)
async def inbox(request: Request) -> Response:
    """Return the files that may be loaded, by name."""
    desk, key = desk_and_key(request)
    return JSONResponse({"files": await asyncio.to_thread(inbox_files, _inbox(desk, key))})


@router.get("/loads", response_model=shapes.AllLoads, responses=PROBLEMS)
async def loads(request: Request) -> Response:
    """Return the loads in use and those that wait to be flipped."""
    desk, key = desk_and_key(request)

    def look(hydra: Hydra) -> list[dict[str, Any]]:
        return [
            {
                "name": short(load["name"]),
                "state": "held" if load.get("held") else load["state"],
                "facts": load["facts"],
                "created": load["created"],
            }
            for load in hydra.store.loads()
        ]

    return JSONResponse({"loads": await desk.read(key, look)})


@router.post("/loads", status_code=202, response_model=shapes.JobBody, responses=JOB)
async def load(asked: shapes.LoadBody, request: Request) -> Response:
    """Load files of the inbox. The result waits until it is flipped; until then the loads in use stay."""
    desk, key = desk_and_key(request)
    folder = _inbox(desk, key)
    await _check_free(desk, key, asked.source)
    for name in asked.files:
        await asyncio.to_thread(inbox_file, folder, name)
    order = {**asked.model_dump(), "inbox": folder, "upload": ""}
    return await begun(desk, key, "load", order, seconds=desk.options.load_seconds)


@router.post(
    "/uploads",
    status_code=202,
    response_model=shapes.JobBody,
    responses={**JOB, 201: {"model": UploadBody, "description": "Stored; more files are to come"}},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "text/csv": {"schema": {}, "example": "ferry,pier\nAurora,Pier 7\n"},
                "text/tab-separated-values": {"schema": {}},
                "application/x-ndjson": {"schema": {}},
                "application/json": {"schema": {}},
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": {"schema": {}},
                "text/plain": {"schema": {}},
                "text/markdown": {"schema": {}},
                "text/html": {"schema": {}},
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document": {"schema": {}},
                "application/pdf": {"schema": {}},
            },
        }
    },
)
async def upload(
    request: Request,
    source: Annotated[str, Query(pattern=shapes.SOURCE, max_length=80, description="what the load is called")],
    kind: Annotated[
        Literal["csv", "tsv", "jsonl", "json", "xlsx", "txt", "md", "html", "docx", "pdf"],
        Query(description="of table or document"),
    ] = "csv",
    entity: Annotated[str, Query(max_length=300, description="the column that says what a row is about")] = "",
    file: Annotated[str, Query(max_length=200, description="what the file is called; like the source if empty")] = "",
    batch: Annotated[str, Query(pattern="^([0-9a-f]{12})?$", description="of the reply to an earlier file")] = "",
    more: Annotated[
        bool, Query(description="whether more files of the source follow, which are loaded together")
    ] = False,
) -> Response:
    """Load a small table or document from the body of the request. The result waits.

    Several tables with references between them, or several documents, are one source: send each with ``more=true``
    but the last, and all but the first with the ``batch`` of the first reply.
    """
    desk, key = desk_and_key(request)
    body, name = await request.body(), batch or identity()
    await _check_free(desk, key, source)
    used = files_of(await desk.read(key, lambda hydra: hydra.store.loads()))
    path = await asyncio.to_thread(
        store_upload,
        desk.folder(key),
        body,
        name=file or source,
        kind=kind,
        identity=name,
        used=used,
        joins=bool(batch),
    )
    if more:
        return JSONResponse({"batch": name, "files": sorted(one.name for one in path.parent.iterdir())}, 201)
    format_ = "documents" if is_document(path) else "tables" if entity else "feed"
    order = {
        "files": [],
        "inbox": "",
        "upload": str(path.parent),
        "source": source,
        "format": format_,
        "entity": "" if format_ == "documents" else entity,
        "strict": False,
    }
    return await begun(desk, key, "load", order, seconds=desk.options.load_seconds, name=name)


@router.get("/loads/{name}/mapping", response_model=table_shapes.MappingBody, responses=PROBLEMS)
async def mapping(name: LoadName, request: Request) -> Response:
    """Return how the tables of a load are understood: keys, names, columns, references with the evidence for them.

    A table that was loaded alone has ``columns`` with their roles, several tables are a ``feed``.

    If a load of that name waits to be flipped, it is the one that is described.
    """
    desk, key = desk_and_key(request)

    def look(hydra: Hydra) -> dict[str, Any]:
        load = correctable(hydra.store.loads(), name)
        again, why = True, ""
        try:
            get_loaded_inputs(load)
        except NotFoundError:
            again, why = False, "Its files are no longer where they were, or they have changed."
        described = load["details"]["described"]
        found = {part: described.get(part) for part in ("feed", "columns", "rows", "entities")}
        return {"name": name, "waits": bool(load.get("held")), **found, "again": again, "why": why}

    return JSONResponse(await desk.read(key, look))


@router.post("/loads/{name}/mapping", status_code=202, response_model=shapes.JobBody, responses=JOB)
async def correct(name: LoadName, asked: table_shapes.CorrectionBody, request: Request) -> Response:
    """Load the files of a load again with corrections, as a job. The result waits to be flipped."""
    desk, key = desk_and_key(request)
    await desk.read(key, lambda hydra: correctable(hydra.store.loads(), name))
    order = {"name": name, "feed": asked.feed, "columns": [one.model_dump() for one in asked.columns]}
    return await begun(desk, key, "correct", order, seconds=desk.options.load_seconds)


@router.post("/matches", status_code=202, response_model=shapes.JobBody, responses=JOB, tags=["matches"])
async def match(asked: shapes.MatchBody, request: Request) -> Response:
    """Compare the rows of two loads as a job: pairs that may be one thing, each with what agrees and what differs."""
    desk, key = desk_and_key(request)
    return await begun(desk, key, "match", {"feeds": asked.feeds}, seconds=desk.options.load_seconds)


@router.post("/matches/links", status_code=202, response_model=shapes.JobBody, responses=JOB, tags=["matches"])
async def link(asked: shapes.LinkBody, request: Request) -> Response:
    """Store judged pairs and link the rows that are one thing, as a job. ``DELETE /v1/sources/match-…`` undoes it."""
    desk, key = desk_and_key(request)
    return await begun(desk, key, "link", asked.model_dump(), seconds=desk.options.load_seconds)


@router.post("/loads/{name}/flip", status_code=202, response_model=shapes.JobBody, responses=JOB)
async def flip(name: LoadName, request: Request) -> Response:
    """Put a waiting load into use in one step. It replaces the load of the same name."""
    return await _start_change(request, "flip", name)


@router.delete("/loads/{name}", status_code=202, response_model=shapes.JobBody, responses=JOB)
async def discard(name: LoadName, request: Request) -> Response:
    """Remove a waiting load. The load in use stays."""
    return await _start_change(request, "discard", name)


@router.get("/jobs", response_model=shapes.JobsBody, responses=PROBLEMS, tags=["jobs"])
async def jobs(request: Request) -> Response:
    """Return the newest jobs of the store, without their results."""
    desk, key = desk_and_key(request)
    return JSONResponse({"jobs": [job_json(job) for job in await asyncio.to_thread(desk.jobs(key).list)]})


@router.get("/jobs/{job_id}", response_model=shapes.JobBody, responses=PROBLEMS, tags=["jobs"])
async def one(job_id: JobId, request: Request) -> Response:
    """Return the progress of a job, and its result once it is done: for an answer, the kept answer of this id."""
    desk, key = desk_and_key(request)
    job = await asyncio.to_thread(desk.jobs(key).get, job_id)
    if job is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such job.")
    return JSONResponse(job_json(job))


@router.delete("/jobs/{job_id}", status_code=202, response_model=shapes.JobBody, responses=JOB, tags=["jobs"])
async def stop(job_id: JobId, request: Request) -> Response:
    """Stop a job, whichever worker runs it. A waiting job never runs; a stopped load leaves nothing."""
    desk, key = desk_and_key(request)
    job = await asyncio.to_thread(desk.jobs(key).get, job_id)
    if job is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no such job.")
    scope = "admin" if job.kind in ADMIN else "ask"
    if not key.may(scope):
        raise ProblemError(HTTPStatus.FORBIDDEN, f"This key has no scope {scope!r}.")
    stopped = await asyncio.to_thread(desk.jobs(key).stop, job_id)
    if stopped is None:
        raise ProblemError(HTTPStatus.CONFLICT, f"The job is over: {job.state}.")
    return JSONResponse(job_json(stopped), HTTPStatus.ACCEPTED)


async def _start_change(request: Request, kind: Literal["flip", "discard"], name: str) -> Response:
    desk, key = desk_and_key(request)
    if name not in await _pending(desk, key):
        raise ProblemError(HTTPStatus.NOT_FOUND, "No load of that name is waiting.")
    return await begun(desk, key, kind, {"name": name}, seconds=desk.options.load_seconds)


async def _pending(desk: Desk, key: ApiKey) -> set[str]:
    rows = await desk.read(key, lambda hydra: hydra.store.loads())
    return {row["name"] for row in rows if row.get("held")}


async def _check_free(desk: Desk, key: ApiKey, source: str) -> None:
    """Raise ProblemError (409) if a load of this name is already waiting to be flipped."""
    if source in await _pending(desk, key):
        raise ProblemError(
            HTTPStatus.CONFLICT, "A load of that name is waiting already.", remedy="Flip it or discard it first."
        )


def _inbox(desk: Desk, key: ApiKey) -> str:
    """Return the inbox folder of a key's store: the service's for its own store, else the key's."""
    return key.inbox if key.store else key.inbox or desk.options.inbox
