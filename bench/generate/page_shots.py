"""The pictures of the service's page in docs/page: seven states, light, dark and on a phone, in a headless Chromium.

    python bench/generate/page_shots.py --out docs/page

The sample is loaded into a store of its own; the model that the state "asking" waits for is a socket of this machine.
"""

from __future__ import annotations

import argparse
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from helpers.servers.browser import FLAGS, chromium
from helpers.servers.service import Service, service

from hydra_kg import Hydra, Settings
from hydra_kg.serving.shared.keys import Keys
from hydra_kg.util.package_data import content

SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")
TABLES = ("harbour.csv", "townsite.csv", "tourbook.csv")
PATIENCE = 300_000
DESK, PHONE = {"width": 900, "height": 440}, {"width": 390, "height": 760}

STATES = {
    "empty": ("", "light", DESK),
    "answer": ("Where was Lionel Messi born?", "light", DESK),
    "contested": ("Which pier does the Aurora leave from?", "light", PHONE),
    "perhaps": ("Which award did Lionel Messi win after 2050?", "dark", PHONE),
    "followed": ("Where was Steve Jobs born?", "light", DESK),
    "error": ("Where was Steve Jobs born?", "light", DESK),
    "asking": ("Where was Steve Jobs born?", "dark", DESK),
}
"""Question, colours and window of each picture; "asking" waits for its model, "error" has no key, "followed" has a
further question after the first."""

FOLLOW_UP = "and when did he die?"


def shot(browser: Any, one: Service, out: Path, name: str) -> None:
    """One picture."""
    question, colours, size = STATES[name]
    page = browser.new_context(viewport=size, color_scheme=colours, device_scale_factor=1).new_page()
    page.goto(one.url)
    if question:
        page.fill("#question", question)
        page.keyboard.press("Enter")
        wanted = "#stop:visible" if name == "asking" else "#answer .badge, #state.wrong"
        page.wait_for_selector(wanted, timeout=PATIENCE)
        page.wait_for_timeout(1_500 if name == "asking" else 300)
    if name == "followed":
        page.fill("#next", FOLLOW_UP)
        page.press("#next", "Enter")
        page.wait_for_selector("#answer .resolved", timeout=PATIENCE)
        page.wait_for_timeout(1_000)
    page.screenshot(path=out / f"{name}.png", full_page=name in {"answer", "contested", "perhaps", "followed"})
    print(name, page.inner_text("#state"))
    page.context.close()


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--states", nargs="+", default=list(STATES), choices=list(STATES))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as p, socket.create_server(("127.0.0.1", 0)) as m:
        store = Path(scratch) / "store"
        with Hydra(store=store, settings=Settings()) as hydra:
            hydra.load(*(content("sample", name) for name in SAMPLE))
            hydra.load(*(content("sample", name) for name in TABLES), extra={"entity": "ferry"})
        browser = p.chromium.launch(executable_path=chromium(), args=FLAGS)
        address = f"http://127.0.0.1:{m.getsockname()[1]}/v1"
        stuck = {"HYDRA_MODEL_NAME": "m", "OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}

        def taken(names: list[str], more: tuple[str, ...], environment: dict[str, str]) -> None:
            if not names:
                return
            with service(store, Path(scratch) / names[0], *more, environment=environment) as one:
                one.wait()
                for name in names:
                    shot(browser, one, given.out, name)

        Keys(Path(scratch) / "keys").add("somebody")
        asked = [name for name in given.states if name not in {"asking", "error"}]
        taken(asked, ("--agent", "offline"), {})
        taken(["error"] if "error" in given.states else [], ("--keys", str(Path(scratch) / "keys")), {})
        taken(["asking"] if "asking" in given.states else [], ("--agent", "llm", "--grace", "0"), stuck)
        browser.close()


if __name__ == "__main__":
    main()
