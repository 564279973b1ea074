"""Word the sentences of replies under ``/v1`` in German, by templates, for clients that ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hydra_kg.pages.citation_numbers import is_bare_list
from hydra_kg.plan import model as m
from hydra_kg.plan.walk import parts
from hydra_kg.serving.web.question_edits import clause_words, edited_query
from hydra_kg.serving.web.sentences import date_words, rounded
from hydra_kg.serving.wording.queries import (
    german_bound,
    german_condition,
    german_order,
    german_query,
    german_words,
    known_queries,
)
from hydra_kg.text.plain_text import clean
from hydra_kg.util.package_data import table

Json = dict[str, Any]

SENTENCES: Final = frozenset(
    "reason detail remedy why note missing computation chosen_by certainty sentence unchecked doubted notes dissent"
    " guessed asked".split()
)
"""Fields with sentences for people: a text or a list of texts."""

_JSON: Final = ("application/json", "application/problem+json")
_EVENTS: Final = "text/event-stream"
_DATA: Final = re.compile(rb"^data: (.*)$", re.MULTILINE)
_MONTHS: Final = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
_GROUPED: Final = re.compile(r"(?<![\w,.])\d{1,3}(?:,\d{3})+(?!\w|,\d)")
_NUMBER: Final = re.compile(r"-?\d{5,18}(?:\.\d+)?|-?\d+\.\d+")
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_NUMBER_IN_TEMPLATE: Final = r"-?\d[\d,.]*(?<![,.])"
_FORMS: Final = {**dict.fromkeys("nmk", _NUMBER_IN_TEMPLATE), "one": "[^,]+?"}
_DEEPEST: Final = 6
"""Most clauses within one another."""


class Worded:
    """Middleware that words JSON replies and server-sent events in German where a client prefers it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and word what is sent back."""
        wanted = scope["type"] == "http" and scope["path"].startswith("/v1") and _prefers_german(Headers(scope=scope))
        await self.app(scope, receive, _Wording(send) if wanted else send)


def _prefers_german(headers: Headers) -> bool:
    first = headers.get("accept-language", "").partition(",")[0].partition(";")[0].strip().lower()
    return first.partition("-")[0] == "de"


class _Wording:
    """Sender that changes one reply: a whole JSON document, or each event of a stream."""

    def __init__(self, send: Send) -> None:
        self._send, self._start, self._body, self._kind = send, dict[str, Any](), b"", ""

    async def __call__(self, message: Message) -> None:
        """Send a message on, or store it until the document is whole."""
        if message["type"] == "http.response.start":
            self._kind = Headers(raw=message["headers"]).get("content-type", "").partition(";")[0]
            if self._kind in _JSON:
                self._start = dict(message)
                return
        elif message["type"] == "http.response.body" and self._start:
            self._body += message.get("body", b"")
            if message.get("more_body"):
                return
            message = {**message, "body": _worded_bytes(self._body)}
            if self._body:  # a reply to HEAD has the length of what is not sent
                MutableHeaders(raw=self._start["headers"])["content-length"] = str(len(message["body"]))
            await self._send(self._start)
        elif message["type"] == "http.response.body" and self._kind == _EVENTS:
            message = {**message, "body": _DATA.sub(_worded_event, message.get("body", b""))}
        await self._send(message)


def _worded_event(match: re.Match[bytes]) -> bytes:
    return b"data: " + _worded_bytes(match[1].rstrip(b"\r")) + (b"\r" if match[1].endswith(b"\r") else b"")


def _worded_bytes(body: bytes) -> bytes:
    try:
        return orjson.dumps(german_reply(orjson.loads(body)))
    except (orjson.JSONDecodeError, TypeError):
        return body


def german_reply(doc: Any) -> Any:
    """Return a document of ``/v1`` with its sentences in German: an answer, a problem, a job, or a list of them."""
    return _answer(doc) if isinstance(doc, dict) and "readable" in doc else _worded(doc, {})


def _worded(value: Any, known: Mapping[str, str]) -> Any:
    """Return a document with the fields of :data:`SENTENCES` in German, at any depth."""
    if isinstance(value, dict):
        return {key: _said(v, known) if key in SENTENCES else _worded(v, known) for key, v in value.items()}
    return [_worded(one, known) for one in value] if isinstance(value, list) else value


def _said(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return german(value, known)
    return [_said(one, known) for one in value] if isinstance(value, list) else _worded(value, known)


def _answer(doc: Json) -> Json:
    known = {**known_queries(doc), **_known_edits(doc), **{name: name for name in _names(doc)}}
    found: Json = _worded(doc, known)
    for step in found.get("steps", ()):
        step["text"] = _german_numbers(quoted(step["text"], known))
    if doc.get("computation"):
        found["computation"] = _german_numbers(quoted(doc["computation"], known))
    for edit in found["readable"].get("edits", ()):
        for one in (edit, *edit["changes"]):
            one["text"] = translation(one["text"], known) or german_bound(one["text"])
    names = [clean(a["name"]) for a in doc["answers"]]
    if not is_bare_list(clean(doc["answer_text"]), names):
        found["answer_text"] = german(doc["answer_text"], known)
    values = [_YES_OR_NO.get(name) or german_value(name) for name in names]
    found["readable"] |= {"values": values, "sentence": _sentence(doc, values)}
    return found


_YES_OR_NO: Final = {"yes": "Ja", "no": "Nein"}


def _names(doc: Json) -> Iterator[str]:
    """Yield the names of an answer, which are never translated."""
    for one in (*doc["answers"], *doc.get("perhaps", ())):
        yield clean(one["name"])
    for mention in doc["mentions"]:
        yield clean(mention["text"])
        yield from (clean(c["name"]) for c in mention["candidates"])
    for hop in (hop for path in doc["paths"] for hop in path["hops"]):
        yield from (clean(hop[end]["name"]) for end in ("subject", "object"))


def _known_edits(doc: Json) -> dict[str, str]:
    """Return the conditions and orders of a query in German, by their English words."""
    root, found = edited_query(doc), dict[str, str]()
    for part in parts(root) if root is not None else ():
        match part:
            case m.Where() | m.TextMatch() | m.Having():
                found[clause_words(part)] = german_condition(part).removeprefix("mit ")
            case m.Value() | m.Related() if part.during is not None:
                found[part.during.words] = german_words(part.during)
            case m.Related(phrase=phrase) if phrase.startswith("whose "):
                found[clause_words(part)] = german_query(part).removeprefix("alles mit ")
            case m.Top() | m.Extreme():
                for one in (part, _turned(part)):
                    found[clause_words(one).removeprefix("things, only the one with the ")] = german_order(one)
    return found


def _turned(part: m.Top | m.Extreme) -> m.Top | m.Extreme:
    return replace(part, order="min" if part.order == "max" else "max")


def _sentence(doc: Json, values: list[str]) -> list[Json]:
    """Return the names of the answers as parts of a sentence, where there is an English one."""
    if not doc["readable"]["sentence"]:
        return []
    shown = [part["answer"] for part in doc["readable"]["sentence"] if "answer" in part]
    said: list[Json] = []
    for place in shown:
        if said:
            said.append({"text": " und " if place == len(values) - 1 else ", "})
        unit = clean(str(doc["answers"][place].get("unit") or ""))
        said.append({"text": f"{values[place]} {unit}".strip(), "answer": place})
    more = f" und {len(values) - len(shown)} weitere" if len(shown) < len(values) else ""
    return [*said, {"text": more}] if more else said


def _german_numbers(text: str) -> str:
    """Return a text with points in its large numbers: "Bremen 566,573" → "Bremen 566.573"."""
    return _GROUPED.sub(lambda match: match[0].replace(",", "."), text)


def german_value(text: str) -> str:
    """Return a date or a number as Germans write it: 1974-11-11 → 11. November 1974, 82979100 → 82.979.100."""
    text = rounded(text)
    if date := date_words(text, _MONTHS, behind_day="."):
        return date
    if _NUMBER.fullmatch(text):
        whole, dot, rest = text.partition(".")
        return (f"{int(whole):,}".replace(",", ".") if len(whole) > 4 else whole) + dot.replace(".", ",") + rest
    return text


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with placeholders in English and in German, and how to find it."""

    pattern: re.Pattern[str]
    german: str
    weight: int


@cache
def german_templates() -> tuple[Template, ...]:
    """Return the templates of ``german.tsv``, those with the most text and numbers of their own first."""
    rows = table("hydra_kg.serving.wording", "german.tsv")
    found = [Template(_pattern(english), german, _weight(english)) for english, german in rows]
    return tuple(sorted(found, key=lambda t: -t.weight))


def german(text: str, known: Mapping[str, str], deep: int = 0) -> str:
    """Return a sentence in German, or the text itself if no template fits it.

    Args:
        text: a sentence of the service, a clause, or a name.
        known: German words for texts that are no sentences, such as queries in words. Names map to themselves.
        deep: how many sentences this text is within.
    """
    return translation(text, known, deep) or text


def translation(text: str, known: Mapping[str, str], deep: int = 0) -> str:
    """Return a sentence in German, or "" if no template fits it; the arguments are those of :func:`german`."""
    if text in known:
        return known[text]
    if deep > _DEEPEST or not text:
        return ""
    sentences = _NEXT.split(text)
    found = [translation(sentence, known, deep + 1) for sentence in sentences] if len(sentences) > 1 else []
    if found and all(found):
        return " ".join(found)
    clause = text.rstrip(".")
    small = clause[:1].lower() + clause[1:]
    for template in german_templates():
        for form in dict.fromkeys((text, clause, small)):
            if match := template.pattern.fullmatch(form):
                values = {name: _value(name, value, known, deep + 1) for name, value in match.groupdict().items()}
                said = template.german.format_map(values)
                return said if form == text else _as_sentence(said, capital=form != clause, end=text[len(clause) :])
    items = text.split(", ")
    found = [translation(item, known, deep + 1) for item in items] if len(items) > 1 else []
    return ", ".join(found) if all(found) else ""


def _as_sentence(text: str, *, capital: bool, end: str) -> str:
    return (text[:1].upper() + text[1:] if capital else text) + end


_NEXT: Final = re.compile(r"(?<=[.?!]) (?=[A-Z“])")


def _value(name: str, text: str, known: Mapping[str, str], deep: int) -> str:
    if name in ("n", "m", "k"):
        return text.translate(_SEPARATORS)
    if name in _SEPARATED:
        say = quoted if name == "columns" else german
        return _SEPARATED[name].join(
            say(part, known, deep) if " " in part else part for part in text.split(_SEPARATED[name])
        )
    return quoted(text, known, deep) if name.startswith("q") else german(text, known, deep)


def quoted(text: str, known: Mapping[str, str], deep: int = 0) -> str:
    """Return a sentence in German, or the text in quotation marks if no template fits it."""
    return translation(text, known, deep) or f"„{text}“"


_SEPARATED: Final = {"parts": "; ", "list": ", ", "columns": ", "}
_SEPARATORS: Final = str.maketrans(",.", ".,")


def _weight(english: str) -> int:
    return len(_PLACEHOLDER.sub("", english)) + 4 * len(re.findall(r"\{[nmk]\}", english))


def _pattern(english: str) -> re.Pattern[str]:
    parts = _PLACEHOLDER.split(english)
    groups = (f"(?P<{name}>{_FORMS.get(name, '.+?')})" for name in parts[1::2])
    return re.compile("".join(f"{re.escape(text)}{next(groups, '')}" for text in parts[::2]), re.DOTALL)
