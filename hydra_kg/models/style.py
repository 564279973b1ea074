"""The optional parameters that an endpoint accepts, learned from its refusals and remembered in the process."""

from __future__ import annotations

import re
from typing import Literal

from hydra_kg.util.fast_dataclass import dataclass, replace

Form = Literal["json_schema", "json_object", "text"]

_FORMAT = re.compile(r"response_format|json_schema|json_object|structured|grammar|schema|json mode", re.IGNORECASE)

_LENGTH = re.compile(r"context (length|size|window)|too (long|large|many)|exceed", re.IGNORECASE)


def about_form(refusal: str) -> bool:
    """Return True if a refusal is about the required form of the reply."""
    return bool(_FORMAT.search(refusal))


@dataclass(frozen=True, slots=True)
class Style:
    """Parameters that an endpoint accepts.

    - ``form``: the form that the reply is asked to have.
    - ``limit``: the name of the parameter for the length limit.
    - ``without``: the parameters that are left out.
    """

    form: Form = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    without: frozenset[str] = frozenset()

    def softer(self, refusal: str, *, schema: bool, logprobs: bool, proven: bool) -> Style | None:
        """Return the next style to try after a refusal, without the parameter that it names, or None if there is none.

        ``proven`` is True if the endpoint has already accepted the form. The form is then given up only if the refusal
        is about it.
        """
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
