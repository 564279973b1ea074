"""Assembly of client and middleware into the language model of one question."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hydra_kg.domain import Completion
from hydra_kg.errors import SettingsError, UsageError
from hydra_kg.models.budget import Budget
from hydra_kg.models.endpoint import endpoint, key_from_environment
from hydra_kg.models.middleware.cache import ReplyCache
from hydra_kg.models.middleware.cassette import Recorder, Replayer
from hydra_kg.models.middleware.dialect import EndpointDialect
from hydra_kg.models.middleware.limits import Price, Rate, spending
from hydra_kg.models.middleware.retry import retrying
from hydra_kg.models.middleware.spans import record_spans
from hydra_kg.models.openai_chat import OpenAIChat
from hydra_kg.models.request import Request, Send, digest
from hydra_kg.settings import Settings
from hydra_kg.util.fast_dataclass import dataclass

T = TypeVar("T")


class Model:
    """Implementation of the port :class:`hydra_kg.ports.LanguageModel` by a chain of middleware."""

    def __init__(self, name: str, *, endpoint: str, send: Send) -> None:
        self.name = name
        self._endpoint = endpoint
        self._send = send

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,
        temperature: float = 0.0,
        sample: int = 0,
        step: str = "",
        logprobs: int = 0,
    ) -> Completion:
        """Return the reply of the model. Raises ModelError, BudgetError or NetworkError."""
        return self._send(
            Request(self.name, self._endpoint, messages, max_tokens, schema, temperature, sample, step, logprobs)
        )


def make_model(
    settings: Settings,
    *,
    budget: Budget,
    folder: Path | None = None,
    record: str = "",
    replay: str = "",
    warn: Callable[[str], None] | None = None,
) -> Model:
    """Return the model that the settings name, for one question; it spends from ``budget``.

    All questions of the process share the connection, the cache and what is known about the endpoint.

    - ``folder``: where replies are stored, next to the store; None stores none.
    - ``record``: a file to which every call is appended.
    - ``replay``: a file from which all replies come, without a connection, a key or a cache.
    - ``warn``: called once if replies cannot be stored.

    Raises SettingsError if no model is named, if its endpoint needs a key that is missing, or if a limit of money is
    set and the model has no price. Raises UsageError, NotFoundError and FormatError for the two files.
    """
    if not settings.model.name:
        raise SettingsError(
            "No language model is named.", remedy="Set HYDRA_MODEL_NAME, or model.name in your own hydra.toml."
        )
    if record and replay:
        raise UsageError("A run is recorded or replayed, not both.", remedy="Leave --record or --replay out.")
    price = _price(settings)
    if replay:
        return Model(settings.model.name, endpoint="", send=_replayer(Path(replay)).replay(budget))
    shared = _endpoint(settings)
    if shared.client.keyless and not settings.no_network:
        raise SettingsError(
            f"OPENAI_API_KEY is not set, and {shared.client.url} is not on this machine.",
            remedy="Set OPENAI_API_KEY, or model.base_url (OPENAI_BASE_URL) to an endpoint of your own.",
        )
    send = spending(shared.rate.around(record_spans(shared.client.send)), budget, price=price)
    send = retrying(shared.dialect.around(send), retries=settings.model.retries, budget=budget)
    if folder is not None and settings.model.reply_cache:
        send = _cache(folder / "replies.sqlite", warn).around(send)
    if record:
        send = _recorder(Path(record), warn).around(send)
    return Model(settings.model.name, endpoint=shared.client.url, send=send)


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """Objects for one endpoint that all questions share."""

    client: OpenAIChat
    rate: Rate
    dialect: EndpointDialect


_shared: dict[tuple[object, ...], Any] = {}
_lock = threading.Lock()


def _once(key: tuple[object, ...], make: Callable[[], T]) -> T:
    """Return the object for this key, created by ``make`` on the first call in this process.

    The process is part of the key, because connections do not survive a fork.
    """
    key = (os.getpid(), *key)
    with _lock:
        if key not in _shared:
            _shared[key] = make()
        made: T = _shared[key]
        return made


def _endpoint(settings: Settings) -> _Endpoint:
    key = key_from_environment()
    url, _ = endpoint(settings.model.base_url)
    timeout, rate, quiet = settings.model.timeout, settings.model.rate, settings.no_network
    return _once(
        ("endpoint", url, settings.model.name, digest(key), timeout, rate, quiet),
        lambda: _Endpoint(OpenAIChat(url, key=key, timeout=timeout, no_network=quiet), Rate(rate), EndpointDialect()),
    )


def _cache(path: Path, warn: Callable[[str], None] | None) -> ReplyCache:
    return _once(("cache", path), lambda: ReplyCache(path, warn=warn))


def _recorder(path: Path, warn: Callable[[str], None] | None) -> Recorder:
    return _once(("record", path.absolute()), lambda: Recorder(path, warn=warn))


def _replayer(path: Path) -> Replayer:
    """Return the replayer of a file, which is read once as long as it does not change."""
    try:
        found = path.stat()
    except OSError:
        return Replayer(path)
    return _once(("replay", path.absolute(), found.st_mtime_ns, found.st_size), lambda: Replayer(path))


def _price(settings: Settings) -> Price:
    """Return the price of the configured model. Raises SettingsError."""
    prices = {model: (tokens_in, tokens_out) for model, tokens_in, tokens_out in settings.model.prices}
    if settings.budget.money and settings.model.name not in prices:
        raise SettingsError(
            f"budget.money is set, and {settings.model.name!r} has no price.",
            remedy=f'Add to your own hydra.toml under [model.prices]: "{settings.model.name}" = [IN, OUT], '
            "money for a million tokens.",
        )
    return prices.get(settings.model.name, (0.0, 0.0))
