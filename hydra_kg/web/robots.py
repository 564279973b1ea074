"""Check which pages of a site its robots.txt (RFC 9309) lets this program fetch."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from cachetools import TTLCache

from hydra_kg.errors import NetworkError
from hydra_kg.web.network import AGENT, HttpReply

LIMIT: Final = 500 << 10  # bytes that are looked at; the RFC's least
SITES: Final = 64  # kept at a time
HOURS: Final = 24  # for which one is kept; the RFC's most
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

Rule = tuple[str, bool]
"""A pattern of paths, and whether it allows them."""


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
