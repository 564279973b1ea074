"""Print how a load understood its tables, and write that as ``feeds.yaml`` next to the store for people to edit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.cli.terminal import note, warn
from hydra_kg.text.plain_text import clean

NAME: Final = "feeds.yaml"
_SHOWN: Final = 4
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_HEAD: Final = """\
# How hydra-kg understands tables. Edit it, then: hydra-kg load FOLDER --feeds feeds.yaml --replace
# rows: thing, part, pair, join or skip. To use a reference listed under "doubtful", move it to "references".
feeds:
"""


def tell(loads: Sequence[Mapping[str, Any]]) -> None:
    """Print in a few lines how tables were understood, if the loader described it."""
    for load in loads:
        described = load.get("described", {})
        for line in described.get("summary") or described.get("lines", ()):
            note(f"  {clean(line)}")


def keep(loads: Sequence[Mapping[str, Any]], store: str) -> None:
    """Write feeds' descriptions and pictures next to a store (``shop.db.feeds``), or print how an older one differs."""
    if "://" in store:
        return
    folder = Path(f"{Path(store).absolute()}.feeds")
    path = folder / NAME
    for load in loads:
        feed = load.get("described", {}).get("feed")
        if not feed:
            continue
        from hydra_kg.pages.join_picture import join_picture

        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            said = _add(path, str(load["name"]), feed)
            picture = path.with_name(f"{_UNSAFE.sub('_', str(load['name']))}.svg")
            picture.write_text(join_picture(str(load["name"]), feed), "utf-8")
        except OSError as e:
            warn(f"{path} could not be written: {e.strerror}.")
            return
        for line in said:
            note(f"  {line}")
        note(f"  A picture of the tables: {picture}")


def _add(path: Path, name: str, feed: Mapping[str, Any]) -> list[str]:
    """Append a feed to the file unless it is there. Return what was done, for people."""
    import yaml

    section = yaml.safe_dump({name: feed}, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    added = "".join(f"  {line}\n" for line in section.splitlines())
    before = path.read_text("utf-8") if path.exists() else _HEAD
    known = _feeds(before) if path.exists() else {}
    again = f"hydra-kg load … --feeds {path} --replace"
    if known is not None and name in known:
        if not (changed := list(differences(known[name], feed))):
            return [
                f"{path} describes {clean(name)} as it was understood now. To correct it, edit the file; then: {again}"
            ]
        more = f", and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        return [
            f"{path} stays as it is. Its {clean(name)} differs from this load: {'; '.join(changed[:_SHOWN])}{more}.",
            f"To load as the file says: {again}. To write it again, remove it first.",
        ]
    text = before + ("" if before.endswith("\n") else "\n") + added
    if known is None or _feeds(text) != {**known, name: feed}:
        return [
            f"{path} is left as it is, since it is not a readable feeds.yaml: {clean(name)} could not be added."
            " Correct or remove it, and load again."
        ]
    whole = path.with_name(f".{NAME}.new")
    whole.write_text(text, "utf-8")
    whole.replace(path)
    return [f"If something is wrong, edit {path}; then: {again}"]


def differences(before: object, now: Mapping[str, Any]) -> Iterator[str]:
    """Yield how two descriptions of a feed differ, the older one first: tables, rows, keys, columns, references."""
    old = before if isinstance(before, Mapping) else {}
    tables, new_tables = old.get("tables") or {}, now.get("tables") or {}
    for name in [*tables, *(n for n in new_tables if n not in tables)]:
        if name not in new_tables:
            yield f"{clean(name)} is gone"
        elif name not in tables:
            yield f"{clean(name)} is new"
        else:
            yield from _table_differences(clean(name), tables[name] or {}, new_tables[name])
    if "references" in old:
        had, has = _ends(old["references"]), _ends(now.get("references") or ())
        yield from (f"{clean(one)} is a reference there only" for one in had if one not in has)
        yield from (f"{clean(one)} is a reference in this load only" for one in has if one not in had)


def _table_differences(name: str, old: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each difference of a table from an older description, which they call "there"."""
    if "size" in old and old["size"] != now.get("size"):
        yield f"{name} has {now.get('size'):,} rows, {old['size']:,} there"
    for what in ("noun", "rows", "key", "name"):
        if what in old and old[what] != now.get(what):
            yield f"{what} of {name} is {_value(now.get(what))}, {_value(old[what])} there"
    columns, new = old.get("columns") or {}, now.get("columns") or {}
    for column, said in columns.items():
        role = (said or {}).get("role") if isinstance(said, Mapping) else None
        if column not in new or (role and role != new[column].get("role")):
            yield f"{name}.{clean(column)} is {new.get(column, {}).get('role', 'a reference')}, {role} there"


def _value(value: object) -> str:
    return clean("+".join(map(str, value)) if isinstance(value, list) else str(value)) or "none"


def _ends(references: object) -> list[str]:
    rows = references if isinstance(references, list | tuple) else ()
    return [
        f"{r.get('table')}.{'+'.join(map(str, r.get('columns') or ()))} → {r.get('to')}"
        for r in rows
        if isinstance(r, Mapping)
    ]


def _feeds(text: str) -> dict[str, Any] | None:
    """Return the feeds that a text describes, or None if it describes something else."""
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    feeds = found.get("feeds") if isinstance(found, dict) else None
    return feeds if isinstance(feeds, dict) else None
