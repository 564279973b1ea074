"""What a load took tables for: said in words, and written as ``feeds.yaml`` beside the store for people to edit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.cli.terminal import note, warn
from hydra_kg.pages.join_picture import join_picture
from hydra_kg.text.plain_text import clean

NAME: Final = "feeds.yaml"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_HEAD: Final = """\
# How hydra-kg understands tables. Edit it, then: hydra-kg load FOLDER --feeds feeds.yaml --replace
# rows: thing, part, pair, join or skip. A reference under "doubtful" is taken once it stands under "references".
feeds:
"""


def tell(loads: Sequence[Mapping[str, Any]]) -> None:
    """Say what was understood, where the loader described it."""
    for load in loads:
        for line in load.get("described", {}).get("lines", ()):
            note(f"  {clean(line)}")


def keep(loads: Sequence[Mapping[str, Any]], store: str) -> None:
    """Write the descriptions beside a store in a folder. A file that describes a feed otherwise is left alone."""
    if "://" in store:
        return
    path = Path(store).absolute().parent / NAME
    for load in loads:
        feed = load.get("described", {}).get("feed")
        if not feed:
            continue
        try:
            said = _add(path, str(load["name"]), feed)
            picture = path.with_name(f"feeds-{_UNSAFE.sub('_', str(load['name']))}.svg")
            picture.write_text(join_picture(str(load["name"]), feed), "utf-8")
        except OSError as e:
            warn(f"{path} could not be written: {e.strerror}.")
            return
        note(said)
        note(f"A picture of it: {picture}")


def _add(path: Path, name: str, feed: Mapping[str, Any]) -> str:
    """Append a feed to the file unless it is there. Returns what was done, for people."""
    import yaml

    section = yaml.safe_dump({name: feed}, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    added = "".join(f"  {line}\n" for line in section.splitlines())
    before = path.read_text("utf-8") if path.exists() else _HEAD
    known = _feeds(before) if path.exists() else {}
    if known is not None and name in known:
        if known[name] == feed:
            return f"{path} describes {clean(name)} as it was understood now."
        return (
            f"{path} describes {clean(name)} otherwise and is left as it is: --feeds {NAME} uses it; without the file"
            " it is written anew."
        )
    text = before + ("" if before.endswith("\n") else "\n") + added
    if known is None or _feeds(text) != {**known, name: feed}:
        return f"{path} is no file that a description of {clean(name)} could be added to, and is left as it is."
    whole = path.with_name(f".{NAME}.new")
    whole.write_text(text, "utf-8")
    whole.replace(path)
    return f"What was understood is in {path}: edit it, and load again with --feeds {NAME} --replace."


def _feeds(text: str) -> dict[str, Any] | None:
    """The feeds that a text describes; None if it is of another kind."""
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    feeds = found.get("feeds") if isinstance(found, dict) else None
    return feeds if isinstance(feeds, dict) else None
