"""Every number that a request may have is bounded, and whole numbers may be written as 890.0."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from hydra_kg.serving.http.app import make_app
from hydra_kg.serving.http.gate.guard import Guard
from hydra_kg.serving.http.gate.options import ServeOptions
from hydra_kg.serving.http.shapes import FusionBody, QuestionBody
from hydra_kg.serving.mcp import McpTools, server
from hydra_kg.serving.wording.replies import Worded

Json = dict[str, Any]


def unbounded(schema: Any, place: str) -> Iterator[str]:
    """Places of numbers in a JSON schema that have no lower or no upper bound."""
    if isinstance(schema, list):
        for at, part in enumerate(schema):
            yield from unbounded(part, f"{place}/{at}")
    elif isinstance(schema, dict):
        if schema.get("type") in {"number", "integer"} and not (
            schema.keys() & {"minimum", "exclusiveMinimum"} and schema.keys() & {"maximum", "exclusiveMaximum"}
        ):
            yield place
        for name, part in schema.items():
            yield from unbounded(part, f"{place}/{name}")


def requests(document: Json) -> Iterator[tuple[str, Json]]:
    """Schemas of the parameters and bodies of an OpenAPI document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", []):
                yield f"{method} {path} {parameter['name']}", parameter["schema"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                reference = content["schema"].get("$ref", "").rpartition("/")[2]
                yield f"{method} {path}", document["components"]["schemas"].get(reference, content["schema"])


def test_every_number_of_a_request_is_bounded():
    worded = make_app(ServeOptions())
    assert isinstance(worded, Worded)
    guard = worded.app
    assert isinstance(guard, Guard)
    schemas = dict(requests(guard.app.openapi()))  # type: ignore[attr-defined]
    assert sum("integer" in str(schema) or "number" in str(schema) for schema in schemas.values()) > 8
    assert [place for name, schema in schemas.items() for place in unbounded(schema, name)] == []


def test_every_number_of_a_tool_is_bounded():
    tools = asyncio.run(server(McpTools(lambda: pytest.fail("nothing is asked"))).list_tools())
    schemas = {tool.name: tool.input_schema for tool in tools}
    assert sum("integer" in str(schema) for schema in schemas.values()) == 8
    assert [place for name, schema in schemas.items() for place in unbounded(schema, name)] == []


def test_a_whole_number_may_have_a_point():
    assert FusionBody.model_validate_json('{"attribute": "captain", "limit": 890.0}').limit == 890
    assert QuestionBody.model_validate_json('{"question": "?", "depth": 2.0}').depth == 2


@pytest.mark.parametrize("limit", ["890.5", "true", '"890"', "1e300", "Infinity", "NaN", "null", "[1]"])
def test_what_is_no_whole_number_is_refused(limit: str):
    with pytest.raises(ValidationError):
        FusionBody.model_validate_json(f'{{"attribute": "captain", "limit": {limit}}}')


@pytest.mark.parametrize("seconds", ["5e-324", "0", "-1", "0.0999", "3600.1", "1e999", "NaN", "true"])
def test_seconds_that_no_question_could_keep_are_refused(seconds: str):
    with pytest.raises(ValidationError):
        QuestionBody.model_validate_json(f'{{"question": "?", "seconds": {seconds}}}')
