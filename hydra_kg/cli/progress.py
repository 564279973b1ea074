"""Show progress on stderr: a bar with rate and time left on a terminal, occasional plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hydra_kg.cli.terminal import note
from hydra_kg.events import Event, Listener
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean

STEPS = 4
"""Most plain lines per phase."""

MEASURED = 0.1
"""Seconds before a rate is meaningful."""

QUIET = 2.0
"""Least seconds between two plain lines."""


@contextmanager
def progress() -> Iterator[Listener]:
    """Yield a listener that shows the progress that events report.

    Such events carry ``done`` and ``total``, and may carry ``unit``, ``rate`` and ``eta``.
    """
    if sys.stderr.isatty():
        with _bars() as listener:
            yield listener
    else:
        yield PlainProgress()


class PlainProgress:
    """Progress for logs and pipes: a line at the end of each phase and at each quarter of a long one."""

    def __init__(self, write: Callable[[str], None] = note) -> None:
        self._write = write
        self._phase = ""
        self._step = 0
        self._last = 0.0

    def __call__(self, event: Event) -> None:
        """Write a line if the event ends a phase, or passes a quarter of it some seconds after the last line."""
        done, total = _amounts(event)
        phase = title(event)
        if phase != self._phase:
            self._phase, self._step, self._last = phase, 0, event.seconds
            if total <= 0:
                self._write(phase)
        if total <= 0:
            return
        step = int(STEPS * min(done, total) / total)
        if step > self._step and (step == STEPS or event.seconds - self._last >= QUIET):
            self._step, self._last = step, event.seconds
            self._write(f"{phase}: {100 * min(done, total) / total:.0f} %{format_speed(event)}")


def title(event: Event) -> str:
    """Return the title of an event: ``load.read`` of freebase gives ``freebase: read``."""
    data = event.data
    what = event.kind.rpartition(".")[2].replace("_", " ")
    name = clean(data.get("load") or data.get("source") or data.get("name") or "")
    return f"{name}: {what}" if name else what


def format_speed(event: Event) -> str:
    """Return rate and time left, such as ``, 1.2 MB/s, 0:12 left``, as far as the event has them."""
    data, text = event.data, ""
    if (rate := data.get("rate")) and event.seconds >= MEASURED:
        unit = clean(data.get("unit", ""))
        text += f", {bytes_text(rate)}/s" if unit == "bytes" else f", {rate:,.0f} {unit or 'rows'}/s"
    if eta := data.get("eta"):
        text += f", {clock(eta)} left"
    return text


def clock(seconds: float) -> str:
    """Return a duration as ``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _amounts(event: Event) -> tuple[float, float]:
    return float(event.data.get("done") or 0), float(event.data.get("total") or 0)


@contextmanager
def _bars() -> Iterator[Listener]:
    """Yield a listener that draws progress bars on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns: tuple[Any, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[speed]}"),
    )
    with Progress(*columns, console=Console(stderr=True, markup=False, highlight=False)) as bars:
        tasks: dict[str, TaskID] = {}

        def listen(event: Event) -> None:
            name = title(event)
            done, total = _amounts(event)
            if name not in tasks:
                for task in tasks.values():
                    bars.stop_task(task)
                # A description is markup to rich, whatever its console says.
                tasks[name] = bars.add_task(name.replace("[", "\\["), total=total or None, speed="")
            bars.update(tasks[name], completed=done, total=total or None, speed=format_speed(event).lstrip(", "))

        yield listen
