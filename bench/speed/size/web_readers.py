"""How much longer one person waits while forty others read: for home, an answer's first words, and the API.

    python bench/speed/size/web_readers.py --work DIR

DIR is that of web_page.py. Each reader opens a page of the application every few seconds (the addresses of /v1 that the
page gets), while one browser opens the home page and asks. Times are compared within one run, with and without readers;
the processor time of the service is counted as well, and for each page alone. ``--costs`` measures only that: it means
something on a busy machine too.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import httpx
from helpers.servers.browser import FLAGS, chromium
from helpers.servers.service import Service, service
from web_page import ASKED, PATIENCE, QUESTIONS, made

READERS, TURNS, PAUSE, READS = 40, 5, (2.0, 6.0), 50
PAGES = {
    "home": ("/", "/v1/session", "/v1/store", "/v1/schema", "/v1/examples"),
    "entity": (
        "/v1/relations?entity=m.0dr_4",
        "/v1/facts?entity=m.0dr_4&limit=300",
        "/v1/fusion?entity=m.0dr_4&limit=100",
        "/v1/passages?entity=m.0dr_4&limit=5",
        "/v1/answers?limit=100",
    ),
    "typing": ("/v1/complete?text=Steve J&question=Where was Steve J&limit=5",),
    "sources": ("/v1/session", "/v1/store"),
    "answer": ("/v1/answers?limit=20",),
}
TICKS = os.sysconf("SC_CLK_TCK")


def read_pages(one: Service, stop: threading.Event, times: list[float], seed: int) -> None:
    """Open pages until told to stop, with a pause of a few seconds after each."""
    chance = random.Random(seed)
    with one.client() as client:
        while not stop.wait(chance.uniform(*PAUSE)):
            start = time.perf_counter()
            for path in PAGES[chance.choice(list(PAGES))]:
                try:
                    client.get(path)
                except httpx.TransportError:
                    return
            times.append(time.perf_counter() - start)


def cpu_seconds(one: Service) -> float:
    """Return the processor time of a service and its workers."""
    total = 0
    for pid in (one.process.pid, *one.workers()):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def print_costs(one: Service) -> None:
    """Print the processor time of the service for each page and each of its requests, read one after another."""
    with one.client() as client:
        for question in QUESTIONS:
            client.post("/v1/answers", json={"question": question})
        for name, paths in PAGES.items():
            shares = []
            for path in paths:
                client.get(path)
                before = cpu_seconds(one)
                for _ in range(READS):
                    client.get(path).raise_for_status()
                shares.append(1000 * (cpu_seconds(one) - before) / READS)
            listed = ", ".join(f"{path.partition('?')[0]} {ms:.1f}" for path, ms in zip(paths, shares, strict=True))
            print(f"{name}: {sum(shares):.1f} ms of processor time ({listed})", flush=True)


def view(browser: Any, one: Service) -> tuple[float, list[tuple[float, float]]]:
    """Return seconds until the home page shows its sources, and for each question its first words and the API call."""
    page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(one.url)
    page.wait_for_selector(".cards")
    home, asked = page.evaluate("performance.now() / 1000"), []
    for question in QUESTIONS:
        call = page.evaluate(ASKED, question)
        page.goto(f"{one.url}/#/")
        page.fill(".hero input", question)
        start = time.perf_counter()
        page.press(".hero input", "Enter")
        page.wait_for_selector(".statement")
        asked.append((1000 * (time.perf_counter() - start), call))
    page.context.close()
    return home, asked


def measure(browser: Any, one: Service, name: str) -> None:
    """Print medians of some turns, and the processor time of the service."""
    before = cpu_seconds(one)
    views = [view(browser, one) for _ in range(TURNS)]
    words, calls = zip(*(pair for _, asked in views for pair in asked), strict=True)
    home = statistics.median(seconds for seconds, _ in views)
    first, call = statistics.median(words), statistics.median(calls)
    print(f"{name}: home {home:.2f} s; first words {first:.0f} ms, API call {call:.0f} ms, ratio {first / call:.2f};")
    print(f"  processor time of the service {cpu_seconds(one) - before:.1f} s")


def main() -> None:
    """Measure alone and among readers, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--costs", action="store_true", help="measure only the processor time of each page")
    given = parser.parse_args()
    made(given.work)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p, service(given.work / "sample", given.work / "r", "--agent", "offline") as one:
        one.wait()
        while one.client().get("/v1/examples").json()["state"] == "asking":
            time.sleep(1)
        print_costs(one)
        if given.costs:
            return
        browser = p.chromium.launch(executable_path=chromium(), args=FLAGS)
        view(browser, one)
        measure(browser, one, "alone")
        stop, times = threading.Event(), list[float]()
        readers = [threading.Thread(target=read_pages, args=(one, stop, times, seed)) for seed in range(READERS)]
        for reader in readers:
            reader.start()
        measure(browser, one, f"with {READERS} readers")
        stop.set()
        for reader in readers:
            reader.join()
        print(f"  {len(times)} pages read, median {1000 * statistics.median(times):.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
