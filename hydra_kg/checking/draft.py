"""Check a draft against a store: each sentence is stated, contradicted or not found, with the lines that say so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Literal

from hydra_kg.client import Hydra
from hydra_kg.dialogue.follow_up_words import POSSESSIVE, PRONOUNS, fits
from hydra_kg.dialogue.memory import things
from hydra_kg.dialogue.turn import Thing
from hydra_kg.errors import UsageError
from hydra_kg.extract.mentions import sentences
from hydra_kg.pages.citation_numbers import format_marked_path
from hydra_kg.text.plain_text import clean
from hydra_kg.util.fast_dataclass import dataclass

Status = Literal["stated", "contradicted", "not found", "no statement"]

MOST_SENTENCES: Final = 1_000
"""Most sentences of one draft; a longer draft is refused."""

MOST_SERVED: Final = 50
"""Most sentences of one text that a service checks; the text counts as one question."""

MOST_PATHS: Final = 5
"""Most pieces of evidence that are listed for one sentence."""

EARLIER: Final = 12
"""Number of names in earlier sentences that a pronoun may stand for."""

_FOUND: Final[Mapping[str, Status]] = {"true": "stated", "false": "contradicted"}
_WHOLE: Final = 2  # words of a name that later sentences shorten to its last one
_MARKUP: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|<[^>]+>|\[\^?\w+\]")
"""Matches links (their text stays), emphasis, code marks, tags and footnote marks."""

_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+|\s*>\s?")
_FENCES: Final = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class CitedLine:
    """Evidence for or against a sentence: a path or a sentence of a source, and its places."""

    text: str
    places: tuple[tuple[str, str], ...]
    """(source, place in it): ``("freebase", "freebase.nt.gz:812")``."""


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of a draft with what the sources say about it.

    Attributes:
        asked: how the sentence was asked if a pronoun was replaced, else "".
        parts: (part, result) for each statement of a sentence with several.
        why: what was computed, or what is missing.
        answer_id: id of the answer that ``hydra-kg show`` explains, "" if it was not saved.
    """

    line: int
    text: str
    status: Status
    asked: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    why: str = ""
    confidence: float = 0.0
    evidence: tuple[CitedLine, ...] = ()
    answer_id: str = ""


def check_draft(
    hydra: Hydra, text: str, *, keep: bool = False, most: int = MOST_SENTENCES
) -> Iterator[CheckedSentence]:
    """Yield every sentence of a draft in order with its status, without a model.

    ``keep``: whether to save the answers. Raise UsageError for a draft without a sentence, or with more than ``most``.
    """
    found = list(draft_sentences(text))
    if not found:
        raise UsageError("The draft has no sentence.", remedy="Check a text with at least one statement.")
    if len(found) > most:
        raise UsageError(
            f"The draft has {len(found):,} sentences, and {most:,} are checked at once.",
            remedy="Split it into several texts.",
        )
    return _checked(hydra, found, keep)


def check_text_as_json(hydra: Hydra, text: str) -> dict[str, Any]:
    """Return the check of a short text as JSON, for services.

    Raise UsageError for more than ``MOST_SERVED`` sentences.
    """
    return draft_json(list(check_draft(hydra, text, most=MOST_SERVED)))


def draft_json(checked: Sequence[CheckedSentence]) -> dict[str, Any]:
    """Return the check as JSON, version 1: counts by status, and the sentences."""
    counts = {status: sum(c.status == status for c in checked) for status in ("stated", "contradicted", "not found")}
    rows = [
        {
            **asdict(c),
            "parts": [{"text": text, "status": status} for text, status in c.parts],
            "evidence": [
                {"text": e.text, "places": [{"source": s, "locator": at} for s, at in e.places]} for e in c.evidence
            ],
        }
        for c in checked
    ]
    return {"version": 1, "counts": counts, "sentences": rows}


def draft_page(title: str, checked: Sequence[CheckedSentence]) -> str:
    """Return the check as one HTML page that loads nothing from elsewhere."""
    from hydra_kg.pages.rendering import render_clean

    return render_clean("draft.html.j2", {"title": title, **draft_json(checked)}) + "\n"


def _checked(hydra: Hydra, found: Sequence[DraftSentence], keep: bool) -> Iterator[CheckedSentence]:
    """Yield each sentence of a draft with its verdict. With ``keep``, answers are stored."""
    earlier: list[Thing] = []  # the last sentence's names first
    for sentence in found:
        if not sentence.states:
            yield CheckedSentence(sentence.line, sentence.text, "no statement")
            continue
        claim = _claim(_with_names(sentence.text, earlier))
        answer = hydra.ask(claim, keep=keep, agent="offline").to_dict()
        earlier = [*_named(hydra, answer), *earlier][:EARLIER]
        status = _FOUND.get(str(answer.get("claim")), "not found")
        yield CheckedSentence(
            sentence.line,
            sentence.text,
            status,
            claim if claim != _claim(sentence.text) else "",
            tuple(_parts(answer)),
            str(answer.get("computation" if status != "not found" else "missing") or ""),
            float(answer["confidence"] or 0.0) if status != "not found" else 0.0,
            tuple(_evidence(answer)) if status != "not found" else (),
            str(answer["id"]) if keep else "",
        )


def _claim(text: str) -> str:
    """Return a sentence as a claim that ends with a full stop."""
    return text.rstrip(" .!;:") + "."


def _with_names(text: str, earlier: Sequence[Thing]) -> str:
    """Replace a pronoun or short name at the start: "He" and "Nolan" become "Christopher Nolan"."""
    first, _, rest = text.partition(" ")
    low = first.casefold()
    if low in PRONOUNS:
        meant = next((thing.name for thing in earlier if fits(thing, low)), "")
        return f"{meant}{chr(39) + 's' if low in POSSESSIVE else ''} {rest}" if meant else text
    bare = first.removesuffix(",").removesuffix("'s")
    whole = {t.name for t in earlier if len(t.name.split()) >= _WHOLE and t.name.split()[-1] == bare and t.person}
    return text.replace(bare, whole.pop(), 1) if len(whole) == 1 else text


def _named(hydra: Hydra, answer: Mapping[str, Any]) -> list[Thing]:
    """Return the entities that a sentence names, its subject first."""
    keys = [m["chosen"]["id"] for m in sorted(answer["mentions"], key=lambda m: m["start"]) if m["chosen"]]
    with hydra.store.snapshot() as snapshot:
        known = things(snapshot, keys)
    return [known[key] for key in keys if key in known]


def _parts(answer: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for step in answer.get("steps", ()):
        if step["operator"] == "part":
            text, _, status = step["text"].rpartition(": ")
            yield text.strip("“”"), status


def _evidence(answer: Mapping[str, Any]) -> Iterator[CitedLine]:
    """Yield the paths of an answer, or the sentences of texts, with their places."""
    for path in answer["paths"][:MOST_PATHS]:
        places = {(s["source"], s["locator"]): None for hop in path["hops"] for s in hop["sources"]}
        if path.get("passage"):
            places[path["passage"]["source"], path["passage"]["locator"]] = None
        yield CitedLine(clean(path.get("sentence") or format_marked_path(path, None)), tuple(places))


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence with its line, from 1, and whether it states something. Headings and questions do not."""

    text: str
    line: int
    states: bool = True


def draft_sentences(text: str) -> Iterator[DraftSentence]:
    """Yield the sentences of a draft in order; code blocks and tables are left out."""
    for line, block, is_heading in _blocks(text):
        plain, places = _plain(block)
        for start, end in sentences(plain):
            sentence = " ".join(plain[start:end].split())
            if sentence:
                states = not is_heading and not sentence.rstrip("\"'”)").endswith("?") and len(sentence.split()) > 2
                yield DraftSentence(sentence, line + block.count("\n", 0, places[start]), states)


def _blocks(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield paragraphs, list items and headings: first line, text, and whether it is a heading."""
    block: list[str] = []
    begun, fence = 0, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        if fence or bare.startswith(_FENCES):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
            bare = ""
        heading, item = bare.startswith("#"), _ITEM.match(line)
        if (not bare or heading or item or bare.startswith("|") or set(bare) <= {"-", "="}) and block:
            yield begun, "\n".join(block), bool(bare) and set(bare) <= {"-", "="}
            block = []
        if heading:
            yield number, bare.lstrip("# "), True
        elif bare and not bare.startswith("|") and not set(bare) <= {"-", "=", "*", "_", " "}:
            begun = begun if block else number
            block.append(line[item.end() :] if item else line)


def _plain(block: str) -> tuple[str, list[int]]:
    """Return a block without markup, and the position in the block of each remaining character."""
    text, places, at = "", list[int](), 0
    for found in _MARKUP.finditer(block):
        text += block[at : found.start()]
        places += range(at, found.start())
        if found[1]:
            text += found[1]
            places += range(found.start(1), found.end(1))
        at = found.end()
    return text + block[at:], [*places, *range(at, len(block) + 1)]
