"""Render HTML from the templates of this package. Every text is escaped unless a template gets it as markup."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hydra_kg.text.plain_text import clean

_FOLDER = Path(__file__).with_name("templates")


def render_template(template: str, values: Mapping[str, Any]) -> str:
    """Return a page or a part of one, with texts unchanged."""
    return _environment(None).get_template(template).render(values)


def render_clean(template: str, values: Mapping[str, Any]) -> str:
    """Return the same with each text as one line that hides nothing: see :func:`hydra_kg.text.plain_text.clean`."""
    return _environment(_clean_texts).get_template(template).render(values)


def _clean_texts(value: Any) -> Any:
    return value if isinstance(value, Markup) else clean(value)


@lru_cache(maxsize=2)
def _environment(finalize: Callable[[Any], Any] | None) -> Environment:
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
