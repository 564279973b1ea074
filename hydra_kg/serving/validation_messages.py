"""Explain in one sentence why a value is not valid, in words of our own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def explain_invalid(name: str, error: Mapping[str, Any]) -> str:
    """Return a sentence for the first error that pydantic found in the field ``name``."""
    if error["type"] == "string_unicode":
        return f"{name!r} is not valid: it contains a lone surrogate (half a character such as \\ud800)."
    text = re.sub(r"^\w+ should", "it should", str(error["msg"])).replace("Field required", "it is required")
    return f"{name!r} is not valid: {text[:200]}."
