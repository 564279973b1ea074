"""Load Wikidata's truthy N-Triples (``latest-truthy.nt``): labels, aliases, descriptions, direct claims, sitelinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.ingest.contract.choices import Options, Rule
from hydra_kg.ingest.contract.lines import FIRST_KIND, LineColumns, read_triples
from hydra_kg.ingest.contract.loader import BaseLoader, Streams
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.ingest.formats.ntriples import literal_text, undo_doubled_escapes
from hydra_kg.ingest.neighbourhood.reach import Lines, Part
from hydra_kg.text.quoting import sql_text, sql_texts
from hydra_kg_loaders.freebase import dump_links
from hydra_kg_loaders.terms import (
    WIKIDATA,
    bare,
    inside,
    is_wanted_language,
    make_resolved_table,
    property_label,
    separator,
    term_columns,
)

DIRECT: Final = "http://www.wikidata.org/prop/direct/"
LABEL: Final = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS: Final = "http://www.w3.org/2004/02/skos/core#altLabel"
REPEATS: Final = frozenset({"http://www.w3.org/2004/02/skos/core#prefLabel", "http://schema.org/name"})
DESCRIPTION: Final = "http://schema.org/description"
ABOUT: Final = "http://schema.org/about"
SAME_AS: Final = ("P646", "P2671")
"""Properties for the Freebase id and the Google Knowledge Graph id: ``/m/0abc``, ``/g/119…``."""

# Kinds of objects, from FIRST_KIND; + 8: the subject is a property, + 16: no item (a page, a data document).
ENTITY: Final = FIRST_KIND
IRI: Final = FIRST_KIND + 1
UNKNOWN: Final = FIRST_KIND + 2  # "some value": a blank node or its stand-in
LITERAL: Final = FIRST_KIND + 3
FOREIGN: Final = FIRST_KIND + 4
PROPERTY: Final = 8
ELSEWHERE: Final = 16

LINK, VALUE, NAME, TITLE, TEXT = 1, 2, 3, 4, 5
_NAMES: Final = {LABEL: "name", ALIAS: "alias", DESCRIPTION: "description"}

_KEEP: Final = frozenset({"same-as", "escapes"})
"""Rules that drop nothing."""

RULES: Final[Mapping[str, Rule]] = {
    "metadata": Rule(
        "drop what is said about data documents and pages (dates, versions, counts, badges) and every"
        " predicate that is neither a name, a direct claim nor a sitelink"
    ),
    "labels": Rule("drop skos:prefLabel and schema:name, which repeat rdfs:label"),
    "properties": Rule("drop what is said about properties; their labels become the texts of the predicates"),
    "language": Rule("drop texts in other languages than English (or those asked for), and sitelinks to other wikis"),
    "unknown": Rule("drop claims of an unknown value"),
    "escapes": Rule("read names whose escapes were escaped once more (K\\u00F6ppen) as they were meant"),
    "same-as": Rule("take P646 and P2671 (Freebase and Google ids) as same-as links too"),
}


class WikidataTruthyLoader(BaseLoader):
    """Loader of lines ``<s> <p> <o> .`` with spaces or tabs."""

    name = "wikidata_nt"
    version = 3
    source = Source("wikidata", "kg", licence="CC0", url="https://www.wikidata.org")
    rules: Mapping[str, Rule] = RULES
    in_ranges = True

    def sniff(self, head: bytes, path: Path) -> float:
        """Return a high score if the first lines name Wikidata entities, as subjects or of sitelinks."""
        lines = [line for line in head.split(b"\n")[:200] if line.startswith((b"<", b"_:"))]
        mine = sum(
            line.startswith((b"<http://www.wikidata.org/", b"<https://www.wikidata.org/"))
            or b"<http://schema.org/about> <http://www.wikidata.org/" in line
            for line in lines
        )
        return 0.9 * mine / len(lines) if lines else 0.0

    def read(self, work: Work) -> Mapping[str, int]:
        """Read the lines into the columns s, st, o and ot.

        s and o are ids. st and ot are the texts of ids that do not encode them, and ot also has literals and other
        IRIs.
        """
        return read_triples(work, _columns(work))

    def reach(self, files: Sequence[Path], options: Options, folder: Path) -> Part:
        reach = dump_links.wikidata(separator(files[0]), DIRECT, SAME_AS)
        return Lines(files, reach, options, folder)

    def clean(self, work: Work) -> Streams:
        """See :class:`hydra_kg.ingest.contract.loader.Loader`."""
        dropped = dict.fromkeys((name for name in self.rules if name not in _KEEP), 0)
        acts = []
        used: set[str] = set()
        for p, kind, n in work.db.execute("SELECT p, kind, count(*) FROM row GROUP BY ALL ORDER BY ALL").fetchall():
            stream, what = _decide(p, kind, work.rules)
            if not stream:
                dropped[what] += n
                continue
            if stream in {LINK, VALUE}:
                used.add(what)
            acts.append((p, kind, stream, ids.encode(what) if stream in {LINK, VALUE} else 0, what))
        work.db.execute("CREATE TABLE act (p VARCHAR, kind UTINYINT, stream UTINYINT, pid BIGINT, name VARCHAR)")
        work.insert("act", acts, ("VARCHAR", "UTINYINT", "UTINYINT", "BIGINT", "VARCHAR"))
        work.db.execute("CREATE VIEW kept AS SELECT row.*, act.* EXCLUDE (p, kind) FROM row JOIN act USING (p, kind)")
        texts = _predicate_texts(work)
        for rule, count in _titles(work).items():
            dropped[rule] += count
        make_resolved_table(
            work, "plain", f"SELECT ot FROM kept WHERE stream = {NAME} AND contains(ot, '\\')", _reader(work)
        )
        same = _same_as(work) if work.rules["same-as"] else ""
        key = f"CASE WHEN starts_with(ot, '\"') THEN {sql.literal_key('ot')} ELSE ot END"
        return Streams(
            links=f"SELECT s, pid AS p, o, line FROM kept WHERE stream = {LINK}",
            values=f"SELECT s, pid AS p, {key} AS key, line FROM kept WHERE stream = {VALUE}",
            terms=f"SELECT s AS id, st AS text FROM kept WHERE st IS NOT NULL AND stream IN ({LINK}, {VALUE}, {NAME})"
            f" UNION ALL SELECT o, ot FROM kept WHERE stream IN ({LINK}, {TITLE}) AND ot IS NOT NULL",
            names=f"SELECT s AS node, name AS kind, coalesce(text, {inside('ot', _languages(work))}) AS text,"
            f" line FROM kept LEFT JOIN plain USING (ot) WHERE stream = {NAME}"
            " UNION ALL SELECT node, 'title', coalesce(decoded.text, title.ot), line FROM title"
            " LEFT JOIN decoded USING (ot)",
            same_as=same,
            predicates=tuple(
                (ids.encode(key), key, texts.get(key) or property_label(key) or key, "")
                for key in sorted(used, key=ids.encode)
            ),
            dropped=dropped,
            kept={"predicate texts": work.one(f"SELECT count(*) FROM kept WHERE stream = {TEXT}")},
            derived=("same_as",),
        )


def _languages(work: Work) -> tuple[str, ...]:
    """Return the wanted languages and ``mul``.

    ``mul`` is the label for all languages, which has replaced equal ones of each language since 2024.
    """
    return (*work.options.languages, "mul")


def _reader(work: Work) -> Callable[[str], str]:
    """Return the function that makes a name of its literal."""
    return (lambda literal: undo_doubled_escapes(literal_text(literal))) if work.rules["escapes"] else literal_text


def _columns(work: Work) -> LineColumns:
    """Return how a line of truthy triples is split and classified."""
    terms, columns = term_columns({"s": "s", "o": "o"}, spaces=(WIKIDATA,))
    entity = f"starts_with(o, '<{WIKIDATA}')"
    genid = "(starts_with(o, '_:') OR contains(o, '/.well-known/genid/'))"
    lost = f"what = {FOREIGN}" if work.rules["language"] else "false"
    # An item's IRI is looked at by one regular expression and no more; most terms are items.
    start = f"<{WIKIDATA}"
    keys = {
        f"{t}_item_key": f"CASE WHEN starts_with({t}, '{start}') AND ends_with({t}, '>')"
        f" THEN substr({t}, {len(start) + 1}, strlen({t}) - {len(start) + 1}) END"
        for t in "so"
    }
    items = {f"{t}_item": f"coalesce({sql.is_wikidata(f'{t}_item_key')}, false)" for t in "so"}
    terms = {name: f"CASE WHEN {name[0]}_item THEN NULL ELSE {sql_} END" for name, sql_ in terms.items()}
    for t in "so":
        columns[t] = f"CASE WHEN {t}_item THEN {sql.wikidata_id(f'{t}_item_key')} ELSE {columns[t]} END"
        columns[f"{t}_text"] = f"CASE WHEN {t}_item THEN NULL ELSE {columns[f'{t}_text']} END"
    usual = " OR ".join(f"p = {sql_text(f'<{name}>')}" for name in sorted({ABOUT, *_NAMES, *REPEATS}))
    return LineColumns(
        separator=separator(work.files[0]),
        steps=(
            keys,
            items,
            terms,
            {
                "what": f"CASE WHEN {entity} THEN {ENTITY} WHEN starts_with(o, '\"') THEN"
                f" CASE WHEN {is_wanted_language('o', _languages(work))} THEN {LITERAL} ELSE {FOREIGN} END"
                f" WHEN {genid} THEN {UNKNOWN} ELSE {IRI} END",
                "who": f"CASE WHEN NOT starts_with(s, '<{WIKIDATA}') THEN {ELSEWHERE}"
                f" WHEN starts_with(s, '<{WIKIDATA}P') THEN {PROPERTY} ELSE 0 END",
            },
        ),
        clean=f"CASE WHEN NOT ends_with(p, '>') THEN false"
        f" WHEN NOT CASE WHEN starts_with(p, '<{DIRECT}P') THEN NOT contains(p, '\\') WHEN {usual} THEN true"
        f" ELSE {sql.is_iri('p')} END THEN false"
        f" WHEN NOT CASE WHEN s_item THEN true WHEN {sql.is_iri('s')} THEN true ELSE {sql.is_blank('s')} END"
        f" THEN false WHEN o_item THEN true WHEN starts_with(o, '\"') THEN {sql.is_literal('o')}"
        f" WHEN {sql.is_iri('o')} THEN true ELSE {sql.is_blank('o')} END",
        kind="what + who",
        columns={
            "p": bare("p", (DIRECT,)),
            "s": columns["s"],
            "st": columns["s_text"],
            "o": f"CASE WHEN what <> {ENTITY} THEN NULL ELSE {columns['o']} END",
            "ot": f"CASE WHEN {lost} THEN NULL WHEN what = {ENTITY} THEN {columns['o_text']} ELSE o_key END",
        },
        legal=sql.holds_iri_characters,
        rebuild=_rebuild,
    )


def _decide(p: str, kind: int, rules: Mapping[str, bool]) -> tuple[int, str]:
    """Return the stream of a predicate for a kind of line, and its key or kind of name.

    If a rule drops the line, it is 0 and the rule.
    """
    what = kind & 7
    direct = "/" not in p
    if kind & ELSEWHERE:
        if p == ABOUT and what == ENTITY:
            return TITLE, "title"
        if rules["metadata"]:
            return 0, "metadata"
    if p in REPEATS and rules["labels"]:
        return 0, "labels"
    if what == FOREIGN and rules["language"]:
        return 0, "language"
    if kind & PROPERTY and not kind & ELSEWHERE:
        if p == LABEL and what in {LITERAL, FOREIGN}:
            return TEXT, ""
        if rules["properties"]:
            return 0, "properties"
    if what in {LITERAL, FOREIGN} and (p in _NAMES or p in REPEATS):
        return NAME, _NAMES.get(p, "name")
    if not direct and rules["metadata"]:
        return 0, "metadata"
    if what == UNKNOWN and rules["unknown"]:
        return 0, "unknown"
    return (LINK if what == ENTITY else VALUE), p


def _predicate_texts(work: Work) -> dict[str, str]:
    """Return the label of each property by its key, in the first wanted language that has one."""
    rows = work.db.execute(f"SELECT s, st, ot, line FROM kept WHERE stream = {TEXT} AND ot IS NOT NULL ORDER BY line")
    best: dict[str, tuple[int, str]] = {}
    read = _reader(work)
    for s, st, ot, _ in rows.fetchall():
        key = st or ids.decode(s) or ""
        tag = ot.rpartition("@")[2]
        rank = work.options.languages.index(tag) if tag in work.options.languages else len(work.options.languages)
        if key not in best or rank < best[key][0]:
            best[key] = rank, read(ot)
    return {key: text for key, (_, text) in best.items()}


def _titles(work: Work) -> dict[str, int]:
    """Make ``title`` (node, ot, line) of wanted Wikipedias and ``decoded`` (ot, text). Return other counts by rule."""
    work.db.execute(
        "CREATE TABLE page AS SELECT o AS node, line,"
        " regexp_extract(st, '^https?://([a-z-]+)[.]wikipedia[.]org/wiki/.', 1) AS wiki,"
        f" regexp_replace(st, '^[^?]*?/wiki/', '') AS ot FROM kept WHERE stream = {TITLE}"
    )
    allowed = f"wiki IN ({sql_texts(work.options.languages)})" if work.rules["language"] else "true"
    work.db.execute(
        f"CREATE TABLE title AS SELECT node, replace(ot, '_', ' ') AS ot, line FROM page WHERE wiki <> '' AND {allowed}"
    )
    counts = {
        "metadata": work.one("SELECT count(*) FROM page WHERE wiki = ''"),
        "language": work.one(f"SELECT count(*) FROM page WHERE wiki <> '' AND NOT {allowed}"),
    }
    work.db.execute("DROP TABLE page")
    make_resolved_table(work, "decoded", "SELECT ot FROM title WHERE contains(ot, '%')", _percent)
    return counts


def _percent(text: str) -> str:
    return unquote(text, errors="replace")


def _same_as(work: Work) -> str:
    """Return SQL for links from items to the Freebase ids in their statements. The lines are also values."""
    digits = "CASE WHEN starts_with(ot, '\"/m/0') THEN ot[6:-2] WHEN starts_with(ot, '\"/g/') THEN ot[5:-2] END"
    rows = (
        f"SELECT s, line, {digits} AS d, starts_with(ot, '\"/m') AS mid FROM kept"
        f" WHERE stream = {VALUE} AND p IN ({sql_texts(SAME_AS)}) AND ends_with(ot, '\"')"
    )
    return f"SELECT s AS a, {sql.machine_id('d', 'mid')} AS b, line FROM ({rows}) WHERE {sql.is_machine('d')}"


def _rebuild(row: Mapping[str, Any]) -> str:
    def key(number: int | None, text: str | None) -> str:
        return text or (ids.decode(number) if number is not None else None) or "…"

    subject, obj = key(row["s"], row["st"]), key(row["o"], row["ot"])
    return f"{subject} {row['p']} {obj} ."
