"""What the marks of spans cost a question: without a tracer, and with spans that go to a collector on this machine.

    python bench/speed/tracing.py [--store STORE] [--rounds 20]

Processor time, because others use the machine too. Each round asks every question of the sample once in each way, in
turn. Without a tracer: how often marks are passed in a question, times what one costs by itself; the second column
without a tracer shows how far two equal ways differ. Without ``--store`` the sample is loaded. Results go to
``bench/results/tracing.md``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import timeit
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from helpers.servers.collector import Collector

from bench.measure import machine, save
from hydra_kg import Hydra, Settings
from hydra_kg.util import recording, tracing
from hydra_kg.util.package_data import content

SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")
MARKS = ("tracer", "span", "event")
REPEATS = 200_000


def costs() -> dict[str, float]:
    """Nanoseconds of one mark where nobody traces: the least of five runs."""

    def bare(one: object) -> None:
        """A step without a mark."""

    marked = recording.step("step")(bare)

    def block() -> None:
        with tracing.span("step"):
            pass

    def empty() -> None:
        pass

    def least(run: Any) -> float:
        return min(timeit.repeat(run, number=REPEATS, repeat=5)) / REPEATS * 1e9

    # A marked step also looks whether it was stopped and whether somebody records; that it did before there were spans.
    return {
        "block": least(block) - least(empty),
        "step": least(lambda: marked(None)) - least(lambda: bare(None)),
        "tracer": least(tracing.tracer),
        "event": least(lambda: tracing.event("e", {})),
    }


def counted(hydra: Hydra, questions: list[str]) -> dict[str, float]:
    """How often a question passes each mark, on average."""
    before = {name: getattr(tracing, name) for name in MARKS}
    passed = dict.fromkeys(MARKS, 0)

    def counting(name: str) -> Any:
        def called(*args: Any, **kwargs: Any) -> Any:
            passed[name] += 1
            return before[name](*args, **kwargs)

        return called

    try:
        for name in MARKS:
            setattr(tracing, name, counting(name))
        for question in questions:
            hydra.ask(question, keep=False)
    finally:
        for name, function in before.items():
            setattr(tracing, name, function)
    return {name: n / len(questions) for name, n in passed.items()}


def main() -> None:
    """Measures and writes the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", default="")
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    lines = content("sample", "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    with tempfile.TemporaryDirectory() as scratch, Collector() as collector:
        store = given.store or str(Path(scratch) / "store")
        if not given.store:
            with Hydra(store=store, settings=Settings()) as hydra:
                hydra.load(*(content("sample", name) for name in SAMPLE))
        sent = {"telemetry.spans": "otlp", "telemetry.endpoint": collector.url}
        ways = {
            "off": Settings(),
            "off again": Settings(),
            "spans": Settings(**sent),
            "spans with content": Settings(**sent, **{"telemetry.content": True}),
        }
        hydras = {name: Hydra(store=store, settings=settings) for name, settings in ways.items()}
        for hydra in hydras.values():
            for question in questions:
                hydra.ask(question, keep=False)
        marks, cost = counted(hydras["off"], questions), costs()
        times: dict[str, list[list[float]]] = {name: [[] for _ in questions] for name in ways}
        order = list(ways)
        for turn in range(given.rounds):
            for place, question in enumerate(questions):
                for name in order[turn % len(order) :] + order[: turn % len(order)]:
                    begun = time.process_time()
                    hydras[name].ask(question, keep=False)
                    times[name][place].append((time.process_time() - begun) * 1e3)
        for hydra in hydras.values():
            hydra.close()
    typical = {name: [statistics.median(some) for some in each] for name, each in times.items()}
    ratios = {
        name: statistics.median(a / b for a, b in zip(typical[name], typical["off"], strict=True)) for name in ways
    }
    off = statistics.fmean(typical["off"])
    nanoseconds = marks["span"] * max(cost["block"], cost["step"]) + marks["tracer"] * cost["tracer"]
    nanoseconds += marks["event"] * cost["event"]
    rows: list[dict[str, Any]] = [
        {
            "way": name,
            "ms of a question": round(statistics.fmean(typical[name]), 2),
            "beside off": f"{(ratios[name] - 1) * 100:+.1f} %",
        }
        for name in ways
    ]
    rows.append(
        {
            "way": "marks that nobody hears, by count",
            "ms of a question": round(nanoseconds / 1e6, 4),
            "beside off": f"{nanoseconds / 1e6 / off * 100:+.3f} %",
        }
    )
    notes = [
        f"{len(questions)} questions of the sample, offline, {given.rounds} rounds; processor time, the mean of "
        "medians; beside off: the median over questions of the ratio of medians.",
        f"A question passes {marks['span']:.0f} spans, looks {marks['tracer']:.0f} times whether somebody traces, and "
        f"tells {marks['event']:.0f} events; unheard they take {cost['block']:.0f}, {cost['tracer']:.0f} and "
        f"{cost['event']:.0f} ns, a marked step {cost['step']:.0f} ns with its two other looks.",
        "Spans go to a collector in the same process, whose time is counted too.",
    ]
    save(
        "tracing",
        title="What spans cost a question",
        command=f"bench/speed/tracing.py --rounds {given.rounds}",
        about=machine("opentelemetry-sdk"),
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
