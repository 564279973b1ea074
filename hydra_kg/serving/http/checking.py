"""Serve ``/v1/check`` and ``/v1/answers/ID/why-not``: check texts sentence by sentence, and explain missing answers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from hydra_kg.checking.draft import check_text_as_json
from hydra_kg.checking.missing_answer import explain_missing
from hydra_kg.serving.http import shapes
from hydra_kg.serving.http.answers import PROBLEMS, Id, find_answer
from hydra_kg.serving.http.desk import Desk
from hydra_kg.util.cancelling import under

router = APIRouter(prefix="/v1", tags=["answers"])


@router.post("/check", response_model=shapes.CheckedText, responses=PROBLEMS)
async def check(asked: shapes.TextBody, request: Request) -> Response:
    """Mark each sentence of a text stated, contradicted or not found, with the lines that say so.

    The check counts as one question.
    """
    desk: Desk = request.app.state.desk
    key = request.scope["state"]["key"]
    hydra = desk.hydra(key)
    async with desk.question(key, request.receive, seconds=desk.options.seconds) as (token, _):
        with under(token):  # the thread is started in this context
            return JSONResponse(await hydra.call(check_text_as_json, hydra.hydra, asked.text))


@router.get("/answers/{answer_id}/why-not", response_model=shapes.MissingAnswerBody, responses=PROBLEMS)
async def why_not(
    answer_id: Id,
    request: Request,
    expected: Annotated[str, Query(min_length=1, max_length=300, description="name or id of the missing answer")],
) -> Response:
    """Explain why a kept answer does not name an expected one."""
    desk: Desk = request.app.state.desk
    key = request.scope["state"]["key"]
    doc = await find_answer(desk, key, answer_id)
    return JSONResponse(await desk.read(key, lambda hydra: explain_missing(hydra, doc, expected).to_json()))
