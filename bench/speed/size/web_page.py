"""What the web application costs: bytes, first view, first words of an answer, a thing of many facts, a large graph.

    python bench/speed/size/web_page.py --work DIR

The sample is loaded into a store of its own, and one made-up thing with 100,000 facts into another.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from helpers.servers.browser import FLAGS, chromium
from helpers.servers.service import service

from hydra_kg import Hydra, Settings
from hydra_kg.serving.web.site import built_files
from hydra_kg.util.package_data import find_content

SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")
FACTS, NODES, TURNS = 100_000, 2_000, 5
PATIENCE = 300_000
QUESTIONS = ("Where was Lionel Messi born?", "Which films did James Cameron direct?", "Who founded Google?")
FRAMES = """() => new Promise(done => { const at = []; const step = t => { at.push(t);
    if (at.length > 60) done(at.slice(1).map((x, i) => x - at[i])); else requestAnimationFrame(step); };
    requestAnimationFrame(step); })"""
ASKED = """async question => { const start = performance.now();
    await (await fetch('/v1/answers', {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({question})})).json(); return performance.now() - start; }"""


def made(folder: Path) -> None:
    """Load the sample, and a thing that has many facts."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    lines = folder / "hub.nt"
    with lines.open("w") as out:
        label = "<http://www.w3.org/2000/01/rdf-schema#label>"
        out.write(f'<http://example.org/hub> {label} "Hub" .\n')
        for n in range(FACTS):
            out.write(f"<http://example.org/hub> <http://example.org/holds> <http://example.org/t{n}> .\n")
            out.write(f'<http://example.org/t{n}> {label} "Thing {n}" .\n')
    for name, files in (("sample", [find_content("sample", n) for n in SAMPLE]), ("hub", [lines])):
        with Hydra(store=folder / name, settings=Settings()) as hydra:
            hydra.load(*files, **({"format": "rdf"} if name == "hub" else {}))


def fresh(browser: Any, url: str) -> Any:
    """Return a page without anything remembered."""
    page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(url)
    return page


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    made(given.work)
    print("bytes, gzip:", {name: len(file.packed) for name, file in built_files().items()})
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium(), args=FLAGS)
        with service(given.work / "sample", given.work / "a", "--agent", "offline") as one:
            one.wait()
            fresh(browser, one.url).wait_for_selector(".joins")
            views, ratios = [], []
            for _ in range(TURNS):
                start = time.perf_counter()
                page = fresh(browser, one.url)
                page.wait_for_selector(".hero input")
                page.wait_for_selector(".cards")
                views.append(time.perf_counter() - start)
                for question in QUESTIONS:
                    call = page.evaluate(ASKED, question)
                    page.goto(f"{one.url}/#/")
                    page.wait_for_selector(".hero input")
                    page.fill(".hero input", question)
                    start = time.perf_counter()
                    page.press(".hero input", "Enter")
                    page.wait_for_selector(".statement")
                    ratios.append((1000 * (time.perf_counter() - start), call))
                page.context.close()
            print("home with sources, s:", [round(v, 2) for v in views])
            print("first words less API call, ms, median:", round(statistics.median(w - c for w, c in ratios)))
            print("first words / API call, median:", round(statistics.median(w / c for w, c in ratios), 2))
        with service(given.work / "hub", given.work / "b", "--agent", "offline") as one:
            one.wait()
            start = time.perf_counter()
            page = fresh(browser, f"{one.url}/#/e/Hub")
            page.wait_for_selector(".facts .said a")
            print(f"page of {FACTS:,} facts, s:", round(time.perf_counter() - start, 2), page.inner_text(".pagehead"))
            start = time.perf_counter()
            page = fresh(browser, f"{one.url}/#/explore/Hub?most={NODES}")
            page.wait_for_function(f"() => Number(document.documentElement.dataset.drawn) >= {NODES}")
            print(f"graph of {NODES:,} nodes, s:", round(time.perf_counter() - start, 2))
            for name, act in (("at rest", lambda: None), ("zooming", lambda: page.mouse.wheel(0, -120))):
                page.mouse.move(600, 450)
                act()
                frames = sorted(page.evaluate(FRAMES))
                print(f"frames {name}, ms: median", round(frames[30], 1), "longest", round(frames[-1], 1))
        browser.close()


if __name__ == "__main__":
    main()
