"""The context of schema.org in a reduced form, so that JSON-LD that names it by address is read without a network."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

CONTEXT_IRIS: Final = frozenset(
    f"{scheme}://{host}{path}"
    for scheme in ("http", "https")
    for host in ("schema.org", "www.schema.org")
    for path in (
        "",
        "/docs/jsonldcontext.jsonld",
        "/docs/jsonldcontext.json",
        "/version/latest/schemaorgcontext.jsonld",
    )
)
"""Addresses of that context, without a slash at the end."""


@cache
def schema_org_context() -> dict[str, Any]:
    """Return the context. Callers must not change it."""
    context: dict[str, Any] = json.loads(files("hydra_kg_loaders.rdf").joinpath("schema_org.json").read_bytes())
    return context
