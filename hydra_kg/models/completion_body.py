"""Reader of the body of a chat completion, streamed or whole, from arbitrary pieces of bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hydra_kg.domain import Completion
from hydra_kg.util.fast_dataclass import dataclass

LONGEST = 16_000_000
"""Largest number of bytes of one body: several times what 20 alternatives for each of some thousand tokens take."""

CHARACTERS_PER_TOKEN = 64
"""Largest number of characters of a token. Reading stops at ``max_tokens`` times this number."""


_DONE = object()


class Garbage(Exception):
    """Raised if the body of a response is no chat completion."""


class Refusal(Exception):
    """Raised if the endpoint reports an error inside a stream; contains the endpoint's message."""


@dataclass(slots=True)
class CompletionReading:
    """State of a completion that is being read.

    ``tokens_in`` and ``tokens_out`` are None if the endpoint does not report them. ``done`` is True at the end of the
    stream.
    """

    text: str = ""
    refusal: str = ""
    finish: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    first: tuple[tuple[str, float], ...] = ()
    chunks: int = 0
    done: bool = False

    def completion(self, *, guess_in: int, guess_out: int, late: bool = False) -> Completion:
        """Return the reply; ``guess_in`` and ``guess_out`` replace counts that the endpoint did not report."""
        return Completion(
            whole_pairs(self.text or self.refusal),
            guess_in if self.tokens_in is None else self.tokens_in,
            guess_out if self.tokens_out is None else self.tokens_out,
            cut=late or self.finish.lower() in {"length", "max_tokens"},
            first=tuple((whole_pairs(token), score) for token, score in self.first),
            late=late,
        )


def whole_pairs(text: str) -> str:
    """Return the text with surrogate pairs joined that arrived in different pieces; a lone half becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def read(pieces: Iterable[bytes], into: CompletionReading, *, max_tokens: int) -> None:
    """Read a body into ``into``, which still has what came before an error.

    Raises Garbage if the completion is not whole, and Refusal if it reports an error.
    """
    for document in _documents(pieces):
        if document is _DONE:
            into.finish, into.done = into.finish or "stop", True
            break
        if not isinstance(document, dict):
            raise Garbage("a JSON value that is not an object")
        if error := document.get("error"):
            raise Refusal(str(error.get("message", error) if isinstance(error, dict) else error))
        _take(document, into)
        if len(into.text) > CHARACTERS_PER_TOKEN * max_tokens:
            into.finish = "length"
            return
    if not into.chunks:
        raise Garbage("no completion in it")
    if not into.finish:
        raise Garbage("a stream without its end")


def _documents(pieces: Iterable[bytes]) -> Iterator[Any]:
    """Yield the JSON of each server-sent event, or the one document of a body that is not a stream."""
    events = False
    body = bytearray()
    for line in _lines(pieces):
        field, _, value = line.partition(b":")
        if field == b"data":
            events = True
            if value.strip() == b"[DONE]":
                yield _DONE
                return
            yield _parse_json(value)
        elif not events:
            body += line
    if not events and body.strip():
        yield _parse_json(bytes(body))


def _parse_json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise Garbage("not JSON") from e


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream of pieces."""
    rest = b""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > LONGEST:
            raise Garbage(f"more than {LONGEST:,} bytes")
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.rstrip(b"\r") for line in lines)
    if rest:
        yield rest


def _take(document: Mapping[str, Any], into: CompletionReading) -> None:
    """Add one event of a streamed reply."""
    usage = document.get("usage")
    if isinstance(usage, dict):
        into.tokens_in = _count(usage.get("prompt_tokens"), into.tokens_in)
        into.tokens_out = _count(usage.get("completion_tokens"), into.tokens_out)
    choices = document.get("choices")
    if not isinstance(choices, list):
        if usage is None:
            raise Garbage("no choices in it")
        return
    into.chunks += 1
    for choice in choices[:1]:
        if not isinstance(choice, dict):
            raise Garbage("a choice that is not an object")
        delta = choice.get("delta") or choice.get("message") or {}
        if not isinstance(delta, dict):
            raise Garbage("a message that is not an object")
        into.text += _text(delta.get("content"))
        into.refusal += _text(delta.get("refusal"))
        into.finish = _text(choice.get("finish_reason")) or into.finish
        into.first = into.first or _alternatives(choice.get("logprobs"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any, otherwise: int | None) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return value if fits else otherwise


def _alternatives(logprobs: Any) -> tuple[tuple[str, float], ...]:
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    token = content[0] if isinstance(content, list) and content else None
    if not isinstance(token, dict):
        return ()
    several = token.get("top_logprobs")
    rows = several if isinstance(several, list) and several else [token]
    found = [(r.get("token"), r.get("logprob")) for r in rows if isinstance(r, dict)]
    return tuple((t, float(p)) for t, p in found if isinstance(t, str) and isinstance(p, int | float) and p <= 1e-3)
