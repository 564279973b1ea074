"""Three readers behind a balancer, one killed, all updated, while questions are asked: does one fail?

    python bench/faults/readers.py [--rate 2]

A store of the sample is published to a folder; three processes of ``hydra-kg serve --from`` read it behind HAProxy
with docker/readers.haproxy.cfg. Questions come at a fixed rate over loopback, at most 2,000: one reader is killed
(SIGKILL) and started again later; an update is published. Results go to ``bench/results/readers_drill.md``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from helpers.servers.service import Service, free_port, service

from bench.measure import machine, save
from bench.speed.readers import Asking
from hydra_kg import Hydra
from hydra_kg.stores.published.publish import publish
from hydra_kg.util.package_data import find_content

QUIET = 10.0
"""Seconds between what is done to the readers."""


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, default=2.0, help="questions a second")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hydra-kg-") as scratch:
        row = _drilled(Path(scratch), options.rate)
    save(
        "readers_drill",
        title="Three readers, one killed, all updated",
        command=f"python bench/faults/readers.py --rate {options.rate:g}",
        about={**machine(), "haproxy": haproxy_version()},
        notes=(
            "Readers, balancer, publisher and client share the cores; times are from when a question was due.",
            "two updated, killed one back: from when the pointer is written until the two others, and the third, name"
            " the new source.",
        ),
        rows=[row],
    )


def _drilled(scratch: Path, rate: float) -> dict[str, Any]:
    address = f"file://{scratch}/published"
    with Hydra(store=scratch / "own") as hydra, ExitStack() as stack:
        hydra.load(find_content("sample", "freebase.nt.gz"), find_content("sample", "passages.jsonl"))
        publish(hydra.store, address)  # type: ignore[arg-type]
        readers = [stack.enter_context(reader(scratch, n, address)) for n in (1, 2, 3)]
        for one in readers:
            one.wait()
        proxy, _ = stack.enter_context(haproxy([one.port for one in readers]))
        with Asking(proxy, rate) as asking:
            time.sleep(QUIET)
            readers[0].process.send_signal(signal.SIGKILL)
            time.sleep(QUIET)
            hydra.load(find_content("sample", "wikidata.nt.gz"), find_content("sample", "fb2w.nt.gz"))
            publish(hydra.store, address)  # type: ignore[arg-type]
            written = time.monotonic()
            again = stack.enter_context(reader(scratch, 1, address, port=readers[0].port))
            _until_newer(readers[1:])
            two = time.monotonic() - written
            again.wait()
            _until_newer([again])
            three = time.monotonic() - written
            time.sleep(QUIET)
        return {
            "questions": sum(asking.statuses.values()),
            "failed": sum(n for status, n in asking.statuses.items() if status != httpx.codes.OK),
            "two updated s": round(two, 1),
            "killed one back s": round(three, 1),
            **asking.times(),
        }


@contextmanager
def reader(scratch: Path, number: int, address: str, *options: str, port: int = 0) -> Iterator[Service]:
    """A process that answers from a copy of its own of what is published."""
    with service(
        scratch / f"copy{number}",
        scratch / f"user{number}",
        "--from",
        address,
        *options,
        *(["--port", str(port)] if port else []),
    ) as one:
        one.port = port or one.port
        yield one


@contextmanager
def haproxy(ports: list[int]) -> Iterator[tuple[str, int]]:
    """A balancer before three readers: its address, and the id of its process."""
    if shutil.which("haproxy") is None:
        sys.exit("haproxy is not installed")
    port = free_port()
    known = {f"HYDRA_READER{n}": f"127.0.0.1:{p}" for n, p in enumerate(ports, 1)}
    environment = {**os.environ, **known, "HYDRA_LISTEN": f"127.0.0.1:{port}"}
    process = subprocess.Popen(["haproxy", "-f", str(find_content("docker", "readers.haproxy.cfg"))], env=environment)
    try:
        with httpx.Client(trust_env=False) as client:
            for _ in range(200):
                try:
                    if client.get(f"http://127.0.0.1:{port}/readyz").status_code == httpx.codes.OK:
                        break
                except httpx.TransportError:
                    pass
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(20)


def _until_newer(readers: list[Service]) -> None:
    until = time.monotonic() + 300
    for one in readers:
        with one.client() as client:
            while "wikidata" not in client.get("/v1/sources").text:
                if time.monotonic() > until:
                    raise TimeoutError("the update was not taken in five minutes")
                time.sleep(0.1)


def haproxy_version() -> str:
    """As it says."""
    return subprocess.run(["haproxy", "-v"], capture_output=True, text=True, check=True).stdout.split()[2]


if __name__ == "__main__":
    os.nice(5)
    main()
