"""Recording of calls into a file of JSON lines, and replay from such a file without a connection."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hydra_kg import errors
from hydra_kg.domain import Completion, Usage
from hydra_kg.errors import BudgetError, HydraError, ModelError, NetworkError
from hydra_kg.models.budget import Budget
from hydra_kg.models.middleware.cache import parse_reply
from hydra_kg.models.request import Request, Send, digest
from hydra_kg.util.jsonl_recording import JsonlRecording, entries, no_record


class UnrecordedError(ModelError):
    """Raised by a replay if the cassette has no entry for a call."""


class Recorder:
    """Recorder that appends every call to a cassette, as a JSON line without endpoint and key.

    A line has the step, the request, the reply or error, and the cost. Raises UsageError. A full disk causes one
    warning.
    """

    def __init__(self, path: Path, *, warn: Callable[[str], None] | None = None) -> None:
        self._recording = JsonlRecording(path, warn=warn)

    def around(self, inner: Send) -> Send:
        """Return the outermost middleware, which records each call."""

        def send(request: Request) -> Completion:
            try:
                reply = inner(request)
            except (ModelError, NetworkError, BudgetError) as e:
                failure = {"kind": type(e).__name__, "message": e.args[0], "remedy": e.remedy}
                self._append(request, {"error": failure})
                raise
            self._append(request, {"reply": {k: v for k, v in asdict(reply).items() if v or k == "text"}})
            return reply

        return send

    def _append(self, request: Request, outcome: dict[str, Any]) -> None:
        spent = {k: sum(getattr(u, k) for u in request.spent) for k in ("calls", "tokens_in", "tokens_out", "money")}
        self._recording.append({"step": request.step, **request.question(), **outcome, "spent": spent})


def hash_request(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with the hash of its request in place of the request.

    Such an entry can be shared without the texts that a request contains.
    """
    request = Request("", "", (), 0).question()
    rest = {name: value for name, value in entry.items() if name not in request}
    return {"request": digest({name: entry[name] for name in request}), **rest}


class Replayer:
    """Player of a cassette.

    Equal requests, whatever their endpoint and step, get the recorded replies in order, then the last one again. An
    entry has its request or only the hash of it (:func:`hash_request`). Raises NotFoundError, FormatError or
    UnrecordedError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._found: dict[str, deque[Mapping[str, Any]]] = {}
        for number, entry in entries(path):
            if "web" in entry:  # a search or page, see web.cassette
                continue
            try:
                asked = entry.get("request") or digest({k: entry[k] for k in Request("", "", (), 0).question()})
                _outcome(entry)
            except (ValueError, KeyError, TypeError, AttributeError) as e:
                raise no_record(path, number, e) from e
            self._found.setdefault(str(asked), deque()).append(entry)

    def replay(self, budget: Budget) -> Send:
        """Return the function that answers from the cassette, in place of the client and all other middleware.

        The original cost of each call is booked again.
        """

        def send(request: Request) -> Completion:
            with self._lock:
                recorded = self._found.get(digest(request.question()))
                if not recorded:
                    asked = request.messages[-1]["content"][-120:] if request.messages else ""
                    raise UnrecordedError(
                        f"{self.path} holds no reply for this call of step {request.step!r}: … {asked!r}",
                        remedy="Record it again with --record; a prompt, a setting or the data is different now.",
                    )
                entry = recorded.popleft() if len(recorded) > 1 else recorded[0]
            outcome = _outcome(entry)
            refused = outcome if isinstance(outcome, BudgetError) else None
            budget.charge(Usage(**entry["spent"]), step=request.step, refused=refused)
            if isinstance(outcome, HydraError):
                raise outcome
            return outcome

        return send


def _outcome(entry: Mapping[str, Any]) -> Completion | HydraError:
    if (failure := entry.get("error")) is not None:
        kind = getattr(errors, failure["kind"], ModelError)
        if not (isinstance(kind, type) and issubclass(kind, HydraError)):
            kind = ModelError
        return kind(str(failure["message"]), remedy=str(failure["remedy"]))
    Usage(**entry["spent"])
    return parse_reply(entry["reply"])
