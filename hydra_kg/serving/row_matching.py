"""Compare the rows of two loads for people who judge pairs, and link the rows that are the same thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.client import Hydra
from hydra_kg.errors import UsageError
from hydra_kg.match.pair_labels import nearest_pairs, read_labels, write_labels
from hydra_kg.match.same_as_links import (
    agreement,
    drop_joined_rows,
    labels_file,
    lines,
    links_file,
    load_name,
    sides_of,
    write_links,
)
from hydra_kg.stores import open_store
from hydra_kg.stores.embedded.operations.abilities import Backupable

if TYPE_CHECKING:
    from hydra_kg.match.match_run import Matcher
    from hydra_kg.match.model import Matching

Json = dict[str, Any]

ASKED: Final = 40
"""Most pairs that a person is asked about at once: the least certain ones."""


def review_pairs(address: str, feeds: Sequence[str]) -> Json:
    """Return the pairs nearest the threshold that nobody judged yet, and how many are linked without being asked."""
    with _open_matching(address, feeds) as (folder, matcher, found):
        said = read_labels(labels_file(folder, feeds))
        asked = nearest_pairs(found, matcher.keys, known=set(said), most=ASKED)
        rows = matcher.rows(i for pair in asked for i in (pair.left, pair.right))
        pairs = []
        for pair in asked:
            agrees, differs = agreement(pair, rows, found)
            ends = {side: _row(rows[i]) for side, i in (("left", pair.left), ("right", pair.right))}
            accepted = pair.probability >= found.threshold
            shown = {"probability": round(pair.probability, 4), "accepted": accepted}
            pairs.append({**ends, **shown, "agrees": agrees, "differs": differs})
        counts = {"rows": list(found.rows), "accepted": len(found.accepted), "judged": len(said)}
        return {"feeds": list(feeds), "threshold": found.threshold, "counts": counts, "pairs": pairs}


def link_rows(hydra: Hydra, address: str, feeds: Sequence[str], judged: Sequence[Mapping[str, Any]]) -> Json:
    """Store people's judgements, and load the links of the rows that are the same thing.

    The links are a load of their own, ``match-FEED-FEED2``, and replace earlier ones.
    """
    name = load_name(feeds)
    with closing(open_store(address)) as store:
        folder = _require_backupable(store).path
        list(write_labels(labels_file(folder, feeds), ((j["left"], j["right"], j["same"]) for j in judged)))
    with _open_matching(address, feeds) as (folder, matcher, found):
        sides = sides_of(matcher.pinned, feeds) if len(feeds) > 1 else {}
        accepted = drop_joined_rows(found, found.accepted, matcher.pinned, rows=sides)
        ends = [i for pair in accepted for i in (pair.left, pair.right)]
        links = list(lines(found, accepted, dict(zip(ends, matcher.keys(ends), strict=True))))
    if links:
        place = write_links(links_file(folder, feeds), links)
        hydra.load(place, format="matches", source=name, replace=True)
    return {"name": name if links else "", "links": len(links)}


def _row(row: Any) -> Json:
    return {"key": row.key, "name": row.name, "cells": dict(row.cells)}


def _require_backupable(store: Any) -> Backupable:
    if not isinstance(store, Backupable):
        raise UsageError("Only loads of a store in a folder can be matched.")
    return store


@contextmanager
def _open_matching(address: str, feeds: Sequence[str]) -> Iterator[tuple[Path, Matcher, Matching]]:
    """Yield the store's folder, the matcher of two loads, and its result."""
    from hydra_kg.match.match_run import Matcher

    with (
        closing(open_store(address)) as store,
        _require_backupable(store).pin() as pinned,
        TemporaryDirectory() as scratch,
        closing(Matcher(pinned, feeds, Path(scratch))) as matcher,
    ):
        folder = _require_backupable(store).path
        yield folder, matcher, matcher.run(read_labels(labels_file(folder, feeds)))
