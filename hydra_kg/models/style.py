"""Which optional parameters an endpoint takes: found out by its refusals, remembered while the process lives."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Form = Literal["json_schema", "json_object", "text"]

_FORMAT = re.compile(r"response_format|json_schema|json_object|structured|grammar|schema|json mode", re.IGNORECASE)

_LENGTH = re.compile(r"context (length|size|window)|too (long|large|many)|exceed", re.IGNORECASE)


def about_form(refusal: str) -> bool:
    """Whether a refusal is about the form that the reply should have."""
    return bool(_FORMAT.search(refusal))


@dataclass(frozen=True, slots=True)
class Style:
    """Parameters that an endpoint accepts. ``limit``: name of the length limit · ``without``: those left out."""

    form: Form = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    without: frozenset[str] = frozenset()

    def softer(self, refusal: str, *, schema: bool, logprobs: bool, proven: bool) -> Style | None:
        """Return the next style after a refusal, with less than it names, or None; ``proven``: the form stays."""
        if self.limit == "max_tokens" and "max_completion_tokens" in refusal:
            return replace(self, limit="max_completion_tokens")
        optional = ("stream_options", "temperature", *(("logprobs",) if logprobs else ()))
        for name in optional:
            if name in refusal and name not in self.without:
                return replace(self, without=self.without | {name})
        mute = not proven and not _LENGTH.search(refusal)
        if schema and self.form != "text" and (about_form(refusal) or mute):
            return replace(self, form="json_object" if self.form == "json_schema" else "text")
        return None
