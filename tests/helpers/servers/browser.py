"""Neo4j Browser in a headless Chromium: log in, run what an address brought, count and expand what is drawn."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 60_000  # ms
HERE = ("localhost", "127.0.0.1", None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
FRAME = '[data-testid="frame"]'


def chromium() -> str | None:
    """The Chromium of this machine; playwright's own is never fetched."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page:
    """One page of Neo4j Browser. ``outside``: hosts it asked for; all but this machine are refused."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.outside: set[str] = set()
        page.route("**/*", self._route)

    def open(self, url: str, password: str) -> None:
        """Open an address and log in; everything but the password must be filled in by it."""
        self.page.goto(url)
        self.page.wait_for_selector("input[type=password]", timeout=PATIENCE)
        self.page.fill("input[type=password]", password)
        self.page.keyboard.press("Enter")
        # What the server tells Browser to do comes after the login, and takes an early Run away.
        self.page.wait_for_selector(f'{FRAME}:has-text(":config")', timeout=PATIENCE)
        self.page.wait_for_load_state("load")

    def editor(self) -> str:
        """What stands in the editor; its lines are drawn with no-break spaces."""
        self.page.wait_for_selector(".view-lines .view-line", timeout=PATIENCE)
        return str(self.page.inner_text(".view-lines")).replace("\xa0", " ")

    def run(self) -> None:
        """Press Run, and wait until a graph is drawn and has come to rest."""
        self.page.click('[data-testid="editor-Run"]')
        self.page.wait_for_selector("svg g.node", timeout=PATIENCE, state="attached")
        self.rest()

    def rest(self) -> None:
        """Wait until the nodes no longer move."""
        self.page.wait_for_function(
            """() => {
                const now = [...document.querySelectorAll('svg g.node')].map(e => e.getAttribute('transform')).join();
                const same = now && now === window.hydraBefore;
                window.hydraBefore = now;
                window.hydraRest = same ? (window.hydraRest || 0) + 1 : 0;
                return window.hydraRest > 2;
            }""",
            polling=300,
            timeout=PATIENCE,
        )

    def fill_window(self) -> None:
        """Let the graph have the whole window."""
        frame = self.page.locator(FRAME).first
        frame.get_by_title("Fullscreen").click()
        frame.get_by_label("zoom-to-fit").click()
        self.rest()

    def nodes(self) -> list[dict[str, str]]:
        """Colour and caption of every node drawn."""
        return list(
            self.page.eval_on_selector_all(
                "svg g.node",
                "es => es.map(e => ({fill: (e.querySelector('circle.b-outline') || e.querySelector('circle'))"
                ".getAttribute('fill'), "
                "text: [...e.querySelectorAll('text')].map(t => t.textContent).join(' ').trim()}))",
            )
        )

    def relationships(self) -> list[str]:
        """Caption of every relationship drawn."""
        return list(
            self.page.eval_on_selector_all(
                "svg g.relationship", "es => es.map(e => (e.querySelector('text') || {textContent: ''}).textContent)"
            )
        )

    def move(self, place: tuple[float, float], to: tuple[float, float]) -> None:
        """Drag a node, as a person would who tidies up; it stays where it is put."""
        mouse = self.page.mouse
        mouse.move(*place)
        mouse.down()
        mouse.move(*to, steps=4)
        mouse.up()

    def places(self) -> list[tuple[float, float]]:
        """The middle of every node in the window, in the order of :meth:`nodes`."""
        return [
            tuple(place)
            for place in self.page.eval_on_selector_all(
                "svg g.node",
                "es => es.map(e => { const b = e.querySelector('circle').getBoundingClientRect();"
                " return [b.x + b.width / 2, b.y + b.height / 2]; })",
            )
        ]

    def expand(self, caption: str) -> None:
        """Double-click the first node whose caption holds a text, and wait until there are more nodes."""
        before = len(self.nodes())
        place = self.page.evaluate(
            """text => {
                const node = [...document.querySelectorAll('svg g.node')].find(e => e.textContent.includes(text));
                const box = node.querySelector('circle').getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            caption,
        )
        self.page.mouse.dblclick(*place)
        # A function: the page's policy forbids expressions.
        self.page.wait_for_function(
            "n => document.querySelectorAll('svg g.node').length > n", arg=before, timeout=PATIENCE
        )

    def _route(self, route: Any) -> None:
        host = urlsplit(route.request.url).hostname
        if host in HERE:
            route.continue_()
        else:
            self.outside.add(str(host))
            route.abort()


@contextmanager
def browser(program: str, *, width: int = 1400, height: int = 900) -> Iterator[Page]:
    """A page in a fresh profile."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as profile, sync_playwright() as p:
        context = p.chromium.launch_persistent_context(
            profile, executable_path=program, headless=True, viewport={"width": width, "height": height}, args=FLAGS
        )
        try:
            yield Page(context.new_page())
        finally:
            context.close()
