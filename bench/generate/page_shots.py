"""The pictures of the web application in docs/page: ten states, light, dark and on a phone, in a headless Chromium.

    python bench/generate/page_shots.py --out docs/page

The sample is loaded into a store of its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from helpers.servers.browser import FLAGS, chromium
from helpers.servers.service import Service, service

from hydra_kg import Hydra, Settings
from hydra_kg.serving.shared.service_keys import Keys
from hydra_kg.util.package_data import find_content

SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")
TABLES = ("harbour.csv", "townsite.csv", "tourbook.csv")
PATIENCE = 300_000
DESK, PHONE = {"width": 1180, "height": 760}, {"width": 390, "height": 800}

STATES = {
    "home": ("", ".examples li:nth-child(8)", "light", DESK),
    "answer": ("#/ask?q=Which films did James Cameron direct?", ".table", "light", DESK),
    "computed": ("#/ask?q=How old was Leonardo DiCaprio when Titanic was released?", ".working", "dark", DESK),
    "silence": ("#/ask?q=Who is the mayor of Paris?", ".silence", "light", DESK),
    "phone": ("#/ask?q=Where was Lionel Messi born?", ".evidence", "dark", PHONE),
    "explore": ("#/explore/m.0dr_4", ".panel .meanings", "dark", DESK),
    "entity": ("#/e/Aurora", ".quarrel", "light", DESK),
    "sources": ("#/sources", "article.source", "light", DESK),
    "disagreements": ("#/disagreements?r=pier", ".quarrel", "light", DESK),
    "signin": ("", "#key", "light", PHONE),
}
"""Place, what is waited for, colours and window of each picture; "signin" is of a service with keys."""


def shot(browser: Any, one: Service, out: Path, name: str) -> None:
    """Take one picture."""
    place, wanted, colours, size = STATES[name]
    page = browser.new_context(viewport=size, color_scheme=colours, locale="en-GB").new_page()
    page.goto(f"{one.url}/{place}")
    page.wait_for_selector(wanted, timeout=PATIENCE)
    page.wait_for_timeout(500)
    page.screenshot(path=out / f"{name}.png")
    print(name)
    page.context.close()


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--states", nargs="+", default=list(STATES), choices=list(STATES))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as p:
        store = Path(scratch) / "demo"
        with Hydra(store=store, settings=Settings()) as hydra:
            hydra.load(*(find_content("sample", name) for name in SAMPLE))
            hydra.load(*(find_content("sample", name) for name in TABLES), extra={"entity": "ferry"})
        browser = p.chromium.launch(executable_path=chromium(), args=FLAGS)
        Keys(Path(scratch) / "keys").add("somebody")
        for more, names in (
            (("--agent", "offline", "--allow-loading"), [name for name in given.states if name != "signin"]),
            (("--keys", str(Path(scratch) / "keys")), [name for name in given.states if name == "signin"]),
        ):
            if names:
                with service(store, Path(scratch) / names[0], *more) as one:
                    one.wait()
                    for name in names:
                        shot(browser, one, given.out, name)
        browser.close()


if __name__ == "__main__":
    main()
