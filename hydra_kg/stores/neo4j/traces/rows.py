"""Turns a saved answer into rows for the graph: question, explorations, paths, hops, answers, citations, uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.text.plain_text import storable
from hydra_kg.util.fast_dataclass import dataclass, field

Doc = Mapping[str, Any]
Row = dict[str, Any]

LONGEST: Final = 300  # characters of a name or text that somebody may want to read in Browser
SOURCE_COLOURS: Final = 8  # colours of sources, over again where there are more
WIDTHS: Final = 5  # widths of lines, by confidence
LONGEST_ID: Final = 500  # characters of a text that an index takes as it is


@dataclass(frozen=True, slots=True)
class Trace:
    """Parameters of ``cypher/trace_*.cypher`` for one question; ``nodes`` maps node id → (key, name)."""

    question: Row
    explorations: list[Row] = field(default_factory=list)
    paths: list[Row] = field(default_factory=list)
    starts: list[Row] = field(default_factory=list)
    vias: list[Row] = field(default_factory=list)
    hops: list[Row] = field(default_factory=list)
    answers: list[Row] = field(default_factory=list)
    sources: list[Row] = field(default_factory=list)
    documents: dict[str, Row] = field(default_factory=dict)
    passages: list[Row] = field(default_factory=list)
    used: list[Row] = field(default_factory=list)
    claims: list[Row] = field(default_factory=list)
    findings: list[Row] = field(default_factory=list)
    nodes: dict[int, tuple[str, str]] = field(default_factory=dict)


def trace(doc: Doc, *, created: str, pushed: bool = False) -> Trace:
    """Return the rows of a saved answer (in the form of ``ask --json``). ``created`` is UTC in ISO 8601."""
    return _Tracer(doc, created, pushed).trace()


class _Tracer:
    """Converts one saved answer into rows. A path that both the answer and a phase have becomes one node."""

    def __init__(self, doc: Doc, created: str, pushed: bool) -> None:
        self.doc, self.id = doc, str(doc["id"])
        own = {
            k: doc[k] for k in "verdict label strategy agent abstained agreement amount confidence truncated".split()
        }
        self.out = Trace(
            {
                **_to_row(own),
                "id": self.id,
                "text": _text(doc["question"]),
                "answer_text": _text(doc["answer_text"]),
                "dissent": [_text(d) for d in doc.get("dissent", ())],
                "created": created,
                "pushed": pushed,
            }
        )
        self.known: dict[Any, str] = {}
        self.seen: set[Any] = set()

    def trace(self) -> Trace:
        phases: dict[str, int] = {}
        answering = set(map(_identity, self.doc["paths"]))
        for n, x in enumerate(self.doc["explorations"]):
            name = f"{self.id}/{n}"
            phases.setdefault(x["phase"], n)
            counts = {k: v for k, v in x["counts"].items() if k.isidentifier()}
            self.out.explorations.append(
                {
                    **counts,
                    "id": name,
                    "i": n,
                    "phase": _text(x["phase"]),
                    "indicator": _text(x["indicator"]),
                    "depth": x["depth"],
                    "truncated": x["truncated"],
                    "left_out": x["left_out"],
                    "summary": f"{_text(x['phase'])}: {sum(p['kept'] for p in x['paths'])} of"
                    f" {len(x['paths'])} paths selected",
                    "topics": [_text(t["name"] or t["id"]) for t in x["topics"]],
                }
            )
            places = {True: 0, False: 0}
            for p in sorted(x["paths"], key=lambda p: int(p["rank"])):
                places[bool(p["kept"])] += 1
                place = 0 if _identity(p) in answering else places[bool(p["kept"])]
                self.path(p, f"{name}/{p['rank']}", exploration=n, rank=p["rank"], place=place)
            self.claims(x.get("claims", ()), name)
        because: dict[str, list[str]] = {}
        for i, p in enumerate(self.doc["paths"], 1):
            n = phases.get(p["phase"], 0 if phases else -1)
            # Ranks begin at 1: what the answer took beside a phase's own list comes first.
            known = self.known.get(_identity(p))
            name = known or self.path(p, f"{self.id}/{n}/answer {i}", exploration=n, rank=0, place=0)
            self.uses(p, n)
            for node in p["answers"]:
                because.setdefault(node["id"], []).append(name)
        if not self.doc["abstained"]:
            for i, a in enumerate(self.doc["answers"], 1):
                self.answer(a, i, because)
            for i, f in enumerate(self.doc.get("findings", ()), 1):
                self.finding(f, i)
        return self.out

    def path(self, p: Doc, name: str, *, exploration: int, rank: int, place: int) -> str:
        """Add one path that a phase found. Return its id, which is ``name``.

        ``place`` counts from 1 among its kept or pruned paths; it is 0 for paths of the answer.
        """
        is_kept = bool(p["kept"]) or place == 0
        scores = {k: v for k, v in p["scores"].items() if v is not None}
        fids = sorted({int(f["fact"], 16) for f in _facts(p)}) if is_kept else None
        cross = scores.get("cross") or scores.get("relevance") or 0.0
        self.out.paths.append(
            {
                "exploration": f"{self.id}/{exploration}",
                "found": {
                    "rank": rank,
                    "place": place,
                    "kept": is_kept,
                    **scores,
                    "reason": _text(p.get("reason", "")),
                },
                "path": {
                    "id": name,
                    "kept": is_kept,
                    "text": _text(p["text"]),
                    "score": f"{cross:.2f}",
                    "fids": fids,
                    "caption": f"path {rank} {cross:.2f}" if rank else f"path {cross:.2f}",
                },
            }
        )
        self.known.setdefault(_identity(p), name)
        if p["hops"]:
            self.out.starts.append({"path": name, "node": self.node(p["hops"][0]["subject"])})
        for i, h in enumerate(p["hops"], 1):
            self.hop(h, i, name, kept=is_kept)
        if is_kept:
            self.cite(p, name)
            self.uses(p, exploration)
        return name

    def hop(self, h: Doc, i: int, path: str, *, kept: bool) -> None:
        direction = "forward" if h["forward"] else "backward"
        row: Row = {
            "i": i,
            "predicate": _text(h["predicate"]),
            "text": _text(h["text"] or h["predicate"]),
            "direction": direction,
            "subject": self.node(h["subject"]),
        }
        if kept:
            if h.get("via"):
                self.out.vias.append({"path": path, "node": self.node(h["via"])})
            row["fid"] = [int(f["fact"], 16) for f in h["sources"]]
            row["sources"] = [storable(f["source"]) for f in h["sources"]]
            row["locators"] = [_text(f["locator"]) for f in h["sources"]]
        self.out.hops.append({"path": path, "node": self.node(h["object"]), "hop": row})

    def claims(self, claims: Sequence[Doc], exploration: str) -> None:
        """Add the nodes of homologous groups, with colour by source and width by confidence.

        Both are stored as names that a style sheet of Neo4j Browser knows.
        """
        colour_of = {name: n % SOURCE_COLOURS + 1 for n, name in enumerate(sorted({c["source"] for c in claims}))}
        for i, c in enumerate(claims, 1):
            trust = float(c["confidence"] or 0)
            self.out.claims.append(
                {
                    "exploration": exploration,
                    "subject": self.node(c["subject"]),
                    "object": self.node(c["object"]),
                    "voice": f"HydraVoice{colour_of[c['source']]}",
                    "says": f"SAYS_{min(WIDTHS, int(trust * WIDTHS) + 1)}",
                    "properties": {
                        "id": f"{exploration}/claim {i}",
                        "source": storable(c["source"]),
                        "attribute": _text(c["attribute"]),
                        "confidence": trust,
                        "believed": c["believed"],
                        "caption": _text(f"{c['source']} {trust:.2f}"),
                    },
                }
            )

    def answer(self, a: Doc, i: int, because: Mapping[str, list[str]]) -> None:
        key = a["id"] if a["id"] is not None else a.get("value")
        row = {"id": f"{self.id}/answer {i}", "i": i, "text": _text(a["name"]), "score": a["score"]}
        node = self.node({"id": key, "name": a["name"]}) if key is not None else None
        self.out.answers.append(
            {"properties": row, "node": node, "paths": list(dict.fromkeys(because.get(str(key), ())))}
        )

    def finding(self, f: Doc, i: int) -> None:
        """Add a sentence that supports the first answer or another value."""
        passage = f["passage"]
        against = f["stance"] != "agrees"
        self.out.findings.append(
            {
                "stance": "OPPOSED_BY" if against else "BACKED_BY",
                "document": self.document(passage),
                "cites": {"locator": _text(passage["locator"]), "passage": passage["id"]},
                "properties": {
                    "id": f"{self.id}/finding {i}",
                    "value": _text(f["value"]),
                    "likeness": f["likeness"],
                    "source": storable(passage["source"]),
                    "text": _text(passage["text"]),
                    "locator": _text(passage["locator"]),
                    "caption": _text(f"{passage['source']} {'says' if against else 'agrees:'} {f['value']}"),
                },
            }
        )

    def cite(self, p: Doc, path: str) -> None:
        first: dict[str, Doc] = {}
        for f in _facts(p):
            first.setdefault(f["source"], f)
        for source, f in first.items():
            cites = {"locator": _text(f["locator"]), **({"n": f["n"]} if "n" in f else {})}
            self.out.sources.append({"path": path, "source": storable(source), "cites": cites})
        if passage := p.get("passage"):
            cites = {
                "passage": passage["id"],
                "locator": _text(passage["locator"]),
                "text": _text(p.get("sentence") or passage["text"]),
            }
            self.out.passages.append({"path": path, "document": self.document(passage), "cites": cites})

    def document(self, passage: Doc) -> str:
        where = passage.get("url") or passage["title"]
        key = _index_key(f"{passage['source']} {where}")
        self.out.documents.setdefault(
            key,
            {"id": key, "title": _text(passage["title"]), "url": _text(where), "source": storable(passage["source"])},
        )
        return key

    def uses(self, p: Doc, exploration: int) -> None:
        """Add one row per fact and phase, and per passage and phase. Facts of pruned paths are not used."""
        for h in p["hops"] if p["kept"] else ():
            for f in h["sources"]:
                if (mark := (exploration, f["source"], f["fact"])) not in self.seen:
                    self.seen.add(mark)
                    used = {"source": storable(f["source"]), "fid": int(f["fact"], 16), "exploration": exploration}
                    self.out.used.append({"node": self.node(h["object"]), "document": None, "used": used})
        passage = p.get("passage") if p["kept"] else None
        if passage and (mark := (exploration, passage["source"], passage["id"])) not in self.seen:
            self.seen.add(mark)
            used = {"source": storable(passage["source"]), "passage": passage["id"], "exploration": exploration}
            self.out.used.append({"node": None, "document": self.document(passage), "used": used})

    def node(self, node: Doc) -> int:
        number = ids.encode(node["id"])
        self.out.nodes.setdefault(number, (_text(node["id"]), _text(node["name"] or node["id"])))
        return number


def _facts(p: Doc) -> Iterator[Doc]:
    for h in p["hops"]:
        yield from h["sources"]


def _identity(p: Doc) -> Any:
    """Return a value that is equal for equal paths of a document."""
    hops = tuple(
        (h["subject"]["id"], h["predicate"], h["object"]["id"], (h.get("via") or {}).get("id")) for h in p["hops"]
    )
    return p["phase"], hops, "" if hops else p["text"]


def _text(text: object) -> str:
    """Return a text that the server accepts, cut to a length that is easy to read."""
    line = storable(str(text))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _to_row(values: Mapping[str, Any]) -> Row:
    return {k: storable(v) if isinstance(v, str) else v for k, v in values.items()}


def _index_key(text: str) -> str:
    text = storable(text)
    if len(text) <= LONGEST_ID:
        return text
    return f"{text[:LONGEST_ID]} {hashlib.sha256(text.encode()).hexdigest()}"
