"""Large files by https: parts, cuts, other editions, redirects into closed networks, servers that lie or stall."""

from __future__ import annotations

import random
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.web_server import HERE, WebServer

from hydra_kg.errors import DiskFullError, NetworkError, NotFoundError, StoreBusyError, UsageError
from hydra_kg.web import download as downloads
from hydra_kg.web.addresses import public
from hydra_kg.web.download import DownloadPart, HttpsFile, beginning, download, show_address

DATA = random.Random(4).randbytes(300_000)
URL = "https://dumps.example/all.nt.gz"


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebServer, ssl.SSLContext]]:
    with WebServer() as web:
        yield web, web.tls(tmp_path_factory.mktemp("tls"), "dumps.example", "mirror.example")


@pytest.fixture
def web(secure: tuple[WebServer, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch) -> WebServer:
    monkeypatch.setattr(downloads, "SPAN", 64_000)
    monkeypatch.setattr(downloads, "_WAIT", 0.001)
    monkeypatch.setattr(downloads, "_SPARE", 0)
    secure[0].seen.clear()
    return secure[0]


@pytest.fixture
def remote(secure: tuple[WebServer, ssl.SSLContext]) -> Callable[[str], HttpsFile]:
    def made(url: str = URL) -> HttpsFile:
        check = lambda address: "" if address == HERE else public(address)  # noqa: E731
        return HttpsFile(url, resolve=secure[0].resolve, check=check, context=secure[1])

    return made


class Dump:
    """What the server has. ``cuts``: after how many bytes of which request it hangs up."""

    def __init__(
        self, web: WebServer, data: bytes = DATA, *, url: str = URL, parts: bool = True, tag: str = '"1"'
    ) -> None:
        self.data, self.parts, self.tag = data, parts, tag
        self.cuts: dict[int, int] = {}
        self.asked: list[str] = []
        web.route(url, self)

    def __call__(self, h: BaseHTTPRequestHandler) -> None:
        self.asked.append(h.headers["Range"])
        first, last = (int(x) for x in h.headers.get("Range", "bytes=0-0").removeprefix("bytes=").split("-"))
        fresh = "Range" not in h.headers or ("If-Range" in h.headers and h.headers["If-Range"] != self.tag)
        part = self.data[first : last + 1] if self.parts and not fresh else self.data
        if self.parts and not fresh:
            h.send_response(206)
            h.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(self.data)}")
        else:
            h.send_response(200)
        if self.tag:
            h.send_header("ETag", self.tag)
        h.send_header("Content-Length", str(len(part)))
        h.end_headers()
        h.wfile.write(part[: self.cuts.get(len(self.asked), len(part))])


def test_a_file_comes_in_parts(web: WebServer, remote: Callable[..., HttpsFile], tmp_path: Path) -> None:
    dump, seen = Dump(web), list[tuple[int, int]]()
    download(remote(), tmp_path / "all", tell=lambda done, total: seen.append((done, total)))
    assert (tmp_path / "all").read_bytes() == DATA
    assert [a.split("-")[0] for a in dump.asked] == [
        "bytes=0",
        "bytes=64000",
        "bytes=128000",
        "bytes=192000",
        "bytes=256000",
    ]
    assert seen[-1] == (len(DATA), len(DATA))
    assert {f.name for f in tmp_path.iterdir()} == {"all", "all.edition"}


@pytest.mark.parametrize("parts", [True, False])
def test_the_beginning_of_a_file(web: WebServer, remote: Callable[..., HttpsFile], tmp_path: Path, parts: bool) -> None:
    dump = Dump(web, parts=parts)
    assert beginning(remote(), tmp_path / "some", 50_000) == pytest.approx(len(DATA) / 50_000)
    assert (tmp_path / "some").read_bytes() == DATA[:50_000]
    assert len(dump.asked) == 1
    if not parts:
        assert beginning(remote(), tmp_path / "some", 400_000) == 1
        assert (tmp_path / "some").read_bytes() == DATA


@pytest.mark.parametrize("parts", [True, False])
@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', ""])
def test_cut_connections(
    web: WebServer, remote: Callable[..., HttpsFile], tmp_path: Path, parts: bool, tag: str
) -> None:
    dump = Dump(web, parts=parts, tag=tag)
    dump.cuts = {1: 50_000, 2: 10}
    download(remote(), tmp_path / "all")
    assert (tmp_path / "all").read_bytes() == DATA


def test_a_killed_one_goes_on_and_another_edition_begins_anew(
    web: WebServer, remote: Callable[..., HttpsFile], tmp_path: Path
) -> None:
    dump = Dump(web)

    def die(done: int, total: int) -> None:
        if done > 100_000:
            raise KeyboardInterrupt

    for tag, first in (('"1"', "bytes=0"), ('"1"', "bytes="), ('"2"', "bytes=")):
        dump.asked, dump.tag = [], tag
        dump.data = DATA if tag == '"1"' else DATA[::-1]
        with pytest.raises(KeyboardInterrupt):
            download(remote(), tmp_path / "all", tell=die)
        assert dump.asked[0].startswith(first)
        assert dump.asked[0].startswith("bytes=0") == (first == "bytes=0")
    download(remote(), tmp_path / "all")
    assert (tmp_path / "all").read_bytes() == DATA[::-1]


def test_what_is_no_dump_is_said(web: WebServer, remote: Callable[..., HttpsFile], tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        download(remote("https://dumps.example/none"), tmp_path / "x")
    web.page("https://dumps.example/busy", b"", status=503)
    with pytest.raises(NetworkError, match="503"):
        download(remote("https://dumps.example/busy"), tmp_path / "x")
    web.redirect("https://dumps.example/round", "https://dumps.example/round")
    with pytest.raises(NetworkError, match="redirects more"):
        download(remote("https://dumps.example/round"), tmp_path / "x")


def test_only_public_addresses_and_https_also_after_a_redirect(
    web: WebServer, remote: Callable[..., HttpsFile], tmp_path: Path
) -> None:
    with pytest.raises(NetworkError, match="https only"):
        remote("http://dumps.example/all")
    web.redirect("https://dumps.example/plain", "http://dumps.example/all")
    with pytest.raises(NetworkError, match="https only"):
        download(remote("https://dumps.example/plain"), tmp_path / "x")
    web.addresses["inside.example"] = ["169.254.169.254"]
    web.redirect("https://dumps.example/inside", "https://inside.example/latest/meta-data")
    with pytest.raises(NetworkError, match="link-local"):
        download(remote("https://dumps.example/inside"), tmp_path / "x")
    Dump(web, url="https://mirror.example/all")
    web.redirect("https://dumps.example/moved", "https://mirror.example/all")
    download(remote("https://dumps.example/moved"), tmp_path / "all")
    assert (tmp_path / "all").read_bytes() == DATA


def test_a_certificate_that_does_not_fit_is_refused(web: WebServer, tmp_path: Path) -> None:
    Dump(web)
    with pytest.raises(NetworkError, match=r"(?i)certificate"):
        download(HttpsFile(URL, resolve=web.resolve, check=lambda address: ""), tmp_path / "x")


class Scripted:
    """A remote that sends what it is told to."""

    def __init__(self, *parts: Any) -> None:
        self.parts = list(parts)

    @contextmanager
    def part(self, start: int, tag: str) -> Iterator[DownloadPart]:
        made = self.parts.pop(0) if len(self.parts) > 1 else self.parts[0]
        yield DownloadPart(made[0], made[1], made[2], iter(made[3]))


@pytest.mark.parametrize(
    "parts, words",
    [
        ([(0, 10, "a", [b"12345", b"678901"]), (5, 10, "a", [b"123456"])], "More arrives"),
        ([(0, 10, "a", [])], "sends nothing more"),
        ([(5, 10, "a", [b"12345"])], "changes while"),
        ([(0, 10, "a", [b"1"]), (0, 10, "b", [b"1"]), (0, 10, "c", [b"1"]), (0, 10, "d", [b"1"])], "changes while"),
    ],
)
def test_servers_that_lie(web: WebServer, tmp_path: Path, parts: list[Any], words: str) -> None:
    with pytest.raises(NetworkError, match=words):
        download(Scripted(*parts), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_disk_that_is_too_small_is_said_before(web: WebServer, tmp_path: Path) -> None:
    with pytest.raises(DiskFullError, match="are to be fetched"):
        download(Scripted((0, 1 << 60, "a", [b"1"])), tmp_path / "x")


def test_two_at_once(web: WebServer, tmp_path: Path) -> None:
    def again(done: int, total: int) -> None:
        with pytest.raises(StoreBusyError):
            download(Scripted((0, 1, "a", [b"1"])), tmp_path / "x")

    download(Scripted((0, 1, "a", [b"1"])), tmp_path / "x", tell=again)
    assert (tmp_path / "x").read_bytes() == b"1"


def test_what_is_shown_of_an_address_is_no_secret() -> None:
    assert show_address("https://dumps.example/a.gz?signature=canary#x") == "https://dumps.example/a.gz"
    with pytest.raises(UsageError):
        show_address("https://user:canary@dumps.example/a.gz")
