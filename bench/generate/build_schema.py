"""Builds the Freebase schema that the Freebase loader ships: facts only, from the lists of the data pack.

    python bench/generate/build_schema.py [FOLDER]

The folder holds fb_roles.gz, fb_types.gz, reverse_properties.gz and properties_expecting_cvt.csv.gz.

Mediator types are the expected types of the properties that expect a mediator, and types of the user domains that are
outside ``common.topic`` and have several slots of their own (a type too many is harmless: a node with a name is never
a mediator). Of two reverse properties the one that comes first by name is canonical (a dump's own ``master_property``
overrides it). Expected literal types tell numbers and booleans, which the dump writes untyped, from strings that look
like them.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

LITERALS = {
    "type.int": "integer",
    "type.float": "float",
    "type.boolean": "boolean",
    "type.text": "string",
    "type.rawstring": "string",
    "type.uri": "string",
    "type.enumeration": "string",
    "type.id": "string",
    "type.key": "string",
}
OUT = Path(__file__).parents[2] / "loaders" / "hydra_kg_loaders" / "data" / "freebase_schema.json.gz"


def build(folder: Path) -> dict[str, list[str] | list[list[str]]]:
    """The lists by name, sorted."""
    roles = [(domain, name, expected) for domain, name, expected, *_ in rows(folder / "fb_roles.gz", 3)]
    topics = {child for child, _, parent, *_ in rows(folder / "fb_types.gz", 3) if parent == "common.topic"}
    expecting = {line.strip("/").replace("/", ".") for (line,) in rows(folder / "properties_expecting_cvt.csv.gz", 1)}
    expected = {name: type_ for _, name, type_ in roles}
    slots: dict[str, int] = {}
    for domain, _, _ in roles:
        slots[domain] = slots.get(domain, 0) + 1
    mediators = {expected[name] for name in expecting if name in expected}
    mediators |= {
        type_
        for type_, count in slots.items()
        if type_ not in topics and type_.startswith(("base.", "user.")) and count >= 2
    }
    pairs = {tuple(sorted(pair[:2])) for pair in rows(folder / "reverse_properties.gz", 2) if pair[0] != pair[1]}
    literal: dict[str, set[str]] = {kind: set() for kind in LITERALS.values()}
    for name, type_ in expected.items():
        if type_ in LITERALS:
            literal[LITERALS[type_]].add(name)
    return {
        "mediators": sorted(mediators),
        "reverse": sorted(map(list, pairs)),
        **{kind: sorted(names) for kind, names in sorted(literal.items())},
    }


def rows(path: Path, least: int) -> list[list[str]]:
    """The fields of each line that has enough of them."""
    with gzip.open(path, "rt", encoding="utf-8") as f:
        return [fields for line in f if len(fields := line.split()) >= least]


def main() -> None:
    """Write the file and say what is in it."""
    default = Path(os.environ.get("HYDRA_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
    schema = build(Path(sys.argv[1]) if len(sys.argv) > 1 else default / "freebase_schema")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(schema, ensure_ascii=True, separators=(",", ":")).encode()
    OUT.write_bytes(gzip.compress(text, 9, mtime=0))
    print({name: len(items) for name, items in schema.items()}, f"{OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
