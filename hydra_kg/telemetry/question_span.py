"""Trace a whole question in one span: who answers, the result and the cost; and of its text only what is wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.util import tracing

if TYPE_CHECKING:
    from hydra_kg.answer import Answer
    from hydra_kg.settings import Settings

NAME: Final = "invoke_workflow hydra-kg"


def trace_question(
    settings: Settings, question: str, ask: Callable[[], Answer], *, warn: Callable[[str], None] | None
) -> Answer:
    """Return the result of ``ask``, traced if the settings say so. Raise SettingsError if packages are missing."""
    if not settings.telemetry.spans:
        return ask()
    from hydra_kg.telemetry.spans import tracer_of

    if (tracer := tracer_of(settings, warn=warn)) is None:
        return ask()
    about = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "hydra-kg"}
    with tracing.trace_with(tracer), tracing.span(NAME, about) as span:
        span.put({}, content=lambda: {"gen_ai.input.messages": messages("user", question)})
        answer = ask()
        span.put(
            _attributes(answer), content=lambda: {"gen_ai.output.messages": messages("assistant", answer.answer_text)}
        )
    return answer


def messages(role: str, text: str) -> str:
    """Return one message as the conventions write it: JSON, a list of parts."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}], ensure_ascii=False)


def _attributes(answer: Answer) -> Mapping[str, Any]:
    """Return the span attributes of an answered question."""
    found: dict[str, Any] = {
        "hydra.strategy": answer.strategy,
        "hydra.agent": answer.agent,
        "hydra.answer.id": answer.id,
        "hydra.answer.verdict": answer.verdict,
        "hydra.answer.confidence": round(answer.confidence, 4),
        "hydra.answer.abstained": answer.abstained,
        "hydra.answer.count": len(answer.answers),
        "hydra.answer.paths": len(answer.evidence),
        "hydra.answer.truncated": answer.truncated,
    }
    if answer.usage.calls:
        found["hydra.model.calls"] = answer.usage.calls
        found["gen_ai.usage.input_tokens"] = answer.usage.tokens_in
        found["gen_ai.usage.output_tokens"] = answer.usage.tokens_out
    return found
