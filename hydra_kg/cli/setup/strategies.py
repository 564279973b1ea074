"""Define ``hydra-kg strategies``: the names for ``--strategy``, with paper and defaults."""

from __future__ import annotations

from typing import Any

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, out
from hydra_kg.text.plain_text import clean


@click.command()
@json_option
@debug_option
def strategies(*, as_json: bool) -> None:
    """List the strategies: their papers and defaults.

    docs/strategies/ has the steps of each, as they ran.

    A package of yours adds one through the entry point group hydra_kg.strategies.
    """
    found = [_describe(name, load) for name, load in sorted(_entry_points().items())]
    if as_json:
        out(json_text(found))
        return
    for doc in found:
        out(clean(doc["name"]), bold=True)
        if doc.get("error"):
            out(f"  cannot be loaded: {clean(doc['error'])}")
            continue
        out(f"  {clean(doc['about'])}")
        if doc["paper"]:
            out(f"  paper     {clean(doc['paper'])}")
        if doc["needs_model"]:
            out("  needs     a language model")
        if doc["needs_web"]:
            out("  needs     a search engine")
        if doc["defaults"]:
            out("  defaults  " + ", ".join(f"{clean(k)}={clean(v)}" for k, v in doc["defaults"].items()))


def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {e.name: e.load for e in entry_points(group="hydra_kg.strategies")}


def _describe(name: str, load: Any) -> dict[str, Any]:
    """Return name, paper, needs and defaults of a strategy, or why it cannot be loaded."""
    from hydra_kg.strategies.registry import parameters_of

    try:
        strategy = load()
    except Exception as e:  # a foreign package may fail in any way; the others are still listed
        return {"name": name, "error": f"{type(e).__name__}: {e}"}
    defaults = parameters_of(strategy)
    return {
        "name": name,
        "about": (strategy.__doc__ or "").strip().split("\n\n")[0].replace("\n", " "),
        "paper": str(getattr(strategy, "paper", "")),
        "needs_model": bool(getattr(strategy, "needs_model", False)),
        "needs_web": bool(getattr(strategy, "needs_web", False)),
        "defaults": {k: v if isinstance(v, int | float | str | bool | None) else str(v) for k, v in defaults.items()},
    }
