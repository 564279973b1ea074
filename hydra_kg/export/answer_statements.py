"""Represent the explored hops of an answer (``ask --json``) as statements with their path's relation and a source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from hydra_kg.util.fast_dataclass import dataclass

_UNSAFE: Final = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can contain; lone surrogates are among them."""


@dataclass(frozen=True, slots=True)
class ExportedNode:
    """An end of a statement: ``id`` is a key or a literal in N-Triples form, ``name`` is what people see."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ExportedStatement:
    """One statement of an answer's explored part, with its source.

    Attributes:
        predicate: key of the relation.
        text: the relation in words.
        source, fact, place, url: who states it and where; "" if this is not known.
        on_kept_path: whether the statement is on a path that was kept.
        cited: citation number, or 0.
    """

    subject: ExportedNode
    predicate: str
    object: ExportedNode
    text: str
    source: str = ""
    fact: str = ""
    place: str = ""
    url: str = ""
    on_kept_path: bool = True
    cited: int = 0


def statements(answer: Mapping[str, Any]) -> list[ExportedStatement]:
    """Return every statement of the explored part once; those of the answer's own paths come first."""
    found: dict[tuple[str, str, str, str, str], ExportedStatement] = {}
    for path in _paths(answer):
        for hop in path["hops"]:
            for s in _export_hop(hop, bool(path["kept"])):
                key = (s.subject.id, s.predicate, s.object.id, s.source, s.fact)
                if key not in found or (s.cited and not found[key].cited):
                    found[key] = s
    stated = {k[:3] for k in found if k[3]}
    return [s for k, s in found.items() if k[3] or k[:3] not in stated]


def nodes(stated: Iterable[ExportedStatement]) -> dict[str, ExportedNode]:
    """Return the ends of the statements by their ids."""
    return {n.id: n for s in stated for n in (s.subject, s.object)}


def safe_text(text: object) -> str:
    """Return a text that every format can contain: characters that XML cannot contain become U+FFFD."""
    return _UNSAFE.sub("\ufffd", str(text))


def _paths(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from answer["paths"]
    for exploration in answer["explorations"]:
        yield from exploration["paths"]


def _export_hop(hop: Mapping[str, Any], on_kept_path: bool) -> Iterator[ExportedStatement]:
    """Yield the statements of one hop, with their sources."""
    subject, target = _node(hop["subject"]), _node(hop["object"])
    keys = hop["predicate"].split("./", 1)
    via = _node(hop["via"]) if hop.get("via") else None
    if via is not None and len(keys) == 2:
        legs = [(subject, keys[0], via), (via, keys[1], target)]
    else:
        legs = [(subject, hop["predicate"], target)]
    for start, key, end in legs:
        # A key is that of the direction walked; where its source declares none for that it begins with ^.
        a, b = (end, start) if key.startswith("^") else (start, end)
        sources: list[Mapping[str, Any]] = hop["sources"] or [{}]
        for source in sources:
            yield ExportedStatement(
                a,
                key.removeprefix("^"),
                b,
                safe_text(hop["text"]),
                safe_text(source.get("source", "")),
                str(source.get("fact", "")),
                safe_text(source.get("locator", "")),
                safe_text(source.get("url", "")),
                on_kept_path,
                int(source.get("n", 0)),
            )


def _node(node: Mapping[str, Any]) -> ExportedNode:
    return ExportedNode(safe_text(node["id"]), safe_text(node["name"]))
