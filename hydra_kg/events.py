"""What happens while a question is answered or a file is loaded, as values that a progress bar or a test reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``kind`` is dotted (``ask.link``, ``ask.cut``, ``load.read``); ``data`` is JSON-able.

    ``seconds`` is the time since the start of the question or load.
    """

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The event as one JSON object."""
        return {"kind": self.kind, "seconds": round(self.seconds, 4), **self.data}


Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener that does nothing."""
