"""SQL that turns terms of several name spaces into ids and texts, for the smaller triple formats."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from hydra_kg.ingest.contract.feed import chunks
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.text.quoting import sql_text

FREEBASE: Final = "http://rdf.freebase.com/ns/"
WIKIDATA: Final = "http://www.wikidata.org/entity/"

_ALIEN: Final = {FREEBASE: "[QP][1-9][0-9]*", WIKIDATA: "[mg][.].*"}
"""Prefixes of a name space whose keys would read as those of another one."""

_WINDOW: Final = 200_000  # texts resolved at once
_KNOWN: Final = re.compile(
    r"(?:https?://(?:www\.)?wikidata\.org/(?:entity/|wiki/(?:Property:)?|prop/(?:direct/|statement/|qualifier/)?))?"
    r"(?P<wikidata>[QP][1-9][0-9]*)"
    r"|(?:https?://rdf\.freebase\.com/ns/|/)(?P<space>[mg])[./](?P<digits>[0-9a-z_]+)"
)


def property_label(key: str) -> str:
    """Return the English label of a common Wikidata property, such as ``place of birth`` for ``P19``, "" for others."""
    return _property_labels().get(key, "")


@cache
def _property_labels() -> Mapping[str, str]:
    packed = files("hydra_kg_loaders").joinpath("data/wikidata_properties.json.gz").read_bytes()
    labels: dict[str, str] = json.loads(gzip.decompress(packed))
    return labels


def separator(file: Path) -> str:
    """Return the separator of a file's first triple: a tab, as in the Freebase dump, or a space."""
    for line in next(chunks(file), b"").split(b"\n")[:1000]:
        if line.startswith((b"<", b"_:")):
            return "\t" if b"\t" in line.split(b'"')[0] else " "
    return "\t"


def bare(term: str, spaces: Sequence[str]) -> str:
    """Return SQL for a term's key, which is the term itself unless it is an IRI.

    An IRI loses its brackets, and its space if that is in ``spaces`` and the rest is unambiguous.
    """
    cuts = ""
    for space in spaces:
        rest = f"substr({term}, {len(space) + 2}, length({term}) - {len(space) + 2})"
        alien = ""
        if space in _ALIEN:
            alien = f" AND NOT regexp_full_match({rest}, {sql_text(_ALIEN[space])})"
        cuts += f" WHEN starts_with({term}, '<{space}'){alien} THEN {rest}"
    return f"(CASE{cuts} WHEN starts_with({term}, '<') THEN substr({term}, 2, length({term}) - 2) ELSE {term} END)"


def tag(language: str) -> str:
    """Return SQL for the ending of a literal in a language."""
    return sql_text(f'"@{language}')


def is_wanted_language(term: str, languages: Sequence[str]) -> str:
    """Return SQL that is true if a literal has no language or a wanted one."""
    tags = "".join(f" OR ends_with({term}, {tag(language)})" for language in languages)
    return f"(ends_with({term}, '\"') OR ends_with({term}, '>'){tags})"


def inside(literal: str, languages: Sequence[str]) -> str:
    """Return SQL for the text between the quotes of a literal without escapes.

    Literals in one of the ``languages`` take a shorter way.
    """
    cases = "".join(
        f" WHEN ends_with({literal}, {tag(name)}) THEN substr({literal}, 2, length({literal}) - {len(name) + 3})"
        for name in languages
    )
    return (
        f"(CASE{cases} WHEN ends_with({literal}, '\"') THEN substr({literal}, 2, length({literal}) - 2)"
        f" ELSE regexp_extract({literal}, '^\"(.*)\"[^\"]*$', 1, 's') END)"
    )


def make_resolved_table(work: Work, table: str, source: str, resolve: Callable[[str], str]) -> None:
    """Make a table (ot, text) of a function's result for each distinct ``ot`` of a query, in bounded memory."""
    work.db.execute(f"CREATE TABLE {table}_raw AS SELECT DISTINCT ot FROM ({source})")
    work.db.execute(f"CREATE TABLE {table} (ot VARCHAR, text VARCHAR)")
    for start in range(0, work.one(f"SELECT count(*) FROM {table}_raw"), _WINDOW):
        window = f"SELECT ot FROM {table}_raw WHERE rowid >= {start} AND rowid < {start + _WINDOW}"
        found = work.db.execute(window).fetchall()
        work.insert(table, [(text, resolve(text)) for (text,) in found], ("VARCHAR", "VARCHAR"))
    work.db.execute(f"DROP TABLE {table}_raw")


def term_columns(names: Mapping[str, str], *, spaces: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return steps and columns ``a`` (id) and ``a_text`` (text) for each name → term. ``spaces`` are cut off."""
    steps, columns = {}, {}
    for name, term in names.items():
        key, digits, known = f"{name}_key", f"{name}_digits", f"{name}_wikidata"
        steps[key] = bare(term, spaces)
        steps[digits] = sql.machine_digits(term, FREEBASE)
        steps[known] = f"starts_with({term}, '<{WIKIDATA}')"
        wikidata = f"{known} AND {sql.is_wikidata(key)}"
        mid = f"starts_with({key}, 'm')"
        columns[name] = (
            f"CASE WHEN {wikidata} THEN {sql.wikidata_id(key)} WHEN {sql.is_machine(digits)}"
            f" THEN {sql.machine_id(digits, mid)} ELSE {sql.hash_id_sql(key)} END"
        )
        columns[f"{name}_text"] = f"CASE WHEN ({wikidata}) OR {sql.is_machine(digits)} THEN NULL ELSE {key} END"
    return steps, columns


def short(iri: str) -> str:
    """Return the key of an IRI or id as people write it: ``Q42``, ``m.0282x``. Other texts are unchanged."""
    found = _KNOWN.fullmatch(iri)
    if found is None:
        return iri
    return found["wikidata"] or f"{found['space']}.{found['digits']}"
