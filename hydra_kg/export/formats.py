"""List the formats in which an answer can be written, by the name that ``hydra-kg export --format`` takes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

FORMATS: Final[Mapping[str, str]] = {
    "prov-o": "prov_formats:prov_turtle",
    "prov-jsonld": "prov_formats:prov_jsonld",
    "prov-json": "prov_formats:prov_json",
    "nquads": "rdf:nquads",
    "trig": "rdf:trig",
    "turtle": "rdf:turtle",
    "graphml": "tables:graphml",
    "csv": "tables:csv_table",
}
"""Format → module and function."""

ENDINGS: Final[Mapping[str, str]] = {
    ".nq": "nquads",
    ".trig": "trig",
    ".ttl": "turtle",
    ".graphml": "graphml",
    ".csv": "csv",
    ".jsonld": "prov-jsonld",
}
"""Format for each ending of a file name, if no format is given."""


def export_answer(answer: Mapping[str, Any], form: str) -> str:
    """Return an answer (``ask --json`` form) in one of :data:`FORMATS`."""
    module, _, name = FORMATS[form].partition(":")
    function = cast(
        "Callable[[Mapping[str, Any]], str]", getattr(importlib.import_module(f"hydra_kg.export.{module}"), name)
    )
    return function(answer)
