"""Fuse conflicting claims: of one thing at once, of a whole attribute as a job; and show remaining budgets."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from hydra_kg.client import Hydra
from hydra_kg.fusion.conflicts.entity_fusion import document, fuse_entity
from hydra_kg.fusion.conflicts.fuse import across
from hydra_kg.fusion.truth_discovery.methods import method_named
from hydra_kg.fusion.truth_discovery.source_history import FILE, History
from hydra_kg.serving.http import shapes
from hydra_kg.serving.http.answers import PROBLEMS
from hydra_kg.serving.http.background_jobs import begun
from hydra_kg.serving.http.desk import Desk, desk_and_key
from hydra_kg.serving.http.gate.problems import ProblemError
from hydra_kg.serving.http.loads import JOB
from hydra_kg.serving.shared.day_budget import until_tomorrow
from hydra_kg.serving.shared.service_keys import Keys

router = APIRouter(prefix="/v1", tags=["fusion"])

METHOD: Final = "how to judge; the best measured if empty"


@router.get("/fusion", response_model=shapes.Fusion, responses=PROBLEMS)
async def entity(
    request: Request,
    entity: Annotated[str, Query(min_length=1, max_length=300, description="id or name")],
    attribute: Annotated[str, Query(max_length=300, description="in words; all if empty")] = "",
    method: Annotated[str, Query(max_length=80, pattern="^[a-z0-9-]*$", description=METHOD)] = "",
    places: Annotated[bool, Query(description="whether the place of each statement is given")] = False,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """Return the claims about a thing.

    Each attribute has its values, how probable each is, who states it, and the conflict if there is one. Attributes
    whose sources differ come first.
    """
    desk, key = desk_and_key(request)

    def look(hydra: Hydra) -> dict[str, Any]:
        records = History(desk.folder(key) / FILE).records()
        with hydra.store.snapshot() as snapshot:
            fused, stated = fuse_entity(snapshot, entity, method_named(method, records=records), attribute=attribute)
            groups = sorted(fused.groups(), key=lambda g: g.conflict is None)
            kinds = fused.conflicts()
            kinds.update(str(conflict.kind) for _, conflict in across(groups))
            by_id = {e.node.id: e.node for e in snapshot.entities(sorted({g.entity for g in groups}))}
        doc = document(fused, groups[:limit], by_id, kinds, stated if places else ())
        return {**doc, "left_out": max(len(groups) - limit, 0)}

    return JSONResponse(await desk.read(key, look))


@router.post("/fusion", status_code=202, response_model=shapes.JobBody, responses=JOB)
async def attribute(asked: shapes.FusionBody, request: Request) -> Response:
    """Fuse an attribute of all things as a job, which the day's budget counts as a question.

    The result has the counts, the sources with their reliability, and the groups whose sources differ most.
    """
    desk: Desk = request.app.state.desk
    key = request.scope["state"]["key"]
    account = await desk.take_question(key)
    try:
        return await begun(desk, key, "fusion", asked.model_dump(), seconds=desk.options.job_seconds)
    except ProblemError:
        if account is not None:
            await asyncio.to_thread(account.give_back_question)
        raise


@router.get("/budget", response_model=shapes.BudgetBody, responses=PROBLEMS, tags=["service"])
async def budget(request: Request) -> Response:
    """Return what the key of this request may spend in a day, and what it has spent today."""
    desk: Desk = request.app.state.desk
    key = request.scope["state"]["key"]
    limits = key.budget.limits
    spent: dict[str, int] = {}
    if limits:
        spent = await asyncio.to_thread(Keys(Path(desk.options.keys)).account(key).spent)
    used = {name: spent.get(name, 0) for name in limits}
    return JSONResponse({"limits": limits, "spent": used, "seconds_left": round(until_tomorrow())})
