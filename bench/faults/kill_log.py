"""What a bench of kills keeps: its points, and what a reader saw meanwhile; in a file, so that a run can go on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any


@dataclass
class KillLog:
    """``before``: all lines that the file held · ``rows``: the points · ``seen``: states that readers saw, how often ·
    ``wrong``: half states among them."""

    path: Path | None = None
    before: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.path is not None and self.path.exists():
            self.before = [json.loads(line) for line in self.path.read_text("utf-8").splitlines()]
        self.rows = [row for row in self.before if "point" in row]
        for row in self.before:
            self.seen.update(row.get("reader", {}))
            self.wrong += row.get("half states", [])

    def point(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Take up one more point; its row."""
        self.rows.append({"point": len(self.rows) + 1, **found})
        self._keep(self.rows[-1])
        return self.rows[-1]

    def end(self, reader: BaseProcess, stop: Connection, *, patience: float, **more: object) -> None:
        """Stop a reader and take up what it saw; ``patience``: seconds that it may take to answer."""
        stop.send("stop")
        now, half = stop.recv() if stop.poll(patience) else ({}, ["the reader does not answer"])
        reader.join(5)
        self._keep({"reader": now, "half states": half, **more})
        self.seen.update(now)
        self.wrong += half

    def _keep(self, row: Mapping[str, Any]) -> None:
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
