"""Look through a store for values on which sources differ, as a job that shows what it has found so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from hydra_kg.events import Event
from hydra_kg.events.progress import Throttle
from hydra_kg.fusion.conflicts.entity_fusion import (
    describe_group,
    document,
    find_value_conflicts,
    fuse_attribute,
    judge_by_entity,
)
from hydra_kg.fusion.conflicts.fuse import Group
from hydra_kg.fusion.model.beliefs import Method
from hydra_kg.ports import Snapshot

EVERY: Final = 0.5
"""Seconds between two lines of progress."""

SHOWN: Final = 20
"""Most conflicts that are shown before the search ends."""

SHARE: Final = 0.1
"""Share of the time that goes into judging conflicts early."""

Json = dict[str, Any]


class ConflictSearch:
    """One search. ``tell`` receives lines of progress: how much was looked through, and the first conflicts."""

    def __init__(self, snapshot: Snapshot, method: Method, tell: Callable[[Json], None]) -> None:
        self._snapshot, self._method, self._tell = snapshot, method, tell
        self._throttle = Throttle(EVERY, at_once=True)
        self._begun, self._spent = time.monotonic(), 0.0
        self._values: dict[tuple[object, ...], Json] = {}

    def run(self, attribute: str, *, limit: int) -> Json:
        """Return the counts, the sources, and at most ``limit`` groups with a conflict, hardest first.

        All attributes are fused if none is named. Raise NotFoundError.
        """
        fused = fuse_attribute(
            self._snapshot, self._method, attribute=attribute, listener=self._listen, differing=self._look
        )
        kinds, hardest = fused.conflicts(), fused.hardest(limit)
        groups = self._judged(hardest)
        by_id = {e.node.id: e.node for e in self._snapshot.entities(sorted({g.entity for g in groups}))}
        return {**document(fused, groups, by_id, kinds), "left_out": max(kinds.get("value", 0) - len(hardest), 0)}

    def _listen(self, event: Event) -> None:
        data = event.data
        if self._throttle.due(finished=data["done"] >= data["total"]):
            values = list(self._values.values())
            progress = {"phase": event.kind.partition(".")[2], **data}
            self._tell({"progress": {**progress, "found": len(values), "values": values[:SHOWN]}})

    def _look(self, differing: Iterator[tuple[int, str]]) -> None:
        """Judge some of the statements that seem to differ."""
        for entity, attribute in differing:
            begun = time.monotonic()
            if len(self._values) >= SHOWN or self._spent > SHARE * (begun - self._begun):
                return
            found = find_value_conflicts(self._snapshot, entity, self._method)
            self._add([group for group in found if group.attribute == attribute])
            self._spent += time.monotonic() - begun

    def _judged(self, hardest: Sequence[Group]) -> list[Group]:
        self._values.clear()
        found = []
        for done, group in enumerate(judge_by_entity(self._snapshot, hardest, self._method), 1):
            if group is not None:
                found.append(group)
                self._add([group])
            self._listen(Event("fuse.judge", {"done": done, "total": len(hardest), "unit": "differences"}))
        return found

    def _add(self, groups: Sequence[Group]) -> None:
        nodes = {e.node.id: e.node for e in self._snapshot.entities(sorted({g.entity for g in groups}))}
        for group in groups:
            place = group.entity, group.attribute, group.when
            self._values[place] = describe_group(group, nodes[group.entity])
