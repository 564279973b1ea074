"""Turn a line of Wikidata's JSON dump into rows. A worker process does this with a piece of the dump.

This is one room because texts, statements and qualifiers share the caches and counts of a worker.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
import orjson

from hydra_kg import ids
from hydra_kg.ingest.contract.loader import qualifiers_text
from hydra_kg.ingest.contract.work import escape_line
from hydra_kg.util.fact_details import UNIT
from hydra_kg_loaders.wikidata.entity_fields import ORIGINS, Snak, WikidataStatement, decoder
from hydra_kg_loaders.wikidata.loose_statements import parse_loosely
from hydra_kg_loaders.wikidata.snak_values import (
    OddValueError,
    OtherShapeError,
    entity_key,
    language_of,
    value_of,
    wikidata_number,
)

REJECT, LINK, VALUE, NAME, ALIAS, DESCRIPTION, TITLE, LABEL, INVERSE, TERM, SAME_AS = range(11)
"""Kinds of rows. LABEL and INVERSE belong to a property, TERM is the text of a hashed id, SAME_AS is P646 and P2671."""

COLUMNS: Final[Mapping[str, str]] = {
    "kind": "UTINYINT",
    "s": "BIGINT",
    "p": "BIGINT",
    "o": "BIGINT",
    "text": "VARCHAR",
    "line": "UBIGINT",
    "more": "VARCHAR",
    "locator": "VARCHAR",
}
"""Columns of a row.

``more`` has source, rank and qualifiers with :data:`UNIT` between them, or nothing. One column is read back faster than
three.
"""
LONGEST: Final = 1 << 20  # characters of a row
FREEBASE: Final = frozenset({"Q15241312", "Q1453477"})  # Freebase Data Dumps, Freebase
SAME: Final = frozenset({"P646", "P2671"})
ABOUT_STATEMENTS: Final = frozenset({"P459", "P1480", "P2241", "P7452", "P5102"})
"""Qualifiers about the statement and not its subject, such as how it was determined or why it has its rank."""

_STATED_IN, _IMPORTED, _IMPORT_URL, _REFERENCE_URL = ORIGINS
_MUL: Final = "mul"  # the label for all languages that have none of their own
_INVERSE_PROPERTY: Final = "P1696"
_MOST_ITEMS: Final = 1 << 17  # whose ids are kept at hand: some 20 MB
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]+")
_SURROGATE: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\\\"
    rb"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_DROPPED: Final = ("", "monolingualtext")  # kinds of values, or of none, that a rule may drop
_WRONG: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)


class Entities:
    """Turns lines into tab-separated rows of :data:`COLUMNS`.

    Args:
        rules: The rules that are on.
        languages: The wanted languages, best first.

    ``counts`` has the counts of entities (``entities``, ``other``, ``blank``) and statements.
    """

    def __init__(self, *, rules: frozenset[str], languages: Sequence[str]) -> None:
        self.rules, self.languages = rules, tuple(languages)
        self.counts: Counter[str] = Counter()
        self._wikis = {f"{name.replace('-', '_')}wiki": name for name in languages} if "language" in rules else None
        self._origins, self._guid = "origins" in rules, "guid" in rules
        self._decode, self._loosely = None, None
        if self._wikis is not None:
            self._decode = decoder((*languages, _MUL), self._wikis)
            self._loosely = decoder((*languages, _MUL), self._wikis, loose=True)
        self._edges = "qualifier-edges" in rules
        self._deprecated, self._best = "deprecated" in rules, "best-rank" in rules
        self._predicates: dict[str, str] = {}
        self._pairs: dict[str, int] = {}
        self._first_pairs: list[str] = []  # pairs that the entity at hand is the first to have
        self._items: dict[str, str] = {}

    def lines(self, lines: Sequence[bytes], first: int) -> str:
        """Return the rows of some lines, each with its line feed.

        The first line has the given number, and gaps are skipped.
        """
        out: list[str] = []
        for line, text in enumerate(lines, first):
            if text != b"\x02\n":
                self.line(text, line, out)
        out.append("")
        return "\n".join(out)

    def line(self, text: bytes, line: int, out: list[str]) -> None:
        """Add the rows of one line, or one row with the reason why it is rejected."""
        text = text[:-2] if text[:1] == b"{" and text[-3:] == b"},\n" else _entity_text(text)
        if len(text) < 3 and text in {b"", b"[", b"]", b"[]"}:
            self.counts["blank"] += 1
            return
        rows: list[str] = []
        before = dict(self.counts)
        try:
            if not self._read(text, line, rows):
                self._undo(before, rows)
                self._entity(parse_loosely(self._parsed(text)), line, rows)
        except _WRONG as e:
            self._undo(before, rows)
            broken = isinstance(e, orjson.JSONDecodeError)
            place = e.pos if isinstance(e, json.JSONDecodeError) else 0
            rows.append(self.rejected("json" if broken else "shape", line, text, place=place))
        self._first_pairs.clear()
        out += rows

    def _read(self, text: bytes, line: int, rows: list[str]) -> bool:
        """Read an entity of the dump's current shape, twice as fast.

        Return False for other shapes, to be read the slow way.
        """
        if self._decode is None:
            return False
        try:
            self._entity(self._decode(text), line, rows)
        except (*_WRONG, OtherShapeError, msgspec.MsgspecError):
            return False
        return True

    def _undo(self, before: Mapping[str, int], rows: list[str]) -> None:
        """Remove the rows and counts of an entity that was partly read."""
        self.counts = Counter(before)
        for key in self._first_pairs:  # the rows that tell them go with the others
            del self._pairs[key]
        self._first_pairs.clear()
        rows.clear()

    def rejected(self, reason: str, line: int, text: bytes, *, place: int = 0) -> str:
        """Return the row of a rejected line."""
        return self._row(REJECT, place, 0, 0, reason, line, locator=escape_line(text))

    def _parsed(self, text: bytes) -> Any:
        """Return a parsed entity, by the fast reader if its shape is usual."""
        if self._loosely is not None:
            with suppress(msgspec.MsgspecError, RecursionError, UnicodeDecodeError):  # another shape, or no JSON
                return self._loosely(text)
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            if b"\\u" not in text:
                raise
            # Half a character cannot be stored; everything else of the entity is worth keeping.
            repaired = _SURROGATE.sub(lambda m: b"\\ufffd" if m["lone"] else m[0], text)
            entity = orjson.loads(repaired)
            self.counts["repaired"] += 1
            return entity

    def _entity(self, entity: Any, line: int, out: list[str]) -> None:
        """Append the rows of an item or property."""
        if not isinstance(entity, dict):
            raise OddValueError("no object")
        key = entity["id"]
        try:
            s = wikidata_number(key)
        except (OddValueError, KeyError):
            if not isinstance(key, str) or key[:1] not in {"L", "M"} or "other" not in self.rules:
                raise
            self.counts["other"] += 1
            return
        self.counts["entities"] += 1
        labels = _mapping(entity.get("labels"))
        claims = _mapping(entity.get("claims", entity.get("statements")))
        if key[0] == "P" and "properties" in self.rules:
            self._property(s, labels, claims, line, out)
            return
        self._texts(s, entity, labels, line, out)
        self._claims(s, claims, line, out)

    def _claims(self, s: int, claims: Mapping[str, Any], line: int, out: list[str]) -> None:
        """Write all statements. This is the hot loop of a load, so shared parts are written once per entity."""
        link, value, middle = f"{LINK}\t{s}\t", f"{VALUE}\t{s}\t", f"\t{line}\t"
        gap, emitted = f"\t{middle}", 0
        counts, items, numbers = self.counts, self._items, self._predicates
        o: int | str
        none: list[tuple[str, str]] = []
        more: Sequence[tuple[str, str]]
        for predicate, statements in claims.items():
            p = numbers.get(predicate) or self._predicate(predicate)
            begin = f"{link}{p}\t"
            emitted += len(statements)
            best = self._best and any(x.rank == "preferred" for x in statements)
            for statement in statements:
                try:
                    rank = statement.rank
                    if rank == "normal":
                        rank = ""
                    elif rank != "preferred":
                        if rank == "deprecated" and self._deprecated:
                            counts["deprecated"] += 1
                            continue
                        rank = _strip_row_breaks(rank)
                    if best and rank != "preferred":
                        counts["best-rank"] += 1
                        continue
                    snak = statement.mainsnak
                    o, key, more, kind = "", "", (), ""
                    if snak.snaktype == "value" and (kind := (data := snak.datavalue).type) == "wikibase-entityid":
                        item = data.value.id
                        o = items.get(item) or self._item(item)
                    if not o:
                        key, o, more = value_of(snak)
                        if kind in _DROPPED and not o and (rule := self._dropped(snak)):
                            counts[rule] += 1
                            continue
                    end, edges = "", none
                    if more or rank or statement.qualifiers is not None or statement.references is not None:
                        edges = []
                        end = self._end(statement, rank, more, edges)
                    guid = statement.id if self._guid else ""
                    if not guid.isprintable():
                        guid = _strip_row_breaks(guid)
                    if o:
                        row = f"{begin}{o}{gap}{end}\t{guid}"
                    else:
                        row = f"{value}{p}\t0\t{key}{middle}{end}\t{guid}"
                        if predicate in SAME and (number := machine_number(key)):
                            out.append(self._row(SAME_AS, s, 0, number, "", line))
                    if len(row) > LONGEST:
                        raise OddValueError("too long")
                    out.append(row)
                    if edges and self._edges:
                        rest = f"\t{middle}{end.rpartition(UNIT)[0]}{UNIT}\t{guid}"
                        for name, other in edges:
                            out.append(f"{link}{self._pair(predicate, name, out)}\t{other}{rest}")
                except _WRONG:
                    counts["odd"] += 1
        counts["statements"] += emitted

    def _end(
        self, statement: WikidataStatement, rank: str, more: Sequence[tuple[str, str]], edges: list[tuple[str, str]]
    ) -> str:
        """Return the source, rank and qualifiers of a statement: the column ``more``."""
        pairs = list(more)
        if statement.qualifiers is not None:
            pairs += self._qualifiers(_mapping(statement.qualifiers), edges)
        source: int | str = ""
        if self._origins and (references := statement.references):
            try:
                source = origin(references) or ""
            except _WRONG:  # a reference of another shape says nothing
                source = ""
        return f"{source}{UNIT}{rank}{UNIT}{qualifiers_text(pairs) if pairs else ''}"

    def _dropped(self, snak: Snak) -> str:
        """Return the rule that drops a statement whose value is not an item, or ""."""
        if snak.snaktype != "value" and "unknown" in self.rules:
            return "unknown"
        language = language_of(snak)
        return "language" if language and language not in self.languages and "language" in self.rules else ""

    def _property(
        self, s: int, labels: Mapping[str, Any], claims: Mapping[str, Any], line: int, out: list[str]
    ) -> None:
        """Append the label and the inverse of a property."""
        for language in (*self.languages, _MUL):
            if (label := labels.get(language)) is not None:
                out.append(self._row(LABEL, s, 0, 0, label["value"], line))
                break
        for statement in claims.get(_INVERSE_PROPERTY, ()):
            key, number, _ = value_of(statement.mainsnak)
            if number and key[0] == "P":
                out.append(self._row(INVERSE, s, 0, number, key, line))

    def _texts(self, s: int, entity: Mapping[str, Any], labels: Mapping[str, Any], line: int, out: list[str]) -> None:
        """Append labels, aliases and descriptions in the wanted languages."""
        tongues = self.languages if "language" in self.rules else labels
        labelled = [(NAME, label["value"]) for name in tongues if (label := labels.get(name)) is not None]
        if not labelled and (label := labels.get(_MUL)) is not None:
            labelled.append((NAME, label["value"]))
        aliases = _mapping(entity.get("aliases"))
        for language in (*self.languages, _MUL) if "language" in self.rules else aliases:
            labelled += [(ALIAS, alias["value"]) for alias in aliases.get(language, ())]
        descriptions = _mapping(entity.get("descriptions"))
        for language in self.languages:
            if (text := descriptions.get(language)) is not None:
                labelled.append((DESCRIPTION, text["value"]))
                break
        for wiki, link in _mapping(entity.get("sitelinks")).items():
            if wiki in self._wikis if self._wikis is not None else wiki.endswith("wiki"):
                labelled.append((TITLE, link["title"]))
        middle, end = f"\t{s}\t0\t0\t", f"\t{line}\t\t"
        rows = [
            f"{kind}{middle}{text if text.isprintable() else _strip_row_breaks(text)}{end}" for kind, text in labelled
        ]
        if max(map(len, rows), default=0) > LONGEST:
            raise OddValueError("too long")
        out += rows

    def _item(self, key: Any) -> str:
        """Return the id of an item or property that is not in the cache, "" for anything else."""
        if type(key) is not str or key[:1] not in {"Q", "P"}:
            return ""
        number = str(wikidata_number(key))
        if len(self._items) < _MOST_ITEMS:
            self._items[key] = number
        return number

    def _predicate(self, key: str) -> str:
        """Return the id of a property that is not in the cache. Raises OddValueError, KeyError, … for anything else."""
        number = self._predicates[key] = str(wikidata_number(key))
        return number

    def _qualifiers(self, qualifiers: Mapping[str, Any], edges: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return qualifiers as keys. Items among them that are about the subject are added to ``edges``."""
        found: list[tuple[str, str]] = []
        for name, snaks in qualifiers.items():
            for snak in snaks:
                try:
                    if name not in self._predicates:
                        self._predicate(name)
                    number: int | str = ""
                    if snak.snaktype == "value" and (data := snak.datavalue).type == "wikibase-entityid":
                        value = data.value.id
                        number = self._items.get(value) or self._item(value)
                    if number:
                        found.append((name, value))
                    else:
                        value, number, more = value_of(snak)
                        found.append((name, value))
                        if more:
                            found += [(f"{name} {key}", besides) for key, besides in more]
                except _WRONG:
                    self.counts["odd"] += 1
                    continue
                if number and name not in ABOUT_STATEMENTS:
                    edges.append((name, str(number)))
        return found

    def _pair(self, predicate: str, qualifier: str, out: list[str]) -> int:
        """Return the id of a pair such as ``P161/P453``. Each worker writes its text once."""
        key = f"{predicate}/{qualifier}"
        if (number := self._pairs.get(key)) is None:
            number = self._pairs[key] = ids.hash_key(key)
            self._first_pairs.append(key)
            out.append(self._row(TERM, number, 0, 0, key, 0))
        return number

    def _row(self, kind: int, s: int, p: int, o: int, text: str, line: int, *, locator: str = "") -> str:
        row = f"{kind}\t{s}\t{p}\t{o}\t{_strip_row_breaks(text)}\t{line}\t\t{locator}"
        if len(row) > LONGEST:
            raise OddValueError("too long")
        return row


def _entity_text(line: bytes) -> bytes:
    """Return a line without white space, the comma and the bracket that closes the array after it."""
    text = line.strip()
    if text.endswith(b"}]"):
        text = text[:-1]
    return text.rstrip(b",").rstrip()


def _strip_row_breaks(text: str) -> str:
    """Return a text without characters that would break a row."""
    return text if text.isprintable() else _CONTROL.sub(" ", text)


def origin(references: Sequence[Mapping[str, Any]]) -> int:
    """Return the origin of a statement: 1 for Wikipedia, 2 for Freebase, else 0.

    Wikipedia means that all references import from it (P143, P4656), and Freebase that all references name it. If both
    kinds of references occur, the first one decides.
    """
    found = 0
    for reference in references:
        snaks = reference["snaks"]
        stated, imported = snaks.get(_STATED_IN) if snaks else None, snaks.get(_IMPORTED) if snaks else None
        if (stated or imported) and _freebase(stated) and _freebase(imported):
            found = found or 2
        elif not stated and (imported or _IMPORT_URL in snaks) and _REFERENCE_URL not in snaks:
            found = found or 1
        else:
            return 0
    return found


def _freebase(snaks: Sequence[Mapping[str, Any]] | None) -> bool:
    """Return True if all of these snaks, if there are any, name Freebase."""
    for snak in snaks or ():
        if snak["snaktype"] != "value" or entity_key(snak["datavalue"]["value"]) not in FREEBASE:
            return False
    return True


def machine_number(literal: str) -> int:
    """Return the id of a Freebase or Google id ``"/m/0abc"``, or 0 if the id does not encode it."""
    key = literal[1:-1].replace("/", "", 1).replace("/", ".", 1) if literal.startswith(('"/m/', '"/g/')) else ""
    number = ids.encode(key) if key else ids.HASHED
    return number if ids.is_inline(number) else 0


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a JSON object as a mapping. Older dumps write an empty one as an empty list."""
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise OddValueError("no object")
    return value
