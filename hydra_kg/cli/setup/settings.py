"""``hydra-kg settings``: every knob with its value here, its default and the reason for it."""

from __future__ import annotations

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, out, table
from hydra_kg.text.plain_text import clean


@click.command(short_help="List all settings with default and reason.")
@json_option
@debug_option
def settings(*, as_json: bool) -> None:
    """List all settings: value, where it comes from, default, reason.

    A setting is given as HYDRA_NAME in the environment or as NAME in hydra.toml in this folder; the environment
    beats the file. An asterisk marks what differs from the default.
    """
    import os
    from dataclasses import fields
    from pathlib import Path

    from hydra_kg.settings import Settings, load_settings

    here, default, why = load_settings(), Settings(), reasons()
    in_file = _names_in(Path("hydra.toml"))
    rows = []
    for f in fields(Settings):
        origin = (
            "environment"
            if f"HYDRA_{f.name.upper()}" in os.environ
            else "hydra.toml"
            if f.name in in_file
            else "default"
        )
        rows.append(
            {
                "name": f.name,
                "value": getattr(here, f.name),
                "default": getattr(default, f.name),
                "from": origin,
                "reason": why.get(f.name, ""),
            }
        )
    if as_json:
        out(json_text(rows))
        return
    lines = [("setting", "value", "default", "reason")]
    for r in rows:
        mark = "" if r["value"] == r["default"] else "*"
        lines.append((f"{r['name']}{mark}", _shown(r["value"]), _shown(r["default"]), clean(r["reason"])))
    for line in table(lines):
        out(line)


def reasons() -> dict[str, str]:
    """The reason of each setting: the comment behind its definition, so that it is written in one place only."""
    import inspect
    import re

    from hydra_kg.settings import Settings

    try:
        source = inspect.getsource(Settings)
    except OSError:  # a frozen program has no source
        return {}
    return {m[1]: m[2].strip() for m in re.finditer(r"^    (\w+): [^\n#]*#([^\n]*)$", source, re.MULTILINE)}


def _shown(value: object) -> str:
    return '""' if value == "" else str(value)


def _names_in(path: object) -> set[str]:
    import tomllib
    from pathlib import Path

    file = Path(str(path))
    return set(tomllib.loads(file.read_text("utf-8"))) if file.is_file() else set()
