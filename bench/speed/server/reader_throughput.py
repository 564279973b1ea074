"""Answers a second of three readers behind a balancer against one: how much of a second core they make use of.

    python bench/speed/server/reader_throughput.py [--rounds 3] [--seconds 60] [--threads 2]

A store of the sample is published to a folder; three processes of ``hydra-kg serve --from`` read it. HAProxy with
docker/readers.haproxy.cfg stands before one of them, and another one before all three. Rounds of both take turns, with
eight connections a reader that ask as fast as they are answered. Only this machine is spoken to, for at most an hour.
Results go to ``bench/results/reader_throughput.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from helpers.servers.service import Service, free_port

from bench.faults.readers import haproxy, haproxy_version, reader
from bench.measure import machine, save
from bench.speed.load import calibration
from bench.speed.serve import CONNECTIONS, Load, processor, sample_questions, sample_store
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.publish import publish

READERS = 3


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0, help="of one round of one or three readers")
    parser.add_argument("--threads", default="2", help="questions that a reader answers at a time")
    options = parser.parse_args()
    if 2 * options.rounds * options.seconds > 3_600:
        parser.error("that takes longer than an hour")
    with tempfile.TemporaryDirectory(prefix="hydra-kg-") as scratch:
        rows = _measured(Path(scratch), options.rounds, options.seconds, options.threads)
    written(rows, f"--rounds {options.rounds} --seconds {options.seconds:g} --threads {options.threads}")


def written(rows: list[dict[str, Any]], options: str) -> None:
    """The table, and what follows from it."""

    def median(column: str, readers: int) -> float:
        return statistics.median(row[column] for row in rows if row["readers"] == readers)

    one, three = (median("answers a second", n) for n in (1, READERS))
    dearer = median("reader ms", READERS) / median("reader ms", 1)
    busy = "" if median("load", READERS) < 2 * READERS else " Others were at work: only processor time can be compared."
    save(
        "reader_throughput",
        title="Three readers against one",
        command=f"python bench/speed/server/reader_throughput.py {options}",
        about={**machine(), "haproxy": haproxy_version()},
        notes=(
            f"Medians: {one:.1f} and {three:.1f} answers a second, {three / one:.2f} times as many; a question takes"
            f" {dearer:.2f} times the processor time where three answer.{busy}",
            "Readers, balancer and client share the cores; the columns of processor time are milliseconds a question.",
            "calibration: processor seconds of a fixed loop before the round; load: of the machine after it.",
        ),
        rows=rows,
    )


def _measured(scratch: Path, rounds: int, seconds: float, threads: str) -> list[dict[str, Any]]:
    address = f"file://{scratch}/published"
    with EmbeddedStore(sample_store(scratch / "own")) as store:
        publish(store, address)
    rows: list[dict[str, Any]] = []
    with ExitStack() as stack:
        readers = [
            stack.enter_context(reader(scratch, n, address, "--threads", threads, "--queue", str(2 * CONNECTIONS)))
            for n in range(READERS)
        ]
        for one in readers:
            one.wait()
            warm = Load(one.port, sample_questions(), until=time.monotonic() + 120)
            asyncio.run(warm.run(2 * len(sample_questions()), connections=2))
        ports = [one.port for one in readers]
        before = {1: [ports[0], free_port(), free_port()], READERS: ports}
        balancers = {n: stack.enter_context(haproxy(behind)) for n, behind in before.items()}
        time.sleep(10)  # until what is not there is known not to be
        for _ in range(rounds):
            for count in before:
                rows.append(_round(balancers[count], readers[:count], seconds))
                print(rows[-1], flush=True)
    return rows


def _round(balancer: tuple[str, int], readers: list[Service], seconds: float) -> dict[str, Any]:
    url, process = balancer
    fixed = calibration()
    load = Load(int(url.rpartition(":")[2]), sample_questions(), until=time.monotonic() + seconds)

    def used() -> list[float]:
        return [sum(processor(one).values()) for one in readers] + [_seconds(process), time.process_time()]

    before = used()
    a_second = asyncio.run(load.run(1_000_000, connections=CONNECTIONS * len(readers)))
    *own, proxy, client = [1_000 * (now - then) for now, then in zip(used(), before, strict=True)]
    answers = len(load.seconds)
    return {
        "readers": len(readers),
        "answers a second": round(a_second, 1),
        "reader ms": round(sum(own) / answers, 1),
        "balancer ms": round(proxy / answers, 2),
        "client ms": round(client / answers, 2),
        "% by the busiest": round(100 * max(own) / sum(own)),
        "answers": answers,
        "failed": sum(n for status, n in load.statuses.items() if status != 200),
        "calibration": round(fixed, 2),
        "load": round(os.getloadavg()[0], 1),
    }


def _seconds(process: int) -> float:
    """Of a processor, of a process and its children that live."""
    found = 0.0
    for one in (process, *map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        found += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


if __name__ == "__main__":
    main()
