"""Search engines over a real server: what they find, what they refuse, and a key that nobody sees."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator

import pytest
from helpers.servers.web_server import KEY, WebServer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import Settings
from hydra_kg.domain import WebResult
from hydra_kg.errors import NetworkError, SettingsError
from hydra_kg.web.fetch import SafeFetcher
from hydra_kg.web.providers import SearXNG, SerpApi, make_fetcher, make_search, rows

CAPITAL = WebResult("Paris", "https://honest.example/paris", "Paris is the capital of France.")
TOWER = WebResult("The tower", "https://tower.example/", "A tower in Paris.")
ASKED = WebResult("Lyon", "https://lyon.example/", "No, Paris is.", "Is Lyon the capital of France?")


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        server.found += [TOWER, CAPITAL, ASKED]
        yield server


def searxng(web: WebServer, **more: float) -> SearXNG:
    return SearXNG(web.base, **more)


def serpapi(web: WebServer, *, key: str = KEY, **more: float) -> SerpApi:
    return SerpApi(key, base_url=web.base, **more)


def test_searxng_finds_pages(web):
    assert searxng(web).search("Is Paris the capital of France?", limit=5) == [CAPITAL, TOWER]
    assert searxng(web).search("Is Paris the capital of France?", limit=1) == [CAPITAL]
    assert searxng(web).search("nothing like that", limit=5) == []


def test_serpapi_finds_pages_and_then_related_questions(web):
    assert serpapi(web).search("Is Paris the capital of France?", limit=5) == [CAPITAL, TOWER, ASKED]
    assert serpapi(web).search("Is Paris the capital of France?", limit=1) == [CAPITAL, ASKED]


def test_a_query_reaches_the_engine_as_it_is(web):
    searxng(web).search("who wrote “A & B”? #1 50% +x", limit=5)
    _, path, _ = web.seen[-1]
    assert path.startswith("/search?q=who+wrote+%E2%80%9CA+%26+B%E2%80%9D%3F+%231+50%25+%2Bx&format=json")
    searxng(web).search("x" * 10_000, limit=5)
    assert len(web.seen[-1][1]) < 500


def test_a_base_address_may_have_a_path(web):
    web.page(f"{web.base}/deep/search?q=a&format=json", '{"results": []}', kind="application/json")
    assert SearXNG(f"{web.base}/deep/").search("a", limit=5) == []


@pytest.mark.parametrize(
    "status, said",
    [(403, "search.formats"), (404, "web.url"), (429, "429"), (500, "500"), (302, "302"), (301, "301")],
)
def test_what_searxng_says_no_to(web, status, said):
    web.search_status = status
    web.search_headers["Location"] = "http://127.0.0.1:9/"
    with pytest.raises(NetworkError, match=said):
        searxng(web).search("a", limit=5)
    assert len(web.seen) == 1


@pytest.mark.parametrize("status, said", [(401, "SERPAPI_API_KEY"), (429, "no searches left"), (500, "500")])
def test_what_serpapi_says_no_to(web, status, said):
    web.search_status = status
    with pytest.raises(NetworkError, match=said):
        serpapi(web).search("a", limit=5)


def test_a_wrong_key_is_said_to_be_wrong(web):
    with pytest.raises(NetworkError, match="SERPAPI_API_KEY"):
        serpapi(web, key="another-canary-1234").search("a", limit=5)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[1, 2]", b"null", b"7", b"[" * 100_000, b'{"results": ', b"\xff\xfe"]
)
def test_answers_that_are_no_answers(web, body):
    web.search_body = body
    for engine in (searxng(web), serpapi(web)):
        with pytest.raises(NetworkError, match="search engine's answer"):
            engine.search("a", limit=5)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(st.sampled_from(["results", "url", "link", "title", "content", "snippet", "question"]), x)
        ),
    )
)
@settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_results_of_any_shape_are_results_or_an_error(doc):
    import json

    try:
        (found,) = rows(json.dumps(doc).encode(), "results")
    except NetworkError:
        return
    assert all(isinstance(row, dict) for row in found)


def test_results_that_are_no_pages_are_left_out(web):
    web.search_body = (
        b'{"results": [{"title": 3, "url": "https://a.example/", "content": null}, {"url": "javascript:alert(1)"},'
        b' {"url": ["https://b.example/"]}, 5, {"title": "no url"}, {"url": "http://c.example/' + b"x" * 3_000 + b'"},'
        b' {"url": "https://d.example/", "title": "  two\\nlines \\u0007", "content": "' + b"long " * 1_000 + b'"}]}'
    )
    first, last = searxng(web).search("a", limit=9)
    assert first == WebResult("", "https://a.example/", "")
    assert (last.title, len(last.snippet)) == ("two lines \x07", 1_000)


def test_an_engine_that_hangs_or_never_ends_is_left(web):
    web.slow(f"{web.base}/search?q=a&format=json", at="head")
    with pytest.raises(NetworkError, match="too long"):
        searxng(web, timeout=0.3).search("a", limit=5)
    web.search_body = b" " * 5_000_000
    with pytest.raises(NetworkError, match="larger than"):
        searxng(web).search("b", limit=5)


def test_an_engine_that_is_not_there():
    with pytest.raises(NetworkError, match="connection failed"):
        SearXNG("http://127.0.0.1:9").search("a", limit=5)


@pytest.mark.parametrize(
    "text", ["", "localhost:8080", "ftp://a.example", "http://", "http://u:p@a.example", "http://["]
)
def test_addresses_of_engines(text):
    with pytest.raises(SettingsError, match=r"web\.url"):
        SearXNG(text)


def test_pages_from_where_the_engine_is_are_not_fetched(web):
    """A private address was configured for searching; that opens it to no page."""
    url = web.page(f"{web.base}/page", "<p>inside</p>")
    with pytest.raises(NetworkError, match=r"Only ports 80 and 443"):
        make_fetcher(Settings()).fetch(url)
    with pytest.raises(NetworkError, match="loopback"):
        SafeFetcher(resolve=web.resolve).fetch("http://127.0.0.1/page")
    assert web.seen == []


# Settings


def test_settings_make_engines(web, monkeypatch):
    monkeypatch.setenv("SERPAPI_API_KEY", KEY)
    assert make_search(Settings()) is None
    assert make_search(Settings(web={"engine": "searxng", "url": web.base})).search("capital", limit=1) == [CAPITAL]
    assert make_search(Settings(web={"engine": "serpapi", "url": web.base})).search("capital", limit=1) == [
        CAPITAL,
        ASKED,
    ]
    monkeypatch.delenv("SERPAPI_API_KEY")
    with pytest.raises(SettingsError, match="SERPAPI_API_KEY"):
        make_search(Settings(web={"engine": "serpapi"}))


def test_a_forbidden_network_is_said_before_anything_is_asked(web):
    forbidden = Settings(web={"engine": "searxng", "url": web.base}, no_network=True)
    for made in (make_search, make_fetcher):
        with pytest.raises(NetworkError, match="no-network"):
            made(forbidden)
    assert make_search(forbidden.changed(web={"engine": ""})) is None


# The key


@pytest.mark.parametrize("base", ["http://serpapi.example", "http://10.0.0.1", "http://127.0.0.1.example"])
def test_the_key_is_not_sent_in_the_clear(base):
    with pytest.raises(SettingsError, match="sent unencrypted"):
        SerpApi(KEY, base_url=base)


def test_the_key_is_in_no_result_error_or_log(web, caplog):
    """Also where the server sends it back: in its body, a header, a redirect, a status."""
    caplog.set_level(logging.DEBUG)
    engine = serpapi(web)
    said = [repr(engine), str(vars(engine)["_base"]), repr(engine.search("capital", limit=5))]
    web.search_headers["X-Your-Request"] = f"/search.json?api_key={KEY}"
    web.search_body = b'{"organic_results": [{"title": "%s", "link": "https://a.example/?k=%s"}]}' % (
        (KEY.encode(),) * 2
    )
    said.append(repr(engine.search("capital", limit=5)))
    for status, body in ((401, KEY.encode()), (302, b""), (200, KEY.encode()), (200, b"x" * 5_000_000)):
        web.search_status, web.search_body = status, body
        web.search_headers["Location"] = f"https://a.example/?api_key={KEY}"
        with pytest.raises(NetworkError) as caught:
            engine.search("capital", limit=5)
        said += ["".join(traceback.format_exception(caught.value)), repr(caught.value)]
    web.route(
        f"{web.base}/search.json?engine=google&q=cut&num=5&api_key={KEY}",
        lambda h: h.wfile.write(b"HTTP/1.1 200 %s\r\nbroken" % KEY.encode()) and None,
    )
    with pytest.raises(NetworkError) as caught:
        engine.search("cut", limit=5)
    said += ["".join(traceback.format_exception(caught.value))]
    with pytest.raises(NetworkError) as caught:
        SerpApi(KEY, base_url="http://127.0.0.1:9").search("a", limit=5)
    said += ["".join(traceback.format_exception(caught.value))]
    assert sum(KEY in path for _, path, _ in web.seen) == 7  # it was sent
    assert [text for text in said if KEY in text] == []
    assert "httpcore.http11" in {r.name for r in caplog.records}
    assert KEY not in caplog.text
    assert all(KEY not in f"{vars(r)}" for r in caplog.records)
