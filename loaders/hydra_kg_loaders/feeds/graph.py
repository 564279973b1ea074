"""The facts of related tables, as SQL: rows become things or mediators, and columns become their properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg import ids
from hydra_kg.ingest.contract.loader import qualifiers_text
from hydra_kg.ingest.contract.statement_loader import TYPE
from hydra_kg.ingest.formats import sql
from hydra_kg.language.morphology import singular
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.feeds import column_phrases
from hydra_kg_loaders.feeds.model import FeedColumn, FeedModel, FeedTable, Reference
from hydra_kg_loaders.feeds.profile import INTEGER, NUMBER, each_value
from hydra_kg_loaders.feeds.references import comparable_cell
from hydra_kg_loaders.feeds.staging import StagedTable
from hydra_kg_loaders.tables.table_facts import escape_literal, predicate_key
from hydra_kg_loaders.tables.text_rows import MANY

_NUMERIC: Final = "-?[0-9]+([.][0-9]+)?"
_NO_VALUE: Final = frozenset({"reference", "group", "skip"})


class Graph:
    """SQL for the streams of a staged feed. With ``filled``, rows that have only empty cells are left out."""

    def __init__(self, feed: FeedModel, staged: Sequence[StagedTable], *, load: str, filled: bool = False) -> None:
        self.feed, self.load, self.filled = feed, load, filled
        self.staged = {t.name: t for t in staged}
        self.tables = [t for t in feed.tables if t.rows != "skip"]
        self.predicates: dict[str, tuple[str, str]] = {TYPE: ("instance of", "")}
        self.located = any(not t.alone or t.placed or t.left >= 0 for t in staged)
        self.units = any(qualifiers(c) for t in self.tables for c in t.columns)

    def links(self) -> str:
        """Return SQL for the links: references, groups, types and pairs."""
        parts = []
        for t in self.tables:
            if t.rows == "pair":
                parts.append(self._pair(t))
                continue
            parts += [self._reference(t, r) for r in self._of(t)]
            parts += [self._group(t, c) for c in t.columns if self._role(t, c) == "group"]
            if t.rows != "join":
                kinds = [self._id(sql_text(self._kind(noun))) for noun in (t.noun, *t.also)]
                parts += [
                    f"SELECT {self._id(self._node(t, 'c'))} AS s, {self._predicate(TYPE, '')} AS p, {kind} AS o,"
                    f" row AS line{self._place(t)} FROM {self._rows(t)} AS c"
                    for kind in kinds
                ]
        return " UNION ALL ".join(parts)

    def values(self) -> str:
        """Return SQL for all facts that are not links.

        A reference whose target is not in the other table stays a value.
        """
        parts = []
        for t in self.tables:
            if t.rows == "pair":
                continue
            many = self.staged[t.name].many
            own = [(n, c) for n, c in enumerate(t.columns) if self._role(t, c) not in _NO_VALUE]
            facts = [
                self._value(c, f"c.c{n}", self._predicate(words_key(c.phrase), _label(c)), self._letter(t, n))
                for n, c in own
                if n not in many
            ]
            if facts:
                parts.append(self._stated(t, f"{self._rows(t)} AS c", f"unnest([{', '.join(facts)}])"))
            for n, c in own:
                if n in many:
                    fact = self._value(c, "c.v", self._predicate(words_key(c.phrase), _label(c)), self._letter(t, n))
                    parts.append(self._stated(t, f"{self._each(t, n)} AS c", fact))
            for r in self._of(t):
                text = FeedColumn(r.columns[0], "key", r.phrase, also=r.also)
                said, place = self._predicate(words_key(r.phrase), _label(r)), t.place(r.columns[0])
                fact = self._value(text, f"c.c{place}", said, self._letter(t, place))
                lost = f"{self._referring(t, r)} AS c ANTI JOIN {self._table(r.to)} AS p ON {self._same(t, r)}"
                parts.append(self._stated(t, lost, fact))
        return " UNION ALL ".join(parts)

    def names(self) -> str:
        """Return SQL for the names of things, groups and types."""
        parts = []
        for t in self.tables:
            if t.rows in {"thing", "part"}:
                parts += [self._kind_name(noun) for noun in (t.noun, *t.also)]
            if t.rows == "thing":
                parts += self._thing_names(t)
            if t.rows != "pair":
                for place, c in enumerate(t.columns):
                    if self._role(t, c) == "group":
                        node = self._id(self._group_key(c, "v"))
                        parts.append(
                            f"SELECT {node} AS node, 'name' AS kind, v AS text, min(row) AS line"
                            f" FROM {self._each(t, place)} GROUP BY v"
                        )
        return " UNION ALL ".join(parts)

    def terms(self) -> str:
        """Return SQL for the texts of all ids."""
        parts = []
        for t in self.tables:
            if t.rows in {"thing", "part"}:
                kinds = [sql_text(self._kind(noun)) for noun in (t.noun, *t.also)]
                parts += [f"SELECT {self._id(kind)} AS id, {kind} AS text" for kind in kinds]
            if t.rows == "pair":
                continue
            parts.append(
                f"SELECT {self._id('k')} AS id, k AS text FROM (SELECT {self._node(t, 'c')} AS k FROM"
                f" {self._rows(t)} AS c)"
            )
            for place, c in enumerate(t.columns):
                if self._role(t, c) == "group":
                    key = self._group_key(c, "v")
                    parts.append(f"SELECT {self._id(key)}, {key} FROM (SELECT DISTINCT v FROM {self._each(t, place)})")
        return " UNION ALL ".join(parts)

    def mediators(self) -> str:
        """Return SQL for the mediators: rows that join things and have no name."""
        return " UNION ALL ".join(
            f"SELECT {self._id(self._node(t, 'c'))} AS id FROM {self._rows(t)} AS c"
            for t in self.tables
            if t.rows == "join"
        )

    def relations(self) -> tuple[tuple[int, str, str, str], ...]:
        """Return all predicates, each link's with its words for the other direction.

        Call it after the streams were made.
        """
        return tuple((ids.encode(key), key, text, reverse) for key, (text, reverse) in sorted(self.predicates.items()))

    def rejected(self) -> str:
        """Return SQL for rows of pairs with an end that is in no table, as (line, reason, character, text)."""
        parts = []
        for t in self.tables:
            if t.rows == "pair":
                for r in self._of(t):
                    cell = f"coalesce(c.c{t.place(r.columns[0])}, '')"
                    parts.append(
                        f"SELECT row, 'reference' AS reason, 0 AS place, {cell} AS text FROM {self._rows(t)} AS c"
                        f" ANTI JOIN {self._table(r.to)} AS p ON {self._same(t, r)}"
                    )
        if not parts:
            return ""
        shown = "regexp_replace(left(min(text), 200), '[^ -~]', '?', 'g')"
        return f"SELECT row, reason, 0, {shown} FROM ({' UNION ALL '.join(parts)}) GROUP BY row, reason"

    def _of(self, table: FeedTable) -> list[Reference]:
        """Return the references of a table's rows, except those to what the rows are themselves."""
        return [r for r in self.feed.of(table.name) if not (table.rows == "part" and r.columns == table.key)]

    def _role(self, table: FeedTable, column: FeedColumn) -> str:
        """Return a column's role.

        The names of rows are no facts, except in tables of parts or if the column has a phrase of its own (title).
        """
        if column.role == "name":
            said = {singular(w) for w in column.phrase.casefold().split()}
            plain = said <= {"name", "label", *table.noun.casefold().split()}
            return "text" if len(table.called) > 1 or table.rows != "thing" or not plain else "skip"
        return column.role

    def _reference(self, t: FeedTable, r: Reference) -> str:
        to = self.feed.table(r.to)
        return (
            f"SELECT {self._id(self._node(t, 'c'))} AS s, {self._predicate(words_key(r.phrase), _label(r), link=True)}"
            f" AS p, {self._id(self._node(to, 'p'))} AS o, c.row AS line"
            f"{self._place(t, t.place(r.columns[0]))} FROM {self._referring(t, r)} AS c"
            f" JOIN {self._table(r.to)} AS p ON {self._same(t, r)}"
        )

    def _pair(self, t: FeedTable) -> str:
        """Return SQL for the links that a table of pairs states."""
        a, b = self._of(t)
        said = self._pair_phrase(t, b)
        return (
            f"SELECT {self._id(self._node(self.feed.table(a.to), 'p'))} AS s,"
            f" {self._predicate(words_key(said), said, link=True)} AS p,"
            f" {self._id(self._node(self.feed.table(b.to), 'q'))} AS o, c.row AS line"
            f"{self._place(t, t.place(b.columns[0]))} FROM {self._rows(t)} AS c"
            f" JOIN {self._table(a.to)} AS p ON {self._same(t, a)}"
            f" JOIN {self._table(b.to)} AS q ON {self._same(t, b, other='q')}"
        )

    def _pair_phrase(self, t: FeedTable, b: Reference) -> str:
        """Return the phrase of a pair: that of the second column, or the table's name if it says more.

        It does if it is a verb (``directed``, ``Has_Pet``), or if other pairs join the same two tables.
        """
        named = column_phrases.words(t.name)
        ends = {r.to for r in self._of(t)}
        rivals = [o for o in self.tables if o is not t and o.rows == "pair" and {r.to for r in self._of(o)} == ends]
        if (
            rivals
            or column_phrases.is_verb_phrase(t.name)
            or (len(named) > 1 and named[0].casefold() in {"has", "have"})
        ):
            return " ".join(named)
        return b.phrase

    def _group(self, t: FeedTable, c: FeedColumn) -> str:
        node = self._id(self._group_key(c, "c.v"))
        return (
            f"SELECT {self._id(self._node(t, 'c'))} AS s, {self._predicate(words_key(c.phrase), _label(c), link=True)}"
            f" AS p, {node} AS o, c.row AS line{self._place(t, t.place(c.name))}"
            f" FROM {self._each(t, t.place(c.name))} AS c"
        )

    def _thing_names(self, t: FeedTable) -> list[str]:
        """Return SQL for the names of a table's rows."""
        node = f"{self._id(self._node(t, 'c'))} AS node"
        rows = f"{self._rows(t)} AS c"
        first = self.staged[t.name].first
        own = f"{sql_text(t.noun + ' ')} || (c.row - {first})"
        code = ""
        if t.key:
            code = " || ' ' || ".join(comparable_cell(f"c.c{t.place(k)}") for k in t.key)
            own = (
                f"CASE WHEN regexp_full_match({code}, '{_NUMERIC}') THEN {sql_text(t.noun + ' ')} ELSE '' END || {code}"
            )
        called = ", ".join(f"replace(c.c{t.place(n)}, '{MANY}', ' ')" for n in t.called)
        text = f"coalesce(nullif(concat_ws(' ', {called}), ''), {own})" if called else own
        parts = [f"SELECT {node}, 'name' AS kind, {text} AS text, c.row AS line FROM {rows}"]
        if called and code and t.key != t.called:
            parts.append(
                f"SELECT {node}, 'alias' AS kind, {code} AS text, c.row AS line FROM {rows}"
                f" WHERE NOT regexp_full_match({code}, '{_NUMERIC}')"
            )
        return parts

    def _kind_name(self, noun: str) -> str:
        return (
            f"SELECT {self._id(sql_text(self._kind(noun)))} AS node, 'name' AS kind, {sql_text(noun)} AS text,"
            " 1 AS line"
        )

    def _stated(self, t: FeedTable, rows: str, fact: str) -> str:
        unit = ", f.q AS qualifiers" if self.units else ""
        staged = self.staged[t.name]
        at = f", {self._locator(t)} AS spot" if self.located and staged.left < 0 else ""
        place = ", spot AS locator" if at else ""
        if staged.left >= 0:
            place = f", {sql_text(t.name + ', cell ')} || f.w || (line - {staged.first}) AS locator"
        return (
            f"SELECT s, f.p AS p, f.v AS key, line{unit}{place} FROM (SELECT {self._id(self._node(t, 'c'))} AS s,"
            f" c.row AS line{at}, {fact} AS f FROM {rows}) WHERE f.v IS NOT NULL"
        )

    def _value(self, column: FeedColumn, cell: str, predicate: int, letter: str) -> str:
        more = f", 'q': {sql_text(qualifiers(column) or '[]')}" if self.units else ""
        more += f", 'w': '{letter}'" if letter else ""
        return f"{{'p': {predicate}, 'v': CASE WHEN {cell} IS NOT NULL THEN {literal(column, cell)} END{more}}}"

    def _place(self, t: FeedTable, column: int = -1) -> str:
        return f", {self._locator(t, column)} AS locator" if self.located else ""

    def _letter(self, t: FeedTable, column: int) -> str:
        """Return the letters of a sheet's column as spreadsheets show them: A, Z, AA. It is "" in other files."""
        place, letters = self.staged[t.name].left + column, ""
        while place >= 0 and self.staged[t.name].left >= 0:
            place, letter = divmod(place, 26)
            place, letters = place - 1, chr(ord("A") + letter) + letters
        return letters

    def _locator(self, t: FeedTable, column: int = -1) -> str:
        """Return SQL for the place of a row or cell in its file."""
        staged = self.staged[t.name]
        if staged.left >= 0:
            place = f"cell {self._letter(t, column)}" if column >= 0 else "row "
            return f"{sql_text(f'{t.name}, {place}')} || (c.row - {staged.first})"
        if staged.placed:
            place = f"(SELECT any_value(a.place) FROM {staged.table}_at AS a WHERE a.row = c.row)"
            return place if staged.alone else f"{sql_text(t.name + ', ')} || {place}"
        if staged.alone:
            return "''"
        return f"{sql_text(t.name + ', row ')} || (c.row - {staged.first})"

    def _predicate(self, key: str, text: str, *, link: bool = False) -> int:
        """Return the id of a relation and record it. A link also gets its words for the other direction."""
        if key == TYPE:
            return ids.encode(key)
        reverse = ""
        if link:
            back = column_phrases.inverse_phrase(text.split(" / ", 1)[0])
            reverse = words_key(back)
            self.predicates.setdefault(reverse, (back, key))
        known = self.predicates.get(key)
        self.predicates[key] = (text, reverse or (known[1] if known else ""))
        return ids.encode(key)

    def _node(self, t: FeedTable, alias: str) -> str:
        """Return SQL for the key of the thing that a row describes."""
        if t.rows == "part":
            own = next(r for r in self.feed.of(t.name) if r.columns == t.key)
            to = self.feed.table(own.to)
            if to.key == own.to_columns and to.rows != "part":
                return self._keyed(to, [f"{alias}.c{t.place(c)}" for c in own.columns], alias)
        return self._keyed(t, [f"{alias}.c{t.place(c)}" for c in t.key], alias)

    def _keyed(self, t: FeedTable, cells: Sequence[str], alias: str) -> str:
        table = f"{self.load}:{t.name}"
        numbered = f"{sql_text(table + '#')} || ({alias}.row - {self.staged[t.name].first})"
        if not cells:
            return f"({numbered})"
        return f"coalesce({sql_text(table + '/')} || {self._text(cells)}, {numbered})"

    def _same(self, t: FeedTable, r: Reference, *, other: str = "p") -> str:
        to = self.feed.table(r.to)
        own = self._text([f"c.c{t.place(c)}" for c in r.columns])
        return f"{own} = {self._text([f'{other}.c{to.place(c)}' for c in r.to_columns])}"

    @staticmethod
    def _text(cells: Sequence[str]) -> str:
        return "(" + " || '|' || ".join(comparable_cell(cell) for cell in cells) + ")"

    def _group_key(self, c: FeedColumn, text: str) -> str:
        return f"({sql_text(f'{self.load}:{c.phrase}=')} || {text})"

    def _kind(self, noun: str) -> str:
        return f"{self.load}:{noun}"

    def _each(self, t: FeedTable, place: int) -> str:
        """Return SQL for the rows of a table, with each value of a cell as v."""
        each = each_value(self.staged[t.name], place, self._rows(t))
        return f"(SELECT *, c{place} AS v FROM {each} WHERE c{place} IS NOT NULL)"

    def _referring(self, t: FeedTable, r: Reference) -> str:
        """Return SQL for the rows of a table, with a row for each value of a reference's cell."""
        return each_value(self.staged[t.name], t.place(r.columns[0]), self._rows(t))

    def _rows(self, t: FeedTable) -> str:
        if not self.filled:
            return self._table(t.name)
        cells = " OR ".join(f"c{n} IS NOT NULL" for n in range(len(t.columns)))
        return f"(SELECT * FROM {self._table(t.name)} WHERE {cells})"

    def _table(self, name: str) -> str:
        return self.staged[name].table

    @staticmethod
    def _id(key: str) -> str:
        return sql.hash_id_sql(key)


def _label(c: FeedColumn | Reference) -> str:
    """Return the phrase of a relation with its other phrases: price / cost."""
    return " / ".join((c.phrase, *c.also))


def words_key(phrase: str) -> str:
    """Return the key of a relation that is given in words."""
    return predicate_key(phrase)


def literal(column: FeedColumn, cell: str) -> str:
    """Return SQL for the key of a cell's value. A cell that does not fit the column's kind stays a text."""
    text = f"'\"' || ({escape_literal(cell)}) || '\"'"
    if column.role in {"number", "money", "quantity", "key"}:
        number = cell if column.role == "key" else f"regexp_extract({cell}, {sql_text(NUMBER)})"
        if column.role == "number":
            number = f"CASE WHEN regexp_full_match({cell}, {sql_text(NUMBER)}) THEN {cell} END"
        return f"coalesce({_number(number)}, {text})"
    if column.role == "year":
        return (
            f"CASE WHEN regexp_full_match({comparable_cell(cell)}, '[12][0-9]{{3}}') THEN '\"' ||"
            f" {comparable_cell(cell)} || '\"^^xsd:gYear' ELSE {text} END"
        )
    if column.role in {"date", "moment"}:
        kind, shape = ("date", "%Y-%m-%d") if column.role == "date" else ("dateTime", "%Y-%m-%dT%H:%M:%S")
        moment = f"try_strptime({cell}, {sql_text(column.form)})" if column.form else f"try_cast({cell} AS TIMESTAMP)"
        return f"coalesce('\"' || strftime({moment}, '{shape}') || '\"^^xsd:{kind}', {text})"
    return text


def qualifiers(column: FeedColumn) -> str:
    """Return the unit of a column's amounts as the qualifiers of its facts, "" if it has none."""
    if not column.unit or column.role not in {"money", "quantity"}:
        return ""
    unit = column.unit.replace("\\", "\\\\").replace('"', '\\"')
    return qualifiers_text([("unit", f'"{unit}"')])


def _number(cell: str) -> str:
    """Return SQL for a number as a literal, NULL for other texts."""
    bare = f"regexp_replace(regexp_replace(replace({cell}, ',', ''), '^([-]?)[+]?[.]', '\\10.'), '[.]0*$|^[+]', '')"
    return (
        f"CASE WHEN regexp_full_match({bare}, {sql_text(INTEGER)}) THEN '\"' || {bare} || '\"^^xsd:integer'"
        f" WHEN regexp_full_match({bare}, '-?(?:0|[1-9][0-9]*)[.][0-9]+') THEN '\"' || {bare} || '\"^^xsd:decimal' END"
    )
