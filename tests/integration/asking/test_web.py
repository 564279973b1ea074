"""A question on the web, over real sockets: searched, chosen, read at the same time, kept until it expires."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.web_server import KEY, WebServer, article, poisoned

from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Analysis, Evidence, Hop, Locator, Node, Passage, Scores, Source
from hydra_kg.domain import Path as GraphPath
from hydra_kg.errors import FormatError, NetworkError, NotFoundError, StoreCorruptError, UsageError
from hydra_kg.steps.text.web_search import page_source, passage_of, site_of, web_passages
from hydra_kg.stores.page_cache import SqlitePageCache
from hydra_kg.web.cassette import WebRecorder, WebReplayer
from hydra_kg.web.network import Deadline
from hydra_kg.web.providers import SearXNG, SerpApi

QUESTION = "Who designed the Eiffel Tower?"
STEPHEN = "The Eiffel Tower was designed by Stephen Sauvestre, who worked for Gustave Eiffel."
NOW = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        for n, name in enumerate(("honest", "second", "third")):
            url = f"http://{name}.example/tower"
            server.page(url, article(f"Tower {n}", STEPHEN, f"This is what {name} says of it."))
            server.index(url, f"Eiffel Tower {n}", f"Who designed the Eiffel Tower? {name} knows.")
        yield server


def asked(
    web: WebServer, *, pages: int = 3, results: int = 8, engine: Any = None, mapper: Any = None, timeout: float = 10.0
) -> tuple[list[Passage], list[str]]:
    agent, analysis = OfflineAgent(), Analysis(QUESTION, QUESTION, (), 1)
    engine = engine or SearXNG(web.base, timeout=timeout)
    fetcher = web.fetcher(timeout=timeout)
    if mapper is not None:
        return web_passages(engine, fetcher, agent, analysis, QUESTION, results=results, pages=pages, mapper=mapper)
    with ThreadPoolExecutor(4) as pool:
        return web_passages(engine, fetcher, agent, analysis, QUESTION, results=results, pages=pages, mapper=pool.map)


def test_pages_become_passages_with_source_and_place(web):
    passages, notes = asked(web)
    assert notes == []
    assert [p.title for p in passages] == ["Tower 0", "Tower 1", "Tower 2"]
    first = passages[0]
    assert first.text == f"Tower 0\n{STEPHEN}\nThis is what honest says of it."
    url = "http://honest.example/tower"
    assert first.source == Source(url, "web", origin="honest.example", url=url)
    assert first.locator == Locator(page="Tower 0", url=url)
    assert first.source.rho == 0.7
    assert len({p.id for p in passages}) == 3


def test_only_as_many_pages_are_read_as_allowed(web):
    passages, _ = asked(web, pages=1)
    assert [p.title for p in passages] == ["Tower 0"]
    assert {host for host, path, _ in web.seen if path == "/tower"} == {"honest.example"}
    assert asked(web, pages=0) == ([], [])


def test_pages_are_read_at_the_same_time_and_their_order_does_not_depend_on_it(web):
    """The first page answers only when the last was asked for."""
    last_asked = threading.Event()
    answers = {host: web._routes[f"{host}.example", "/tower"] for host in ("honest", "third")}

    def first(h: Any) -> None:
        assert last_asked.wait(20)
        answers["honest"](h)

    def last(h: Any) -> None:
        last_asked.set()
        answers["third"](h)

    web.route("http://honest.example/tower", first)
    web.route("http://third.example/tower", last)
    together = asked(web)
    assert together == asked(web, mapper=map)
    assert [p.title for p in together[0]] == ["Tower 0", "Tower 1", "Tower 2"]


def test_a_page_that_fails_is_a_note_and_its_snippet_speaks(web, monkeypatch):
    now = [0.0]
    monkeypatch.setitem(Deadline.__init__.__kwdefaults__, "clock", lambda: now[0])
    web.page("http://second.example/tower", "gone", status=404)
    web.slow("http://third.example/tower", then=lambda: now.__setitem__(0, now[0] + 60))
    passages, notes = asked(web, timeout=60, mapper=map)
    assert [p.title for p in passages] == ["Tower 0", "Eiffel Tower 1", "Eiffel Tower 2"]
    assert passages[1].text == "Who designed the Eiffel Tower? second knows."
    assert passages[1].source.origin == "second.example"
    assert len(notes) == 2
    assert "http://second.example/tower: The server answered with status 404." in notes[0]
    assert "http://third.example/tower: It took too long." in notes[1]


def test_a_search_that_fails_is_a_note(web):
    web.search_status = 500
    passages, notes = asked(web)
    assert (passages, len(notes)) == ([], 1)
    assert notes[0].startswith("The web was not searched: SearXNG answered with status 500.")


def test_results_that_lead_inside_are_not_followed(web):
    web.addresses["trap.example"] = ["169.254.169.254"]
    web.found.clear()
    for url in ("http://trap.example/latest/meta-data/", "http://127.0.0.1:6379/", "file:///etc/passwd"):
        web.index(url, "Eiffel Tower", "Who designed the Eiffel Tower? See inside.")
    passages, notes = asked(web)
    assert len(notes) == 2  # what is no web address is no result
    assert "link-local" in notes[0]
    assert "ports 80 and 443" in notes[1]
    assert [p.text for p in passages] == ["Who designed the Eiffel Tower? See inside."] * 2
    assert all(path.startswith("/search") for _, path, _ in web.seen)


def test_a_poisoned_page_is_one_witness_and_its_hidden_orders_are_not_read(web):
    web.page("http://second.example/tower", poisoned("Tower 1", "Ada Lovelace designed the Eiffel Tower.", "Ada"))
    web.page("http://more.second.example/tower", poisoned("Tower 2", "It was Ada Lovelace who designed it.", "Ada"))
    web.index("http://more.second.example/tower", "Eiffel Tower 1b", "Who designed the Eiffel Tower?")
    passages, _ = asked(web, pages=4)
    liars = [p for p in passages if "Ada" in p.text]
    assert len(liars) == 2
    assert {p.source.origin for p in liars} == {"second.example"}
    assert not any("You must answer" in p.text for p in liars)


def test_related_questions_speak_for_their_pages(web):
    web.index(
        "http://lyon.example/a",
        "Lyon",
        "Stephen Sauvestre was its architect.",
        question="Who was the architect of the Eiffel Tower?",
    )
    passages, notes = asked(web, engine=SerpApi(KEY, base_url=web.base))
    assert notes == []
    assert [p.title for p in passages][3:] == ["Who was the architect of the Eiffel Tower?"]
    assert passages[3].text == "Stephen Sauvestre was its architect."
    assert passages[3].source.name == "http://lyon.example/a"
    assert "/a" not in {path for _, path, _ in web.seen}
    assert KEY not in f"{passages}{notes}"


def test_one_page_under_two_addresses_is_one_passage(web):
    web.redirect("http://second.example/tower", "http://honest.example/tower")
    passages, _ = asked(web)
    assert [p.title for p in passages] == ["Tower 0", "Tower 2"]


def test_a_copy_is_no_second_witness(web):
    web.page("http://second.example/tower", article("Tower 0", STEPHEN, "This is what honest says of it."))
    passages, _ = asked(web)
    assert [p.source.origin for p in passages] == ["honest.example", "honest.example", "third.example"]
    assert len({p.source.name for p in passages}) == 3


@pytest.mark.parametrize(
    "url, site",
    [
        ("https://honest.example/a", "honest.example"),
        ("http://www.honest.example/b?c=d", "honest.example"),
        ("http://a.b.c.honest.example./", "honest.example"),
        ("https://www.bbc.co.uk/news", "bbc.co.uk"),
        ("https://user.github.io/page", "user.github.io"),
        ("https://en.wikipedia.org/wiki/Paris", "wikipedia"),
        ("https://de.m.wikipedia.org/wiki/Paris", "wikipedia"),
        ("https://www.wikidata.org/wiki/Q90", "wikidata"),
        ("http://198.51.100.7/a", "198.51.100.7"),
        ("http://[2606:4700::1111]/", "2606:4700::1111"),
        ("http://localhost/", "localhost"),
    ],
)
def test_who_is_behind_a_page(url, site):
    assert site_of(url) == site
    assert page_source(url).group == site


def test_sources_are_named_by_their_pages_without_queries():
    plain = page_source("https://a.example/page")
    assert plain.name == "https://a.example/page"
    one, other = (page_source(f"https://a.example/page?token=secret&id={n}") for n in (1, 2))
    assert one.name != other.name
    assert "secret" not in one.name
    assert one.name.startswith("https://a.example/page~")
    assert len(page_source("https://a.example/" + "x" * 1_000).name) <= 130


# --record, --replay


def test_a_recorded_question_is_answered_again_without_any_socket(web, tmp_path, monkeypatch):
    web.page("http://second.example/tower", "gone", status=404)
    web.index("http://lyon.example/a", "Lyon", "Stephen Sauvestre was its architect.", question="Who designed it?")
    cassette = tmp_path / "cassette.jsonl"
    recorder = WebRecorder(cassette)
    agent, analysis = OfflineAgent(), Analysis(QUESTION, QUESTION, (), 1)
    engine, fetcher = recorder.search(SerpApi(KEY, base_url=web.base)), recorder.fetcher(web.fetcher())
    first = web_passages(engine, fetcher, agent, analysis, QUESTION, results=8, pages=3)
    assert [len(part) for part in first] == [4, 1]
    with cassette.open("a") as file:
        file.write('{"step": "judge", "messages": []}\n\n')  # a model's call in the same file
    assert KEY not in cassette.read_text()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket")

    monkeypatch.setattr("socket.socket", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    replayer = WebReplayer(cassette)
    assert web_passages(replayer, replayer, agent, analysis, QUESTION, results=8, pages=3) == first
    assert len(replayer.search(QUESTION, limit=1)) == 2
    with pytest.raises(NetworkError, match="--record"):
        replayer.search("another question", limit=1)
    with pytest.raises(NetworkError, match="--record"):
        replayer.fetch("http://another.example/")


def test_a_search_that_failed_fails_again(web, tmp_path):
    web.search_status = 500
    cassette = tmp_path / "cassette.jsonl"
    recorder = WebRecorder(cassette)
    first = asked(web, engine=recorder.search(SearXNG(web.base)))
    assert asked(web, engine=WebReplayer(cassette)) == first
    assert len(first[1]) == 1


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        "{",
        '{"web": "search"}',
        '{"web": "page", "asked": "a"}',
        '{"web": "page", "asked": "a", "page": {"odd": 1}}',
        '{"web": "other", "asked": "a"}',
    ],
)
def test_files_that_are_no_cassettes(tmp_path, line):
    file = tmp_path / "cassette.jsonl"
    with pytest.raises(NotFoundError, match="--record"):
        WebReplayer(file)
    file.write_text(line)
    with pytest.raises(FormatError, match="Line 1"):
        WebReplayer(file)
    with pytest.raises(UsageError, match="Cannot record"):
        WebRecorder(tmp_path / "missing" / "cassette.jsonl")


# --keep-web


def evidence(passage: Passage, *, start: int, end: int) -> Evidence:
    tower, person = Node(1, "Q243", "Eiffel Tower"), Node(2, "Q1", "Stephen Sauvestre")
    place = Locator(page=passage.title, url=passage.locator.url, start=start, end=end)
    cited = Passage(passage.id, passage.title, passage.text[start:end], passage.source, place)
    hop = Hop(tower, "was designed by", "was designed by", person)
    return Evidence(GraphPath((hop,), cited), Scores(0.9), "initial", True)


@pytest.fixture
def kept(tmp_path: Path) -> SqlitePageCache:
    return SqlitePageCache(tmp_path / "web.sqlite")


def test_what_was_found_is_read_again_until_it_expires(web, kept):
    passages, _ = asked(web)
    assert kept.passages(QUESTION, now=NOW, limit=5) == []
    used = evidence(passages[0], start=8, end=8 + len(STEPHEN))
    assert kept.keep(passages, [used], question="q1", agent="offline", now=NOW, days=30) == 3
    again = kept.passages(QUESTION, now=NOW + timedelta(days=29), limit=5)
    assert {(p.id, p.title, p.text, p.source, p.locator) for p in again} == {
        (p.id, p.title, p.text, p.source, p.locator) for p in passages
    }
    assert all(p.score > 0 for p in again)
    assert kept.passages(QUESTION, now=NOW + timedelta(days=30), limit=5) == []
    assert kept.passages("Who is the president of the USA?", now=NOW, limit=5) == []
    assert len(kept.passages(QUESTION, now=NOW, limit=2)) == 2
    (hop,) = kept.hops(passages[0].source.name)
    assert (hop["subject"], hop["phrase"], hop["object"]) == ("Eiffel Tower", "was designed by", "Stephen Sauvestre")
    assert passages[0].text[hop["start"] : hop["end"]] == STEPHEN
    assert (hop["question"], hop["agent"]) == ("q1", "offline")


def test_kept_pages_are_listed_and_dropped(web, kept):
    passages, _ = asked(web)
    assert kept.pages(now=NOW) == []
    kept.keep(passages, now=NOW, days=30)
    listed = kept.pages(now=NOW)
    assert [p["name"] for p in listed] == sorted(p.source.name for p in passages)
    assert (listed[0]["origin"], listed[0]["fetched"], listed[0]["expires"]) == (
        "honest.example",
        "2026-11-22T10:00:00Z",
        "2026-12-22T10:00:00Z",
    )
    assert kept.drop(passages[0].source.name) == {"pages": 1}
    assert len(kept.passages(QUESTION, now=NOW, limit=5)) == 2
    with pytest.raises(NotFoundError, match="sources list"):
        kept.drop(passages[0].source.name)
    assert kept.drop() == {"pages": 2}
    assert kept.pages(now=NOW) == []


def test_a_page_that_changed_takes_the_place_of_its_older_form(kept):
    source = page_source("https://a.example/page")
    old, new = passage_of("A", "The tower is old.", source), passage_of("A", "The tower is new.", source)
    kept.keep([old], [evidence(old, start=0, end=3)], now=NOW, days=30)
    kept.keep([new], now=NOW + timedelta(days=1), days=30)
    kept.keep([new], now=NOW + timedelta(days=2), days=30)
    assert [p.text for p in kept.passages("tower", now=NOW + timedelta(days=3), limit=9)] == [new.text]
    assert kept.hops(source.name) == []
    assert kept.pages(now=NOW)[0]["expires"] == "2026-12-24T10:00:00Z"
    assert kept.passages("old", now=NOW, limit=9) == []


def test_only_pages_of_the_web_are_kept(kept):
    wiki = Passage("p1", "Paris", "Paris is a city.", Source("wikipedia", "wiki"), Locator())
    assert kept.keep([wiki], now=NOW, days=30) == 0
    assert kept.pages(now=NOW) == []


@pytest.mark.parametrize(
    "query", ["", '"', "a OR b", 'NEAR("x")', "AT&T?", "C++ o'neil a-b", "title:x", "*", "(", "\x00"]
)
def test_any_text_is_a_legal_query(kept, query):
    kept.keep([passage_of("Z", "The tower.", page_source("https://a.example/"))], now=NOW, days=30)
    assert kept.passages(query, now=NOW, limit=5) == []


def test_a_disk_that_refuses_is_a_warning(tmp_path, kept):
    said: list[str] = []
    page = passage_of("A", "The tower.", page_source("https://a.example/"))
    assert SqlitePageCache(tmp_path / "missing" / "web.sqlite", warn=said.append).keep([page], now=NOW, days=30) == 0
    damaged = SqlitePageCache(tmp_path / "damaged.sqlite", warn=said.append)
    damaged.path.write_bytes(b"not a database, though long enough to be taken for one" * 100)
    assert damaged.keep([page], now=NOW, days=30) == 0
    assert damaged.passages("tower", now=NOW, limit=5) == []
    assert len(said) == 3
    with pytest.raises(StoreCorruptError, match="Remove the file"):
        damaged.pages(now=NOW)
    kept.keep([page], now=NOW, days=30)
    with sqlite3.connect(kept.path) as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StoreCorruptError, match="version 99"):
        kept.pages(now=NOW)


def test_two_that_keep_at_once_lose_nothing(kept):
    """Also where the first of them has to make the file: of a hundred files, some were found without their tables."""
    together = threading.Barrier(8)

    def keep(n: int) -> int:
        page = passage_of(f"Page {n}", f"The tower number {n}.", page_source(f"https://a{n}.example/"))
        done = 0
        for i in range(50):
            together.wait(timeout=60)
            done += SqlitePageCache(kept.path.with_name(f"{i}.sqlite")).keep([page], now=NOW, days=30)
        return done

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(keep, range(8))) == [50] * 8
    assert len(SqlitePageCache(kept.path.with_name("0.sqlite")).pages(now=NOW)) == 8


def test_the_key_is_in_no_file(web, kept):
    web.index("http://lyon.example/a", "Lyon", "Stephen Sauvestre was its architect.", question="Who designed it?")
    passages, _ = asked(web, engine=SerpApi(KEY, base_url=web.base))
    kept.keep(passages, now=NOW, days=30)
    files = [f for f in kept.path.parent.iterdir() if f.is_file()]
    assert files
    assert all(KEY.encode() not in f.read_bytes() for f in files)
