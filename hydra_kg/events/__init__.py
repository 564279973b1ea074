"""Events for listeners: how far some work is, and what a question found on its way."""

from __future__ import annotations

from hydra_kg.events.progress import EVERY, Event, Listener, Progress, Throttle, ignore
from hydra_kg.events.question import (
    Answered,
    Chosen,
    Cut,
    Found,
    Judged,
    Linked,
    Pruned,
    QuestionEvent,
    Read,
    Understood,
)

__all__ = [
    "EVERY",
    "Answered",
    "Chosen",
    "Cut",
    "Event",
    "Found",
    "Judged",
    "Linked",
    "Listener",
    "Progress",
    "Pruned",
    "QuestionEvent",
    "Read",
    "Throttle",
    "Understood",
    "ignore",
]
