"""A span for each attempt of a model, by the GenAI conventions of OpenTelemetry; with texts only if they are wanted."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from hydra_kg.domain import Completion
from hydra_kg.models.request import Request, Send
from hydra_kg.util import tracing

_PORTS = {"https": 443, "http": 80}


def record_spans(inner: Send) -> Send:
    """Return middleware that records a span for each attempt."""

    def send(request: Request) -> Completion:
        if tracing.tracer() is None:
            return inner(request)
        with tracing.span(f"chat {request.model}", _attributes(request), client=True) as span:
            span.put({}, content=lambda: {"gen_ai.input.messages": _messages(request)})
            reply = inner(request)
            found: dict[str, Any] = {
                "gen_ai.usage.input_tokens": reply.tokens_in,
                "gen_ai.usage.output_tokens": reply.tokens_out,
                "gen_ai.response.finish_reasons": ["length" if reply.cut else "stop"],
            }
            span.put(found, content=lambda: {"gen_ai.output.messages": _reply_text(reply)})
        return reply

    return send


def _attributes(request: Request) -> dict[str, Any]:
    """Return the span attributes of a request."""
    place = urlsplit(request.endpoint)
    found: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",  # the interface that is spoken; who answers is the server
        "gen_ai.request.model": request.model,
        "gen_ai.request.max_tokens": request.max_tokens,
        "gen_ai.request.temperature": request.temperature,
        "gen_ai.output.type": "text" if request.schema is None else "json",
    }
    if place.hostname:
        found["server.address"] = place.hostname
        found["server.port"] = place.port or _PORTS.get(place.scheme, 0)
    if request.step:
        found["hydra.step"] = request.step
    return found


def _messages(request: Request) -> str:
    parts = [{"role": m.get("role", ""), "parts": [_text(m.get("content", ""))]} for m in request.messages]
    return json.dumps(parts, ensure_ascii=False)


def _reply_text(reply: Completion) -> str:
    finish = "length" if reply.cut else "stop"
    return json.dumps(
        [{"role": "assistant", "parts": [_text(reply.text)], "finish_reason": finish}], ensure_ascii=False
    )


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}
