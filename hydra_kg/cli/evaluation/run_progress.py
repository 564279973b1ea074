"""Show the progress of an evaluation run on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from hydra_kg.cli.terminal import note
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.evaluate.runs.spending import Spending


class Counter:
    """Counts on stderr with time left and cost so far: in place on a terminal, every tenth elsewhere."""

    def __init__(self, spending: Spending) -> None:
        self._spending = spending
        self._right = 0.0
        self._scored = self._asked = 0
        self._shown = -1
        self._begun = time.monotonic()

    def __call__(self, done: int, total: int, record: Mapping[str, Any]) -> None:
        self._asked += 1
        text = f"{done}/{total} questions"
        if record["metrics"] is not None:
            self._scored += 1
            self._right += record["metrics"]["hits1"]
            text += f", Hits@1 so far {100 * self._right / self._scored:.1f}"
        text += f", {_span((time.monotonic() - self._begun) / self._asked * (total - done))} left"
        if self._spending.spent_calls:
            s = self._spending
            text += f", {s.spent_calls:,} calls, {s.spent_tokens:,} tokens"
            text += f", {s.spent_money:.4g} money" if s.spent_money else ""
        if record.get("error"):
            note(f"failed: {clean(record['dataset'])} {clean(record['question_id'])}: {clean(record['error'])}")
        if sys.stderr.isatty():
            click.echo(f"\r{text}   ", err=True, nl=done == total)
        elif (tenth := 10 * done // total) > self._shown:
            self._shown = tenth
            note(text)


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
