"""Places in the names of entities: "Historic Centre of Riga" is in a place called Riga, if there is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hydra_kg.fusion.normalisation.hierarchy import Hierarchy
from hydra_kg.text.folding import fold

# The source that names count as. Whether it can be trusted is for the methods to find out.
NAME_SOURCE = "(the entity's name)"
# Words that more places than this share bear (province, city, saint) tell no place, nor do words of three letters.
GENERIC = 0.01
SHORTEST = 4

Row = tuple[str, str, str, str]


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
