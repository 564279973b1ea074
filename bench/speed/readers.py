"""How soon `hydra-kg serve --from` answers from a published update, and whether a question fails meanwhile.

    python bench/speed/readers.py [--lines 4000000 | --update STORE] [--rate 4]

A store of the sample is published to a local S3 server (moto's) and served from there; then it is published with a
generated Freebase dump of so many lines beside the sample, or with the one that STORE holds (as
bench/speed/size/growth.py leaves it; it is copied). From before that until ten seconds after the reader answers from
it, questions are asked at a fixed rate, at most 2,000. Only this machine is spoken to. Results go to
``bench/results/readers.md``.
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pytest
from helpers.servers.buckets import BUCKET, s3_server, speak_to
from helpers.servers.service import Service, service

from bench.generate.freebase_dump import generate
from bench.measure import machine, save
from bench.speed.large import questions
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.segments.disk_full import folder_bytes
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.published.publish import publish
from hydra_kg.util.package_data import find_content

QUESTIONS = ("where was mozart born?", "When was Steve Jobs born?", "Which films did Christopher Nolan direct?")
MOST = 2_000
POLL = 10.0


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=4_000_000)
    parser.add_argument("--update", type=Path, help="a store that a generated dump was loaded into")
    parser.add_argument("--rate", type=float, default=4.0, help="questions a second")
    options = parser.parse_args()
    scratch = tempfile.TemporaryDirectory(prefix="hydra-kg-")
    with scratch as folder, pytest.MonkeyPatch.context() as patch, s3_server() as port:
        speak_to(patch, port)
        row = _measured(Path(folder), options.update, options.lines, options.rate)
    save(
        "readers",
        title="A published update, as a reader takes it",
        command="python bench/speed/readers.py"
        f" {'--update STORE' if options.update else f'--lines {options.lines}'} --rate {options.rate:g}",
        about=machine(),
        notes=(
            f"The reader looks every {POLL:g} s, the default; it, the S3 server, the publisher and the client share the"
            " cores.",
            "taken over, to the first answer: from when the pointer is written until the service names the new source,"
            " and until it answers a question about it.",
            "p50, p95, slowest: of all questions from before the update was published until ten seconds after.",
        ),
        rows=[row],
    )


def _measured(scratch: Path, update: Path | None, lines: int, rate: float) -> dict[str, Any]:
    address = f"s3://{BUCKET}/drill"
    new, old = scratch / "new", scratch / "old"
    if update is not None:
        shutil.copytree(update, new)
    else:
        dump = scratch / "fb.nt.gz"
        generate(dump, lines=lines, seed=1, bad_share=0.02)
        _load(new, dump)
    with EmbeddedStore(new) as store:
        asked = _question(store)
        generated = str(store.loads()[0]["name"])
        store.catalog.lineage()  # drawn when it is first asked for
    # Two states of one store: without the generated dump, and a later one with it.
    _load(new, find_content("sample", "wikidata.nt.gz"))
    shutil.copytree(new, old, copy_function=_linked)
    _load(new, find_content("sample", "fb2w.nt.gz"))
    _load(new, find_content("sample", "passages.jsonl"))
    with EmbeddedStore(old) as store:
        store.drop(generated)
        publish(store, address)
        size = folder_bytes(old / "loads")
    with service(scratch / "copy", scratch / "user", "--from", address) as served, EmbeddedStore(new) as store:
        served.wait()
        with Asking(served.url, rate) as asking:
            time.sleep(5)
            began = time.monotonic()
            done = publish(store, address)
            written = time.monotonic()
            named = _until(served, lambda client: generated in client.get("/v1/sources").text)
            answered = _until(served, lambda client: _answers(client, *asked))
            time.sleep(10)
        return {
            "store MB": round(size / 1e6),
            "update MB": round(done["uploaded"] / 1e6),
            "publishing s": round(written - began, 1),
            "taken over s": round(named - written, 1),
            "to the first answer s": round(answered - written, 1),
            "questions": sum(asking.statuses.values()),
            "failed": sum(n for status, n in asking.statuses.items() if status != httpx.codes.OK),
            **asking.times(),
        }


def _load(store: Path, file: Path) -> None:
    with EmbeddedStore(store) as opened:
        load_files(opened, [file], LoadOptions(memory="1GB"))


def _linked(source: str, target: str) -> None:
    """Files of loads never change; the catalog does."""
    if "/loads/" in source or "/generations/" in source:
        os.link(source, target)
    else:
        shutil.copy2(source, target)


def _question(store: EmbeddedStore) -> tuple[str, str, str]:
    """A question about a random fact of a generated dump, its topic and its answer."""
    with store.snapshot() as snapshot:
        return questions(snapshot, 1)[0]


def _answers(client: httpx.Client, text: str, topic: str, answer: str) -> bool:
    reply = client.post("/v1/answers", json={"question": text, "topics": [topic]})
    return reply.status_code == httpx.codes.OK and answer in reply.text


class Asking:
    """Questions at a fixed rate, one after the other on two connections, until the block ends."""

    def __init__(self, url: str, rate: float) -> None:
        self._url, self._rate = url, rate
        self._stop = threading.Event()
        self._numbers = itertools.count()
        self.statuses: Counter[int] = Counter()
        self._seconds: list[float] = []
        self._threads = [threading.Thread(target=self._ask) for _ in range(2)]

    def __enter__(self) -> Asking:
        self._began = time.monotonic()
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for one in self._threads:
            one.join()

    def _ask(self) -> None:
        with httpx.Client(base_url=self._url, timeout=60, trust_env=False) as client:
            while not self._stop.is_set() and (n := next(self._numbers)) < MOST:
                due = self._began + n / self._rate
                if self._stop.wait(max(0.0, due - time.monotonic())):
                    return
                try:
                    status = client.post("/v1/answers", json={"question": QUESTIONS[n % 3]}).status_code
                except httpx.HTTPError:
                    status = -1
                self.statuses[status] += 1
                self._seconds.append(time.monotonic() - due)

    def times(self) -> dict[str, float]:
        """Milliseconds from when a question was due."""
        every = sorted(self._seconds)
        at = {"p50 ms": 0.5, "p95 ms": 0.95, "slowest ms": 1.0}
        return {name: round(1_000 * every[min(int(len(every) * q), len(every) - 1)]) for name, q in at.items()}


def _until(served: Service, holds: Callable[[httpx.Client], bool]) -> float:
    """When it first holds."""
    with served.client() as client:
        for _ in range(3_000):
            if holds(client):
                return time.monotonic()
            time.sleep(0.2)
    raise TimeoutError("the update was not taken in ten minutes")


if __name__ == "__main__":
    os.nice(5)
    main()
