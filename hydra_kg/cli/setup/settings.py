"""Define ``hydra-kg settings``: every setting with its value here, its default and what it does."""

from __future__ import annotations

import click

from hydra_kg.cli.options import debug_option, json_option
from hydra_kg.cli.terminal import json_text, out, out_all, table, warn
from hydra_kg.text.plain_text import clean


@click.command(short_help="List all settings with default and reason.")
@json_option
@debug_option
def settings(*, as_json: bool) -> None:
    """List all settings: value, where it comes from, default, reason.

    Set GROUP.NAME as HYDRA_GROUP_NAME in the environment, or as NAME under [GROUP] in hydra.toml in this folder or in
    your own configuration folder; the environment overrides the files. An asterisk marks what differs from the default.
    """
    from hydra_kg.settings import Settings, load_settings
    from hydra_kg.settings.loading import places
    from hydra_kg.settings.settings import descriptions

    here, default, found = load_settings(warn=warn).by_name(), Settings().by_name(), places()
    rows = [
        {
            "name": name,
            "value": here[name],
            "default": default[name],
            "from": found.get(name, "default"),
            "reason": reason,
        }
        for name, reason in descriptions().items()
    ]
    if as_json:
        out(json_text(rows))
        return
    lines = [("setting", "value", "default", "reason")]
    for r in rows:
        mark = "" if r["value"] == r["default"] else "*"
        lines.append((f"{r['name']}{mark}", _format_value(r["value"]), _format_value(r["default"]), clean(r["reason"])))
    out_all(table(lines))


def _format_value(value: object) -> str:
    return '""' if value == "" else str(value)
