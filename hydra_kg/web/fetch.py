"""Fetch untrusted pages from public addresses only, with bounds and within robots.txt (RFC 9309, design §8)."""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from email.message import Message
from typing import Final
from urllib.parse import quote

import httpx
from cachetools import TTLCache

from hydra_kg.domain import WebPage
from hydra_kg.errors import NetworkError
from hydra_kg.util.installed import require_web
from hydra_kg.web.addresses import Check, Resolve, is_host, public, system_resolve
from hydra_kg.web.maintext import Readers, decode_plain_text
from hydra_kg.web.network import AGENT, Deadline, HttpReply, Transport, get, media_type

REDIRECTS: Final = 5
LONGEST: Final = 2_048  # characters of an address
PAGE: Final = 2_000_000  # bytes of a page, packed or unpacked
PORTS: Final = frozenset({None, 80, 443})  # None is the scheme's own
PAGES: Final = ("text/html", "application/xhtml+xml", "text/plain")
LIMIT: Final = 500 << 10  # bytes that are looked at; the RFC's least
SITES: Final = 64  # kept at a time
HOURS: Final = 24  # for which one is kept; the RFC's most
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

Rule = tuple[str, bool]
"""A pattern of paths, and whether it allows them."""


class SafeFetcher:
    """A PageFetcher (port) for untrusted pages.

    Every page has its own connection and deadline. Only robots.txt and the processes that read pages are reused.
    Proxies are not used, because the address behind one could not be checked. Raises SettingsError without the extra
    ``web``.

    Args:
        timeout: Seconds for a page with its redirects, its robots.txt and its text.
        limit: Largest size of a page in bytes.
        resolve, check, context: How names become addresses, which addresses are refused, and which certificates are
            trusted. Other values than the default are for tests and for closed networks.
        readers: Processes that other fetchers share.
    """

    def __init__(
        self,
        *,
        timeout: float = 10.0,
        limit: int = PAGE,
        resolve: Resolve = system_resolve,
        check: Check = public,
        context: ssl.SSLContext | None = None,
        readers: Readers | None = None,
    ) -> None:
        require_web()
        self._timeout, self._limit = timeout, limit
        self._resolve, self._check, self._context = resolve, check, context
        self._robots, self._readers = Robots(), readers or Readers()

    def fetch(self, url: str) -> WebPage:
        """Return the page's main text. Raises NetworkError with the reason and the address without its query."""
        try:
            return self._fetch(url)
        except NetworkError as e:
            place = " ".join(url.partition("?")[0].partition("#")[0].rpartition("@")[2].split())[:200]
            raise NetworkError(f"{place}: {e.args[0]}", remedy=e.remedy) from e

    def _fetch(self, url: str) -> WebPage:
        """Fetch a page, following at most a few redirects."""
        deadline = Deadline(self._timeout)
        transport = Transport(deadline, check=self._check, resolve=self._resolve, context=self._context)
        with closing(transport):
            at = check_url(url)
            self._ask_robots(transport, at)
            with self._readers.reader() as reader:
                for _ in range(REDIRECTS + 1):
                    reply = get(transport, at, limit=self._limit, types=PAGES)
                    if not (target := redirect(reply.status, reply.headers)):
                        break
                    at = join_url(at, target)
                    self._ask_robots(transport, at)
                else:
                    raise NetworkError(f"It redirects more than {REDIRECTS} times.")
                if reply.status != httpx.codes.OK:
                    raise NetworkError(f"The server answered with status {reply.status}.")
                charset = _charset(reply)
                if media_type(reply.headers) == "text/plain":
                    return WebPage(str(at), "", decode_plain_text(reply.body, charset=charset))
                try:
                    title, text = reader.read(reply.body, charset=charset, seconds=deadline.left())
                except TimeoutError as e:
                    raise NetworkError("It took too long.") from e
                return WebPage(str(at), title, text)

    def _ask_robots(self, transport: Transport, at: httpx.URL) -> None:
        """Raise NetworkError if the site's robots.txt forbids the address."""

        def ask() -> HttpReply:
            place = at.copy_with(raw_path=b"/robots.txt")
            for _ in range(REDIRECTS + 1):
                reply = get(transport, place, limit=LIMIT, whole=False)
                if not (target := redirect(reply.status, reply.headers)):
                    return reply
                place = join_url(place, target)
            return HttpReply(404, {}, b"")  # RFC 9309 §2.3.1.2: as if there were none

        site = f"{at.scheme}://{at.netloc.decode('ascii', 'replace')}"
        if not self._robots.allow(site, at.raw_path.decode("ascii", "replace"), ask):
            raise NetworkError("Its robots.txt forbids it.")


def check_url(url: str) -> httpx.URL:
    """Return a parsed address whose scheme, host and port are allowed. Raises NetworkError for others."""
    if len(url) > LONGEST:
        raise NetworkError(f"The address has more than {LONGEST:,} characters.")
    try:
        found = httpx.URL(url)
        host = found.raw_host.decode("ascii")
    except (httpx.InvalidURL, ValueError, TypeError) as e:  # ValueError: what is no host name
        raise NetworkError("This is not a valid web address.") from e
    if found.scheme not in {"http", "https"}:
        raise NetworkError(f"Only http and https are fetched, not {found.scheme[:20]!r}.")
    if not is_host(host):
        raise NetworkError("The address names no host.")
    if found.userinfo:
        raise NetworkError("The address carries a user name or password.")
    if found.port not in PORTS:
        raise NetworkError(f"Only ports 80 and 443 are fetched from, not {found.port}.")
    return found.copy_with(fragment=None)


def redirect(status: int, headers: Mapping[str, str]) -> str:
    """Return the target of a reply's redirect, "" if it has none."""
    return headers.get("location", "") if status in {301, 302, 303, 307, 308} else ""


def join_url(at: httpx.URL, target: str) -> httpx.URL:
    """Return the absolute address of a redirect's target. Raises NetworkError."""
    try:
        return check_url(str(at.join(target)) if len(target) <= LONGEST else target)
    except (httpx.InvalidURL, ValueError) as e:
        raise NetworkError("It redirects to no address.") from e


def _charset(reply: HttpReply) -> str:
    message = Message()
    message["content-type"] = reply.headers.get("content-type", "")
    try:
        return message.get_content_charset("") or ""
    except UnicodeError:  # characters that no header has
        return ""


class Robots:
    """Cache of the robots.txt rules of at most 64 sites, each for one day. It can be used by several threads."""

    def __init__(self) -> None:
        self._cache: TTLCache[str, tuple[Rule, ...]] = TTLCache(SITES, HOURS * 3600, time.monotonic)
        self._lock = threading.Lock()

    def allow(self, site: str, path: str, ask: Callable[[], HttpReply]) -> bool:
        """Return True if robots.txt, as returned by ``ask``, lets this program fetch a path.

        A 4xx status allows everything (RFC 9309 §2.3.1.3), and other errors allow nothing (§2.3.1.4). Raises
        NetworkError.
        """
        with self._lock:
            rules = self._cache.get(site)
        if rules is None:
            reply = ask()
            if reply.status == 200:
                rules = parse(reply.body.decode("utf-8", "replace"))
            elif 400 <= reply.status < 500:
                rules = ()
            else:
                raise NetworkError(
                    f"Its robots.txt cannot be fetched (status {reply.status}), so nothing may be fetched."
                )
            with self._lock:
                self._cache[site] = rules
        return is_path_allowed(rules, path)


def parse(text: str, *, agent: str = AGENT) -> tuple[Rule, ...]:
    """Return the rules for an agent (RFC 9309 §2.2.1).

    They are the rules of all groups that name the agent. If there are none, those of the groups for ``*`` apply.
    """
    own: list[Rule] = []
    every: list[Rule] = []
    named = ours = general = False
    in_names = False
    for line in text.lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            if not in_names:
                ours = general = False
            in_names = True
            ours |= re.sub(r"[^A-Za-z_-].*", "", value).lower() == agent
            general |= value == "*"
            named |= ours
        elif key in {"allow", "disallow"}:
            in_names = False
            if value:
                rule = _canonical_path(value), key == "allow"
                own += [rule] * ours
                every += [rule] * general
    return tuple(own if named else every)


def is_path_allowed(rules: tuple[Rule, ...], path: str) -> bool:
    """Return True if the rules allow a path (RFC 9309 §2.2.2).

    The longest matching pattern decides. Among equally long ones, ``allow`` wins over ``disallow``.
    """
    path = _canonical_path(path)
    return path == "/robots.txt" or max(((len(p), yes) for p, yes in rules if fits(p, path)), default=(0, True))[1]


def fits(pattern: str, path: str) -> bool:
    """Return True if a pattern with ``*`` and a final ``$`` matches the beginning of a path, in linear time."""
    closed = pattern.endswith("$")
    first, *parts = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if closed and not parts:
        return at == len(path)
    for part in parts[:-1] if closed else parts:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return not closed or (len(path) - len(parts[-1]) >= at and path.endswith(parts[-1]))


def _canonical_path(path: str) -> str:
    """Return the canonical spelling of a path: percent-encoding only where it is needed."""

    def one(m: re.Match[str]) -> str:
        char = chr(int(m[1], 16))
        return char if char in _UNRESERVED else m[0].upper()

    return re.sub(r"%([0-9A-Fa-f]{2})", one, quote(path, safe="!#$%&'()*+,/:;=?@[]~"))
