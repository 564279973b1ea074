"""Copy detection: sources that share their errors, or the facts of a question, are dependent and count as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from hydra_kg.domain import Node, Path
from hydra_kg.fusion.dependence.source_pairs import Items
from hydra_kg.fusion.gathering.sampling import Once, classes_from
from hydra_kg.fusion.gathering.store_claims import align_attributes, rows_of, statements
from hydra_kg.fusion.model.beliefs import Copying, Ints, Reals, wilson_low
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.ports import Snapshot
from hydra_kg.util.fast_dataclass import dataclass, replace

if TYPE_CHECKING:
    from hydra_kg.fusion.normalisation.claim_values import Row


FLOOD: Final = 3
"""Number of sources with the same statement from which they are checked for copies."""

SOMEBODY: Final = ""
"""Source of statements whose source is unknown."""

_STARTS: Final = (None, *(n << 59 for n in range(1, 16)))
_PAGE: Final = 400


@dataclass(frozen=True, slots=True)
class CopyDetector:
    """Detector of copies: it groups sources that rarely disagree on contested items and share errors.

    Independent sources may all be right together, so agreement proves nothing; their mistakes differ (Dong,
    Berti-Equille and Srivastava 2009). Two sources agree on a contested item (``Items``) if they state a value in
    common. What one of them states in addition, or alone of all sources, is its own noise and no evidence; Dong's
    copiers have such noise as well. Two sources are alike if they agree on at least the share ``agreeing``, and at
    least ``sure`` by the lower end of the Wilson interval (73 times without a difference). Two feeds that derive from
    one by different rules therefore stay separate. Groups are joined by the statements of all their members, so that no
    chain of chance similarities joins two groups.

    A mistake is a value that the vote does not believe. In this vote sources that are alike have one voice, so that
    many copies cannot turn their mistakes into truths. For that voice noise does count, because it shows which source
    is independent. The vote errs as well, at most as often as it disagrees with the source that it disagrees with
    least. Copies are outvoted together clearly more often than that; sources that are right together are not.
    """

    agreeing: float = 0.98
    sure: float = 0.95

    def find(self, claims: Claims) -> Copying:
        """Return the groups of copies, whatever the order of the sources."""
        items, every, whole = Items.of(claims), len(claims.sources), Items.of(claims, noise=True)
        agreed, apart, sources = items.compared(np.ones(len(items.home), np.bool_))
        by = np.array(sorted(range(len(sources)), key=lambda n: claims.sources[sources[n]]), np.int64)
        agreed, apart, sources = agreed[np.ix_(by, by)], apart[np.ix_(by, by)], sources[by]
        _, anywhere, _ = whole.compared(np.ones(len(whole.home), np.bool_), sources)
        alike = _numbered(self._joined(agreed, anywhere, agreed, 0.0), sources, every)
        right, _, _ = items.compared(items.believed(alike), sources)
        stated = np.diag(agreed)
        least = 1 - wilson_low(np.diag(right), stated).max(initial=0)
        return Copying(_numbered(self._joined(agreed, apart, agreed - right, float(least)), sources, every))

    def _joined(self, agreed: Reals, apart: Reals, wrong: Reals, least: float) -> Ints:
        """Return the first source of each source's group (P,).

        Of the pairs of groups that may be joined, the surest is joined first.
        """
        group, counts = np.arange(len(agreed)), np.array((agreed, apart, wrong))
        counts[:, group, group] = 0
        sure = self._sure(counts, least)
        while sure.any():
            a, b = np.unravel_index(np.argmax(sure), sure.shape)
            counts[:, a] += counts[:, b]
            counts[:, :, a] += counts[:, :, b]
            counts[:, [a, b], [a, a]] = counts[:, b] = counts[:, :, b] = 0
            sure[b] = sure[:, b] = 0
            sure[a] = sure[:, a] = self._sure(counts[:, a], least)
            group[group == b] = a
        return group

    def _sure(self, counts: Reals, least: float) -> Reals:
        """Return how surely two groups are alike, or 0 if not surely enough.

        ``counts`` has the items on which they agree, on which they differ, and on which they are outvoted together.
        """
        agreed, apart, wrong = counts
        n = np.maximum(agreed + apart, 1)
        low = wilson_low(agreed, n)
        fits = (agreed >= self.agreeing * n) & (low >= self.sure) & (wilson_low(wrong, n) > least)
        return np.where(fits, low, 0.0)


def copying_from(sources: Sequence[str], representatives: Mapping[str, str]) -> Copying:
    """Return the groups of copies that are known already.

    ``representatives`` maps the name of a copying source to the source that speaks for it.
    """
    _, cluster = np.unique([representatives.get(name, name) for name in sources], return_inverse=True)
    return Copying(cluster.astype(np.int64))


def _numbered(group: Ints, sources: Ints, every: int) -> Ints:
    """Return the group number of all sources (S,), where only some of them were grouped and the others are alone."""
    cluster, least = np.arange(every), np.full(len(sources), every)
    np.minimum.at(least, group, sources)
    cluster[sources] = least[group]
    return np.unique(cluster, return_inverse=True)[1].astype(np.int64)


def merge_copies(claims: Claims, copying: Copying) -> Claims:
    """Merge the claims of each group of copies into one source, named by all its members.

    Where one value is true, the majority of the members decides.
    """
    names: list[list[str]] = [[] for _ in range(int(copying.cluster.max(initial=-1)) + 1)]
    for name, cluster in zip(claims.sources, copying.cluster.tolist(), strict=True):
        names[cluster].append(name)
    source = copying.cluster[claims.source].astype(np.int32) if len(claims) else claims.source
    width = max(1, int(claims.value.max(initial=0)) + 1)
    speaker = claims.group.astype(np.int64) * max(1, len(names)) + source
    _, first_rows, votes = np.unique(speaker * width + claims.value, return_index=True, return_counts=True)
    who = np.cumsum(np.diff(speaker[first_rows], prepend=-1) != 0) - 1
    most = np.zeros(len(first_rows), np.int64)
    np.maximum.at(most, who, votes)
    usual = votes == most[who]
    first_rows = first_rows[usual | claims.many[claims.group[first_rows]]] if len(claims.many) else first_rows[usual]
    starts = np.searchsorted(claims.group[first_rows], np.arange(len(claims.keys) + 1)).astype(np.int64)
    return replace(
        claims,
        sources=tuple(" = ".join(n) for n in names),
        group=claims.group[first_rows],
        source=source[first_rows],
        value=claims.value[first_rows],
        starts=starts,
        outside_list=claims.outside_list[first_rows] if len(claims.outside_list) else claims.outside_list,
    )


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
