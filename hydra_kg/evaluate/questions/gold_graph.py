"""Gold SPARQL over the facts of a store: they are loaded as RDF into pyoxigraph, with a time limit on queries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hydra_kg.ids import decode

if TYPE_CHECKING:
    from hydra_kg.ports import Stage


FREEBASE: Final = "http://rdf.freebase.com/ns/"
WIKIDATA: Final = "http://www.wikidata.org/"
DATE_TIME: Final = "urn:hydra-kg:dateTime"
"""The cast that queries call ``xsd:dateTime`` or ``xsd:datetime``; here it takes years and dates as well."""

PREFIXES: Final = {
    "ns": FREEBASE,
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "wikibase": "http://wikiba.se/ontology#",
    "bd": "http://www.bigdata.com/rdf#",
    "wd": f"{WIKIDATA}entity/",
    "wdt": f"{WIKIDATA}prop/direct/",
    "p": f"{WIKIDATA}prop/",
    "ps": f"{WIKIDATA}prop/statement/",
    "pq": f"{WIKIDATA}prop/qualifier/",
}

_LABELS = re.compile(r"SERVICE\s+wikibase:label\s*\{[^{}]*\}", re.IGNORECASE)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_TOKEN = re.compile(
    r"<[^<>\s]*>|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?P<cast>xsd:date[tT]ime(?=\s*\())"
    r"|(?<![\w:?$])(?P<prefix>\w*):(?P<name>[\w-]+(?:\.[\w-]+)*)|(?<![\w:?$])(?P<word>(?i:SERVICE)|OR|AND)\b"
)
_COMMENT = re.compile(r"(?m)#[^>\n]*$")
_PREFIX_LINE = re.compile(r"PREFIX\s+\S*\s*<[^>]*>", re.IGNORECASE)
# Freebase relations have three parts or more; ``:theater.play`` is a type and ``:m.042f1`` an entity. What type a
# thing has is no hop.
_FREEBASE = re.compile(
    rf"(?:<{re.escape(FREEBASE)}|(?<![\w/])(?:ns)?:)"
    r"((?!(?:[mg]\.|type\.object\.type\b))[a-z]\w*(?:\.\w+){2,})"
)
# p:P39/ps:P39 is one relation: the step to the statement node is not counted.
_WIKIDATA = re.compile(r"(?:prop/(?:direct|statement|qualifier)/|\b(?:wdt|ps|pq):)(P[1-9]\d*)")
ROWS: Final = 10_000
"""Largest number of answers of one query that are read."""

_SAFE: Final = re.compile(r"[^\s<>\"{}|\\^`\x00-\x20]+")
_TYPED: Final = re.compile(r'("(?:[^"\\\n\r]|\\.)*")\^\^xsd:(\w+)')
_LITERAL: Final = re.compile(r'"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^<[^\s<>"]+>)?')
_DATE: Final = re.compile(r"([+-]?\d{1,4})(?:-(\d\d))?(?:-(\d\d))?(T[\d:.]+)?(Z|[+-]\d\d:\d\d)?")
_NAMES: Final = {
    "name": (f"<{FREEBASE}type.object.name>", f"<{PREFIXES['rdfs']}label>"),
    "alias": (f"<{FREEBASE}common.topic.alias>", f"<{PREFIXES['skos']}altLabel>"),
}


def relations_of(query: str) -> tuple[str, ...]:
    """Return the relations of a gold query in order, with repetitions, as counted in HydraRAG Fig. 6 and PoG Fig. 5."""
    body = _QUOTED.sub('""', _PREFIX_LINE.sub("", _COMMENT.sub("", query)))
    return (*_FREEBASE.findall(body), *_WIKIDATA.findall(body))


def runnable(query: str) -> str:
    """Return the query in a form that a strict engine runs.

    ``||`` and ``&&`` replace Virtuoso's words, :data:`DATE_TIME` replaces casts, Freebase names become full IRIs, and
    the label service is removed. Raises ValueError for ``SERVICE``, because queries come from files.
    """
    text = _LABELS.sub("", _COMMENT.sub("", query))
    prefixes = {"ns", *re.findall(rf"PREFIX\s+(\w*):\s*<{re.escape(FREEBASE)}>", text, re.IGNORECASE)}

    def strict(match: re.Match[str]) -> str:
        prefix, name, word, cast = match.group("prefix", "name", "word", "cast")
        if prefix is not None and name and prefix in prefixes:
            return f"<{FREEBASE}{name}>"
        if cast:
            return f"<{DATE_TIME}>"
        if word and word.upper() == "SERVICE":
            raise ValueError("the query calls another server")
        return {"OR": "||", "AND": "&&"}.get(word or "", match[0])

    return _TOKEN.sub(strict, text)


class GoldGraph:
    """The part of a store's facts that some queries need, as RDF.

    It has both directions of reverse properties, Wikidata statement nodes without qualifiers, and the Freebase types of
    subjects (``a.b`` for ``a.b.c``).
    """

    def __init__(self, store: str, queries: Sequence[str]) -> None:
        import pyoxigraph

        text = "\n".join(queries)
        wanted = {r for q in queries for r in relations_of(q)} | {r for r in ("type.object.type",) if r in text}
        named = any(word in text for word in ("label", "type.object.name", "altLabel", "topic.alias"))
        everything = bool(re.search(r"[{.;]\s*(?:\?\w+|<[^>]+>|\w*:[\w.]+)\s+\?\w+\s+[?<\w:\"]", _bodies(queries)))
        statements = "statement/" in text or "ps:" in text
        self._graph = pyoxigraph.Store()
        for stage in _stages(store):
            typed = "type.object.type" in text
            lines = _lines(stage, None if everything else wanted, named=named, statements=statements, typed=typed)
            self._graph.bulk_load(BytesIO(b"".join(lines)), pyoxigraph.RdfFormat.N_TRIPLES, lenient=True)
        self._cast = {pyoxigraph.NamedNode(DATE_TIME): date_time}

    def __len__(self) -> int:
        return len(self._graph)

    def answers(self, query: str) -> list[dict[str, Any]]:
        """Return a query's results in the form of ``ask --json``, at most ``ROWS``.

        Raises ValueError or SyntaxError.
        """
        import pyoxigraph

        found = self._graph.query(runnable(query), prefixes=PREFIXES, custom_functions=self._cast)
        if isinstance(found, pyoxigraph.QueryBoolean):
            return [{"id": None, "name": str(bool(found)).lower()}]
        if not isinstance(found, pyoxigraph.QuerySolutions):
            raise ValueError("only SELECT and ASK are run")
        answers = []
        for row, solution in enumerate(found):
            if row >= ROWS:
                break
            if (term := solution[0]) is not None:
                answers.append(_answer(term))
        return answers


def _stages(address: str) -> Iterator[Stage]:
    """Yield a stage for each load of a store."""
    from hydra_kg.stores import open_store
    from hydra_kg.stores.copying import origin_of

    with (
        closing(open_store(address)) as store,
        origin_of(store) as loads,
        TemporaryDirectory(prefix="hydra-kg-") as scratch,
    ):
        for load in loads.loads:
            with loads.stage(load, Path(scratch), lambda facts: None) as stage:
                yield stage


def _lines(stage: Stage, wanted: set[str] | None, *, named: bool, statements: bool, typed: bool) -> Iterator[bytes]:
    """Yield the facts of a load with the wanted predicates as N-Triples."""
    rows = list(stage.predicates())
    reverse = {key: inverse for _, key, _, inverse in rows if inverse}
    chosen: dict[int, tuple[str, str]] = {}
    for number, key, _, inverse in rows:
        back = inverse or next((k for k, i in reverse.items() if i == key), "")
        forward = key if wanted is None or key in wanted else ""
        backward = back if back and (wanted is None or back in wanted) else ""
        if forward or backward:
            chosen[number] = (forward, backward)
    numbers = np.array(sorted(chosen), np.int64)
    texts = {int(n): t for ids, keys in stage.terms() for n, t in zip(ids, keys, strict=True)} if chosen else {}
    known: dict[int, str] = {}

    def term(number: int) -> str:
        if number not in known:
            known[number] = term_of(texts.get(number) or decode(number) or "")
        return known[number]

    nth = 0
    for batch in (*stage.links(), *stage.values()) if chosen else ():
        keep = np.isin(batch["p"], numbers)
        for s, p, o in zip(*(batch[c][keep].tolist() for c in "spo"), strict=True):
            forward, backward = chosen[p]
            subject, object_ = term(s), term(o)
            if not subject or not object_ or subject[0] == '"':
                continue
            if forward:
                yield f"{subject} {predicate_of(forward)} {object_} .\n".encode()
                if typed and forward.count(".") > 1:
                    kind = term_of(forward.rpartition(".")[0])
                    yield f"{subject} <{FREEBASE}type.object.type> {kind} .\n".encode()
                if statements and forward[0] == "P":
                    nth += 1
                    node = f"<urn:hydra-kg:statement:{id(stage)}:{nth}>"
                    yield f"{subject} <{WIKIDATA}prop/{forward}> {node} .\n".encode()
                    yield f"{node} <{WIKIDATA}prop/statement/{forward}> {object_} .\n".encode()
            if backward and object_[0] == "<":
                yield f"{object_} {predicate_of(backward)} {subject} .\n".encode()
                if typed and backward.count(".") > 1:
                    kind = term_of(backward.rpartition(".")[0])
                    yield f"{object_} <{FREEBASE}type.object.type> {kind} .\n".encode()
    for names in stage.names() if named else ():
        for number, kind, name in names:
            if (subject := term_of(texts.get(number) or decode(number) or "")) and kind in _NAMES:
                for predicate in _NAMES[kind]:
                    yield f'{subject} {predicate} "{_escaped(name)}"@en .\n'.encode()


def term_of(key: str) -> str:
    """Return a key as an N-Triples term, or "" for a key that cannot be written as one."""
    if key.startswith('"'):
        typed = _TYPED.fullmatch(key)
        text = f"{typed[1]}^^<{PREFIXES['xsd']}{typed[2]}>" if typed else key
        return text if _LITERAL.fullmatch(text) else ""
    if not _SAFE.fullmatch(key):
        return ""
    if key.startswith(("http://", "https://", "urn:")):
        return f"<{key}>"
    space = f"{WIKIDATA}entity/" if re.fullmatch(r"[QP]\d+", key) else FREEBASE
    return f"<{space}{key}>"


def predicate_of(key: str) -> str:
    """Return a predicate's key as an N-Triples term; Wikidata's become direct properties."""
    return f"<{WIKIDATA}prop/direct/{key}>" if re.fullmatch(r"P\d+", key) else term_of(key)


def _answer(term: Any) -> dict[str, Any]:
    import pyoxigraph

    if isinstance(term, pyoxigraph.NamedNode):
        key = term.value.removeprefix(FREEBASE).removeprefix(f"{WIKIDATA}entity/")
        return {"id": key, "name": key, "ids": [key]}
    return {"id": None, "name": str(term.value)}


def date_time(term: Any) -> Any:
    """Return a year, month, day or point in time as a date-time, as Virtuoso's cast does, or None for other terms."""
    import pyoxigraph

    match = _DATE.fullmatch(str(getattr(term, "value", "")).strip())
    if match is None:
        return None
    year, month, day, time, zone = match.groups()
    text = f"{int(year):04d}-{month or '01'}-{day or '01'}{time or 'T00:00:00'}{zone or ''}"
    return pyoxigraph.Literal(text, datatype=pyoxigraph.NamedNode(f"{PREFIXES['xsd']}dateTime"))


def _escaped(text: str) -> str:
    named: Mapping[str, str] = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return "".join(named.get(c, c) for c in text)


def _bodies(queries: Sequence[str]) -> str:
    return "\n".join(q.split("{", 1)[-1] for q in queries)
