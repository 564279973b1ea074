"""Find the columns that identify the rows of a table, and those that name them."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import Final

from hydra_kg_loaders.feeds import column_phrases
from hydra_kg_loaders.feeds.column_kinds import LONGEST_NAME
from hydra_kg_loaders.feeds.profile import Profile
from hydra_kg_loaders.feeds.staging import StagedTable

_NAMES: Final = ("name", "title", "label", "full name", "display name", "fullname")
_GIVEN: Final = ("first name", "fname", "f name", "given name", "forename", "vorname", "firstname", "prenom")
_FAMILY: Final = ("last name", "lname", "l name", "surname", "family name", "nachname", "lastname", "apellido")
_NAMING: Final = frozenset({"name", "title", "label", "fullname"})
_DESCRIBING: Final = frozenset("description detail text".split())
_SHORT: Final = 40
"""Names of columns that name a row if they are unique and short, often next to a code."""

_CODED: Final = 0.9
"""Share of a key's values with letters and digits from which they are codes and not names."""
_UNIQUE: Final = 0.95
_DIRT: Final = 0.02
"""Share of the rows of a key that may be empty, and that may repeat another row."""

_MOSTLY: Final = 0.6
"""Share of rows that a text must distinguish to be their name, and the share if it is the table's only text."""

_NO_NAME: Final = frozenset(
    "date time year phone mail email url note notes comment status type"
    " category code zip amount price state city country county town region province nationality gender sex color colour"
    " address street".split()
)


def key(table: StagedTable, found: Sequence[Profile], *, others: Collection[tuple[str, ...]] = ()) -> tuple[str, ...]:
    """Return the column that identifies the rows, or () if there is none.

    It is the declared key, an identifier, or a column called like the table. An identifier that is called like the
    table needs only be nearly unique (:func:`is_nearly_unique`). ``others`` has the nouns of all tables.
    """
    declared = next((k for k in table.keys if len(k) == 1), ())
    if declared:
        return declared
    noun = column_phrases.normalise_words(column_phrases.noun(table.name))
    ranked, like = [], []
    for place, name in enumerate(table.columns):
        profile = found[place]
        if not (profile.unique or is_nearly_unique(profile)) or profile.longest > LONGEST_NAME or place in table.many:
            continue  # a list identifies no row
        stem = column_phrases.stem(name)
        if column_phrases.is_id_like(name):
            own = (
                column_phrases.is_own_id(name)
                or stem == noun
                or (len(stem) == 1 and stem[0] in noun)
                or _short_for(stem, noun)
            )
            plain = column_phrases.normalise_words(name)[-1] in {
                "id",
                "uid",
                "uuid",
                "key",
            } or name.casefold().endswith("id")
            if profile.unique or column_phrases.is_own_id(name) or stem == noun:
                ranked.append((not own, not profile.unique, place > 0, not plain, place, name))
        elif is_called_like(name, noun) and _may_name(profile):
            like.append(name)
        elif place == 0 and profile.unique and profile.mostly("integer", 1.0) and is_called_like(name, noun):
            ranked.append((False, False, False, True, place, name))  # numbers under `order`, first in orders
    if like and all(other and column_phrases.stem(name) in others for other, *_, name in ranked):
        return (like[0],)
    return (min(ranked)[-1],) if ranked else ()


def is_nearly_unique(found: Profile) -> bool:
    """Return True if a column identifies the rows except for a few empty or repeated cells: one, or 2 %."""
    allowed = max(1, int(_DIRT * found.rows))
    return found.distinct > 2 and found.rows - found.filled <= allowed and found.filled - found.distinct <= allowed


def is_called_like(column: str, noun: Sequence[str]) -> bool:
    """Return True if a column is named after its table, with or without "name": ``club`` or ``club_name`` of clubs."""
    parts = column_phrases.normalise_words(column)
    return parts in (tuple(noun), tuple(noun[-1:])) or (
        len(parts) > 1 and parts[-1] == "name" and parts[:-1] in (tuple(noun), tuple(noun[-1:]))
    )


def composite(table: StagedTable) -> tuple[str, ...]:
    """Return the declared key if it has several columns."""
    return next((k for k in table.keys if len(k) > 1), ())


def name(
    table: StagedTable,
    found: Sequence[Profile],
    *,
    taken: frozenset[str],
    any_text: bool = True,
    texts: Set[str] = frozenset(),
) -> tuple[str, ...]:
    """Return the columns that name the rows, or () if there are none.

    They are the first of these: a column called "name", one called like the table, given name and family name, a column
    called "… name", or a unique short text if ``any_text``. ``taken`` has the keys and references, which are not names.
    ``texts`` has the references by names of other rows, next to which no other text is the table's only one.
    """
    noun = column_phrases.normalise_words(column_phrases.noun(table.name))
    free = [
        (place, own, column_phrases.normalise_words(own))
        for place, own in enumerate(table.columns)
        if own not in taken and _may_name(found[place]) and not _names_another(own, found, taken)
    ]
    free = [(n, own, parts) for n, own, parts in free if n not in table.many or " ".join(parts) in _NAMES]
    by_phrase = {" ".join(parts): own for _, own, parts in free}
    own_name = [own for _, own, parts in free if len(parts) == 2 and parts[-1] == "name" and parts[:-1] == noun[-1:]]
    for wanted in _NAMES:
        if wanted != "name" and own_name:
            return (own_name[0],)
        if wanted in by_phrase and not (wanted == "title" and _persons(by_phrase)):
            return (by_phrase[wanted],)
    for _, own, parts in free:
        if parts == noun or (parts and parts[-1] in _NAMING and parts[:-1] in (noun, noun[-1:])):
            return (own,)
    given = next((by_phrase[g] for g in _ends(by_phrase, _GIVEN)), None)
    family = next((by_phrase[f] for f in _ends(by_phrase, _FAMILY)), None)
    if given and family:
        return (given, family)
    for place, own, parts in free:
        if parts and parts[-1] in _NAMING and found[place].distinct_share > 0.5:
            return (own,)
    if given or family:
        return (str(family or given),)
    for place, own, parts in free if any_text else ():
        if _is_text(parts, found[place]) and found[place].distinct_share >= _UNIQUE:
            return (own,)
    if taken and any_text and (described := _describing(free, found)):
        return described
    only = [(place, own) for place, own, parts in free if _is_text(parts, found[place])] if any_text else []
    only = [(place, own) for place, own in only if found[place].mixed < _CODED]  # the seat of a ticket is no name
    return (only[0][1],) if len(only) == 1 and not texts and found[only[0][0]].distinct_share >= _MOSTLY else ()


def name_of_codes(table: StagedTable, found: Sequence[Profile], key: str, referring: Set[str]) -> tuple[str, ...]:
    """Return the column that names the rows of a key of codes, or (). Example: ``Description`` next to ``W-26``."""
    if found[table.columns.index(key)].mixed < _CODED:
        return ()
    taken = frozenset({key, *referring})
    free = [(n, own, column_phrases.normalise_words(own)) for n, own in enumerate(table.columns) if own not in taken]
    return name(table, found, taken=taken, any_text=False) or _describing(free, found)


def _describing(free: Sequence[tuple[int, str, tuple[str, ...]]], found: Sequence[Profile]) -> tuple[str, ...]:
    """Return the first column of short, unique descriptions that are not numbers, or ()."""
    for place, own, parts in free:
        unique = found[place].distinct_share >= _UNIQUE and found[place].length <= _SHORT
        if set(parts) & _DESCRIBING and unique and _may_name(found[place]):
            return (own,)
    return ()


def _names_another(column: str, found: Sequence[Profile], taken: frozenset[str]) -> bool:
    """Return True for a column that names a thing inside a record.

    If the record has a key, ``customer.name`` does not name an order.
    """
    return "." in column and column.casefold().endswith((".name", ".label")) and bool(taken) and found[0].rows > 1


def _is_text(parts: Sequence[str], found: Profile) -> bool:
    """Return True if nearly all cells of a column are texts other than dates, addresses or types of things."""
    return not (set(parts) & (_NO_NAME | _DESCRIBING)) and not found.forms and found.filled >= 0.95 * found.rows


def _may_name(found: Profile) -> bool:
    """Return True if cells are texts with letters: scores such as 21-7, numbers and days name nothing."""
    numbers = found.mostly("number", 0.5) or found.mostly("day", 0.5) or found.mostly("wordless", 0.5)
    others = any(found.mostly(shape, 0.5) for shape in ("email", "link", "money"))
    return found.filled > 0 and not numbers and not others and found.length <= LONGEST_NAME and not found.mostly("flag")


def _ends(phrases: dict[str, str], wanted: Sequence[str]) -> list[str]:
    return [p for w in wanted for p in phrases if p == w or p.endswith(f" {w}")]


def _persons(phrases: dict[str, str]) -> bool:
    return bool(_ends(phrases, _GIVEN) or _ends(phrases, _FAMILY))


def _short_for(stem: Sequence[str], noun: Sequence[str]) -> bool:
    """Return True if a stem is the beginning of the noun: ``StuID`` of students."""
    return len(stem) == 1 and len(stem[0]) >= 3 and any(word.startswith(stem[0]) for word in noun)
