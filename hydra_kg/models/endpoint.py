"""The address of a language model's endpoint: where it comes from and what it must not contain."""

from __future__ import annotations

import contextlib
import ipaddress
import os
from urllib.parse import urlsplit, urlunsplit

from hydra_kg.errors import SettingsError

OPENAI = "https://api.openai.com/v1"


def endpoint(url: str = "") -> tuple[str, bool]:
    """Return the address of the endpoint, safe to show, and whether it is on this machine.

    ``url`` comes first, then ``OPENAI_BASE_URL``, then OpenAI's address. Raises SettingsError for an address that is
    invalid or contains credentials or a query.
    """
    text = (url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI).rstrip("/")
    with contextlib.suppress(ValueError):
        parts = urlsplit(text)
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            if parts.username or parts.password or parts.query or parts.fragment:
                raise SettingsError(
                    "The address of the model's endpoint holds credentials or a query.",
                    remedy="Set model.base_url to the bare address and give the key in OPENAI_API_KEY.",
                )
            return urlunsplit(parts), _local(parts.hostname)
    raise SettingsError(
        f"{text!r} is not the address of a model endpoint.",
        remedy="Set model.base_url (or OPENAI_BASE_URL) to one such as http://localhost:8080/v1.",
    )


def _local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def key_from_environment() -> str:
    """Return ``OPENAI_API_KEY``, the only source of a key, or "" if it is not set.

    Raises SettingsError for a text with characters that no key has.
    """
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(
            "OPENAI_API_KEY contains characters that no key has.",
            remedy="Copy it again, without quotes, dots or line ends.",
        )
    return key
