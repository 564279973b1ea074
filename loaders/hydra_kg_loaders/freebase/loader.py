"""Load the Freebase RDF dump, or a file in its syntax, with every rule of the published cleaning.

Each rule is counted and can be switched off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.choices import Options, Rule, rules_in_force
from hydra_kg.ingest.contract.lines import LineColumns, read_triples
from hydra_kg.ingest.contract.loader import BaseLoader, Streams
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.ingest.formats.ntriples import literal_text
from hydra_kg.ingest.neighbourhood.reach import Lines, Part
from hydra_kg.phrases import relation_text
from hydra_kg.text.quoting import sql_text, sql_texts
from hydra_kg_loaders.freebase import cleaning_rules as r
from hydra_kg_loaders.freebase import dump_links
from hydra_kg_loaders.freebase import schema as fs
from hydra_kg_loaders.terms import FREEBASE, bare, inside, is_wanted_language, make_resolved_table, separator

NS: Final = f"<{FREEBASE}"
KEY: Final = "<http://rdf.freebase.com/key/"
_SCHEMA_TYPES: Final = ("type.type", "type.property", "type.domain", "type.namespace")
_TYPES: Final = 100  # lines that must be nothing but types
_TYPE_LINE: Final = re.compile(rb"<[^>]*>\s<http://rdf\.freebase\.com/ns/type\.object\.type>\s<[^>]*>\s\.")
_DOLLAR: Final = re.compile(r"\$([0-9A-Fa-f]{4})")
_TYPED: Final = {"integer": 1, "float": 2, "boolean": 3, "any": 4}


class FreebaseLoader(BaseLoader):
    """Loader of ``freebase-rdf-latest.gz`` and parts of it: ``<s> TAB <p> TAB <o> TAB .``, or the same with spaces."""

    name = "freebase"
    version = 1
    source = Source("freebase", "kg", licence="CC-BY 2.5", url="https://developers.google.com/freebase")
    rules: Mapping[str, Rule] = r.RULES
    in_ranges = True

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score if the first lines have subjects and predicates of Freebase's name space."""
        lines = [line for line in head.split(b"\n")[:200] if line.startswith(b"<")]
        if not lines:
            return 0.0
        mine = sum(NS.encode() in line and b"owl#sameAs>" not in line for line in lines)
        return 0.9 * mine / len(lines)

    def describe(self, head: bytes) -> Source:
        """Return the source. A file of types alone was inferred from a schema, so it never counts as evidence."""
        lines = [line for line in head.split(b"\n")[:-1] if line.startswith(b"<")]
        if len(lines) >= _TYPES and all(_TYPE_LINE.match(line) for line in lines):
            return Source(
                f"{self.source.name}_types_derived",
                "derived",
                origin=self.source.name,
                licence=self.source.licence,
                url=self.source.url,
            )
        return self.source

    def read(self, work: Work) -> Mapping[str, int]:
        """Read the lines into typed columns s, st, p, o and ot.

        s and o are ids. st and ot are the texts of ids that do not encode them, and ot also has the literals.
        """
        return read_triples(work, _columns(work))

    def reach(self, files: Sequence[Path], options: Options, folder: Path) -> Part:
        reach = dump_links.make_freebase_reach(separator(files[0]), rules_in_force(self, options.rules))
        return Lines(files, reach, options, folder)

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        schema = fs.copy_bundled_schema()
        unresolved = _declarations(work, schema)
        dropped = dict.fromkeys((name for name in self.rules if name not in {"reverse", "numbers", "mediators"}), 0)
        acts = []
        predicates: dict[str, int] = {}
        for p, kind, n in work.db.execute("SELECT p, kind, count(*) FROM row GROUP BY ALL ORDER BY ALL").fetchall():
            act = r.decide(p, kind, rules=work.rules, schema=schema)
            if not act.stream:
                dropped[act.rule] += n
                continue
            number = ids.encode(act.predicate)
            if act.stream != r.NAME:
                predicates[act.predicate] = number
            name = r.NAMES.get(p, "name") if act.stream == r.NAME else ""
            acts.append((p, kind, act.stream, number, act.flip, _TYPED.get(act.typed, 0), name))
        work.db.execute(
            "CREATE TABLE act (p VARCHAR, kind UTINYINT, stream UTINYINT, pid BIGINT, flip BOOLEAN,"
            " typed UTINYINT, name VARCHAR)"
        )
        work.insert("act", acts, ("VARCHAR", "UTINYINT", "UTINYINT", "BIGINT", "BOOLEAN", "UTINYINT", "VARCHAR"))
        dropped["schema"] += _schema_nodes(work)
        make_resolved_table(
            work, "plain", f"SELECT ot FROM kept WHERE stream = {r.NAME} AND contains(ot, '\\')", literal_text
        )
        make_resolved_table(
            work, "title", f"SELECT ot FROM kept WHERE p = '{r.TITLE_KEY}' AND contains(ot, '$')", decode_key
        )
        mediators = _mediators(work, schema)
        link = f"stream = {r.LINK}"
        turned = work.one("SELECT count(*) FROM kept WHERE flip")
        typed = work.one(
            f"SELECT count(*) FROM kept WHERE stream = {r.VALUE} AND typed > 0 AND {_add_datatype('ot')} <> ot"
        )
        return Streams(
            links="SELECT CASE WHEN flip THEN o ELSE s END AS s, pid AS p, CASE WHEN flip THEN s ELSE o END AS o, line"
            f" FROM kept WHERE {link}",
            values=f"SELECT s, pid AS p, {_value_key()} AS key, line FROM kept WHERE stream = {r.VALUE}"
            f" AND p <> '{r.TITLE_KEY}' UNION ALL SELECT s, pid, coalesce(text, ot), line FROM kept"
            f" LEFT JOIN title USING (ot) WHERE stream = {r.VALUE} AND p = '{r.TITLE_KEY}'",
            terms=f"SELECT s AS id, st AS text FROM kept WHERE st IS NOT NULL UNION ALL SELECT o, ot FROM kept"
            f" WHERE {link} AND ot IS NOT NULL",
            names=f"SELECT s AS node, name AS kind, coalesce(text, {inside('ot', work.options.languages)}) AS text,"
            f" line FROM kept LEFT JOIN plain USING (ot) WHERE stream = {r.NAME}",
            mediators=mediators,
            predicates=tuple(
                (number, key, relation_text(key), schema.reverse.get(key, ""))
                for key, number in sorted(predicates.items(), key=lambda item: item[1])
            ),
            dropped=dropped,
            notes={"turned": turned, "numbers typed": typed, "declarations unresolved": unresolved},
        )


def _columns(work: Work) -> LineColumns:
    """Return how a line of the dump is read.

    Most lines are links between machine ids. They take the shortest way.
    """
    rules, languages, cut = work.rules, work.options.languages, len(NS) + 1
    bulky = [NS + name + ">" for name in r.BULKY] if rules["metadata"] else []
    bulky += [f"<{name}>" for rule, name in (("labels", r.LABEL), ("types", r.RDF_TYPE)) if rules[rule]]
    local = "starts_with({0}, '" + NS + "')"
    mid = "starts_with({0}, '" + NS + "m')"
    machine = "(starts_with({0}, '" + NS + "m.') OR starts_with({0}, '" + NS + "g.'))"
    lost = f"what = {r.FOREIGN}" if rules["language"] else "false"
    return LineColumns(
        separator=separator(work.files[0]),
        steps=(
            {
                "sd": sql.machine_digits("s", FREEBASE),
                "od": sql.machine_digits("o", FREEBASE),
                # Not IN: DuckDB makes a join of it, which is slower and promises no order of rows.
                "early": " OR ".join(f"p = {sql_text(name)}" for name in bulky) or "false",
            },
            {
                "sin": f"CASE WHEN ends_with(s, '>') THEN {sql.is_machine('sd')} ELSE false END",
                "oin": f"CASE WHEN od IS NOT NULL AND ends_with(o, '>') THEN {sql.is_machine('od')} ELSE false END",
            },
            {
                "what": f"CASE WHEN oin THEN {r.NODE} WHEN starts_with(o, '\"') THEN"
                f" CASE WHEN {is_wanted_language('o', languages)} THEN {r.LITERAL} ELSE {r.FOREIGN} END"
                f" WHEN NOT {local.format('o')} THEN {r.OTHER} WHEN {machine.format('o')} THEN {r.NODE}"
                f" ELSE {r.TERM} END",
                "who": f"CASE WHEN sin THEN 0 WHEN NOT {local.format('s')} THEN {r.ELSEWHERE}"
                f" WHEN {machine.format('s')} THEN 0 ELSE {r.SCHEMA} END",
            },
        ),
        # CASE and not OR: only CASE looks at the second condition just where it must.
        clean=f"CASE WHEN NOT ends_with(p, '>') THEN false"
        f" WHEN NOT CASE WHEN {local.format('p')} THEN NOT contains(p, '\\') ELSE {sql.is_iri('p')} END THEN false"
        f" WHEN NOT CASE WHEN sin THEN true WHEN {sql.is_iri('s')} THEN true ELSE {sql.is_blank('s')} END THEN false"
        f" WHEN oin THEN true WHEN starts_with(o, '\"') THEN {sql.is_literal('o')}"
        f" WHEN {sql.is_iri('o')} THEN true ELSE {sql.is_blank('o')} END",
        kind="what + who",
        columns={
            "p": f"CASE WHEN {local.format('p')} THEN substr(p, {cut}, length(p) - {cut})"
            f" WHEN starts_with(p, '{KEY}') THEN 'key/' || substr(p, {len(KEY) + 1}, length(p) - {len(KEY) + 1})"
            " ELSE substr(p, 2, length(p) - 2) END",
            "s": f"CASE WHEN early THEN NULL WHEN sin THEN {sql.machine_id('sd', mid.format('s'))}"
            f" ELSE {sql.hash_id_sql(bare('s', (FREEBASE,)))} END",
            "st": f"CASE WHEN early OR sin THEN NULL ELSE {bare('s', (FREEBASE,))} END",
            "o": f"CASE WHEN early OR what <> {r.NODE} THEN NULL WHEN oin THEN {sql.machine_id('od', mid.format('o'))}"
            f" ELSE {sql.hash_id_sql(bare('o', (FREEBASE,)))} END",
            "ot": f"CASE WHEN early OR oin OR {lost} THEN NULL ELSE {bare('o', (FREEBASE,))} END",
        },
        legal=sql.holds_iri_characters,
        rebuild=_rebuild,
    )


def _rebuild(row: Mapping[str, Any]) -> str:
    """Return a line made again from its columns, with … for what they do not contain."""
    subject, obj = (fs.key_of(row[i], row[t]) or "…" for i, t in (("s", "st"), ("o", "ot")))
    return f"{subject}\t{row['p']}\t{obj}\t."


def _declarations(work: Work, schema: fs.Schema) -> int:
    """Read the file's declarations of its own schema. Return how many of them name unknown machine ids."""
    rows = work.db.execute(
        f"SELECT DISTINCT s, st, p, o, ot FROM row WHERE p IN ({sql_texts(fs.DECLARATIONS)})"
    ).fetchall()
    found = [(fs.key_of(s, st), p, fs.key_of(o, ot)) for s, st, p, o, ot in rows]
    wanted = {ids.encode(key) for row in found for key in (row[0], row[2]) if key.startswith("m.")}
    paths: dict[str, str] = {}
    if wanted:
        work.db.execute("CREATE TABLE wanted (s BIGINT)")
        work.insert("wanted", [(number,) for number in sorted(wanted)], ("BIGINT",))
        named = work.db.execute(
            f"SELECT DISTINCT s, st, ot FROM row SEMI JOIN wanted USING (s) WHERE p = '{fs.OBJECT_ID}'"
            " AND starts_with(ot, '\"/') ORDER BY ALL"
        ).fetchall()
        for s, st, ot in named:
            paths.setdefault(fs.key_of(s, st), fs.path_of(ot))
        work.db.execute("DROP TABLE wanted")
    return schema.declare(found, paths)


def _schema_nodes(work: Work) -> int:
    """Make the view ``kept`` of the lines that belong to a stream, without those about schema nodes.

    Returns the number of lines about schema nodes.
    """
    acts = "SELECT row.*, act.* EXCLUDE (p, kind) FROM row JOIN act USING (p, kind)"
    count = 0
    if work.rules["schema"]:
        work.db.execute(
            f"CREATE TABLE schema_node AS SELECT DISTINCT s FROM row WHERE p = '{r.TYPE}'"
            f" AND kind = {r.TERM} AND ot IN ({sql_texts(_SCHEMA_TYPES)})"
        )
        if work.one("SELECT count(*) FROM schema_node"):
            count = work.one(f"SELECT count(*) FROM ({acts}) SEMI JOIN schema_node USING (s)")
            acts = f"SELECT * FROM ({acts}) ANTI JOIN schema_node USING (s)"
    work.db.execute(f"CREATE VIEW kept AS {acts}")
    return count


def decode_key(literal: str) -> str:
    """Return a literal with ``$0028`` escapes resolved: ``"Foo_$0028bar$0029"`` → ``"Foo_(bar)"``.

    Other literals are returned as they are.
    """

    def character(match: re.Match[str]) -> str:
        code = int(match[1], 16)
        if code < 0x20 or 0xD800 <= code < 0xE000:
            return match[0]
        return {'"': '\\"', "\\": "\\\\"}.get(chr(code), chr(code))

    return _DOLLAR.sub(character, literal)


def _add_datatype(literal: str) -> str:
    """Return SQL that gives an untyped number or boolean its datatype.

    The type is the one that its property expects, or else follows from the form of the literal.
    """
    whole = f"regexp_full_match({literal}, '\"(0|-?[1-9][0-9]{{0,17}})\"')"
    number = f"regexp_full_match({literal}, '\"-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?\"')"
    looks = f"regexp_full_match({literal}, '\"-?(0|[1-9][0-9]*)[.][0-9]+([eE][+-]?[0-9]+)?\"')"
    truth = f"{literal} IN ('\"true\"', '\"false\"')"
    return (
        f"(CASE WHEN typed = 0 OR NOT ends_with({literal}, '\"') THEN {literal}"
        f" WHEN typed IN (1, 4) AND {whole} THEN {literal} || '^^xsd:integer'"
        f" WHEN (typed = 2 AND {number}) OR (typed = 4 AND {looks}) THEN {literal} || '^^xsd:float'"
        f" WHEN typed IN (3, 4) AND {truth} THEN {literal} || '^^xsd:boolean' ELSE {literal} END)"
    )


def _value_key() -> str:
    """Return SQL for the key of a value row."""
    return (
        f"CASE WHEN NOT starts_with(ot, '\"') THEN ot WHEN typed > 0 AND ends_with(ot, '\"') THEN {_add_datatype('ot')}"
        f" ELSE {sql.literal_key('ot')} END"
    )


def _mediators(work: Work, schema: fs.Schema) -> str:
    """Return SQL for mediators: nameless nodes of mediator types, or of no type where types and names are loaded."""
    if not work.rules["mediators"]:
        return ""
    work.db.execute("CREATE TABLE mediator_type (ot VARCHAR)")
    work.insert("mediator_type", [(name,) for name in sorted(schema.mediators)], ("VARCHAR",))
    named = f"SELECT DISTINCT s AS id FROM row WHERE p IN ('type.object.name', '{r.LABEL}') AND s IS NOT NULL"
    types = f"FROM row WHERE p = '{r.TYPE}' AND kind = {r.TERM}"
    found = f"SELECT DISTINCT s AS id {types} AND ot IN (SELECT ot FROM mediator_type)"
    if work.one(f"SELECT count(*) {types}") and work.one(f"SELECT count(*) FROM ({named})"):
        found += (
            f" UNION SELECT DISTINCT s FROM kept WHERE stream = {r.LINK} AND kind = {r.NODE}"
            f" AND s NOT IN (SELECT s {types})"
        )
    return f"SELECT id FROM ({found}) ANTI JOIN ({named}) USING (id) ORDER BY id"
