"""Questions a second of `hydra-kg serve` with one worker and with two, how late the slowest are, and overload.

    python bench/speed/serve.py [--store STORE] [--requests 2000] [--workers 1 2] [--seconds 300]

Only this machine is spoken to, at most so many requests and seconds. Each number of workers: after each has answered
each question, a tenth of the requests are questions as fast as it goes over eight connections a worker, a tenth are
questions at 80 % of that rate, the others read facts; then come six times as many connections. Without ``--store`` the
sample is loaded. Results go to ``bench/results/serve.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from helpers.servers.service import Service, service

from bench.measure import commit, machine, save
from hydra_kg import Hydra, Settings
from hydra_kg.util.package_data import find_content

CONNECTIONS = 8
"""Of one worker."""

NOTES = (
    "A worker answers one question at a time here, offline, over the sample; the client takes part of the cores. Each "
    "worker has answered each question before.",
    "p50 and p95 are measured from when a request was due, at 80 % of the rate before.",
    "Overload: six times as many connections; 503 comes with Retry-After.",
    "MB: memory that the workers share with nobody and that is in no file, before and after the requests.",
)

WARMING = 3
"""Times that each question is asked before, for each worker."""

IDLE = -1
"""In place of a status: the connection ended before a byte of the reply."""

READ = "GET /v1/facts?entity=Steve%20Jobs&limit=20"

SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")


class Load:
    """A bounded number of requests to one service, with the time and status of each."""

    def __init__(self, port: int, questions: list[str], *, until: float) -> None:
        self._port, self._until = port, until
        self._questions = questions
        self.seconds: list[float] = []
        self.statuses: Counter[int] = Counter()
        self._asked = 0

    async def run(self, requests: int, *, connections: int, rate: float = 0.0) -> float:
        """Send them, as fast as it goes or so many a second; how many were answered a second."""
        began = time.monotonic()
        left = iter(range(requests))

        async def connection() -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            for n in left:
                if time.monotonic() > self._until:
                    break
                due = began + n / rate if rate else 0.0
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                at = time.monotonic() if not rate else due  # who waits for a connection waits too
                status, close = await self._ask(reader, writer)
                if status == IDLE:  # closed while nobody used it: as every client does, once more on a new one
                    reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                    status, close = await self._ask(reader, writer)
                self.seconds.append(time.monotonic() - at)
                self.statuses[status] += 1
                if close:
                    writer.close()
                    reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            writer.close()

        await asyncio.gather(*(connection() for _ in range(connections)))
        return sum(self.statuses.values()) / (time.monotonic() - began)

    def _body(self) -> bytes:
        if not self._questions:
            return b""
        return json.dumps({"question": self._questions[self._asked % len(self._questions)]}).encode()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[int, bool]:
        body = self._body()
        self._asked += 1
        place = "POST /v1/answers" if body else READ
        head = f"{place} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        try:
            writer.write(f"{head}{len(body)}\r\n\r\n".encode() + body)
            reply = await reader.readuntil(b"\r\n\r\n")
            lines = reply.decode("latin-1").lower().split("\r\n")
            length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
            await reader.readexactly(length)
        except asyncio.IncompleteReadError as e:
            return (0 if e.partial else IDLE), True
        except OSError:
            return IDLE, True
        return int(lines[0].split()[1]), "connection: close" in lines


def memory(one: Service) -> float:
    """MB of all its workers that they do not share with others, and that are in no file either."""
    found = 0
    for process in one.workers() or [one.process.pid]:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        found += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(("Private_Dirty", "Swap:")))
    return found / 1024


def processor(one: Service) -> dict[int, float]:
    """Seconds of a processor that each process of it has used, by id."""
    found = {}
    for process in {one.process.pid, *one.workers()}:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        found[process] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def sample_store(folder: Path) -> Path:
    """The sample, loaded there."""
    with Hydra(store=folder, settings=Settings()) as hydra:
        hydra.load(*(find_content("sample", name) for name in SAMPLE))
    return folder


def sample_questions() -> list[str]:
    """Those that come with the sample."""
    lines = find_content("sample", "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines if line.strip()]


def warmed(one: Service, questions: list[str], *, workers: int, until: float = 0.0) -> None:
    """Each worker has answered each question, as good as surely: what a question needs of the store and of the
    embedding model is remembered in its worker, and with two of them twice as many questions are new to theirs."""
    made = Load(one.port, questions, until=until or time.monotonic() + 300)
    asyncio.run(made.run(WARMING * workers * len(questions), connections=CONNECTIONS * workers))


def _ms(seconds: float, load: Load) -> float:
    return round(1000 * seconds / len(load.seconds), 1)


def measured(
    store: Path, folder: Path, questions: list[str], *, workers: int, requests: int, until: float
) -> dict[str, Any]:
    """One service under load."""
    bounds = ("--workers", str(workers), "--threads", "1", "--queue", str(2 * CONNECTIONS), "--agent", "offline")
    with service(store, folder / str(workers), *bounds) as one:
        one.wait()

        def load(count: int, some: list[str] = questions, **options: Any) -> tuple[Load, float]:
            made = Load(one.port, some, until=until)
            return made, asyncio.run(made.run(count, **options))

        connections = CONNECTIONS * workers
        warmed(one, questions, workers=workers, until=until)
        before = memory(one)
        used = processor(one)
        client = time.process_time()
        most, a_second = load(requests // 10, connections=connections)
        client = time.process_time() - client
        used = {process: seconds - used[process] for process, seconds in processor(one).items()}
        calm, _ = load(requests // 10, connections=connections, rate=0.8 * a_second)
        reads, reads_a_second = load(requests - 2 * (requests // 10), [], connections=connections)
        after = memory(one)
        over, _ = load(12 * connections, connections=6 * connections)
        last, _ = load(20, connections=2)
    if len(calm.seconds) < 20:
        raise SystemExit("This machine is too busy for so many requests in so many seconds: allow more --seconds.")
    p50, p95 = statistics.median(calm.seconds), statistics.quantiles(calm.seconds, n=20)[-1]
    all_ = most.statuses + calm.statuses + reads.statuses
    return {
        "workers": workers,
        "answers a second": round(a_second, 1),
        "processor ms a question: workers, client": f"{_ms(sum(used.values()), most)}, {_ms(client, most)}",
        "% by the busiest worker": round(100 * max(used.values()) / sum(used.values())),
        "p50 ms at 80 %": round(1000 * p50, 1),
        "p95 ms at 80 %": round(1000 * p95, 1),
        "p95 / p50": round(p95 / p50, 2),
        "reads a second": round(reads_a_second),
        "requests": sum(all_.values()),
        "failed": sum(n for status, n in all_.items() if status != 200),
        "overload": ", ".join(f"{n} × {status}" for status, n in sorted(over.statuses.items())),
        "after it": ", ".join(f"{n} × {status}" for status, n in sorted(last.statuses.items())),
        "MB before": round(before),
        "MB after": round(after),
    }


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--store", type=Path, help="a store; each number of workers has a copy of it")
    parser.add_argument("--requests", type=int, default=2_000, help="of each number of workers")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=300, help="that all of it may take")
    given = parser.parse_args()
    until = time.monotonic() + given.seconds
    questions = sample_questions()
    with tempfile.TemporaryDirectory() as scratch:
        store = given.store or sample_store(Path(scratch) / "store")
        rows = []
        for workers in given.workers:
            own = shutil.copytree(store, Path(scratch) / f"store{workers}")  # without the answers kept before
            rows.append(measured(own, Path(scratch), questions, workers=workers, requests=given.requests, until=until))
            print(rows[-1], flush=True)
    save(
        "serve",
        title="The HTTP service under load",
        command=f"bench/speed/serve.py --requests {given.requests}",
        about={**machine("fastapi", "uvicorn"), "commit": commit()},
        notes=NOTES,
        rows=rows,
    )


if __name__ == "__main__":
    main()
