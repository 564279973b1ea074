"""Word answers as sentences.

"Which films did James Cameron direct?" gives "James Cameron directed Titanic and Avatar."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.morphology import base_verbs, regular_forms
from hydra_kg.pages.citation_numbers import is_bare_list
from hydra_kg.text.plain_text import clean

Doc = Mapping[str, Any]

SHOWN: Final = 4
"""Most answers that a sentence names; the table next to it has all."""

ANSWERS: Final = "\0"
"""Placeholder in a sentence for the names of the answers."""

_MONTHS: Final = "January February March April May June July August September October November December".split()
_DATE: Final = re.compile(r"(-?\d{4})-(\d\d)(?:-(\d\d))?")
_NUMBER: Final = re.compile(r"-?\d{5,18}(?:\.\d+)?")
_COMPUTED: Final = re.compile(r"-?\d+\.\d{7,}")
_BE: Final = "is|are|was|were"
_PREPOSITION: Final = "about|against|at|before|behind|by|for|from|in|into|near|of|on|over|to|under|with"
_PLACE_ENDING: Final = re.compile(rf"\b({_PREPOSITION})$")
_DID: Final = re.compile(r"(where|when|what|who|whom|(?:which|what|how many) .+?) (did|do|does) (.+)", re.I)


def sentence_parts(doc: Doc) -> list[dict[str, Any]]:
    """Return the answer as the parts of a sentence: ``text``, and ``answer`` (its position) for names of answers.

    Return [] if the question has no form that can become a statement: then only the names are shown.
    """
    if doc["abstained"] or not doc["answers"] or doc["verdict"] == "contested":
        return []
    names = [clean(a["name"]) for a in doc["answers"]]
    if doc.get("claim") or doc.get("table") or not is_bare_list(clean(doc["answer_text"]), names):
        return []
    question = clean(str(doc.get("understood_as") or doc["question"])).strip().rstrip("?!. ").strip()
    if names in (["yes"], ["no"]):
        return _yes_or_no(doc, names[0])
    frame = next(_frames(question, doc), "")
    return list(_filled(frame[:1].upper() + frame[1:] + ".", names, doc)) if frame else []


def plain_value(text: str) -> str:
    """Return a date or a number as people write it.

    1974-11-11 → 11 November 1974, 82979100 → 82,979,100, 46.6666666667 → 46.67.
    """
    text = rounded(text)
    if date := date_words(text, _MONTHS):
        return date
    if _NUMBER.fullmatch(text):
        whole, dot, rest = text.partition(".")
        return f"{int(whole):,}{dot}{rest}"
    return text


def date_words(text: str, months: Sequence[str], *, behind_day: str = "") -> str:
    """Return a date with the name of its month, and a sign behind the day: "11. November 1974". Other texts give ""."""
    match = _DATE.fullmatch(text)
    if match is None or not 1 <= int(match[2]) <= 12:
        return ""
    year, month, day = match.groups()
    return f"{f'{int(day)}{behind_day} ' if day else ''}{months[int(month) - 1]} {year}"


def rounded(text: str) -> str:
    """Return a computed number with two decimals, or three digits if it is below 1; any other text as it is."""
    if not _COMPUTED.fullmatch(text):
        return text
    return f"{float(text):.2f}" if abs(float(text)) >= 1 else f"{float(text):.3g}"


def _yes_or_no(doc: Doc, said: str) -> list[dict[str, Any]]:
    stated = clean(doc.get("computation", "")).partition("stated: ")[2]
    more = f". {stated[:1].upper()}{stated[1:]}." if stated and said == "yes" and ";" not in stated else "."
    return [{"text": said.capitalize(), "answer": 0}, {"text": more}]


def _filled(frame: str, names: list[str], doc: Doc) -> Iterator[dict[str, Any]]:
    before, _, after = frame.partition(ANSWERS)
    shown = names if len(names) <= SHOWN + 1 else names[:SHOWN]
    yield {"text": before}
    for place, name in enumerate(shown):
        if place:
            last = place == len(names) - 1
            yield {"text": " and " if last else ", "}
        unit = clean(str(doc["answers"][place].get("unit") or ""))
        said = plain_value(name)
        yield {"text": f"{said} {unit}" if unit and not said.endswith(unit) else said, "answer": place}
    if len(shown) < len(names):
        yield {"text": f" and {len(names) - len(shown)} more"}
    if after and not (after == "." and names[-1].endswith(".")):
        yield {"text": after}


def _frames(question: str, doc: Doc) -> Iterator[str]:
    """Yield statements with :data:`ANSWERS` in place of what was asked for, the most certain form first."""
    many, first = len(doc["answers"]) > 1, clean(doc["answers"][0]["name"])
    if match := re.fullmatch(r"how old (is|was) (.+?)((?: when | in ).+)?", question, re.I):
        verb, who, when = match.groups()
        if first.replace(".", "").isdecimal():  # else it is a date, from which nobody has counted
            yield f"{who} {verb.lower()} {ANSWERS}{when or ' years old'}"
    if match := re.fullmatch(rf"(where|when) ({_BE}) (.+)", question, re.I):
        kind, verb, rest = match.groups()
        who, participle = _split_subject(rest, doc)
        if who and (participle or kind.lower() == "where"):
            yield f"{who} {verb.lower()} {participle} {_placed(kind, participle, first)}".replace("  ", " ")
        elif not who or not participle:
            yield f"{rest} {verb.lower()} {ANSWERS}" if kind.lower() == "when" else ""
    if match := _DID.fullmatch(question):
        yield _with_did(*match.groups(), doc=doc, first=first)
    if match := re.fullmatch(r"how many (.+?) (are|were|have|has|is|was) (.+)", question, re.I):
        noun, verb, rest = match.groups()
        yield f"{ANSWERS} {noun} {verb.lower()} {rest}"
    if match := re.fullmatch(rf"(?:what|who|which) ({_BE}) (the .+|.+['’]s? .+)", question, re.I):
        verb, rest = match.groups()
        if not re.search(r", | or ", rest):
            yield f"{rest} {verb.lower()} {ANSWERS}"
    if match := re.fullmatch(rf"(?:who|which|what) ({_BE}) (\w+er|more \w+)(?: than)?[ ,:].*", question, re.I):
        yield f"{ANSWERS} {match[1].lower()} {match[2].lower()}"
        return
    if match := re.fullmatch(r"(?:who|what) (\w+) (.+)", question, re.I):
        yield f"{ANSWERS} {_agreeing(match[1].lower(), many=many)} {match[2]}"
    noun = clean(str((doc.get("plan") or {}).get("noun") or ""))
    if match := re.fullmatch(rf"(?:which|what) {re.escape(noun) or '[^ ]+'} (\w+) (.+)", question, re.I):
        verb, rest = match[1].lower(), match[2]
        alike = verb in (*list_words("have"), *_BE.split("|")) and rest.partition(" ")[0].lower() in list_words(
            "article"
        )
        if noun or (alike and " or " not in rest):
            yield f"{ANSWERS} {_agreeing(verb, many=many)} {rest}"


def _with_did(asked: str, did: str, rest: str, *, doc: Doc, first: str) -> str:
    """Return "James Cameron directed …" for "which films", "did" and "James Cameron direct"."""
    who, said = _split_subject(rest, doc)
    verb, _, more = said.partition(" ")
    if not who or not verb.isalpha():
        return ""
    done = _past(verb) if did.lower() == "did" else regular_forms(verb)[0] if did.lower() == "does" else verb
    if verb == "have":
        done = {"did": "had", "does": "has"}.get(did.lower(), "have")
    asked = asked.lower()
    if match := re.fullmatch(rf"that ((?:{_BE}) the .+)", more):  # "Which films did she direct that is the newest?"
        return f"{ANSWERS} {match[1]}"
    if asked in ("where", "when"):
        return f"{who} {done}{f' {more}' if more else ''} {_placed(asked, more, first)}"
    if asked.startswith("how many "):
        return f"{who} {done} {ANSWERS} {asked[9:]}{f' {more}' if more else ''}"
    if more and _PLACE_ENDING.search(more):
        return f"{who} {done} {more} {ANSWERS}"
    return f"{who} {done} {ANSWERS}{f' {more}' if more else ''}"


def _split_subject(rest: str, doc: Doc) -> tuple[str, str]:
    """Split a clause into its subject, up to the end of the first name in it, and the words after that."""
    found = [(rest.lower().find(t.lower()), t) for m in doc["mentions"] if (t := clean(m["text"]))]
    at, text = min(((at, text) for at, text in found if at >= 0), default=(-1, ""))
    if at < 0 or (at and rest[:at].strip().lower() not in {"the", "a", "an"} and not rest.lower().startswith("the ")):
        return "", ""
    end = at + len(text)
    return rest[:end], rest[end:].strip()


def _placed(kind: str, before: str, first: str) -> str:
    if _PLACE_ENDING.search(before):
        return ANSWERS
    if kind.lower() == "where":
        return f"in {ANSWERS}"
    whole = _DATE.fullmatch(first)
    return f"{'on' if whole and whole[3] else 'in'} {ANSWERS}"


def _agreeing(verb: str, *, many: bool) -> str:
    """Return a verb for one thing or for several: "belong" → "belongs", "conducts" → "conduct"."""
    singular = {"are": "is", "were": "was", "have": "has"}
    if many:
        plural = {one: several for several, one in singular.items()}
        bases = [base for base in (verb[:-3] + "y", verb[:-2], verb[:-1]) if base and regular_forms(base)[0] == verb]
        return plural.get(verb) or min(bases, key=lambda base: base not in base_verbs(), default=verb)
    if verb in singular:
        return singular[verb]
    return regular_forms(verb)[0] if verb in base_verbs() else verb


def _past(verb: str) -> str:
    return _irregular().get(verb.lower()) or regular_forms(verb.lower())[1]


@cache
def _irregular() -> Mapping[str, str]:
    return {base: past for base, past, *_ in lexicon_table("verbs") if past != "-"}
