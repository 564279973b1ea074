"""The meaning of a table's columns: guessed from names and a sample, described in words, and corrected by flags."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from hydra_kg.errors import UsageError
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg_loaders.tables.text_rows import MANY

ROLES: Final[Mapping[str, str]] = {
    "entity": "what the row is about",
    "source": "who states it",
    "attribute": "the name of what is said (long tables)",
    "value": "an attribute; numbers, dates and links to other rows are recognised",
    "text": "a value that stays text",
    "link": "the name of another entity, with a row of its own or not",
    "name": "a name of the entity",
    "given": "a given name; with the family name it is the entity's name",
    "family": "a family name; with the given name it is the entity's name",
    "alias": "another name of the entity",
    "description": "a text about the entity",
    "id": "the entity's id elsewhere (Q42, m.0282x, an IRI): the two are the same thing",
    "qualifier": "when or under which circumstances the values of the row hold",
    "skip": "not loaded",
}
"""The roles of columns, as ``--map`` takes them."""

VALUE_ROLES: Final = frozenset({"value", "text", "link", "given", "family"})

MOST_IDENTIFIED: Final = 100_000
"""Largest table, in rows, whose identifiers are also values ("the id of Aurora").

In larger ones they are only aliases.
"""

_SOURCE: Final = ("source", "source_name", "source_id", "src", "data_source", "provider", "feed", "claimed_by")
_ENTITY: Final = ("entity", "entity_id", "subject", "object_id", "item")
_ID: Final = tuple("id key uid uuid guid isbn isbn13 isbn10 ean issn doi sku code identifier".split())
_ENDS_OF_IDS: Final = ("_id", "_key", "_code", "_uid", "_no", "_nr", "_number")
_NAME: Final = ("name", "title", "label", "full_name", "fullname", "display_name", "rdfs_label")
_GIVEN: Final = ("first_name", "firstname", "given_name", "givenname", "forename", "vorname", "prénom", "prenom")
_FAMILY: Final = tuple(
    "last_name lastname surname family_name familyname nachname familienname nom_de_famille apellido apellidos".split()
)
_PERSON: Final = (
    *_GIVEN,
    *_FAMILY,
    *"birth_date birthdate date_of_birth dob birthday gender sex salary".split(),
    *"wage hire_date hired hired_on hired_at date_hired employee_id employee staff_id person_id".split(),
)
"""Names of columns that only tables of people have. There, a title is a job or a form of address."""
_ALIAS: Final = ("alias", "aliases", "aka", "also_known_as", "alternative_name", "altlabel")
_DESCRIPTION: Final = ("description", "abstract", "summary", "about")
_REMARKS: Final = frozenset("note notes remark remarks comment comments message details text feedback reason".split())
_ATTRIBUTE: Final = ("attribute", "property", "predicate", "relation", "field", "variable", "attr")
_VALUE: Final = ("value", "object", "val", "claim", "answer")
_SAME: Final = tuple(
    (
        "qid wikidata wikidata_id wikidata_qid mid freebase freebase_id freebase_mid same_as sameas owl_sameas iri uri"
    ).split()
)
_WHEN: Final = tuple(
    (
        "date day as_of asof timestamp retrieved observed valid_from valid_to year month season period week "
        "quarter time start end"
    ).split()
)
_STAMPS: Final = ("date", "day", "as_of", "asof", "timestamp", "retrieved", "observed")
_OWN: Final = 0.8
"""Number of different titles per entity from which they are names."""
_SAME_VALUE: Final = re.compile(r"Q[1-9][0-9]*|/?[mg][./][0-9a-z_]+|https?://\S+")
_DAY: Final = re.compile(r"\d{1,4}[-./ ]\w{1,9}[-./ ]\d{1,4}([ T]\d\d:\d\d.*)?")
_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9.,]*%?")
_WORDLESS: Final = re.compile(r"[\W\d_]+")


class KeylessTableError(UsageError):
    """No column identifies the rows of a table, and no option says which one names them."""


@dataclass(frozen=True, slots=True)
class Role:
    """The role of a column. ``called`` is the attribute's name if it differs from the column's."""

    kind: str
    called: str = ""


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Every column with its role, in the order of the file."""

    names: tuple[str, ...]
    roles: tuple[Role, ...]

    def of(self, *kinds: str) -> list[int]:
        """Return the places of the columns of these kinds."""
        return [place for place, role in enumerate(self.roles) if role.kind in kinds]

    def one(self, kind: str) -> int | None:
        """Return the place of the only column of a kind."""
        return next(iter(self.of(kind)), None)

    @property
    def identifiers(self) -> list[int]:
        """Return the column of the entities if it has identifiers and another column has their names."""
        named = self.one("name") is not None or self.parts_of_name
        return [n for n in self.of("entity") if named and _is_identifier(_fold_header(self.names[n]))]

    @property
    def coded(self) -> bool:
        """Return True if the entities are identified by a column of identifiers, or by several sources' claims."""
        return self.one("source") is not None or any(
            _is_identifier(_fold_header(self.names[n])) for n in self.of("entity")
        )

    @property
    def noun(self) -> str:
        """Return the noun for the rows by the heading of their names.

        It is "country" for "country", "boat" for "boat_name", and "" for "name".
        """
        places = [p for p in (self.one("name"), self.one("entity")) if p is not None]
        if self.parts_of_name:
            return ""
        stems = (_stem(folded) for p in places if (folded := _fold_header(self.names[p])) not in (*_NAME, *_ENTITY))
        return next((stem.replace("_", " ") for stem in stems if stem and stem not in _ID), "")

    @property
    def parts_of_name(self) -> tuple[int, ...]:
        """Return the columns whose cells, joined, are the entity's name, if no column has the whole name."""
        if self.of("name"):
            return ()
        given, family = self._part("given", _GIVEN), self._part("family", _FAMILY)
        return () if given is None or family is None else (given, family)

    def _part(self, kind: str, called: Sequence[str]) -> int | None:
        """Return the place of a part of the name, which may be the entity column."""
        entity = self.one("entity")
        own = entity if entity is not None and _fold_header(self.names[entity]) in called else None
        return own if (place := self.one(kind)) is None else place

    @property
    def long(self) -> bool:
        """Return True if a row is one statement, not one entity."""
        return self.one("attribute") is not None

    def lines(self) -> list[str]:
        """Return the mapping in words."""
        shape = "one statement a row" if self.long else "one entity a row, one attribute a column"
        out = [f"Understood as a table: {shape}."]
        for name, role in zip(self.names, self.roles, strict=True):
            called = f" called {role.called}" if role.called else ""
            out.append(f"{name}: {role.kind}{called} ({ROLES[role.kind]})")
        return out


def guess(names: Sequence[str], rows: Sequence[Sequence[str]], choices: Mapping[str, str]) -> ColumnMapping:
    """Guess the mapping from columns and first rows.

    ``entity``, ``source_column`` and ``map`` overrule the guess. Raises UsageError, KeylessTableError.
    """
    found = _Guess(names, rows, chosen(names, choices))
    return found.columns()


def chosen(names: Sequence[str], choices: Mapping[str, str]) -> dict[int, Role]:
    """Return a person's roles of columns, by place. Raises UsageError."""
    out: dict[int, Role] = {}
    for part in filter(None, (p.strip() for p in choices.get("map", "").split(","))):
        column, equals, role = part.rpartition("=")
        kind, _, called = role.partition(":")
        if not equals or kind not in ROLES:
            raise UsageError(
                f"--map does not understand {part!r}.",
                remedy=f"It takes COL=ROLE or COL=ROLE:NAME; roles: {', '.join(ROLES)}.",
            )
        out[_place(names, column, "--map")] = Role(kind, called.strip())
    for option, kind in (("entity", "entity"), ("source_column", "source")):
        if choices.get(option):
            out[_place(names, choices[option], f"--{option.replace('_', '-')}")] = Role(kind)
    for kind in ("entity", "source", "attribute"):
        if sum(role.kind == kind for role in out.values()) > 1:
            raise UsageError(f"Several columns have the role {kind}.", remedy="Name one.")
    return out


def _place(names: Sequence[str], wanted: str, option: str) -> int:
    """Return the place of a column by its name, or ``#3``."""
    for place, name in enumerate(names):
        if name == wanted or _fold_header(name) == _fold_header(wanted) != "" or f"#{place + 1}" == wanted:
            return place
    raise UsageError(f"{option}: the table has no column {wanted!r}.", remedy=f"Its columns: {', '.join(names[:40])}.")


def _fold_header(name: str) -> str:
    spread = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name) if not name.isupper() else name
    return re.sub(r"[\W_]+", "_", spread.casefold()).strip("_")


def _is_called_name(heading: str) -> bool:
    """Return True if a heading, or one of its alternatives, contains name: ``Company / Name``."""
    return any(_fold_header(part) in _NAME for part in (heading, *heading.split("/")))


def _is_identifier(folded: str) -> bool:
    """Return True if a column is called like an identifier: ``id``, ``boat_id``, ``idStation``, ``code``."""
    return folded in _ID or folded.endswith(_ENDS_OF_IDS) or folded.startswith("id_")


def _stem(folded: str) -> str:
    """Return the subject of a column of identifiers or names: ``boat`` of ``boat_id`` and ``boat_name``."""
    return re.sub(r"^id_|_(id|key|code|no|nr|number|name|title)$", "", folded)


class _Guess:
    """State while the column mapping of a table is guessed."""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[str]], corrections: Mapping[int, Role]) -> None:
        self.names, self.rows = tuple(names), rows
        self.folded = [_fold_header(name) for name in names]
        self.roles: dict[int, Role] = dict(corrections)
        self.cells = [[row[place].strip() for row in rows] for place in range(len(names))]
        self.different = set(zip(*self.cells, strict=True))

    def columns(self) -> ColumnMapping:
        source = self._named(_SOURCE)
        if self._place_of("source") is None and source is not None and self._few(source):
            self.roles[source] = Role("source")
        if self._place_of("value") is None or self._place_of("attribute") is not None:
            attribute, value = self._named(_ATTRIBUTE), self._named(_VALUE)
            if attribute is not None and value is not None:
                self.roles.setdefault(attribute, Role("attribute"))
                self.roles.setdefault(value, Role("value"))
        if self._place_of("entity") is None:
            self.roles[self._entity()] = Role("entity")
        self._rest()
        roles = tuple(self.roles.get(place, Role("value")) for place in range(len(self.names)))
        if self._place_of("attribute") is not None:
            values = [p for p, role in enumerate(roles) if role.kind in VALUE_ROLES]
            if len(values) > 1:  # a long table has one column of values; the others say more about it
                stated = self.roles
                roles = tuple(
                    role if p in stated or role.kind not in VALUE_ROLES else replace(role, kind="qualifier")
                    for p, role in enumerate(roles)
                )
            elif not values:
                raise UsageError(
                    "The table has a column of attributes and none of values.", remedy="Name it: --map COL=value."
                )
        return ColumnMapping(self.names, roles)

    def _rest(self) -> None:
        """Give the columns without a role one: id, name, alias, description or attribute."""
        entity = self._place_of("entity")
        assert entity is not None
        named = self.folded[entity] in _NAME
        names = sorted((p for p, heading in enumerate(self.names) if _is_called_name(heading)), key=self._titles)
        name_at = next((p for p in names if p not in self.roles and self._names(p, entity)), None)
        if name_at is None and not named and not self._parts_of_name(entity):
            name_at = self._label(entity)
            name_at = self._named(_FAMILY) if name_at is None else name_at
        for place, name in enumerate(self.folded):
            if place in self.roles:
                continue
            if name in _SAME and self._mostly(place, _SAME_VALUE):
                self.roles[place] = Role("id")
            elif place == name_at and not named and self._place_of("name") is None:
                self.roles[place] = Role("name")
            elif name in _ALIAS:
                self.roles[place] = Role("alias")
            elif name in _DESCRIPTION:
                self.roles[place] = Role("description")
        source = self._place_of("source")
        keys = [p for p in (source, entity) if p is not None]
        for place, name in enumerate(self.folded):
            if place not in self.roles and name in _WHEN and self._full(place):
                stamp = source is not None and name in _STAMPS
                if stamp or (self._distinct(keys) < 0.95 <= self._distinct([*keys, place]) and not self._is_long()):
                    self.roles[place] = Role("qualifier")

    def _parts_of_name(self, entity: int) -> bool:
        """Return True if the given and the family name of people are found, and no column has the whole name."""
        places = {"given": self._named(_GIVEN), "family": self._named(_FAMILY)}
        for kind, called in (("given", _GIVEN), ("family", _FAMILY)):
            if self.folded[entity] in called:
                places[kind] = entity
        if None in places.values() or self._is_long() or self._place_of("name") is not None:
            return False
        for kind, place in places.items():
            if place is not None:
                self.roles.setdefault(place, Role(kind))
        return True

    def _label(self, entity: int) -> int | None:
        """Return the column named like the identifiers: ``boat_name`` or ``boat`` next to ``boat_id``."""
        if not _is_identifier(self.folded[entity]):
            return None
        about = _stem(self.folded[entity])
        free = [(p, name) for p, name in enumerate(self.folded) if p not in self.roles and self._is_label(p)]
        if about in _ID:  # plain "id": the first column that is called a name of something
            return next((p for p, name in free if name.endswith("_name")), None)
        wanted = (f"{about}_name", f"{about}_title", about)
        return next((p for one in wanted for p, name in free if name == one), None)

    def _is_label(self, place: int) -> bool:
        """Return True if a column has texts that differ in nearly every row."""
        return self._full(place) and self._distinct([place]) >= _OWN and not self._mostly(place, _NUMBER)

    @property
    def _people(self) -> bool:
        return not set(_PERSON).isdisjoint(self.folded)

    def _titles(self, place: int) -> bool:
        return self.folded[place] == "title"

    def _names(self, place: int, entity: int) -> bool:
        """Return True if a name-like column names the entities. Shared titles are jobs."""
        if self._mostly(place, _NUMBER):
            return False
        shared = self._distinct([place]) < _OWN * self._distinct([entity])
        return not (self._titles(place) and (self._people or shared))

    def _entity(self) -> int:
        """Return the first column that can name the entity of a row, by its name, then by its values."""
        free = [p for p in range(len(self.names)) if p not in self.roles and not (self._titles(p) and self._people)]
        free = [p for p in free if self.folded[p] not in _REMARKS and not any(MANY in cell for cell in self.cells[p])]
        for wanted in (_ENTITY, _ID, _NAME):
            for place in free:
                claimed = self._place_of("source") is not None
                sure = claimed if wanted is _ID or self.folded[place] == "item" else wanted is _ENTITY  # or: goods
                if self.folded[place] in wanted and self._full(place) and (sure or self._tells(place)):
                    return place
        for place in free:
            id_like = _is_identifier(self.folded[place])
            event = self._mostly(place, _DAY) and not self._measures(place)
            if self._full(place) and self._tells(place) and (id_like or not (event or self._is_amount(place))):
                return place
        if self._is_long() and free:
            return free[0]
        raise KeylessTableError(
            "No column identifies the rows.",
            remedy=f"Name the column that identifies a row: --entity COL, of {', '.join(self.names[:40])}.",
        )

    def _is_amount(self, place: int) -> bool:
        """Return True if cells are numbers or results such as 21-7; days and seasons such as 2003/04 can be names."""
        is_time = self.folded[place] in _WHEN or self._mostly(place, _DAY)
        return self._mostly(place, _NUMBER if is_time else _WORDLESS)

    def _tells(self, place: int) -> bool:
        """Return True if no source states two things about one entity under the same circumstances.

        A day is a circumstance in a table of claims, and of measurements, whose other columns are numbers. In a log of
        events (recipe, reader, stars, day) it is not: its rows are things of their own.
        """
        if self._is_long():
            return True
        source = self._place_of("source")
        when = [p for p, name in enumerate(self.folded) if name in _STAMPS and p not in self.roles and p != place]
        if source is None and not self._measures(place, *when):
            when = []
        return self._distinct([*([] if source is None else [source]), place, *when]) >= 0.9

    def _measures(self, *places: int) -> bool:
        """Return True if all columns but these are numbers."""
        return all(self._mostly(p, _NUMBER) for p in range(len(self.names)) if p not in places)

    def _named(self, wanted: Sequence[str]) -> int | None:
        free = [(p, own) for p, own in enumerate(self.folded) if p not in self.roles]
        return next((p for name in wanted for p, own in free if own == name), None)

    def _place_of(self, kind: str) -> int | None:
        return next((p for p, role in self.roles.items() if role.kind == kind), None)

    def _is_long(self) -> bool:
        return self._place_of("attribute") is not None

    def _few(self, place: int) -> bool:
        """Return True if a column repeats its values, as the name of a source does."""
        found = set(self.cells[place])
        return len(found) <= 20 or len(found) <= 0.5 * len(self.rows)

    def _full(self, place: int) -> bool:
        cells = self.cells[place]
        return bool(cells) and sum(map(bool, cells)) >= 0.99 * len(cells) - 1

    def _mostly(self, place: int, pattern: re.Pattern[str]) -> bool:
        cells = [part for cell in self.cells[place] if cell for part in cell.split(MANY)]
        return bool(cells) and sum(pattern.fullmatch(cell) is not None for cell in cells) >= 0.8 * len(cells)

    def _distinct(self, places: Sequence[int]) -> float:
        """Return the share of rows that these columns distinguish. Rows that repeat another one count once."""
        return len({tuple(row[p] for p in places) for row in self.different}) / max(len(self.different), 1)
