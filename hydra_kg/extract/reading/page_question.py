"""Read a plain question for the reader of pages: which kind of value it asks for, and with which words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

from hydra_kg.extract.reading.sentence_names import names
from hydra_kg.extract.reading.sentence_values import ValueSpan, values
from hydra_kg.extract.reading.word_groups import expressions
from hydra_kg.extract.word_classes import BE as FORMS_OF_BE
from hydra_kg.extract.word_classes import DO, PREPOSITIONS, VERB
from hydra_kg.extract.word_classes import kind as kind_of
from hydra_kg.language.adjectives import superlative_orders
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.tokens import Token, tokenise
from hydra_kg.language.units import noun_dimensions
from hydra_kg.util.fast_dataclass import dataclass, replace

Kind = Literal[
    "agent", "person", "place", "date", "count", "measure", "name", "thing", "cause", "whether", "definition"
]

BE: Final = FORMS_OF_BE | {"'s"}
_AUX: Final = BE | DO | list_words("have modal duty")
ARTICLES: Final = list_words("article")
STOP: Final = _AUX | list_words("empty_in_page_question")
_MEASURES: Final = {  # how …: dimensions
    "long": ("length", "time"),
    "tall": ("length",),
    "high": ("length",),
    "wide": ("length",),
    "broad": ("length",),
    "deep": ("length",),
    "far": ("length",),
    "heavy": ("mass",),
    "fast": ("speed",),
    "big": ("area", "length", "mass"),
    "large": ("area", "length", "mass"),
    "hot": ("temperature",),
    "old": ("time",),
    "expensive": ("money",),
}
_MADE_OF: Final = "mak of"
_LEADING: Final = list_words("leading_adjective")
_DATES: Final = list_words("date_noun") | {"decade", "century"}
_NUMBERS: Final = list_words("counted_by_number")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for.

    Attributes:
        words: stems, those of the relation first.
        noun: what is counted or asked for.
        dimensions: dimensions of a measure that is asked for.
        years: times that the answer must have.
        values: values that the question proposes.
        agent: whether it asks who did something.
        past: whether it asks about the past.
    """

    kind: Kind
    words: tuple[str, ...]
    noun: str = ""
    dimensions: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    agent: bool = False
    past: bool = False
    kinds: frozenset[str] = frozenset()
    """Kinds that an answer's name must not contradict."""
    superlatives: frozenset[str] = frozenset()
    """Words of the question that choose one of several: "largest"."""


def may_be(text: str, kind: Kind, noun: str) -> bool:
    """Return False for a number where a thing without a noun is asked for: nobody dies of 66 or of 1990."""
    return kind != "thing" or bool(noun) or not text[-4:].isdigit()


def asked(question: str, topics: Sequence[tuple[int, int]] = ()) -> Asked | None:
    """Return what a question asks about the things at ``topics`` (character spans), or None if it is not understood."""
    found = _read(question, topics)
    superlatives = {*superlative_orders("number"), *superlative_orders("date")}
    chosen = frozenset(superlatives.intersection(t.low for t in tokenise(question)))
    return replace(found, superlatives=chosen) if found is not None and chosen else found


def _read(question: str, topics: Sequence[tuple[int, int]]) -> Asked | None:
    tokens = [t for t in tokenise(question) if t.word or t.low in {"'s"}]
    at = [i for i, t in enumerate(tokens) if not any(a <= t.start and t.end <= b for a, b in topics)]
    plain = [tokens[i] for i in at if tokens[i].low != "'s"]
    if not plain:
        return None
    years = tuple(
        t.text
        for t in plain
        if t.text.isdigit() and len(t.text) == 4 and t.text[:2] in {"1" + c for c in "0123456789"} | {"20"}
    )
    low = [t.low for t in plain]
    while low and low[0] in {"and", "so", "in", "on", "at", "for", "from", "by", "to", "since", "of", "with"}:
        plain, low = plain[1:], low[1:]
    if not low:
        return None
    if low[0] in _AUX:
        return _whether(question, plain[1:], topics, years)
    past = any(w in {"was", "were", "did", "had"} for w in low)
    read = {"who": _who, "whom": _who, "whose": _who, "when": _when, "where": _where, "how": _how, "why": _why}
    if low[0] in read:
        return read[low[0]](plain, years, past)
    if low[0] in {"what", "which"}:
        return _what(plain, years, past)
    return None


def content(tokens: Sequence[Token], *, but: Sequence[str] = ()) -> tuple[str, ...]:
    """Return stems of the content words; an expression ("chief executive") is one. ``but``: stems to leave out."""
    left = [t for t in tokens if not (t.text.isdigit() and len(t.text) == 4)]
    joined, found, at = {a: (b, key) for a, b, key in expressions(left)}, [], 0
    while at < len(left):
        if at in joined:
            end, key = joined[at]
            found.append(key)
            at = end + 1
            continue
        if left[at].low not in STOP and left[at].stem not in but:
            found.append(left[at].stem)
        at += 1
    return tuple(dict.fromkeys(found))


def _who(plain: list[Token], years: tuple[str, ...], past: bool) -> Asked | None:
    words = content(plain[1:])
    low = [t.low for t in plain]
    if not words:
        return Asked("definition", (), years=years, past=past)
    did = len(low) > 1 and low[1] in DO
    passive = low[-1] == "by" or (len(low) > 1 and low[1] in BE and low[-1] in {"to", "after", "with"})
    role = len(low) > 1 and low[1] in BE and not passive
    end = next((i for i in range(2, len(low)) if low[i] in {"of", "at", "in", "for", "on", "from"}), len(low))
    head = content(plain[2:end]) if role else ()
    noun = head[-1] if head else words[0] if role else ""
    lead = noun or next((w for w in words if w not in _LEADING), words[0])
    words = tuple(dict.fromkeys((lead, *words)))
    return Asked("person", words, noun, years=years, agent=not did and (not passive or low[-1] == "by"), past=past,
                 kinds=frozenset({"person", "organisation"}))  # fmt: skip


def _when(plain: list[Token], years: tuple[str, ...], past: bool) -> Asked | None:
    words = content(plain[1:])
    lead = next((w for w in words if w not in _LEADING), words[0] if words else "")
    verb = _verb_of(plain, words) or lead
    return Asked("date", tuple(dict.fromkeys((verb, *words))), years=years, past=past) if words else None


def _verb_of(plain: list[Token], words: tuple[str, ...]) -> str:
    """Return the verb at the end: "when did the railway station in _ close", "when was version 1.0 of _ released"."""
    last = plain[-1]
    said = last.stem in words and (kind_of(last.text) == VERB or plain[1].low in DO)
    return last.stem if said else ""


def _where(plain: list[Token], years: tuple[str, ...], past: bool) -> Asked | None:
    return Asked("place", content(plain[1:]) or ("locat",), years=years, past=past)


def _why(plain: list[Token], years: tuple[str, ...], past: bool) -> Asked | None:
    words = content(plain[1:])
    return Asked("cause", words, years=years, past=past) if len(words) > 1 or words else None


def _how(plain: list[Token], years: tuple[str, ...], past: bool) -> Asked | None:
    """Parse a question that begins with "how": how many, how much, how old, how long."""
    low = [t.low for t in plain]
    second = low[1] if len(low) > 1 else ""
    if second == "many":
        ends = _AUX | PREPOSITIONS | ARTICLES  # "how many days a week"
        end = next((i for i in range(2, len(low)) if low[i] in ends), len(low))
        counted = content(plain[2:end])
        verbs = content(plain[end:])
        if not counted:
            return None
        head = next(
            (c for c in counted if c == "peopl"), counted[-1] if low[end - 1 : end] and end < len(low) else counted[0]
        )
        return Asked("count", tuple(dict.fromkeys((*counted, *verbs))), head, years=years, past=past)
    if second == "much":
        words = content(plain[2:])
        weight = "weigh" in words
        return (
            Asked("measure", words, dimensions=("mass" if weight else "money",), years=years, past=past)
            if words
            else None
        )
    if second in _MEASURES:
        words = content(plain[2:])
        if second == "old":
            return Asked("measure", ("age", *words), dimensions=("time",), years=years, past=past)
        taking = second == "long" and set(low) & {"take", "takes", "took", "last", "lasts", "lasted"}
        if taking:
            took = "last" if set(low) & {"last", "lasts", "lasted"} else "tak"
            return Asked(
                "measure", (took, *(w for w in words if w not in {"last", "tak"})), dimensions=("time",), years=years
            )
        dims: tuple[str, ...] = _MEASURES[second]
        if second == "long":
            dims = ("length", "time") if words else ("length",)
        lead = plain[1].stem
        return Asked("measure", (lead, *words), dimensions=dims, years=years, past=past)
    if "die" in {t.stem for t in plain}:
        return Asked("cause", ("die",), years=years, past=past)
    return None


def _what(plain: list[Token], years: tuple[str, ...], past: bool) -> Asked | None:
    low = [t.low for t in plain]
    rest = plain[1:]
    words = content(rest)
    if len(low) > 1 and low[1] in _DATES:
        return Asked("date", content(plain[2:]), years=(), past=past)
    if not words:
        return Asked("definition", (), years=years, past=past)
    if {"made", "built", "constructed"} & set(low) and low[-1] in {"of", "from"} and "name" not in words:
        others = tuple(w for w in words if w not in {"mak", "build", "construct", _MADE_OF, "build of", "construct of"})
        return Asked("thing", (_MADE_OF, *others), years=years, past=past)
    if low[-1] in {"of"} and "part" in low:
        return Asked("thing", ("part", *(w for w in words if w != "part")), years=years, past=past)
    if {"called", "named", "nicknamed", "known", "renamed"} & set(low) and low[1] in _AUX:
        after = low[-1] in {"after"} or ("after" in low and "named" in low)
        if after:
            return Asked("thing", ("nam after", *(w for w in words if w != "name")), years=years, past=past)
        verbs = {"call", "nam", "nicknam", "know", "renam"}
        return Asked("name", ("call", *(w for w in words if w not in verbs)), years=years, past=past or "before" in low)
    if low[1] in BE or low[1] in {"has", "have", "had"}:
        return _attribute(plain, words, years, past)
    if low[1] in DO:
        verb = words[-1]
        return Asked("thing", tuple(dict.fromkeys((verb, *words))), years=years, past=past)
    return _noun(plain, words, years, past)


def _attribute(plain: list[Token], words: tuple[str, ...], years: tuple[str, ...], past: bool) -> Asked:
    """Read a question such as "what is the motto of _" or "what is the highest point of _"."""
    end = next(
        (i for i in range(2, len(plain)) if plain[i].low in {"of", "in", "at", "on", "for", "that", "which"}),
        len(plain),
    )
    head = content(plain[2:end]) or words
    noun = head[-1]
    plain_noun = next((t.low for t in reversed(plain[2:end]) if t.stem == noun or noun.endswith(t.stem)), noun)
    ordered = tuple(dict.fromkeys((noun, *words)))
    if plain_noun in _DATES or noun == "birthday":
        return Asked("date", tuple(w for w in ordered if w != noun), years=years, past=past)
    if plain_noun == "name":
        rest = tuple(w for w in ordered if w != noun)
        return Asked("name", ("call", *rest), years=years, past=past)
    if dims := noun_dimensions().get(plain_noun):
        return Asked("measure", ordered, dimensions=dims, years=years, past=past)
    if plain_noun in _NUMBERS:
        return Asked("count", ordered, noun, years=years, past=past)
    return Asked("thing", ordered, noun, years=years, past=past)


def _noun(plain: list[Token], words: tuple[str, ...], years: tuple[str, ...], past: bool) -> Asked | None:
    """Read a question such as "which river does _ cross", "what company built _" or "what language is _ written in"."""
    end = next((i for i in range(1, len(plain)) if plain[i].low in _AUX), 0)
    agent = not end
    if not end:  # "which company built _": the noun is the first word, the verb behind it
        end = 2
    head = content(plain[1:end])
    verbs = tuple(w for w in words if w not in head)
    if not head:
        return None
    noun = head[-1]
    kinds = _kinds_of_nouns().get(plain[end - 1].low, frozenset[str]())
    if kinds == {"place"} and not agent and (not verbs or verbs[0] in {"locat", "situat", "bas", "li"}):
        return Asked("place", verbs or ("locat",), noun, years=years, past=past, kinds=kinds)
    led = verbs or (noun,)  # a "political" consultant is no party
    words = tuple(dict.fromkeys((*led, *head)))
    return Asked("person" if agent and kinds & {"person", "organisation"} else "name", words, noun,
                 years=years, agent=agent, past=past, kinds=kinds)  # fmt: skip


def _whether(
    question: str, plain: list[Token], topics: Sequence[tuple[int, int]], years: tuple[str, ...]
) -> Asked | None:
    """Read a yes/no question such as "is _ poisonous to sheep", "was _ founded in 1931" or "was _ built by Nordbau"."""
    every = tokenise(question)
    inside = [any(a <= t.start and t.end <= b for a, b in topics) for t in every]
    dated: list[ValueSpan] = [
        v for v in values(question, every) if v.kind in {"date", "number"} and not inside[v.first]
    ]
    named = [n for n in names(question, every) if not any(inside[n.first : n.last + 1]) and n.first]
    spoken = {i for v in dated for i in range(v.first, v.last + 1)} | {
        i for n in named for i in range(n.first, n.last + 1)
    }
    starts = {every[i].start for i in spoken}
    words = content([t for t in plain if t.start not in starts])
    if not words and not dated and not named:
        return None
    proposed = (*(v.text for v in dated), *(n.text for n in named))
    agent = any(t.low == "by" for t in plain) or (bool(named) and every[1].start == every[named[0].first].start)
    return Asked("whether", words, years=(), values=proposed, agent=agent)


@cache
def _kinds_of_nouns() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for kind, where, words in lexicon_table("titles"):
        if where in {"before", "within"}:
            for word in words.split():
                found[word] = found.get(word, frozenset()) | {kind}
    return found
