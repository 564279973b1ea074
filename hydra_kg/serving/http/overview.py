"""Describe a store over HTTP: sources, classes, examples, names during typing, an entity's relations."""

from __future__ import annotations

import asyncio
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict
from starlette.responses import JSONResponse, Response

from hydra_kg import __version__
from hydra_kg.client import Hydra
from hydra_kg.serving.http import shapes
from hydra_kg.serving.http.answers import PROBLEMS
from hydra_kg.serving.http.background_jobs import begun
from hydra_kg.serving.http.desk import Desk, desk_and_key
from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.serving.http.loads import JOB
from hydra_kg.serving.shared.service_keys import ApiKey
from hydra_kg.serving.web import examples, overview
from hydra_kg.stores.impact import impact

router = APIRouter(prefix="/v1", tags=["overview"])

PAST: Final = 100
"""Number of kept answers that are searched for the beginning of a question."""

SourceName = Annotated[str, Path(min_length=1, max_length=300, description="of a load or of a source")]
EntityName = Annotated[str, Query(min_length=1, max_length=300, description="id or name")]


class SessionBody(BaseModel):
    """The sender of a request.

    ``keys``: whether the service needs keys. ``scopes``: those of the key. ``model``: whether a language model judges.
    """

    name: str
    keys: bool
    scopes: list[str]
    version: str
    model: bool


class StoreBody(BaseModel):
    """A store by name, with the loads in use and those that wait to be (``held``).

    ``server``: whether it is on a Neo4j server.
    """

    name: str
    server: bool
    facts: int
    loads: list[dict[str, Any]]


class SchemaBody(BaseModel):
    """The largest classes and relations. ``large``: the store is too large for its classes to be counted."""

    facts: int
    large: bool
    classes: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    class_count: int
    relation_count: int


class ExamplesBody(BaseModel):
    """Questions that were asked and answered. ``state``: "asking" while more may come."""

    state: str
    questions: list[dict[str, Any]]


class CompletionBody(BaseModel):
    """Things whose names begin with a text, and earlier questions that contain it."""

    things: list[dict[str, Any]]
    questions: list[dict[str, Any]]


class RelationsBody(BaseModel):
    """An entity and its relations with counts. ``out``: whether the entity is the subject."""

    model_config = ConfigDict(extra="allow")

    id: str
    name: str
    total: int
    relations: list[dict[str, Any]]


class PassagesBody(BaseModel):
    """Passages about an entity."""

    passages: list[dict[str, Any]]


class ImpactBody(BaseModel):
    """The kept answers that used a source. ``counts``: how many would lose all or some answers without it."""

    source: str
    counts: dict[str, int]
    questions: list[dict[str, Any]]


@router.get("/session", response_model=SessionBody, responses=PROBLEMS, tags=["service"])
async def session(request: Request) -> Response:
    """Return how the service identifies the sender of this request, and what that key may do."""
    desk, key = desk_and_key(request)
    doc = {"name": key.name, "keys": not desk.options.open_, "scopes": sorted(key.scopes), "version": __version__}
    doc["model"] = desk.options.agent != "offline"
    return JSONResponse(doc)


@router.get("/store", response_model=StoreBody, responses=PROBLEMS)
async def store(request: Request) -> Response:
    """Return the name of the store and its loads: dates, licences, counts, and what became of every line."""
    desk, key = desk_and_key(request)

    async def make() -> dict[str, Any]:
        rows = await desk.read(key, lambda hydra: overview.source_rows(hydra.store.loads()))
        name = desk.address(key).rstrip("/").rpartition("/")[2]
        facts = sum(r["facts"] for r in rows if not r["held"])
        return {"name": name, "server": "://" in desk.address(key), "facts": facts, "loads": rows}

    return await desk.replies.reply(request, desk.own_folder(key), make)


@router.get("/schema", response_model=SchemaBody, responses=PROBLEMS)
async def schema(request: Request, limit: Annotated[int, Query(ge=1, le=500)] = 40) -> Response:
    """Return the largest classes with examples, and the relations that join them.

    The first call after a load counts them.
    """
    desk, key = desk_and_key(request)

    async def make() -> dict[str, Any]:
        doc = (await _overview(desk, key))["schema"]
        return {**doc, "classes": doc["classes"][:limit], "relations": doc["relations"][:limit]}

    return await desk.replies.reply(request, desk.own_folder(key), make)


@router.get("/examples", name="examples", response_model=ExamplesBody, responses=PROBLEMS)
async def example_questions(request: Request) -> Response:
    """Return saved questions and questions made from facts, all of which were asked and answered.

    The first call after a load begins to ask them. Call again while ``state`` is "asking".
    """
    desk, key = desk_and_key(request)
    return await desk.replies.reply(
        request, desk.own_folder(key), partial(_examples, desk, key), lasting=lambda doc: doc["state"] == "ready"
    )


async def _examples(desk: Desk, key: ApiKey) -> dict[str, Any]:
    """Return saved questions and examples that the loaded data answer."""
    doc, saved = await _overview(desk, key), await desk.read(key, lambda hydra: hydra.saved.all())
    questions = [
        {"question": one.question, "answer": one.answer, "text": one.answer_text[:200], "chosen": one.is_chosen}
        for one in saved
    ]
    made = doc["questions"]
    if made is None:
        address = desk.address(key)
        loads, made = desk.asking_examples.get(address, ("", []))
        if loads != doc["loads"]:
            made = []
            desk.asking_examples[address] = (doc["loads"], made)
            desk.spawn(_ask_examples(desk, key, doc, made))
    state = "asking" if doc["questions"] is None else "ready"
    return {"state": state, "questions": (questions + made)[: examples.WANTED]}


async def _overview(desk: Desk, key: ApiKey) -> dict[str, Any]:
    """Return the overview of a key's store.

    Counting does not stop after the time limit of reading, because the next call would start again.
    """

    def look(hydra: Hydra) -> dict[str, Any]:
        with hydra.store.snapshot() as snapshot:
            return examples.load_overview(desk.folder(key), snapshot)

    hydra = desk.hydra(key)
    found: dict[str, Any] = await hydra.call(look, hydra.hydra)
    return found


async def _ask_examples(desk: Desk, key: ApiKey, doc: dict[str, Any], found: list[dict[str, Any]]) -> None:
    """Ask candidates one at a time, each in a slot of its own, so that people's questions come first."""
    hydra = desk.hydra(key)
    for candidate in doc["candidates"]:
        if len(found) == examples.WANTED:
            break
        with desk.token(desk.options.seconds) as token:
            async with desk.turn(token, key):
                found += await hydra.call(partial(examples.asked_example, hydra.hydra), candidate)
    await asyncio.to_thread(examples.write_overview, desk.folder(key), {**doc, "questions": found})


@router.get("/complete", response_model=CompletionBody, responses=PROBLEMS)
async def complete(
    request: Request,
    text: Annotated[str, Query(min_length=1, max_length=300, description="the beginning of a name or question")],
    question: Annotated[
        str, Query(max_length=2_000, description="what earlier questions contain; the text if empty")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=20)] = 6,
) -> Response:
    """Return names that begin with a text or are spelt similarly, with descriptions, and earlier questions with it."""
    desk, key = desk_and_key(request)

    def look(hydra: Hydra) -> dict[str, Any]:
        with hydra.store.snapshot() as snapshot:
            things = overview.completions(snapshot, text, limit=limit)
        low, seen = (question or text).lower(), dict[str, dict[str, Any]]()
        for row in hydra.traces.list(limit=PAST):
            if low in row["question"].lower() and not row["abstained"]:
                seen.setdefault(row["question"], {"question": row["question"], "answer": row["id"]})
        return {"things": things, "questions": list(seen.values())[:limit]}

    return JSONResponse(await desk.read(key, look))


@router.get("/relations", response_model=RelationsBody, responses=PROBLEMS)
async def relations(request: Request, entity: EntityName) -> Response:
    """Return an entity with its description and all ids, and its relations with counts."""
    desk, key = desk_and_key(request)

    def look(hydra: Hydra) -> dict[str, Any]:
        with hydra.store.snapshot() as snapshot:
            return overview.entity_relations(snapshot, entity)

    return JSONResponse(await desk.read(key, look))


@router.get("/passages", response_model=PassagesBody, responses=PROBLEMS)
async def passages(request: Request, entity: EntityName, limit: Annotated[int, Query(ge=1, le=50)] = 10) -> Response:
    """Return passages about an entity."""
    desk, key = desk_and_key(request)

    def look(hydra: Hydra) -> list[dict[str, Any]]:
        with hydra.store.snapshot() as snapshot:
            return overview.passage_rows(snapshot, entity, limit=limit)

    return JSONResponse({"passages": await desk.read(key, look)})


@router.get("/sources/{name}/impact", response_model=ImpactBody, responses=PROBLEMS)
async def source_impact(name: SourceName, request: Request) -> Response:
    """Return which kept answers used a source, and which would lose their only support without it."""
    desk, key = desk_and_key(request)
    return JSONResponse(await desk.read(key, lambda hydra: impact(hydra.traces, name)))


@router.delete("/sources/{name}", status_code=202, response_model=shapes.JobBody, responses=JOB)
async def drop(name: SourceName, request: Request) -> Response:
    """Drop a load that is in use, as a job. Once the job is done, nothing of the load is visible."""
    desk, key = desk_and_key(request)
    rows = await desk.read(key, lambda hydra: hydra.store.loads())
    if not any(row["name"] == name and row["state"] == "ready" for row in rows):
        raise ProblemError(HTTPStatus.NOT_FOUND, "No load of that name is in use.")
    return await begun(desk, key, "drop", {"name": name}, seconds=desk.options.load_seconds)
