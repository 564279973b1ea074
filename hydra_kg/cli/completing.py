"""Complete words in the shell: strategies, sources, ids of kept answers; without errors and without network."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import closing, redirect_stderr, suppress
from typing import TYPE_CHECKING, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")

_MOST = 50


def strategies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return names of installed strategies that complete the text. In a list with commas, complete the last name."""
    from importlib.metadata import entry_points

    return _after_commas(sorted(e.name for e in entry_points(group="hydra_kg.strategies")), incomplete)


def sources(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return names of the store's sources that complete the text. In a list with commas, complete the last name."""
    return _after_commas(_suppress_errors(lambda: _names(_folder(ctx))), incomplete)


def answers(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the ids of the newest kept answers with their questions, and ``last``."""
    found = _suppress_errors(lambda: _recent_answers(_folder(ctx)))
    every = [*found, *([("last", "the newest")] if found else [])]
    return [CompletionItem(key, help=question) for key, question in every if key.startswith(incomplete)]


def _names(store: Path | None) -> list[str]:
    if store is None:
        return []
    from hydra_kg.stores import open_store

    with closing(open_store(store)) as opened:
        loads = [load for load in opened.loads() if load["state"] != "dropped"]
    return sorted({n for load in loads for n in (load["name"], *(s["name"] for s in load["sources"]))})


def _recent_answers(store: Path | None) -> list[tuple[str, str]]:
    if store is None:
        return []
    from hydra_kg.stores.embedded.traces import SqliteTraces
    from hydra_kg.text.plain_text import shorten

    recent = SqliteTraces(store / "traces.sqlite").list(limit=_MOST)
    return [(k["id"], shorten(k["question"], 60)) for k in recent]


def _folder(ctx: click.Context) -> Path | None:
    """Return the folder of the store that the command line names so far, or None (no store, or a server)."""
    from hydra_kg.settings import load_settings
    from hydra_kg.stores import demo_store, is_apart, is_only_demo, is_store, store_path

    address = load_settings({"store": ctx.params.get("store") or None}, warn=lambda text: None).store
    path = demo_store() if is_only_demo(address) else store_path(address)
    return path if not is_apart(address) and is_store(path) else None


def _suppress_errors(find: Callable[[], list[T]]) -> list[T]:
    """Return what ``find`` finds, or nothing if it fails, without a message on the terminal."""
    with suppress(Exception), redirect_stderr(io.StringIO()):
        return find()
    return []


def _after_commas(names: list[str], incomplete: str) -> list[CompletionItem]:
    before, comma, last = incomplete.rpartition(",")
    return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(last)]
