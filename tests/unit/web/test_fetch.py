"""Pages that nobody vouches for: everything that must be refused is, and what is fetched is what was checked."""

from __future__ import annotations

import gzip
import shutil
import socket
import threading
import tracemalloc
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest
from helpers.servers.web_server import HERE, WebServer, article
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import THOROUGH, examples

from hydra_kg.errors import NetworkError
from hydra_kg.web.addresses import public, system_resolve
from hydra_kg.web.fetch import REDIRECTS, SafeFetcher, _charset, check_url, fits, is_path_allowed, parse
from hydra_kg.web.network import HttpReply, Refused, decompress_body

PARIS = article("Paris", "Paris is the capital of France and lies on the river Seine.")


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def why(fetcher: SafeFetcher, url: str) -> str:
    with pytest.raises(NetworkError) as caught:
        fetcher.fetch(url)
    return str(caught.value)


def asked_of(web: WebServer, *, robots: bool = False) -> list[str]:
    return [f"{host}{path}" for host, path, _ in web.seen if robots or path != "/robots.txt"]


def test_a_page_is_its_title_and_main_text(web):
    url = web.page("http://honest.example/paris?lang=en#top", PARIS)
    page = web.fetcher().fetch(url)
    assert (page.url, page.title) == ("http://honest.example/paris?lang=en", "Paris")
    assert "Paris is the capital of France and lies on the river Seine." in page.text
    assert "newsletter" not in page.text
    assert "About us" not in page.text


# What is in the address


@pytest.mark.parametrize(
    "url",
    [
        "ftp://honest.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,hello",
        "gopher://honest.example/",
        "//honest.example/",
        "honest.example",
        "http://",
        "http:///etc/passwd",
        "http://name:secret@honest.example/",
        "http://name@honest.example/",
        "http://honest.example:8080/",
        "http://honest.example:22/",
        "https://honest.example:6379/",
        "http://honest.example:0/",
        "http://honest.example:99999/",
        "http://[::1",
        "http://exa mple/",
        "http://honest.example/" + "x" * 2048,
        "http://" + "a" * 300 + ".example/",
        "",
        "\x00",
        "http://\u2028/",
    ],
)
def test_addresses_that_are_not_asked_for(web, url):
    assert why(web.fetcher(), url)
    assert web.seen == []


@given(st.one_of(st.text(), st.text().map("http://{}".format), st.from_regex(r"https?://[^/]{0,20}[:@/?#].{0,20}")))
@examples(100)
def test_whatever_the_address_is_the_error_is_one_of_ours(url):
    try:
        found = check_url(url)
    except NetworkError:
        return
    assert found.scheme in {"http", "https"}
    assert found.host
    assert found.port in {None, 80, 443}
    assert not found.userinfo


def test_what_is_asked_for_in_a_query_is_not_in_the_error(web):
    said = why(web.fetcher(), "http://name:pass@honest.example/account?token=secret#part")
    assert "honest.example/account" in said
    assert not {"secret", "name:pass", "part"} & set(said.replace("?", " ").replace("@", " ").split())


# Where the address leads


@pytest.mark.parametrize(
    "address",
    (
        "127.0.0.1 127.8.9.1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255"
        " 0.0.0.0 0.1.2.3 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 192.0.0.1 192.0.2.1 198.18.0.1"
        " 198.51.100.7 203.0.113.9 192.88.99.1 168.63.129.16 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8"
        " 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 2002:7f00:1::1 2002:808:808::1 2001:0:1:2::3 2001:10::1"
        " 2001:db8::1 3fff::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 100::1 5f00::1 4000::1"
        " nonsense 1.2.3 1.2.3.4.5"
    ).split(),
)
def test_no_page_is_fetched_from_addresses_that_are_not_public(web, address):
    assert public(address)
    web.addresses["trap.example"] = [address]
    web.page("http://trap.example/", PARIS)
    assert address in why(SafeFetcher(resolve=web.resolve), "http://trap.example/")
    assert web.seen == []


@pytest.mark.parametrize(
    "address", "1.1.1.1 8.8.8.8 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 2606:4700::1111 2a00:1450::1".split()
)
def test_public_addresses_are_let_through(address):
    assert public(address) == ""


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "0",
        "127.0.0.1.",
    ],
)
def test_loopback_is_refused_however_it_is_written(host):
    with WebServer() as here:

        def resolve(name: str, port: int) -> list[tuple[str, int]]:
            return [(address, here.port) for address, _ in system_resolve(name, port)]

        assert why(SafeFetcher(resolve=resolve), f"http://{host}/")
        assert here.seen == []


def test_one_closed_address_closes_the_name(web):
    web.addresses["mixed.example"] = [HERE, "10.0.0.7"]
    web.page("http://mixed.example/", PARIS)
    assert "10.0.0.7, which is private" in why(web.fetcher(), "http://mixed.example/")
    assert web.seen == []


def test_a_name_that_changes_its_address_is_checked_at_every_connection(web):
    """DNS rebinding: no look-up stands between the check and the connection, so a second answer gains nothing."""
    web.page("http://turns.example/", PARIS)
    answers = iter([HERE, "169.254.169.254"])

    def resolve(host: str, port: int) -> list[tuple[str, int]]:
        web.addresses[host] = [next(answers)]
        return web.resolve(host, port)

    fetcher = SafeFetcher(resolve=resolve, check=lambda address: "" if address == HERE else public(address))
    assert "link-local" in why(fetcher, "http://turns.example/")
    assert asked_of(web, robots=True) == ["turns.example/robots.txt"]
    assert web.looked_up == ["turns.example"] * 2


def test_a_name_is_looked_up_once_for_a_connection(web):
    web.fetcher().fetch(web.page("http://honest.example/", PARIS))
    assert web.looked_up == ["honest.example"] * 2  # robots.txt and the page


def test_an_address_that_does_not_answer_is_followed_by_the_next(web):
    url = web.page("http://two.example/", PARIS)
    with socket.create_server((HERE, 0)) as closed:
        nobody = closed.getsockname()[1]
    fetcher = SafeFetcher(resolve=lambda _host, _port: [(HERE, nobody), (HERE, web.port)], check=lambda _: "")
    assert fetcher.fetch(url).title == "Paris"


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2/admin",
        "http://[::1]/",
        "http://inside.example/",
        "http://169.254.169.254/latest/meta-data/",
        "http://honest.example:8080/",
        "http://name:secret@honest.example/",
        "file:///etc/passwd",
        "ftp://honest.example/",
        "http://[",
        "/" + "x" * 3000,
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_lead_to_no_place_that_is_closed(web, target, status):
    web.addresses |= {h: [h.strip("[]")] for h in ("127.0.0.2", "::1", "169.254.169.254")}
    web.addresses["inside.example"] = ["192.168.0.10"]
    url = web.redirect("http://honest.example/go", target, status=status)
    assert why(web.fetcher(), url)
    assert asked_of(web) == ["honest.example/go"]


def test_redirects_are_followed_five_times(web):
    for n in range(REDIRECTS + 1):
        web.redirect(f"http://hop{n}.example/", f"http://hop{n + 1}.example/")
    web.page(f"http://hop{REDIRECTS + 1}.example/", PARIS)
    assert web.fetcher().fetch("http://hop1.example/").url == f"http://hop{REDIRECTS + 1}.example/"
    assert "more than 5" in why(web.fetcher(), "http://hop0.example/")
    assert "more than 5" in why(web.fetcher(), web.redirect("http://round.example/", "/"))


def test_redirects_may_be_relative(web):
    web.page("http://honest.example/b?x=1", PARIS)
    assert web.fetcher().fetch(web.redirect("http://honest.example/a", "b?x=1")).url == "http://honest.example/b?x=1"


# How much, how long, of what kind


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_packed_page_is_unpacked(web, coding):
    assert web.fetcher().fetch(web.packed("http://honest.example/", PARIS.encode(), coding)).title == "Paris"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_bomb_stops_at_the_size(web, coding):
    url = web.packed("http://bomb.example/", b"<p>boom</p>" * 3_000_000, coding)
    assert "larger than 2,000,000 bytes" in why(web.fetcher(), url)


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress", "x" * 500])
def test_what_is_packed_in_another_way_is_not_unpacked(web, coding):
    url = web.packed("http://bomb.example/", b"x" * 100, coding)
    assert "not asked for" in why(web.fetcher(), url)


def test_unpacking_takes_no_more_memory_than_the_limit():
    bomb = gzip.compress(b"\0" * 50_000_000)
    chunks = [bomb[i : i + 65_536] for i in range(0, len(bomb), 65_536)]
    tracemalloc.start()
    with pytest.raises(Refused):
        decompress_body(chunks, "gzip", limit=1_000_000, whole=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    assert len(decompress_body(chunks, "gzip", limit=1_000, whole=False)) == 1_000


@given(st.binary(max_size=5_000), st.integers(1, 500), st.sampled_from(["gzip", "deflate", ""]))
@settings(deadline=None)
def test_what_was_packed_comes_out_again(data, size, coding):
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "": bytes}[coding](data)
    chunks = [packed[i : i + size] for i in range(0, len(packed), size)]
    assert decompress_body(chunks, coding, limit=6_000, whole=True) == data


def test_a_page_without_end_stops_at_the_size(web):
    assert "larger than" in why(web.fetcher(), web.endless("http://huge.example/"))
    assert "larger than 50 bytes" in why(web.fetcher(limit=50), web.page("http://honest.example/", PARIS))


def test_what_is_not_packed_as_it_says_is_refused(web):
    url = web.page("http://liar.example/", PARIS, headers={"Content-Encoding": "gzip"})
    assert "not packed as it says" in why(web.fetcher(), url)


@pytest.mark.parametrize("at", ["head", "body"])
def test_bytes_that_trickle_do_not_extend_the_time(web, at):
    assert "too long" in why(web.fetcher(timeout=0.4), web.slow("http://slow.example/", at=at))


def test_silence_does_not_extend_the_time(web):
    ended = threading.Event()
    web.route("http://silent.example/", lambda _: bool(ended.wait(30)) and None)
    assert "too long" in why(web.fetcher(timeout=0.3), "http://silent.example/")
    ended.set()


def test_a_look_up_that_hangs_does_not_extend_the_time():
    ended = threading.Event()

    def resolve(host: str, port: int) -> Sequence[tuple[str, int]]:
        ended.wait(30)
        return []

    assert "too long" in why(SafeFetcher(timeout=0.2, resolve=resolve), "http://slow.example/")
    ended.set()


def test_a_name_without_address_is_said_to_have_none():
    def resolve(host: str, port: int) -> Sequence[tuple[str, int]]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    assert "the name has no address" in why(SafeFetcher(resolve=resolve), "http://nowhere.example/")


@pytest.mark.parametrize(
    "kind",
    ["application/pdf", "image/png", "application/json", "text/css", "text/htmlx", "", "multipart/mixed", "x" * 300],
)
def test_other_types_are_not_read(web, kind):
    assert "is not read" in why(web.fetcher(), web.page("http://odd.example/", PARIS, kind=kind))


@pytest.mark.parametrize("kind", ["TEXT/HTML", "text/html;charset=utf-8", "application/xhtml+xml; charset=UTF-8"])
def test_pages_are_read(web, kind):
    assert web.fetcher().fetch(web.page("http://honest.example/", PARIS, kind=kind)).title == "Paris"


@given(st.text(st.characters(exclude_characters="\r\n")))
def test_whatever_a_type_says_it_has_a_character_set_or_none(text):
    reply = HttpReply(200, {"content-type": f"text/html; charset={text}"}, b"")
    assert isinstance(_charset(reply), str)


def test_plain_text_is_read_as_it_is(web):
    page = web.fetcher().fetch(web.page("http://honest.example/a.txt", "One <b>line</b>.\n\n  Two.", kind="text/plain"))
    assert (page.title, page.text) == ("", "One <b>line</b>.\nTwo.")
    assert "no text" in why(web.fetcher(), web.page("http://empty.example/", " \n ", kind="text/plain"))


@pytest.mark.parametrize("status", [204, 206, 304, 400, 403, 404, 410, 429, 500, 503])
def test_other_statuses_are_errors(web, status):
    assert str(status) in why(web.fetcher(), web.page("http://honest.example/", PARIS, status=status))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000,
    ],
)
def test_replies_that_are_cut_or_no_http_are_errors(web, data):
    web.route("http://broken.example/", lambda h: h.wfile.write(data) and None)
    assert "connection failed" in why(web.fetcher(), "http://broken.example/")


def test_whatever_a_server_says_the_error_is_one_of_ours(web):
    said = b""
    web.route("http://odd.example/", lambda h: h.wfile.write(said) and None)
    web.robots("odd.example", "")
    fetcher = web.fetcher(timeout=5.0)
    names = ["Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Location", "Connection", "X"]
    values = st.sampled_from(
        [b"text/html", b"gzip", b"chunked", b"-1", b"7", b"http://odd.example:99999/", b"/\xff", b""]
    ) | st.binary(max_size=20)
    statuses = st.sampled_from([b"200 OK", b"302 F", b"100 C", b"101 S", b"204 N", b"999", b"20x"]) | st.binary(
        max_size=9
    )

    @given(statuses, st.lists(st.tuples(st.sampled_from(names), values), max_size=5), st.binary(max_size=50))
    @examples(40)
    def fetch(status, headers, body):
        nonlocal said
        lines = b"".join(name.encode() + b": " + value + b"\r\n" for name, value in headers)
        said = b"HTTP/1.1 " + status + b"\r\n" + lines + b"\r\n" + body
        with suppress(NetworkError):
            fetcher.fetch("http://odd.example/")

    fetch()
    assert len(asked_of(web)) >= 30 * min(THOROUGH, 1)


# What is kept, what is run, who is told


def test_no_cookie_is_kept(web):
    web.page("http://honest.example/b", PARIS, headers={"Set-Cookie": "b=2; Path=/"})
    fetcher = web.fetcher()
    for _ in range(2):
        fetcher.fetch(web.redirect("http://honest.example/a", "/b"))
    assert len(asked_of(web)) == 4
    assert all({"Cookie", "Authorization", "Referer"}.isdisjoint(headers) for _, _, headers in web.seen)


def test_nothing_on_a_page_is_run_or_loaded(web):
    head = "<script src=/run.js></script><link rel=stylesheet href=/a.css><meta http-equiv=refresh content='0;url=/b'>"
    body = article(
        "Paris", "Paris lies on the Seine, says this page. <img src='/i.png'><script>evil()</script>", head=head
    )
    page = web.fetcher().fetch(web.page("http://honest.example/", body))
    assert "evil" not in page.text
    assert asked_of(web) == ["honest.example/"]


def test_no_proxy_of_the_environment_is_used(web, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert web.fetcher().fetch(web.page("http://honest.example/", PARIS)).title == "Paris"


@pytest.fixture
def secure(web, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, so there is no certificate to serve with")
    return web.tls(tmp_path, "safe.example")


def test_tls_keeps_the_name_though_the_address_was_checked(web, secure):
    web.page("https://safe.example/", PARIS)
    assert web.fetcher(context=secure).fetch("https://safe.example/").title == "Paris"
    assert set(web.names) == {"safe.example"}
    assert {host for host, _, _ in web.seen} == {"safe.example"}


def test_a_certificate_of_another_name_is_refused(web, secure):
    web.page("https://other.example/", PARIS)
    assert "certificate" in why(web.fetcher(context=secure), "https://other.example/")
    assert "certificate" in why(web.fetcher(), "https://safe.example/")
    assert web.seen == []


# robots.txt


def test_robots_txt_is_obeyed_and_asked_for_once(web):
    web.robots("honest.example", "User-agent: *\nDisallow: /private")
    web.page("http://honest.example/open", PARIS)
    web.page("http://honest.example/private/a", PARIS)
    fetcher = web.fetcher()
    assert fetcher.fetch("http://honest.example/open").title == "Paris"
    assert "robots.txt forbids" in why(fetcher, "http://honest.example/private/a")
    assert asked_of(web, robots=True) == ["honest.example/robots.txt", "honest.example/open"]


def test_a_redirect_does_not_lead_around_robots_txt(web):
    web.robots("closed.example", "User-agent: hydra-kg\nDisallow: /")
    web.page("http://closed.example/", PARIS)
    assert "robots.txt forbids" in why(web.fetcher(), web.redirect("http://open.example/", "http://closed.example/"))
    assert asked_of(web) == ["open.example/"]


@pytest.mark.parametrize("status, fetched", [(404, True), (403, True), (401, True), (500, False), (503, False)])
def test_what_a_missing_robots_txt_means(web, status, fetched):
    web.robots("honest.example", "User-agent: *\nDisallow: /", status=status)
    url = web.page("http://honest.example/", PARIS)
    if fetched:
        assert web.fetcher().fetch(url).title == "Paris"
    else:
        assert "robots.txt" in why(web.fetcher(), url)


def test_robots_txt_is_looked_for_no_further_than_pages(web):
    web.addresses["127.0.0.2"] = ["127.0.0.2"]
    web.redirect("http://honest.example/robots.txt", "http://127.0.0.2/robots.txt")
    assert "loopback" in why(web.fetcher(), web.page("http://honest.example/", PARIS))
    web.redirect("http://round.example/robots.txt", "/robots.txt")
    assert web.fetcher().fetch(web.page("http://round.example/", PARIS)).title == "Paris"


def test_only_the_beginning_of_a_long_robots_txt_is_read(web):
    web.robots("long.example", "User-agent: *\nDisallow: /b\n" + "#" * 600_000 + "\nDisallow: /")
    fetcher = web.fetcher()
    assert fetcher.fetch(web.page("http://long.example/a", PARIS)).title == "Paris"
    assert "forbids" in why(fetcher, web.page("http://long.example/b", PARIS))


@pytest.mark.parametrize(
    "text, path, yes",
    [
        ("", "/", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: Hydra-KG\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", False),
        ("User-agent: hydra-kg/2.0\nDisallow: /", "/a", False),
        ("User-agent: hydra-kg-image\nDisallow: /", "/a", True),
        ("User-agent: a\nUser-agent: hydra-kg\nDisallow: /x\n\nUser-agent: hydra-kg\nDisallow: /y", "/y", False),
        ("User-agent: hydra-kg\nSitemap: x\nDisallow: /x", "/x", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a/b\nAllow: /a", "/a/b/c", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.php$", "/x/index.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/x/index.php5", True),
        ("User-agent: *\nDisallow: /a%c3%a9", "/a%C3%A9/b", False),
        ("User-agent: *\nDisallow: /aé", "/a%C3%A9", False),
        ("User-agent: *\nDisallow: /%7Ebob", "/~bob", False),
        ("\ufeffUSER-AGENT : * # all\r\nDISALLOW : /a # this\r\n", "/a", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("Disallow: /", "/a", True),
        ("\x00\xff:\n:::\nUser-agent:\nDisallow: /", "/a", True),
    ],
)
def test_rules_of_robots_txt(text, path, yes):
    assert is_path_allowed(parse(text), path) is yes


def test_a_hostile_pattern_takes_no_time():
    assert not fits("/*a" * 500 + "b", "/" + "a/" * 1_000)
    assert fits("*" * 5_000 + "$", "/" + "a" * 2_000)
