"""Implement the store port in memory, as a reference: all promises about loads, none about crashes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any

from hydra_kg.domain import LoadInfo, Source
from hydra_kg.errors import NotFoundError, StoreBusyError, StoreError
from hydra_kg.fakes.snapshot import FakeFact, FakeLoad, FakeSnapshot
from hydra_kg.ports import LoadPlan, Stage
from hydra_kg.util.fast_dataclass import dataclass

KINDS = {"name": 0, "alias": 1, "title": 2}


class FakeStore:
    """Keeps loads in memory. A snapshot has the loads that were ready when it was taken."""

    def __init__(self) -> None:
        self.url = "fake:"
        self._ready: dict[str, FakeLoad] = {}
        self._writing: set[str] = set()

    @contextmanager
    def snapshot(self) -> Iterator[FakeSnapshot]:
        """Yield a snapshot of the loads that are ready now."""
        yield FakeSnapshot([self._ready[name] for name in sorted(self._ready)])

    def begin(self, load: LoadPlan) -> FakeLoadWriter:
        """Start a load. Raise StoreBusyError for an open one, StoreError if it exists without ``replace``."""
        if load.name in self._writing:
            raise StoreBusyError(f"{load.name} is being loaded.", remedy="Wait until it has finished.")
        if load.name in self._ready and not load.replace:
            raise StoreError(f"{load.name} is loaded already.", remedy="Replace it, or choose another source name.")
        self._writing.add(load.name)
        return FakeLoadWriter(self, load)

    def loads(self) -> list[Mapping[str, Any]]:
        """Return the ready loads."""
        return [
            {
                "id": name,
                "name": name,
                "state": "ready",
                "facts": load.info.facts,
                "sources": [asdict(s) for s in load.info.sources],
            }
            for name, load in sorted(self._ready.items())
        ]

    def drop(self, name: str) -> Mapping[str, Any]:
        """Drop a load, or one source of the loads that have it. Raise NotFoundError."""
        if load := self._ready.pop(name, None):
            return {"facts": load.info.facts}
        holding = [key for key, load in self._ready.items() if any(s.name == name for s in load.info.sources)]
        if not holding:
            raise NotFoundError(f"There is no load or source {name!r}.", remedy="List the loads.")
        return {"facts": sum(self._drop_source(key, name) for key in holding)}

    def close(self) -> None:
        """Do nothing, because nothing has to be released."""

    def _drop_source(self, key: str, name: str) -> int:
        load = self._ready[key]
        left = tuple(s for s in load.info.sources if s.name != name)
        if left:
            self._ready[key] = _without(load, left)
            return load.info.facts - self._ready[key].info.facts
        del self._ready[key]
        return load.info.facts


def _without(load: FakeLoad, left: tuple[Source, ...]) -> FakeLoad:
    """Return a load without other sources' facts, and without nodes that are then unused."""
    number = {i: left.index(s) for i, s in enumerate(load.info.sources) if s in left}

    def remaining(rows: list[FakeFact]) -> list[FakeFact]:
        return [replace(r, source=number[r.source]) for r in rows if r.source in number]

    links, values = remaining(load.links), remaining(load.values)

    def nodes(links: list[FakeFact], values: list[FakeFact]) -> set[int]:
        return {i for r in links for i in (r.s, r.o)} | {r.s for r in values}

    def preds(links: list[FakeFact], values: list[FakeFact]) -> set[int]:
        return {r.p for r in (*links, *values)}

    needed = {i for pair in load.same_as for i in pair} | {p[0] for p in load.passages}
    gone = nodes(load.links, load.values) - nodes(links, values) - needed
    unused = preds(load.links, load.values) - preds(links, values)
    return replace(
        load,
        info=replace(load.info, sources=left, facts=len(links) + len(values)),
        links=links,
        values=values,
        nodes=load.nodes - gone,
        mediators=load.mediators - gone,
        names=[n for n in load.names if n[0] not in gone],
        descriptions={d for d in load.descriptions if d[0] not in gone},
        predicates={p: texts for p, texts in load.predicates.items() if p not in unused},
    )


@dataclass(slots=True)
class FakeLoadWriter:
    """Reads a stage into lists. ``commit`` makes them ready."""

    store: FakeStore
    plan: LoadPlan
    load: FakeLoad | None = None
    _folder: Path | None = field(default=None)

    @property
    def staging(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="hydra-kg-fake-"))
        return self._folder

    def attach(self, file: Path) -> None:
        """Ignore the file, because a fake cannot show it."""

    def write(self, stage: Stage) -> None:
        details = {row: tuple(rest) for batch in stage.details() for row, *rest in batch}
        links, values = _rows(stage.links(), details, literal=False), _rows(stage.values(), details, literal=True)
        names = [row for batch in stage.names() for row in batch]
        self.load = FakeLoad(
            info=LoadInfo(self.plan.name, tuple(self.plan.sources), len(links) + len(values), ""),
            nodes={int(i) for batch in stage.nodes() for i in batch},
            links=links,
            values=values,
            mediators={int(i) for batch in stage.mediators() for i in batch},
            terms={int(i): text for ids, texts in stage.terms() for i, text in zip(ids, texts, strict=True)},
            names=sorted({(node, KINDS[kind], text) for node, kind, text in names if kind in KINDS}),
            descriptions={(node, text) for node, kind, text in names if kind == "description"},
            predicates={i: (key, text, inverse) for i, key, text, inverse in stage.predicates()},
            passages=[row for batch in stage.passages() for row in batch],
            same_as=[
                pair for batch in stage.same_as() for pair in zip(batch["a"].tolist(), batch["b"].tolist(), strict=True)
            ],
        )

    def commit(self, details: Mapping[str, Any]) -> None:
        if self.load is None:
            raise StoreError("Nothing was written.", remedy="Call write before commit.")
        self.store._ready[self.plan.name] = replace(self.load, file=str(details.get("file", "")))
        self.abort()

    def abort(self) -> None:
        self.release()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def release(self) -> None:
        self.store._writing.discard(self.plan.name)


def _rows(
    batches: Iterator[Mapping[str, Any]], details: Mapping[int, tuple[Any, ...]], *, literal: bool
) -> list[FakeFact]:
    out: list[FakeFact] = []
    for batch in batches:
        source = batch.get("source")
        for i, (s, p, o, line) in enumerate(zip(*(batch[c].tolist() for c in ("s", "p", "o", "line")), strict=True)):
            place = ~len(out) if literal else len(out)
            detail = details.get(place, ("", 1.0, "[]", ""))
            out.append(FakeFact(s, p, o, line, 0 if source is None else int(source[i]), detail))
    return out
