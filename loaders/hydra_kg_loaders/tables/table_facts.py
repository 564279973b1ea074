"""Turn a grid of cells into facts: entities, sources, links, numbers, dates, names and ids.

This is one room because each step reads tables that the steps before it made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.errors import UsageError
from hydra_kg.ingest.appending import BATCHES
from hydra_kg.ingest.contract.loader import qualifiers_text
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats import sql
from hydra_kg.language.people_headings import holds_persons, is_person_like, last_word
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.tables.grid import mark_superseded
from hydra_kg_loaders.tables.mapping import MOST_IDENTIFIED, VALUE_ROLES, ColumnMapping
from hydra_kg_loaders.tables.text_rows import CELL, MANY
from hydra_kg_loaders.terms import short
from hydra_kg_loaders.values.column_rewriting import share_sql

MOST_NAME: Final = 200
"""Number of characters of the longest name of a source."""

MOST_ATTRIBUTES: Final = 20_000
LINKED: Final = 0.5
"""Share of a column's distinct values that must be entities of the table for those values to be links."""

TYPED: Final = 0.95
"""Share of a column's distinct values that must be numbers (or dates) for the values to get the datatype."""

_FEW_COLUMNS: Final = 64  # that are read one by one
_WINDOW: Final = 100_000
_REFERS: Final = re.compile(r"(?i:(.*[_\W])?(parent|ref|refers to|target)s?([_\W]?id)?|.*[_\W]id)|.*[a-z]I[dD]")
_INTEGER: Final = "0|-?[1-9][0-9]{0,17}"
_DECIMAL: Final = "-?(0|[1-9][0-9]*)[.][0-9]+"
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?"
_MINUTE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]([01]?[0-9]|2[0-3]):[0-9]{2}(:[0-9]{2})?"
"""Moments as people write them: 2024-05-01 20:00."""


def entity_id(work: Work, columns: ColumnMapping) -> str:
    """Return SQL for the id of the entity of a row of cells c0, c1 …, NULL if there is none."""
    return sql.hash_id_sql(_key(work, _first(columns.one("entity") or 0)))


def read_base(work: Work, columns: ColumnMapping) -> None:
    """Make the view ``base`` of ``grid``, with the entity, source and cells of each row.

    Rows without an entity, or with an impossible source, are rejected. The view has these columns:

    * row: the number of the row.
    * e, s: the entity of the row and its id.
    * i: the place of its source.
    * k: the key of its qualifiers in the table ``circumstance`` (k, q), which is made too.
    * c0, c1 …: the cells.
    """
    entity, source = columns.one("entity"), columns.one("source")
    source_column = f"c{source}" if source is not None else "NULL"
    long = f"coalesce(length({source_column}) > {MOST_NAME}, false)"
    bad = work.db.execute(f"SELECT row, c{entity} IS NULL FROM grid WHERE c{entity} IS NULL OR {long}").fetchall()
    work.reject([(row, "entity" if without else "source", 0, "") for row, without in bad])
    own = next((n for n, s in enumerate(work.sources) if s.name == work.name), 0)
    when = columns.of("qualifier")
    key = f" || '{CELL}' || ".join(f"coalesce(c{n}, '')" for n in when) if when else "NULL"
    stated, place = "", str(own)
    if source is not None:
        work.db.execute("CREATE TABLE stated (name VARCHAR, i USMALLINT)")
        work.insert("stated", [(s.name, n) for n, s in enumerate(work.sources)], ("VARCHAR", "USMALLINT"))
        stated, place = f" LEFT JOIN stated ON name = {source_column}", f"coalesce(i, {own})"
    cells = ", ".join(f"c{n}" for n in range(len(columns.names)))
    rest = f"c{entity} IS NOT NULL AND NOT {long}"
    if BATCHES in work.options.extra:
        about = [entity or 0, *([] if source is None else [source]), *when, *columns.of("attribute")]
        mark_superseded(work, f"(SELECT * FROM grid WHERE {rest})", ", ".join(f"coalesce(c{n}, '')" for n in about))
        rest += " AND row NOT IN (SELECT row FROM superseded)"
    work.db.execute(
        f"CREATE VIEW base AS SELECT row, {_first(entity or 0)} AS e, s, {place}::USMALLINT AS i, {key} AS k, {cells}"
        f" FROM grid{stated} WHERE {rest}"
    )
    work.db.execute("CREATE TABLE circumstance (k VARCHAR, q VARCHAR)")
    keys = [predicate_key(columns.roles[n].called or columns.names[n]) for n in when]
    if when:
        for texts in _windows(work, "SELECT DISTINCT k FROM base WHERE k IS NOT NULL"):
            work.insert("circumstance", [(text, _qualifiers(keys, text)) for text in texts], ("VARCHAR", "VARCHAR"))


def first_rows(work: Work, columns: ColumnMapping) -> None:
    """Make the table or view ``thing`` (e) of entities, and ``first_row``, which is ``base`` without repeated rows."""
    each = work.one("SELECT count(DISTINCT s) = count(*) FROM base")  # entities of one id are refused later
    work.db.execute(f"CREATE {'VIEW thing AS SELECT' if each else 'TABLE thing AS SELECT DISTINCT'} e FROM base")
    work.db.execute("CREATE VIEW first_row AS SELECT * FROM base")
    if work.rules["repeated"] and not _apart(work):
        cells = ", ".join(f"c{n}" for n in range(len(columns.names)))
        first = f"(SELECT min(row) AS row FROM base GROUP BY {cells})"
        work.db.execute(f"CREATE TABLE repeated AS SELECT row FROM base ANTI JOIN {first} USING (row)")
        if work.one("SELECT count(*) FROM repeated"):
            work.db.execute("CREATE OR REPLACE VIEW first_row AS SELECT * FROM base ANTI JOIN repeated USING (row)")


def read_cells(work: Work, columns: ColumnMapping) -> tuple[tuple[int, str, str, str], ...]:
    """Make the table ``cell`` and its companions, and return the predicates.

    Raises UsageError for more than :data:`MOST_ATTRIBUTES` attributes. The tables are:

    * ``cell`` (row, s, i, k, n, c, text): one row for each value, with its attribute n, its column c and its text. It
      is a view if there are few columns and each cell has one value.
    * ``predicate_of`` (n, pid, name, kind).
    * ``column_of`` (c, locator): the place of the cells of a column.
    * ``spoken`` (n, text): the distinct values.
    """
    value_columns, attribute = columns.of(*VALUE_ROLES), columns.one("attribute")
    if columns.one("source") is not None:  # what several sources call a thing is a claim as well
        value_columns = sorted([*value_columns, *columns.of("name")])
    elif attribute is None and work.one("SELECT count(*) FROM base") <= MOST_IDENTIFIED:
        value_columns = sorted([*value_columns, *columns.identifiers])
    kind = "TABLE"
    if attribute is not None:
        found = [
            name
            for (name,) in work.db.execute(
                f"SELECT DISTINCT c{attribute} FROM first_row WHERE c{attribute} IS NOT NULL ORDER BY ALL LIMIT"
                f" {MOST_ATTRIBUTES + 1}"
            ).fetchall()
        ]
        if len(found) > MOST_ATTRIBUTES:
            raise UsageError(
                f"The column {columns.names[attribute]} names over {MOST_ATTRIBUTES:,} attributes.",
                remedy="Name the right one: --map COL=attribute.",
            )
        work.db.execute("CREATE TABLE attribute (name VARCHAR, n USMALLINT)")
        work.insert("attribute", [(name, n) for n, name in enumerate(found)], ("VARCHAR", "USMALLINT"))
        cells = (
            f"SELECT row, s, i, k, n, {value_columns[0]}::USMALLINT AS c, c{value_columns[0]} AS text FROM first_row"
            f" JOIN attribute ON name = c{attribute} WHERE c{value_columns[0]} IS NOT NULL"
        )
        names = dict(enumerate(found))
    else:
        names = {n: columns.roles[n].called or columns.names[n] for n in value_columns}
        if len(value_columns) <= _FEW_COLUMNS:
            kind = "VIEW"
            cells = " UNION ALL ".join(
                f"SELECT row, s, i, k, {n}::USMALLINT AS n, {n}::USMALLINT AS c, c{n} AS text FROM first_row"
                f" WHERE c{n} IS NOT NULL"
                for n in value_columns
            )
        else:
            several = ", ".join(f"c{n}" for n in value_columns)
            cells = (
                "SELECT row, s, i, k, substr(c, 2)::USMALLINT AS n, substr(c, 2)::USMALLINT AS c, text FROM (UNPIVOT"
                f" (SELECT row, s, i, k, {several} FROM first_row) ON {several} INTO NAME c VALUE text)"
            )
        cells = cells or "SELECT row, s, i, k, 0::USMALLINT AS n, 0::USMALLINT AS c, '' AS text FROM first_row LIMIT 0"
    if work.one("SELECT listed FROM shape"):
        kind = "TABLE"
        cells = (
            "SELECT row, s, i, k, n, c, trim(text, ' \t\r\n') AS text FROM (SELECT * REPLACE (unnest(string_split(text,"
            f" '{MANY}')) AS text) FROM ({cells})) WHERE trim(text, ' \t\r\n') <> ''"
        )
    work.db.execute(f"CREATE {kind} cell AS {cells}")
    keys = {n: predicate_key(name) for n, name in names.items()}
    work.db.execute("CREATE TABLE predicate_of (n USMALLINT, pid BIGINT, name VARCHAR, kind VARCHAR)")
    kinds = {n: columns.roles[value_columns[0] if attribute is not None else n].kind for n in names}
    rows = [(n, ids.encode(keys[n]), name, kinds[n]) for n, name in names.items()]
    work.insert("predicate_of", rows, ("USMALLINT", "BIGINT", "VARCHAR", "VARCHAR"))
    places = [f"column {name}" for name in columns.names]
    kind = ", ".join(map(sql_text, sorted(places)))
    work.db.execute(f"CREATE TABLE column_of (c USMALLINT, locator ENUM({kind}))")
    work.insert("column_of", list(enumerate(places)), ("USMALLINT", "VARCHAR"))
    work.db.execute("CREATE TABLE spoken AS SELECT DISTINCT n, text FROM cell")
    texts = {keys[n]: predicate_text(name) for n, name in names.items()}
    texts |= {ids.noun_key(work.name): columns.noun} if columns.noun else {}
    if (
        merged := work.one("SELECT (SELECT count(*) FROM base) - (SELECT count(*) FROM first_row)")
    ) and not columns.coded:
        texts[ids.merged_key(work.name, work.name)] = str(merged)
    return tuple((ids.encode(key), key, text, "") for key, text in sorted(texts.items()))


def decide_links(work: Work, columns: ColumnMapping) -> None:
    """Make the table ``linking`` of the attributes whose values are links, and the view ``linked`` of their cells.

    ``linking`` has the columns (n, every). If ``every`` is true, all values of the attribute are links, else only those
    that are entities of the table. An attribute links if half of its distinct values are entities. If they are numbers,
    its name must also refer to something. ``linked`` is a part of ``cell``.
    """
    entity = columns.names[columns.one("entity") or 0].casefold()
    people = holds_persons(last_word(work.name).removesuffix("s"), map(last_word, columns.names))
    shares = work.db.execute(
        "SELECT n, avg((text IN (SELECT e FROM thing))::DOUBLE), avg(regexp_full_match(text, '-?[0-9.,]+')::DOUBLE)"
        " FROM spoken GROUP BY n ORDER BY n"
    ).fetchall()
    kinds = dict(work.db.execute("SELECT n, kind FROM predicate_of").fetchall())
    names = dict(work.db.execute("SELECT n, name FROM predicate_of").fetchall())
    found = []
    for n, linked, numbers in shares:
        refers = (
            numbers < 0.5
            or _REFERS.fullmatch(names[n]) is not None
            or entity in re.split(r"[\W_]+", names[n].casefold())
            or (linked == 1.0 and people and is_person_like(last_word(names[n])))
        )
        if kinds[n] == "link" or (kinds[n] == "value" and linked >= LINKED and refers):
            found.append((n, kinds[n] == "link"))
    work.db.execute("CREATE TABLE linking (n USMALLINT, every BOOLEAN)")
    work.insert("linking", found, ("USMALLINT", "BOOLEAN"))
    work.db.execute(
        f"CREATE VIEW linked AS SELECT * FROM cell WHERE {_among(work, 'every')}"
        f" UNION ALL SELECT * FROM cell SEMI JOIN thing ON text = e WHERE {_among(work, 'NOT every')}"
    )


def decide_types(work: Work, columns: ColumnMapping) -> None:
    """Make the table ``typing`` (n, type) of attributes with a datatype.

    Nearly all values of such an attribute are numbers, days, moments or years.
    """
    patterns = (f"{_INTEGER}|{_DECIMAL}", _DAY, f"{_MOMENT}|{_MINUTE}", "[12][0-9]{3}")
    shares = work.db.execute(
        f"SELECT n, {', '.join(map(share_sql, patterns))} FROM spoken GROUP BY n ORDER BY n"
    ).fetchall()
    about = {n: (name, kind) for n, name, kind in work.db.execute("SELECT n, name, kind FROM predicate_of").fetchall()}
    found = []
    for n, number, day, moment, year in shares:
        name, kind = about[n]
        if kind == "value":
            years = year >= TYPED and re.search(r"year\b|year$", name, re.IGNORECASE) is not None
            best = "year" if years else max((moment, "moment"), (day, "day"), (number, "number"))[1]
            if max(number, day, moment) >= TYPED:
                found.append((n, best))
    work.db.execute("CREATE TABLE typing (n USMALLINT, type VARCHAR)")
    work.insert("typing", found, ("USMALLINT", "VARCHAR"))


def keep_rows(work: Work, columns: ColumnMapping) -> None:
    """Make the view ``kept_row`` of the rows with some value. It has the columns of ``base``.

    If the rule ``empty`` is off, it has all rows.
    """
    if not work.rules["empty"]:
        work.db.execute("CREATE VIEW kept_row AS SELECT * FROM first_row")
        return
    places, cells = columns.of("name", "alias", "description", "id"), " UNION SELECT row FROM cell"
    if columns.one("attribute") is None and not work.one("SELECT listed FROM shape"):  # each value is a cell
        places, cells = sorted([*places, *columns.of(*VALUE_ROLES)]), ""
    has_value = " OR ".join(f"c{n} IS NOT NULL" for n in places) or "false"
    work.db.execute(f"CREATE TABLE telling AS SELECT row FROM first_row WHERE {has_value}{cells}")
    all_stated = work.one("SELECT (SELECT count(*) FROM telling) = (SELECT count(*) FROM first_row)")
    stated = "" if all_stated else " SEMI JOIN telling USING (row)"
    work.db.execute(f"CREATE VIEW kept_row AS SELECT * FROM first_row{stated}")


def identities(work: Work, columns: ColumnMapping) -> None:
    """Make the table ``identity`` (a, b, b_text, row) of the ids that columns of ids give to entities."""
    work.db.execute("CREATE TABLE identity (a BIGINT, b BIGINT, b_text VARCHAR, row UBIGINT)")
    work.db.execute("CREATE TABLE known (text VARCHAR, b BIGINT, b_text VARCHAR)")
    places = columns.of("id")
    if not places:
        return
    each = " UNION ALL ".join(
        f"SELECT row, s, unnest(string_split(c{n}, '{MANY}')) AS text FROM first_row WHERE c{n} IS NOT NULL"
        for n in places
    )
    for texts in _windows(work, f"SELECT DISTINCT text FROM ({each})"):
        keys = [(text, short(text.strip())) for text in texts]
        rows = [(text, number := ids.encode(key), None if ids.is_inline(number) else key) for text, key in keys]
        work.insert("known", rows, ("VARCHAR", "BIGINT", "VARCHAR"))
    work.db.execute(f"INSERT INTO identity SELECT s, b, b_text, row FROM ({each}) JOIN known USING (text)")


def links(work: Work, columns: ColumnMapping) -> str:
    """Return SQL for the stream of links."""
    return f"SELECT {_fact(work, columns)}, {sql.hash_id_sql(_key(work, 'text'))} AS o FROM linked {_joins(columns)}"


def values(work: Work, columns: ColumnMapping) -> dict[str, Any]:
    """Return the streams of values: their text as it is, with a datatype where it is legal for it."""
    own, other = f"NOT ({_among(work, 'true')})", _among(work, "NOT every")
    texts = f"SELECT * FROM spoken WHERE {own} UNION ALL SELECT * FROM spoken ANTI JOIN thing ON text = e WHERE {other}"
    literals = f"SELECT n, text, {_literal('text')} AS key FROM ({texts}) LEFT JOIN typing USING (n)"
    facts, joined = f"SELECT {_fact(work, columns)}", f"USING (n, text) {_joins(columns)}"
    return {
        "values": f"{facts}, key FROM cell JOIN ({literals}) {joined}",
        "literals": literals,
        "coded_values": f"{facts}, id AS o FROM cell JOIN coded {joined}",
        **_wide_values(work, columns),
    }


def _wide_values(work: Work, columns: ColumnMapping) -> dict[str, Any]:
    """Return the streams of values as rows, by a sort of rows and none of cells, or {} if that cannot be.

    It can if each row has its own entity, and each cell one value of an attribute of its own.
    """
    found = work.db.execute(
        "SELECT n, pid, locator::VARCHAR FROM predicate_of JOIN column_of ON c = n ORDER BY pid, n"
    ).fetchall()
    listed = columns.one("attribute") is not None or work.one("SELECT listed FROM shape") or columns.of("qualifier")
    if listed or len(work.sources) > 1 or not 0 < len({pid for _, pid, _ in found}) == len(found) <= _FEW_COLUMNS:
        return {}
    if not _apart(work):
        return {}
    joins = " ".join(
        f"LEFT JOIN (SELECT text, id FROM coded WHERE n = {n}) AS t{n} ON t{n}.text = c{n}" for n, _, _ in found
    )
    objects = ", ".join(f"t{n}.id AS o{place}" for place, (n, _, _) in enumerate(found))
    return {
        "wide_values": f"SELECT s, row AS line, {objects} FROM first_row {joins} ORDER BY s",
        "wide_columns": tuple((pid, place) for _, pid, place in found),
    }


def terms(work: Work) -> str:
    """Return SQL for the texts of entities."""
    own, other = _key(work, "e"), _key(work, "text")
    return (
        f"SELECT s AS id, {own} AS text FROM kept_row UNION ALL"
        f" SELECT {sql.hash_id_sql(other)}, {other} FROM (SELECT DISTINCT text FROM linked WHERE text NOT IN"
        " (SELECT e FROM kept_row)) UNION ALL SELECT b, b_text FROM identity WHERE b_text IS NOT NULL"
    )


def names(work: Work, columns: ColumnMapping) -> str:
    """Return SQL for names: those of a name column, given and family names, or the entity's text.

    Others are aliases.
    """
    place, pieces = columns.one("name"), columns.parts_of_name
    apart = _apart(work)
    parts = []
    text = "NULL" if place is None else _first(place)
    if pieces:
        text = f"nullif(concat_ws(' ', {', '.join(map(_first, pieces))}), '')"
        family = _first(pieces[-1])
        parts = [
            f"SELECT s AS node, 'alias' AS kind, {family} AS text, row AS line FROM kept_row WHERE {family} <> {text}"
        ]
    own = "'name'"
    if text != "NULL":
        first = "'name'" if apart else "CASE WHEN row = min(row) OVER (PARTITION BY s) THEN 'name' ELSE 'alias' END"
        parts.append(
            f"SELECT s AS node, {first} AS kind, {text} AS text, row AS line FROM kept_row WHERE {text} IS NOT NULL"
        )
        some = f"{text} IS NOT NULL"
        own = f"CASE WHEN {some if apart else f'bool_or({some})'} THEN 'alias' ELSE 'name' END"
    if apart:
        parts.append(f"SELECT s AS node, {own} AS kind, e AS text, row AS line FROM kept_row")
    else:
        parts.append(f"SELECT s AS node, {own} AS kind, e AS text, min(row) AS line FROM kept_row GROUP BY s, e")
    for kind in ("alias", "description"):
        parts += [
            f"SELECT s AS node, '{kind}' AS kind, unnest(string_split(c{n}, '{MANY}')) AS text, row AS line"
            f" FROM kept_row WHERE c{n} IS NOT NULL"
            for n in columns.of(kind)
        ]
    other = sql.hash_id_sql(_key(work, "text"))
    parts.append(
        f"SELECT {other} AS node, 'name' AS kind, text, min(row) AS line FROM linked WHERE text NOT IN"
        " (SELECT e FROM thing) GROUP BY text"
    )
    return " UNION ALL ".join(f"SELECT node, kind, text, line FROM ({part})" for part in parts)


def predicate_key(name: str) -> str:
    """Return an attribute's key, marked as a column if it reads as an id or literal."""
    key = "_".join(name.split())
    return f"column:{key}" if ids.is_inline(ids.encode(key)) or key.startswith('"') else key


def predicate_text(name: str) -> str:
    """Return an attribute in words, such as ``departure gate`` for ``departureGate`` and ``departure_gate``."""
    spread = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return " ".join(re.sub(r"[_./@]+", " ", spread).split()) or name


_ESCAPED: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CONTROLS: Final = {9: "\\t", 10: "\\n", 13: "\\r"}
_UNICODE: Final = "\\u{:04X}"


def _joins(columns: ColumnMapping) -> str:
    when = " LEFT JOIN circumstance USING (k)" if columns.of("qualifier") else ""
    return f"JOIN predicate_of USING (n) JOIN column_of USING (c){when}"


def _apart(work: Work) -> bool:
    """Return True if every row has its own entity."""
    return bool(work.one("SELECT (SELECT count(*) FROM thing) = (SELECT count(*) FROM base)"))


def _among(work: Work, which: str) -> str:
    """Return SQL that is true for the linking attributes that satisfy ``which``."""
    found = [str(n) for (n,) in work.db.execute(f"SELECT n FROM linking WHERE {which} ORDER BY n").fetchall()]
    return f"n IN ({', '.join(found)})" if found else "false"


def _first(place: int) -> str:
    """Return SQL for the first value of a cell that may have several."""
    return f"split_part(c{place}, '{MANY}', 1)"


def _fact(work: Work, columns: ColumnMapping) -> str:
    """Return SQL for the columns of a fact other than its value. Columns that are equal for all facts are left out."""
    own = ", i AS source" if len(work.sources) > 1 else ""
    when = ", q AS qualifiers" if columns.of("qualifier") else ""
    return f"s, pid AS p, row AS line{own}{when}, locator"


def _key(work: Work, text: str) -> str:
    """Return SQL for the key of an entity of this table."""
    return f"({sql_text(work.name + ':')} || {text})"


def escape_literal(text: str) -> str:
    """Return SQL for a text as it is written between the quotation marks of a literal."""
    short = f"replace(replace({text}, '\\', '\\\\'), '\"', '\\\"')"
    full = short
    for code in range(1, 32):
        full = f"replace({full}, chr({code}), {sql_text(_CONTROLS.get(code, _UNICODE.format(code)))})"
    return f"CASE WHEN regexp_matches({text}, '[\\x00-\\x1f]') THEN {full} ELSE {short} END"


def _literal(text: str) -> str:
    """Return SQL for the key of a value."""

    def is_(pattern: str) -> str:
        return f"regexp_full_match({text}, {sql_text(pattern)})"

    day = f"{is_(_DAY)} AND try_cast({text} AS DATE) IS NOT NULL"
    minute = f"strftime(try_cast({text} AS TIMESTAMP), '%Y-%m-%dT%H:%M:%S')"
    return (
        f"CASE WHEN type = 'moment' AND {is_(_MINUTE)} AND {minute} IS NOT NULL"
        f" THEN '\"' || {minute} || '\"^^xsd:dateTime' ELSE"
        f" '\"' || ({escape_literal(text)}) || '\"'"
        f" || CASE type WHEN 'number' THEN CASE WHEN {is_(_INTEGER)} THEN '^^xsd:integer'"
        f" WHEN {is_(_DECIMAL)} THEN '^^xsd:decimal' ELSE '' END WHEN 'year' THEN CASE WHEN"
        f" {is_('[12][0-9]{3}')} THEN '^^xsd:gYear' ELSE '' END WHEN 'day' THEN CASE WHEN {day} THEN '^^xsd:date'"
        f" ELSE '' END WHEN 'moment' THEN CASE WHEN {is_(_MOMENT)} THEN '^^xsd:dateTime' ELSE '' END ELSE ''"
        " END END"
    )


def _qualifiers(keys: list[str], texts: str) -> str:
    """Return the qualifiers of a row in the form of the stream."""
    pairs = []
    for key, text in zip(keys, texts.split(CELL), strict=False):
        if text:
            body = "".join(_ESCAPED.get(c, c) for c in text)
            pairs.append((key, f'"{body}"' + ("^^xsd:date" if re.fullmatch(_DAY, text) else "")))
    return qualifiers_text(pairs)


def _windows(work: Work, query: str) -> Iterator[list[str]]:
    """Yield the texts of a query, some at a time."""
    work.db.execute(f"CREATE OR REPLACE TEMP TABLE window_text AS {query} ORDER BY ALL")
    for start in range(0, work.one("SELECT count(*) FROM window_text"), _WINDOW):
        found = work.db.execute(f"SELECT * FROM window_text WHERE rowid >= {start} AND rowid < {start + _WINDOW}")
        yield [text for (text,) in found.fetchall()]
