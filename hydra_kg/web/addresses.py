"""Decide which addresses may be fetched: only public ones, resolved once and used as resolved."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

Place = tuple[str, int]
Resolve = Callable[[str, int], Sequence[Place]]
"""A function that returns the (address, port) pairs of a host name and a port. Raises OSError."""

Check = Callable[[str], str]
"""A function that returns why an address may not be connected to, or ""."""

MOST: Final = 16  # addresses of one name that are looked at

# IANA's registries of special-purpose addresses, multicast and reserved ones, 6to4 relays, and the one public address
# that clouds answer from inside. Written out, because what `ipaddress` calls global differs between Python versions.
_CLOSED: Final = {
    "0.0.0.0/8": "unspecified",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared with a provider (CGNAT)",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "special-purpose",
    "192.0.2.0/24": "for documentation",
    "192.88.99.0/24": "a 6to4 relay",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "for benchmarks",
    "198.51.100.0/24": "for documentation",
    "203.0.113.0/24": "for documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "168.63.129.16/32": "a cloud's own",
    "::/128": "unspecified",
    "::1/128": "loopback",
    "::ffff:0:0/96": "an IPv4 address in disguise",
    "64:ff9b::/96": "a NAT64 address",
    "64:ff9b:1::/48": "a NAT64 address",
    "2001::/23": "special-purpose",  # Teredo among them
    "2001:db8::/32": "for documentation",
    "2002::/16": "a 6to4 address",
    "3fff::/20": "for documentation",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "ff00::/8": "multicast",
}
_HOST: Final = re.compile(r"[A-Za-z0-9._-]{1,253}")
_NETWORKS: Final = [(ip_network(text), why) for text, why in _CLOSED.items()]
_GLOBAL: Final = ip_network("2000::/3")  # all that is given out of IPv6


def is_host(text: str) -> bool:
    """Return True if a text may be a host: a name, or an IPv6 address, which alone has colons."""
    return bool(_HOST.fullmatch(text)) or ":" in text


def public(address: str) -> str:
    """Return why an address is not a public one, or "" (port :data:`Check`)."""
    try:
        found: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return "no address"
    for network, why in _NETWORKS:
        if found in network:
            return why
    return "special-purpose" if isinstance(found, IPv6Address) and found not in _GLOBAL else ""


def system_resolve(host: str, port: int) -> list[Place]:
    """Return the addresses of the system's resolver in its order, each once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys((str(place[0]), int(place[1])) for *_, place in found))


def resolve_within(resolve: Resolve, host: str, port: int, seconds: float) -> list[Place]:
    """Return at most 16 addresses of a name, looked up in a thread. Raises OSError, TimeoutError after ``seconds``."""
    found: list[Place] = []
    failed: list[Exception] = []

    def look_up() -> None:
        try:
            found.extend(list(resolve(host, port))[:MOST])
        except (OSError, UnicodeError) as e:  # labels of 64 characters and more
            failed.append(e)

    thread = threading.Thread(target=look_up, name="resolve", daemon=True)
    thread.start()
    thread.join(max(seconds, 0.0))
    if thread.is_alive():
        raise TimeoutError("the name was not resolved in time")
    if failed or not found:
        raise OSError("the name has no address") from (failed[0] if failed else None)
    return found
