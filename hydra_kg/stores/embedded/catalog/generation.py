"""Data derived from all ready loads (same-as classes, degrees, numbering): built before a flip, read after it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index, LoadInfo, Predicates
from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.common.same_as import (
    GENERAL_TYPES,
    LARGEST,
    TYPE_PREDICATES,
    SameAsClasses,
    Unfused,
    components,
    fuse_links,
)
from hydra_kg.stores.embedded.segments.adjacency import check_nodes
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, REPAIR, Folder, FolderWriter, read_manifest
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.segments.merged_adjacency import MergedAdjacency, open_merged, union
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.number_columns import match

GENERATION: Final = "hydra-kg generation"
PREDICATES: Final = "predicates.json"
_MERGED: Final = "merged"
__all__ = ["GENERAL_TYPES", "LARGEST", "TYPE_PREDICATES", "SameAsClasses", "Unfused", "components", "fuse", "types_of"]


@dataclass(frozen=True, slots=True, eq=False)
class LoadMap:
    """The numbers of one load, or of a merged adjacency, translated to those of the generation.

    Attributes:
        to_class: int32 (n,), local node → class index. None means identity: then ``to_local`` is None as well, and the
            nodes of the load are exactly the classes.
        to_local: int32 (N,), class index → local node (the least, if several) or -1.
        extra_class, extra_local: int32, further local nodes of a class, ascending by (class, local node).
        to_pred: int32 (k,), local predicate → position in the generation's predicates.

    In a merged adjacency whose loads are not all ready any more, to_class and to_pred are -1 for what is gone.
    """

    to_class: Index | None
    to_local: Index | None
    extra_class: Index
    extra_local: Index
    to_pred: Index


@dataclass(frozen=True, slots=True, eq=False)
class Generation:
    """Everything derived from one set of ready loads, with N classes and P predicates.

    Attributes:
        classes: int64 (N,), representatives, ascending.
        mediator: uint8 (N,), 0 or 1.
        degree: int32 (N,).
        multi: int32 (c,), classes with several members, ascending.
        multi_off, multi_id: the member ids of ``multi[i]`` are ``multi_id[multi_off[i]:multi_off[i+1]]``, ascending.
        predicates: all predicates.
        maps: one map per load, in the order of the loads.
        unfused: same-as components that were not fused, each with its ids and the reason.
        merged: the links of several loads as one adjacency, if they were compacted.
    """

    number: int
    path: Path
    classes: Ids
    mediator: npt.NDArray[np.uint8]
    degree: Index
    multi: Index
    multi_off: npt.NDArray[np.int64]
    multi_id: Ids
    predicates: Predicates
    maps: tuple[LoadMap, ...]
    unfused: tuple[Unfused, ...] = ()
    merged: MergedAdjacency | None = None
    merged_map: LoadMap | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PinnedGeneration:
    """The snapshot that one question reads: ``loads[i]`` belongs to ``generation.maps[i]``."""

    path: Path
    generation: Generation
    loads: tuple[tuple[LoadInfo, Segment], ...]

    @property
    def number(self) -> int:
        """Return the number of the generation."""
        return self.generation.number


def build_generation(path: Path, segments: Sequence[Segment], *, merged: MergedAdjacency | None = None) -> None:
    """Write the generation of some loads, sorted by load name, into a new folder and make it durable.

    ``merged`` contains the links of some of them, and perhaps of loads that are gone.
    """
    with FolderWriter(path, magic=GENERATION) as out:
        ids = union([s.nodes for s in segments])
        check_nodes(len(ids), "All that is loaded, taken together,")
        fusion = fuse(segments)
        number, classes = _numbering(ids, fusion)
        degree, mediator = np.zeros(len(classes), np.int64), np.zeros(len(classes), np.bool_)
        named = np.zeros(len(classes), np.bool_)
        pred_id = union([s.preds for s in segments])
        pred_count = np.zeros(len(pred_id), np.int64)
        for s in segments:
            to_class = _map_to_classes(s.nodes, ids, number)
            _save_map(out, s.id, to_class, classes=len(classes))
            where: slice | Index = slice(None) if to_class is None else to_class
            _add_links(degree, s, to_class)
            _mark(mediator, where, s.mediator != 0)
            _mark(named, where, s.are_named())
            to_pred = np.searchsorted(pred_id, s.preds).astype(np.int32)
            out.save(f"{s.id}.pred", to_pred)
            pred_count[to_pred] += s.pcount
        if merged is not None:
            _save_map(out, _MERGED, _map_to_classes(merged.nodes, ids, number), classes=len(classes))
            out.save(f"{_MERGED}.pred", match(pred_id, merged.preds).astype(np.int32))
        out.save("classes", classes)
        np.minimum(degree, np.iinfo(np.int32).max, out=degree)
        out.save("degree", degree.astype(np.int32))
        out.save("mediator", (mediator & ~named).astype(np.uint8))
        _save_members(out, classes, fusion)
        out.save("pred_id", pred_id)
        out.save("pred_count", pred_count)
        (path / PREDICATES).write_text(json.dumps(_predicate_texts(pred_id, segments)), "utf-8")
        out.add(PREDICATES)
        out.finish(
            loads=[s.id for s in segments],
            merged=merged.id if merged is not None else "",
            unfused=[[list(ids), reason] for ids, reason in fusion.unfused],
        )


def read_merged_name(path: Path) -> str:
    """Return the name of the merged adjacency that a generation reads, or "". Raise StoreCorruptError."""
    return str(read_manifest(path, magic=GENERATION).get("merged", ""))


def open_generation(path: Path, number: int, segments: Sequence[Segment]) -> Generation:
    """Open and check a generation, together with the merged adjacency that it names.

    ``segments`` must be the loads that the generation was built for. The merged adjacency is in the folder ``merged``
    next to the folder of generations. Raises StoreCorruptError.
    """
    if number == 0:
        return _empty(path)
    folder = Folder(path, magic=GENERATION)
    folder.check_integers()
    if folder.manifest.get("loads") != [s.id for s in segments]:
        raise StoreCorruptError(f"{path} was built for other loads than those that are ready.", remedy=REPAIR)
    try:
        return _read(folder, number, segments)
    except (KeyError, TypeError, ValueError) as e:
        raise StoreCorruptError(f"{path} is damaged ({e}).", remedy=REPAIR) from e


def _read(folder: Folder, number: int, segments: Sequence[Segment]) -> Generation:
    """Return a generation from its arrays."""
    a: Mapping[str, Any] = folder.arrays
    maps = tuple(_read_map(a, s.id, len(s.nodes)) for s in segments)
    name = Path(str(folder.manifest.get("merged", ""))).name
    merged = open_merged(folder.path.parent.parent / "merged" / name) if name else None
    texts = json.loads(folder.bytes(PREDICATES).tobytes())
    keys, readings, inverse = (tuple(texts[k]) for k in ("keys", "texts", "inverse"))
    predicates = Predicates(a["pred_id"], keys, readings, inverse, a["pred_count"])
    unfused = tuple((tuple(ids), str(reason)) for ids, reason in folder.manifest["unfused"])
    return Generation(
        number,
        folder.path,
        a["classes"],
        a["mediator"],
        a["degree"],
        a["multi"],
        a["multi_off"],
        a["multi_id"],
        predicates,
        maps,
        unfused,
        merged,
        _read_map(a, _MERGED, len(merged.nodes)) if merged else None,
    )


def _read_map(a: Mapping[str, Any], name: str, nodes: int) -> LoadMap:
    """Return the numbering of one load. Raises ValueError if its arrays do not fit together."""
    total, nothing = len(a["classes"]), np.empty(0, np.int32)
    to_class, to_local = a.get(f"{name}.class"), a.get(f"{name}.local")
    known = total if to_class is None or to_local is None else len(to_class)
    if known != nodes or (to_local is not None and len(to_local) != total):
        raise ValueError(f"numbering of {name}")
    return LoadMap(
        to_class,
        to_local,
        a.get(f"{name}.extra_class", nothing),
        a.get(f"{name}.extra_local", nothing),
        a[f"{name}.pred"],
    )


def _empty(path: Path) -> Generation:
    """Return the generation of a store without loads."""
    ids, index = np.empty(0, np.int64), np.empty(0, np.int32)
    return Generation(
        0,
        path,
        ids,
        np.empty(0, np.uint8),
        index,
        index,
        np.zeros(1, np.int64),
        ids,
        Predicates(ids, (), (), (), ids),
        (),
    )


def _numbering(ids: Ids, fusion: SameAsClasses) -> tuple[Index | None, Ids]:
    """Return the class index of each id (None means its position), and the classes."""
    other = fusion.member != fusion.representative
    if not other.any():
        return None, ids
    is_class = np.ones(len(ids), np.bool_)
    is_class[np.searchsorted(ids, fusion.member[other])] = False
    number = np.cumsum(is_class, dtype=np.int32) - np.int32(1)
    at = np.searchsorted(ids, fusion.representative[other])
    number[np.searchsorted(ids, fusion.member[other])] = number[at]
    return number, ids[is_class]


def _map_to_classes(nodes: Ids, ids: Ids, number: Index | None) -> Index | None:
    """Return the class index of each local node, -1 for a node that no ready load has; None means identity."""
    at = match(ids, nodes) if len(nodes) != len(ids) or not np.array_equal(nodes, ids) else None
    if at is None:
        return number
    return at.astype(np.int32) if number is None else np.where(at < 0, np.int32(-1), number[at])


def _save_map(out: FolderWriter, name: str, to_class: Index | None, *, classes: int) -> None:
    """Write the arrays that map the nodes of one load to classes."""
    if to_class is None:
        return
    local = np.full(classes, -1, np.int32)
    nodes = np.flatnonzero(to_class >= 0).astype(np.int32)
    local[to_class[nodes[::-1]]] = nodes[::-1]  # the last assignment stays: the least local node
    out.save(f"{name}.class", to_class)
    out.save(f"{name}.local", local)
    extra = nodes[local[to_class[nodes]] != nodes]
    if len(extra):
        extra = extra[np.argsort(to_class[extra], kind="stable")]
        out.save(f"{name}.extra_class", to_class[extra])
        out.save(f"{name}.extra_local", extra)


def _save_members(out: FolderWriter, classes: Ids, fusion: SameAsClasses) -> None:
    order = np.lexsort((fusion.member, fusion.representative))
    rep, members = fusion.representative[order], fusion.member[order]
    first = np.flatnonzero(np.diff(rep, prepend=-1) != 0)
    out.save("multi", np.searchsorted(classes, rep[first]).astype(np.int32))
    out.save("multi_off", np.append(first, len(members)).astype(np.int64))
    out.save("multi_id", members)


def _add_links(degree: npt.NDArray[np.int64], segment: Segment, to_class: Index | None) -> None:
    """Count a load's links in both directions, one chunk of nodes at a time."""
    for low in range(0, len(segment.nodes), CHUNK):
        part = slice(low, low + CHUNK)
        for off in (segment.foff, segment.roff):
            ends = off[low : low + CHUNK + 1].astype(np.int64)
            links = ends[1:] - ends[:-1]
            if to_class is None:
                degree[part] += links
            else:
                np.add.at(degree, to_class[part], links)


def _mark(flags: npt.NDArray[np.bool_], where: slice | Index, values: npt.NDArray[np.bool_]) -> None:
    if isinstance(where, slice):
        flags |= values
    else:
        flags[where[values]] = True


def _predicate_texts(ids: Ids, segments: Sequence[Segment]) -> dict[str, list[str]]:
    """Return the key, text and inverse text of each predicate, taken from the first load that has one."""
    known: dict[int, list[str]] = {}
    for s in segments:
        with closing(s.open_texts()) as db:
            for i, *texts in db.execute("SELECT id, key, text, inverse FROM predicate"):
                old = known.setdefault(i, texts)
                old[:] = [x or y for x, y in zip(old, texts, strict=True)]
    rows = [known[i] for i in ids.tolist()]
    return {k: [r[c] for r in rows] for c, k in enumerate(("keys", "texts", "inverse"))}


def fuse(segments: Sequence[Segment]) -> SameAsClasses:
    """Return the classes of all same-as links of some loads. The result does not depend on their order."""
    a = np.concatenate([s.same_a for s in segments] or [np.empty(0, np.int64)])
    b = np.concatenate([s.same_b for s in segments] or [np.empty(0, np.int64)])
    return fuse_links(a, b, lambda nodes: types_of(nodes, segments))


def types_of(nodes: Sequence[int], segments: Iterable[Segment]) -> list[frozenset[int]]:
    """Return for each node the ids of the types that any load states of it, without types that everything has."""
    wanted = np.asarray(nodes, np.int64)
    found: list[set[int]] = [set() for _ in nodes]
    for s in segments:
        if not len(s.nodes):
            continue
        at = np.minimum(np.searchsorted(s.nodes, wanted), len(s.nodes) - 1)
        known = np.flatnonzero(s.nodes[at] == wanted)
        kinds = np.flatnonzero(np.isin(s.preds, list(TYPE_PREDICATES)))
        for off, pred, ends in ((s.voff, s.vpred, s.vobj), (s.foff, s.fpred, s.fdst)):
            low = off[at[known]].astype(np.int64)
            count = off[at[known] + 1].astype(np.int64) - low
            row = np.repeat(low - np.cumsum(count) + count, count) + np.arange(count.sum())
            typed = np.flatnonzero(np.isin(pred[row], kinds))
            objects = ends[row[typed]] if ends is s.vobj else s.nodes[ends[row[typed]]]
            owners = np.repeat(known, count)[typed]
            for owner, kind in zip(owners.tolist(), objects.tolist(), strict=True):
                found[owner].add(kind)
    return [frozenset(kinds - GENERAL_TYPES) for kinds in found]
