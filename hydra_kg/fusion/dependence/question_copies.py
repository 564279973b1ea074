"""Copies among the sources of one question, detected in a sample of the store's statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hydra_kg.domain import Node, Path
from hydra_kg.fusion.gathering.sampling import Once, classes_from
from hydra_kg.fusion.gathering.store_claims import align_attributes, rows_of, statements
from hydra_kg.ports import Snapshot

if TYPE_CHECKING:
    from hydra_kg.fusion.normalisation.claim_values import Row

FLOOD: Final = 3
"""Number of sources with the same statement from which they are checked for copies."""

SOMEBODY: Final = ""
"""Source of statements whose source is unknown."""

_STARTS: Final = (None, *(n << 59 for n in range(1, 16)))
_PAGE: Final = 400


def copies(snapshot: Snapshot, stated: Iterable[Row]) -> Mapping[str, str]:
    """Return the representative (the least name) of each copying source in (entity, attribute, source, value) rows.

    Only contested values with at least ``FLOOD`` sources are checked, in claims on the same attributes of at most 6,400
    classes, which are read once.
    """
    rows = list(stated)
    behind: dict[tuple[str, str], dict[str, set[str]]] = {}
    for entity, attribute, source, value in rows:
        behind.setdefault((entity, attribute), {}).setdefault(value, set()).add(source)
    contested = [own for own in behind.values() if len(own) > 1]
    if max((len(names - {SOMEBODY}) for own in contested for names in own.values()), default=0) < FLOOD:
        return {}
    return _known(snapshot, frozenset(attribute for _, attribute, _, _ in rows))


def find_copied_origins(
    snapshot: Snapshot, paths: Sequence[Path], *, ends: Sequence[Sequence[Node]] = ()
) -> Mapping[str, str]:
    """Return the representative of each copying origin, from paths whose last hops state values.

    ``ends`` are the other ends of the paths' relations.
    """
    last_hops = [(p.hops[-1], f.source) for p in paths if p.hops for f in p.hops[-1].facts]
    if (
        len({s.name for _, s in last_hops}) < FLOOD
    ):  # before every predicate is aligned, which takes longer than all else
        return {}
    names = dict(zip((predicates := snapshot.predicates()).keys, align_attributes(predicates), strict=True))
    rows = [(h.subject.key, names.get(h.predicate, ""), s.name, h.object.name) for h, s in last_hops]
    besides = [(p.hops[-1], n) for p, own in zip(paths, ends, strict=False) if p.hops for n in own]
    rows += [(h.subject.key, names.get(h.predicate, ""), SOMEBODY, n.name) for h, n in besides]
    group = {s.name: s.group for _, s in last_hops}
    return {
        group[name]: group.get(representative, representative)
        for name, representative in copies(snapshot, rows).items()
        if name in group
    }


def _representatives(snapshot: Snapshot, attributes: frozenset[str]) -> Mapping[str, str]:
    from hydra_kg.fusion.dependence.copy_detection import CopyDetector  # few questions have contested values
    from hydra_kg.fusion.normalisation.claim_values import read_claims

    classes = classes_from(snapshot, _STARTS, _PAGE)
    claims = read_claims(rows_of(statements(snapshot, classes, attributes=attributes)), entity=lambda key: key).claims
    groups = ([claims.sources[s] for s in group] for group in CopyDetector().find(claims).groups)
    return {name: min(names) for names in groups for name in names}


_known = Once(_representatives, most=64)
