"""Failures of an endpoint as public errors with a remedy, and whether another attempt may help."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

from hydra_kg.errors import ModelError, NetworkError
from hydra_kg.models.budget import out_of_time
from hydra_kg.models.completion_body import Garbage, Refusal
from hydra_kg.models.request import Failed, Request, about_form
from hydra_kg.util.fast_dataclass import dataclass

LONGEST_ERROR = 64_000
"""Largest number of bytes that are read of the body of an error."""


class Declined(Exception):
    """Raised if the endpoint answers with a status other than success."""

    def __init__(self, status: int, headers: Any, body: str) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.headers = headers
        self.body = body


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """Context of a failed request: endpoint, request and time limit. ``hide`` removes the key from a text."""

    url: str
    request: Request
    seconds: float
    expired: bool
    hide: Callable[[str], str]

    def short_message(self, text: str) -> str:
        """Return a message of the endpoint as one short line without the key."""
        line = " ".join(self.hide(text).split())
        return line if len(line) <= 300 else line[:299] + "…"


def failure(error: Exception, seen: FailedAttempt) -> Failed:
    """Return our error for an error of the HTTP client.

    Raise it without chaining, because the client's error may contain the key.
    """
    import openai

    cause = error.__cause__
    for one in (error, cause):  # openai 2 wraps what a hook raises, 3 does not
        if isinstance(one, Declined):
            return _wrap_declined(one, seen)
    unreached = "Connect" in type(cause).__name__
    if isinstance(error, openai.APITimeoutError) or seen.expired:
        if time.monotonic() >= seen.request.deadline:
            return Failed(out_of_time(), spent="all")
        message = f"{seen.url} gave no reply within {seen.seconds:.3g} seconds."
        fault = NetworkError(message, remedy="Raise model.timeout.")
        return Failed(fault, passing=True, spent="call" if unreached else "all")
    if isinstance(error, Garbage | Refusal):
        message = f"{seen.url} broke off or answered with something else: {seen.short_message(str(error))}."
        remedy = "Check that OPENAI_BASE_URL is an OpenAI-compatible endpoint (it usually ends in /v1)."
        return Failed(ModelError(message, remedy=remedy), passing=True, spent="all")
    if isinstance(error, openai.APIConnectionError):
        reason = f" ({seen.short_message(str(cause))})" if cause is not None and str(cause) else ""
        remedy = "Start it, or correct model.base_url (OPENAI_BASE_URL)."
        reached = NetworkError(f"Cannot reach {seen.url}{reason}.", remedy=remedy)
        return Failed(reached, passing=True, spent="call" if unreached else "all")
    message = f"The connection to {seen.url} ended in the middle of a reply ({type(error).__name__})."
    return Failed(NetworkError(message, remedy="Ask again; raise model.retries."), passing=True, spent="all")


def _wrap_declined(error: Declined, seen: FailedAttempt) -> Failed:
    status, (words, code) = error.status, _words(error.body)
    message_text = seen.short_message(words)
    message = f"{seen.url} answered {status} to model {seen.request.model!r}: {message_text or 'nothing'}"
    refused = message_text if status in {400, 415, 422, 501} or (status >= 500 and about_form(message_text)) else ""
    quota = code == "insufficient_quota"
    passing = (status in {408, 409, 425, 429} and not quota) or (status >= 500 and status != 501)
    fault = ModelError(message, remedy=_remedy(status, quota=quota))
    return Failed(fault, passing=passing, wait=_wait(error.headers), refused=refused)


def _words(body: str) -> tuple[str, str]:
    """Return the message and the code of an error's body.

    The expected form is ``{"error": {"message", "code", "type"}}``; similar forms are read as well.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return body, ""
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return str(error), ""
    return str(error.get("message") or error.get("detail") or error), str(error.get("code") or error.get("type") or "")


def _wait(headers: Any) -> float:
    """Return the seconds that Retry-After asks for (RFC 9110 §10.2.3: seconds or a date), or 0 if it is unreadable."""
    text = str(headers.get("retry-after", ""))
    try:
        wait = float(text)
    except ValueError:
        try:
            wait = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return wait if 0 <= wait < 1e9 else 0.0


def _remedy(status: int, *, quota: bool) -> str:
    """Return what to do about an HTTP status of the endpoint."""
    if status in {401, 403}:
        return "Check OPENAI_API_KEY."
    if status == 404:
        return "Check the model's name (HYDRA_MODEL_NAME) and model.base_url (OPENAI_BASE_URL)."
    if quota:
        return "The account behind OPENAI_API_KEY has nothing left to spend."
    if status == 429:
        return "Wait, or lower model.rate."
    if status >= 500:
        return "The fault is at the endpoint; ask again later."
    if 300 <= status < 400:
        return "The endpoint has moved: correct model.base_url (OPENAI_BASE_URL)."
    return "The endpoint's reason is above; the settings model.reply_tokens, .name and .base_url are what can change."
