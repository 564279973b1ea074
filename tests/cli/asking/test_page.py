"""The page of an answer: self-contained, nothing from data becomes markup, and a browser draws it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from helpers.samples.answers import (
    BIRTH,
    INSIDE,
    MOZART,
    answer,
    crowd,
    evidence,
    fact,
    hop,
    no_answer,
    planned,
    spoken,
)

from hydra_kg.domain import Node
from hydra_kg.pages.drawing import MOST_EDGES, drawing
from hydra_kg.pages.page import page, web_link
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.traces import SqliteTraces

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'><a href=javascript:alert(3)>&amp;\x1b[31m"


class Tags(HTMLParser):
    """All tags with their attributes, and the text outside of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in {"script", "style"}:
            self.text += data


def hostile() -> dict[str, Any]:
    """An answer in which every text of data tries to become markup."""
    evil = Node(5, EVIL, EVIL)
    path = evidence(replace(hop(MOZART, EVIL, evil, fact(1, url="javascript:alert(4)")), predicate=EVIL), reason=EVIL)
    made = answer(explored=[path, spoken(EVIL)])
    doc = answer_json(
        replace(
            made,
            question=EVIL,
            answer_text=EVIL,
            dissent=(EVIL,),
            label=EVIL,
            strategy=EVIL,
            evidence=(path,),
            manifest={EVIL: [EVIL]},
        )
    )
    doc["mentions"][0]["text"] = doc["mentions"][0]["candidates"][1]["name"] = doc["citations"][0]["url"] = EVIL
    return doc


def test_tells_everything_without_its_script():
    text = " ".join(Tags(page(answer_json(answer()))).text.split())
    for part in (
        "where was mozart born?",
        "Salzburg",
        "supported",
        "confidence 0.87",
        "did you mean Mozart (m.0m0z4rt)",
        "freebase.nt.gz:11",
        "wikidata.nt.gz:12",
        "place of death",
        "below the best 1",
        "0.780",
    ):
        assert part in text


def test_a_name_that_is_not_what_it_looks_like_is_said_to_be_odd():
    doc = answer_json(answer())
    doc["mentions"][0]["candidates"][1]["name"] = "M\u043ezart"
    text = " ".join(Tags(page(doc)).text.split())
    assert "did you mean M\u043ezart (m.0m0z4rt, mixes Latin and Cyrillic letters)" in text
    assert "Wolfgang Amadeus Mozart (m.082db)" in text


def test_no_answer_says_so():
    text = Tags(page(answer_json(no_answer()))).text
    assert "No answer in these sources." in text
    assert "Paths searched without finding an answer" in text
    assert "Perhaps" not in text


def test_tells_what_was_asked_what_was_done_and_what_was_not_checked():
    text = Tags(page(answer_json(planned()))).text
    assert "Asked: the number of operas written by Mozart" in text
    assert "operas written by Mozart: 2" in text
    assert "Perhaps: Mozart" in text
    assert "I could not check “in 1786” against these sources." in text


def test_nothing_from_a_plan_becomes_markup():
    evil = page(answer_json(planned(words=EVIL, unchecked=EVIL)))
    assert {t for t, _ in Tags(evil).tags} <= {t for t, _ in Tags(page(answer_json(answer()))).tags}
    assert "onerror" in Tags(evil).text
    assert "\x1b" not in evil


def test_nothing_from_data_becomes_markup():
    honest, evil = Tags(page(answer_json(answer()))), Tags(page(hostile()))
    assert {t for t, _ in evil.tags} <= {t for t, _ in honest.tags} | {"pre"}
    assert sum(t == "script" for t, _ in evil.tags) == 3
    for tag, attributes in evil.tags:
        assert not [a for a in attributes if a.startswith("on")], tag
        assert re.match(r"(#c\d+|https?://)", attributes.get("href") or "#c1")
    assert "\x1b" not in page(hostile())


def test_is_self_contained_and_says_so_in_its_policy():
    tags = Tags(page(answer_json(answer()))).tags
    assert not [a for _, a in tags if {"src", "srcset", "data", "action"} & set(a)]
    (policy,) = (a["content"] for t, a in tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_the_library_comes_with_its_licence_and_is_small():
    assets = Path(page.__code__.co_filename).with_name("assets")
    assert (assets / "cytoscape.min.js").stat().st_size < 500_000
    assert "Permission is hereby granted" in (assets / "cytoscape.LICENSE.txt").read_text()
    assert "Permission is hereby granted" in page(answer_json(answer()))


@pytest.mark.parametrize(
    "url, link",
    [
        ("https://en.wikipedia.org/wiki/Mozart_(name)", True),
        ("http://example.org/a?b=c&d=e#f", True),
        ("javascript:alert(1)", False),
        ("JAVASCRIPT:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//example.org", False),
        ("https://", False),
        ("https://[bad", False),
        ('https://e.org/" onclick="x', False),
        ("", False),
    ],
)
def test_only_web_addresses_become_links(url, link):
    assert bool(web_link(url)) is link


def test_drawing_knows_topics_answers_and_passages():
    picture = drawing(answer_json(answer()))
    roles = {n["label"]: n["role"] for n in picture["nodes"]}
    assert roles == {"Wolfgang Amadeus Mozart": "topic", "Salzburg": "answer", "Mozart": "text", "Vienna": "other"}
    edges = {e["label"]: e for e in picture["edges"]}
    assert edges["born in"]["kept"]
    assert "freebase: freebase.nt.gz:11" in edges["born in"]["tip"]
    assert not edges["place of death"]["kept"]


def test_drawing_draws_a_hop_once_and_no_more_than_can_be_read():
    twice = drawing(answer_json(answer(explored=[evidence(BIRTH), evidence(BIRTH, INSIDE)])))
    assert sum(e["label"] == "born in" for e in twice["edges"]) == 1
    far = [Node(100 + i, f"m.0{i}", f"entity {i}") for i in range(200)]
    many = [evidence(BIRTH), *(evidence(hop(MOZART, "knows", n, fact(7)), kept=False) for n in far)]
    picture = drawing(answer_json(answer(explored=many)))
    assert len(picture["edges"]) == MOST_EDGES
    assert picture["left_out"] == 202 - MOST_EDGES
    ids = {n["id"] for n in picture["nodes"]}
    assert all({e["source"], e["target"]} <= ids for e in picture["edges"])


def test_show_writes_the_page(call, empty_store, tmp_path):
    SqliteTraces(empty_store / "traces.sqlite").save(answer_json(answer()))
    result = call("show", "--html", tmp_path / "page.html", "--store", empty_store)
    assert "page.html" in result.stderr
    assert (tmp_path / "page.html").read_text("utf-8") == page(answer_json(answer()))


CHROMIUM = Path(os.environ.get("HYDRA_CHROMIUM", "/usr/bin/chromium"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium; without it the tests skip, or fail where HYDRA_REQUIRE_BROWSER=1 and CI=true say it is due."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as e:
        missing = str(e)
    else:
        missing = "" if CHROMIUM.is_file() else f"no browser at {CHROMIUM}"
    if missing:
        if os.environ.get("CI") == "true" and os.environ.get("HYDRA_REQUIRE_BROWSER") == "1":
            pytest.fail(f"the page must be seen by a browser here: {missing}")
        pytest.skip(f"needs Chromium and playwright: {missing}")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=flags)
        yield opened
        opened.close()


class Seen:
    """A page as the browser has it: what it complained about and what it asked the network for."""

    def __init__(self, browser: Any, path: Path) -> None:
        self.page = browser.new_page(viewport={"width": 1200, "height": 1400})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda e: self.said.append(str(e)))
        self.page.on("dialog", lambda d: self.said.append(f"dialog {d.message}"))
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("[data-drawn]", state="attached")

    def shown(self) -> set[str]:
        """Labels of the nodes that are drawn."""
        return set(self.page.evaluate("hydraGraph.nodes().map(n => n.data('label'))"))

    def colour(self, label: str) -> str:
        return str(
            self.page.evaluate(
                "l => hydraGraph.nodes().filter(n => n.data('label') === l).style('background-color')", label
            )
        )


@pytest.fixture
def see(browser: Any, tmp_path: Path) -> Any:
    def look(doc: dict[str, Any]) -> Seen:
        (tmp_path / "page.html").write_text(page(doc), "utf-8")
        return Seen(browser, tmp_path / "page.html")

    return look


def test_a_browser_draws_the_graph_quietly_and_asks_nobody(see):
    seen = see(answer_json(answer()))
    assert seen.said == []
    assert [u.partition(":")[0] for u in seen.asked] == ["file"]
    assert seen.shown() == {"Wolfgang Amadeus Mozart", "Salzburg", "Mozart"}
    seen.page.check("#pruned")
    colours = {seen.colour(n) for n in ("Wolfgang Amadeus Mozart", "Salzburg", "Mozart", "Vienna")}
    assert len(colours) == 4
    inked = seen.page.evaluate("""() => [...document.querySelectorAll('#graph canvas')].some(c =>
        c.width && c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v))""")
    assert inked, "something is painted"


def test_pruned_paths_appear_on_request(see):
    seen = see(answer_json(answer()))
    seen.page.check("#pruned")
    assert "Vienna" in seen.shown()
    seen.page.uncheck("#pruned")
    assert "Vienna" not in seen.shown()


def test_hovering_over_an_edge_shows_its_sources(see):
    seen = see(answer_json(answer()))
    point = seen.page.evaluate("""() => {
        const e = hydraGraph.edges().filter(e => e.data('label') === 'born in');
        const m = e.renderedMidpoint(), b = document.getElementById('graph').getBoundingClientRect();
        return [b.left + m.x, b.top + m.y + 3]; }""")
    seen.page.mouse.move(*point)
    seen.page.wait_for_selector("#tip", state="visible")
    tip = seen.page.inner_text("#tip")
    assert "freebase: freebase.nt.gz:11" in tip
    assert "wikidata: wikidata.nt.gz:12" in tip


def test_citations_are_links_within_the_page(see):
    seen = see(answer_json(answer()))
    seen.page.click("a[href='#c2']")
    assert seen.page.evaluate("document.querySelector(':target').innerText").startswith("wikidata.nt.gz:12")


def test_a_hostile_answer_runs_nothing(see):
    seen = see(hostile())
    seen.page.check("#pruned")
    assert seen.said == []
    assert [u.partition(":")[0] for u in seen.asked] == ["file"]
    assert seen.page.evaluate("document.querySelectorAll('img, iframe, object').length") == 0


def test_a_crowded_graph_is_drawn(see):
    far = [Node(100 + i, f"m.0{i}", f"entity {i}") for i in range(60)]
    many = [*crowd(3, 1), *(evidence(hop(MOZART, "knows", n, fact(7)), kept=False) for n in far)]
    seen = see(answer_json(answer(explored=many)))
    seen.page.check("#pruned")
    assert len(seen.shown()) > 60
    assert seen.said == []
