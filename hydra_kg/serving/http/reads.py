"""Serve what a store states: entities, facts by page, sources, and the exact line that a citation names."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import JSONResponse, Response

from hydra_kg.citations import label_of
from hydra_kg.client import Hydra
from hydra_kg.errors import HydraError, NotFoundError
from hydra_kg.ingest.cited import place_of, show_lines
from hydra_kg.pages.page import number_citations, web_link
from hydra_kg.serving.entity_facts import Direction, facts_about
from hydra_kg.serving.http import shapes
from hydra_kg.serving.http.answers import PROBLEMS, Id, find_answer
from hydra_kg.serving.http.desk import Desk, desk_and_key
from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.serving.shortening import entity_rows, load_rows
from hydra_kg.stores.trace_store import ServerTraces

T = TypeVar("T")

PATHS: Final = 20
"""Most paths that the query for Neo4j Browser shows."""

router = APIRouter(prefix="/v1", tags=["store"])

LOOKED: float = 6.0
"""Seconds that a cited line is searched for."""


@router.get("/entities", response_model=shapes.EntitiesBody, responses=PROBLEMS)
async def entities(
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=300)],
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> Response:
    """Return things with a name or alias, or with a similar one."""

    def look(hydra: Hydra) -> dict[str, Any]:
        with hydra.store.snapshot() as snapshot:
            return {"found": entity_rows(snapshot, name, limit=limit)}

    return JSONResponse(await _read(request, look))


@router.get("/facts", response_model=shapes.Facts, responses=PROBLEMS)
async def facts(
    request: Request,
    entity: Annotated[str, Query(min_length=1, max_length=300, description="id or name")],
    relation: Annotated[str, Query(max_length=300, description="words of the relation; all if empty")] = "",
    direction: Direction = "both",
    start: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=2_000)] = 50,
    each: Annotated[int, Query(ge=0, le=100, description="most facts of one relation; all if 0")] = 0,
) -> Response:
    """Return facts about a thing, a page at a time, with who states each and where."""

    def look(hydra: Hydra) -> dict[str, Any]:
        with hydra.store.snapshot() as snapshot:
            page = facts_about(
                snapshot, entity, relation=relation, direction=direction, start=start, limit=limit, each=each
            )
        node, after = page.entity.node, start + len(page.facts)
        rows = [
            {
                "relation": fact.relation,
                "predicate": fact.predicate,
                "object": fact.object,
                "unit": fact.unit,
                "id": fact.object_id,
                "out": fact.out,
                "qualifiers": fact.qualifiers[:10],
                "stated_by": [{"source": source, "locator": locator} for source, locator in fact.places[:10]],
            }
            for fact in page.facts
        ]
        doc = {"id": node.key, "name": label_of(node.name), "total": page.total, "facts": rows, "unread": page.unread}
        return {**doc, "next_start": after if after < page.total else None}

    return JSONResponse(await _read(request, look))


@router.get("/sources", response_model=shapes.Loads, responses=PROBLEMS)
async def sources(request: Request) -> Response:
    """Return what is loaded, with sources, licences and number of facts."""
    return JSONResponse({"loads": await _read(request, lambda hydra: load_rows(hydra.store.loads()))})


@router.get("/answers/{answer_id}/browser", response_model=shapes.BrowserBody, responses=PROBLEMS)
async def browser(request: Request, answer_id: Id) -> Response:
    """Return the address and the query that show a kept answer in Neo4j Browser, for stores on a server.

    The address names the server, so keys need the scope ``admin``.
    """
    desk, key = desk_and_key(request)
    if not (desk.options.open_ or key.may("admin")):
        raise ProblemError(HTTPStatus.FORBIDDEN, "Only a key with the scope 'admin' may see the server's address.")
    await find_answer(desk, key, answer_id)

    def look(hydra: Hydra) -> dict[str, str] | None:
        return hydra.traces.browse(answer_id, paths=PATHS) if isinstance(hydra.traces, ServerTraces) else None

    link = await _read(request, look)
    if link is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "The store is in a folder, which Neo4j Browser cannot open.")
    return JSONResponse(link)


@router.get("/answers/{answer_id}/citations/{n}", response_model=shapes.Place, responses=PROBLEMS)
async def citation(
    request: Request,
    answer_id: Id,
    n: Annotated[int, Path(ge=1, le=10_000)],
    numbered: Annotated[
        Literal["answer", "page"], Query(description="whose number it is: that of the answer's JSON, or of its page")
    ] = "answer",
) -> Response:
    """Return the line, row or passage of a kept answer's citation, with three lines around it.

    A file is read only if a load of the service's user has read it and it is unchanged. Otherwise ``why`` says why it
    is not read.
    """
    desk, key = desk_and_key(request)
    doc = await find_answer(desk, key, answer_id)

    def look(hydra: Hydra) -> dict[str, Any]:
        numbers = number_citations(doc)
        some = numbers.used() if numbered == "page" else doc["citations"]
        cited = next((c for c in some if c["n"] == n), None)
        if cited is None:
            raise NotFoundError(f"The answer has no citation {n}.")
        passages = (
            p.get("passage") or {} for p in [*doc["paths"], *(p for x in doc["explorations"] for p in x["paths"])]
        )
        at = cited["source"], cited["locator"]
        passage = next((p for p in passages if p and (p["source"], p["locator"]) == at), {})
        place = {
            "n": n,
            "source": cited["source"],
            "locator": cited["locator"],
            "url": web_link(cited.get("url") or ""),
        }
        states = numbers.statements.get(numbers.of(cited), [])
        place |= {"states": states, "passage": passage.get("text", ""), "state": "unknown"}
        return {**place, **_lines(hydra, cited)}

    return JSONResponse(await _read(request, look))


def _lines(hydra: Hydra, cited: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lines of the file if it is unchanged since it was loaded, otherwise why they are not shown."""
    try:
        place = place_of(cited["locator"], hydra.store.loads(), source=cited["source"])
    except NotFoundError:
        return {"lines": []}
    try:
        file, lines = show_lines(place, seconds=LOOKED)
    except NotFoundError:
        return {"lines": [], "why": f"{place.file} has no line {place.line:,}."}
    except (HydraError, OSError, sqlite3.Error):
        return {
            "lines": [],
            "why": f"Line {place.line:,} of {place.file} could not be read in {LOOKED:g} seconds.",
            "remedy": "On the machine of the service, hydra-kg sources line FILE:LINE says more.",
        }
    return {"state": file.state, "why": file.why, "remedy": file.remedy, "lines": [asdict(line) for line in lines]}


async def _read(request: Request, look: Callable[[Hydra], T]) -> T:
    desk: Desk = request.app.state.desk
    return await desk.read(request.scope["state"]["key"], look)
