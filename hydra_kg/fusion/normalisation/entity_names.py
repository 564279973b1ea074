"""Names that sources write differently: titles with brackets, books by number, places in names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import log

from rapidfuzz import fuzz

from hydra_kg.fusion.model.beliefs import SHARE
from hydra_kg.fusion.normalisation.dates import isbn
from hydra_kg.fusion.normalisation.hierarchy import Hierarchy
from hydra_kg.fusion.normalisation.person_names import resolve_html_entities
from hydra_kg.text.folding import fold

_BRACKET = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]?")
_ARTICLE = re.compile(
    r"^(.*), (the|a|an|les?|la|l'|das|der|die|el|los|las|il|i|un|une|den|det|de|het)\s*$", re.IGNORECASE
)
# An identifier that more entities share than this is none.
MOST_SHARING = 30


# The source that names count as. Whether it can be trusted is for the methods to find out.
NAME_SOURCE = "(the entity's name)"
# Words that more places than this share bear (province, city, saint) tell no place, nor do words of three letters.
GENERIC = 0.01
SHORTEST = 4

Row = tuple[str, str, str, str]


@lru_cache(maxsize=1 << 18)
def title_key(title: str) -> str:
    """Return the form of a title that comparisons use: entities resolved, "Message, The" turned round, folded.

    Brackets stay part of it.
    """
    return fold(turn_article(resolve_html_entities(title)))


def turn_article(title: str) -> str:
    """Return a title with its article in front: ``Locksmith, The`` → ``The Locksmith``."""
    match = _ARTICLE.match(title.strip()) if "," in title else None
    return f"{match[2]} {match[1]}" if match else title


def title_keys(title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of a title without its brackets, and those of the texts in brackets.

    Years and numbers in brackets are left out. The first keys are the more reliable ones.
    """
    title = resolve_html_entities(title)
    bare = title_key(_BRACKET.sub(" ", title))
    inside = tuple(title_key(m) for m in _BRACKET.findall(title))
    return ((bare,) if bare else ()), tuple(k for k in inside if len(k) > 3 and not k.replace(" ", "").isdigit())


class EntityIndex:
    """Index of entities by name: the same title first, then without brackets, then another title in brackets."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._levels: list[dict[str, list[int]]] = [{}]
        for number, name in enumerate(names):
            self._levels[0].setdefault(title_key(name), []).append(number)

    def find(self, name: str) -> tuple[int, ...]:
        """Return the numbers of the entities that the name may mean, or () if there are none.

        They are all entities of the first level that has any.
        """
        full = title_key(name)
        if found := self._levels[0].get(full):
            return tuple(found)
        if len(self._levels) == 1:  # most names are found as they stand
            self._levels += self._further()
        bare, _ = title_keys(name)
        tries = [(1, full), *((0, key) for key in bare), *((1, key) for key in bare), (2, full)]
        return next((tuple(found) for level, key in tries if (found := self._levels[level].get(key))), ())

    def _further(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        without: dict[str, list[int]] = {}
        within: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            if "(" in name or "[" in name or "{" in name:
                bare, inside = title_keys(name)
                for level, keys in ((without, bare), (within, inside)):
                    for key in keys:
                        level.setdefault(key, []).append(number)
        return without, within


def same_books(rows: Iterable[tuple[str, str, str, str]]) -> Callable[[str], str]:
    """Return a function that gives an entity's key, equal for equal titles and for titles of one book.

    Titles of one book share a book number (ISBN; 10 digits equal 13). Two titles are one book under three conditions:

    - Sources give both the same valid number.
    - They share half of the words of the shorter title, where rarer words count more.
    - Neither has another number that twice as many sources give, because a wrong number makes no two books one.

    The most similar titles are joined first, and a book has the numbers of all its titles. A number that many titles
    share is not used.
    """
    given: dict[str, Counter[str]] = {}
    for title, number, _ in {(title_key(e), isbn(v), s) for e, _, s, v in rows if 9 < len(v) < 20 and v[-2].isdigit()}:
        if number:
            given.setdefault(title, Counter())[number] += 1
    holders: dict[str, list[str]] = {}
    for title in sorted(given):
        for number in given[title]:
            holders.setdefault(number, []).append(title)
    seen = Counter(word for title in given for word in set(title.split()))
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.get(key, key) != key:
            key = parent[key]
        return key

    def telling(words: set[str]) -> float:
        return sum(log(1 + len(given) / seen[word]) for word in sorted(words))

    def alike(one: str, other: str) -> bool:
        a, b = set(one.split()), set(other.split())
        return 2 * telling(a & b) >= min(telling(a), telling(b))

    links = [
        (-fuzz.ratio(one, other), number, one, other)
        for number, titles in holders.items()
        if len(titles) <= MOST_SHARING
        for one, other in combinations(titles, 2)
        if alike(one, other)
    ]
    for _, number, one, other in sorted(links):
        a, b = sorted((root(one), root(other)))
        if a != b and all(given[x][number] >= SHARE * max(given[x].values()) for x in (a, b)):
            parent[b] = a
            given[a] += given[b]
    return lambda name: root(title_key(name))


def name_statements(rows: Sequence[Row], hierarchy: Hierarchy) -> list[Row]:
    """Return statements about place attributes that follow from the names of the entities.

    The stated place is the best match among the places below a claimed one.
    """
    bearing = Counter(word for name in hierarchy.names for word in set(fold(name).split()))
    most = max(2.0, GENERIC * len(hierarchy.names))
    places: dict[str, set[int]] = {}
    telling: Counter[int] = Counter()
    for node, name in enumerate(hierarchy.names):
        for word in fold(name).split():
            if len(word) >= SHORTEST and bearing[word] <= most:
                telling[node] += 1
                places.setdefault(word, set()).add(node)
    claimed: dict[tuple[str, str], set[int]] = {}
    for entity, attribute, _, value in rows:
        if known := hierarchy.nodes.get(fold(value)):
            claimed.setdefault((entity, attribute), set()).update(known)
    found: list[Row] = []
    for (entity, attribute), nodes in claimed.items():
        shared = Counter(
            node
            for word in set(fold(entity).split())
            for node in places.get(word, ())
            if not nodes.isdisjoint(hierarchy.above(node))
        )
        covered = {node: (count, count / telling[node]) for node, count in shared.items()}
        top = max(covered.values(), default=(0, 0.0))
        best = sorted(node for node, cover in covered.items() if cover == top)
        if len({fold(hierarchy.names[node]) for node in best}) == 1:
            found.append((entity, attribute, NAME_SOURCE, hierarchy.names[best[0]].strip()))
    return found
