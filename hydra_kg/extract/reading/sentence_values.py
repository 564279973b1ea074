"""Find the values in a sentence: dates, numbers with their unit or what they count, and quoted words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.language.dates import month_number, read_date
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import cardinal_number, number_words, ordinal_number
from hydra_kg.language.tokens import Token
from hydra_kg.language.units import unit_dimensions
from hydra_kg.util.fast_dataclass import dataclass

_DECADE: Final = re.compile(r"(1\d|20)\d0s")
_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_HALVES: Final = frozenset({"am", "pm", "a.m", "p.m"})
_LAST_HOUR, _LAST_MINUTE, _LAST_DAY = 24, 59, 31
_UNTIL: Final = frozenset({"to", "until", "–", "-"})
_DAYS: Final = frozenset("mondays tuesdays wednesdays thursdays fridays saturdays sundays".split())
_WEEKDAYS: Final = list_words("weekday")
_DATING: Final = list_words("leads_to_date")
_SIGNS: Final = {"£": "pounds", "$": "dollars", "€": "euros", "¥": "yen"}
_SCALED: Final = frozenset({"square", "cubic", "nautical"})
_SPEED: Final = ("per", "hour")
_BEHIND: Final = 3  # words behind a number among which what it counts may stand: "120 wooden salt barrels"
_NO_COUNTED: Final = list_words("not_counted")


QUOTES: Final = {'"': '"', "“": "”", "«": "»", "„": "“"}
"""From the marks that open a quotation to those that close it."""


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A value at tokens ``first`` to ``last``.

    Attributes:
        kind: ``date``, ``time`` (of day), ``number`` or ``quote``.
        text, key: the value for people, and as a literal.
        dimension: dimension of the unit.
        counted: stems of the words after a number, which it may count.
    """

    kind: str
    first: int
    last: int
    text: str
    key: str
    dimension: str = ""
    counted: tuple[str, ...] = ()


def values(sentence: str, tokens: Sequence[Token]) -> list[ValueSpan]:
    """Return all values of a sentence in order, without overlaps."""
    found: list[ValueSpan] = []
    at = 0
    while at < len(tokens):
        value = _quote(sentence, tokens, at) or _time(sentence, tokens, at) or _days(sentence, tokens, at)
        value = value or _date(tokens, at) or _number(sentence, tokens, at)
        if value is not None:
            found.append(value)
        at = value.last + 1 if value is not None and value.kind != "quote" else at + 1
    return found


def _quote(sentence: str, tokens: Sequence[Token], at: int) -> ValueSpan | None:
    """Return the words between quotation marks, at most a dozen."""
    closing = QUOTES.get(tokens[at].text)
    if closing is None or (closing == '"' and sum(t.text == '"' for t in tokens[:at]) % 2):
        return None
    for end in range(at + 2, min(at + 14, len(tokens))):
        if tokens[end].text == closing:
            text = sentence[tokens[at + 1].start : tokens[end - 1].end]
            return ValueSpan("quote", at + 1, end - 1, text, text_key(text))
    return None


def _time(sentence: str, tokens: Sequence[Token], at: int) -> ValueSpan | None:
    """Return a time of day, or the time from one to another: "7 pm", "10:30", "from 8 am to 8 pm"."""
    end = _clock(tokens, at)
    if end < 0:
        return None
    first = at
    if end + 2 < len(tokens) and tokens[end + 1].low in _UNTIL and (more := _clock(tokens, end + 2)) >= 0:
        end = more
    text = sentence[tokens[first].start : tokens[end].end]
    return ValueSpan("time", first, end, text, text_key(text))


def _clock(tokens: Sequence[Token], at: int) -> int:
    """Return the last token of a time of day, or -1. A score such as 3:2 is none."""
    low = [t.low for t in tokens[at : at + 4]]
    if low[1:2] == [":"] and _is_up_to(_LAST_HOUR, low[0]) and _is_minute(low[2:3]):
        return at + 3 if low[3:] and low[3] in _HALVES else at + 2
    if low[1:] and _is_up_to(_LAST_HOUR, low[0]) and low[1] in _HALVES:
        return at + 1
    return at if low and low[0][-2:] in _HALVES and _is_up_to(_LAST_HOUR, low[0][:-2]) else -1


def _is_minute(text: Sequence[str]) -> bool:
    return bool(text) and len(text[0]) > 1 and _is_up_to(_LAST_MINUTE, text[0])


def _is_up_to(most: int, text: str) -> bool:
    return text.isdecimal() and len(text) < 3 and int(text) <= most


def _days(sentence: str, tokens: Sequence[Token], at: int) -> ValueSpan | None:
    """Return days of one month: "4 to 6 November 2025", "13 and 14 July"."""
    low = [t.low for t in tokens[at : at + 5]]
    if len(low) < 4 or low[1] not in {*_UNTIL, "and"} or not all(_is_up_to(_LAST_DAY, low[i]) for i in (0, 2)):
        return None
    if not month_number(low[3]) or not tokens[at + 3].capital:
        return None
    last = at + 3 + (len(low) > 4 and len(low[4]) == 4 and low[4].isdigit())
    return ValueSpan("date", at, last, (text := sentence[tokens[at].start : tokens[last].end]), text_key(text))


def _date(tokens: Sequence[Token], at: int) -> ValueSpan | None:
    low = [t.low for t in tokens[at : at + 5]]
    low += [""] * (5 - len(low))
    month = month_number(low[0]) if tokens[at].capital else 0
    if (found := read_date(low)) is not None and (month or not month_number(low[0])):
        (year, named, day), end = found
        if day:
            return _dated(at, at + end - 1, f"{year}-{named:02}-{day:02}", "date")
        if named:
            return _dated(at, at + end - 1, f"{year}-{named:02}", "gYearMonth")
        if _is_year(tokens, at):
            return _dated(at, at, low[0], "gYear")
    if low[0] in _DAYS or (low[0] in _WEEKDAYS and tokens[at].capital and at and tokens[at - 1].low == "on"):
        dated = low[1].isdigit() or (low[1] == "," and low[2].isdigit())  # "on Saturday, 20 July"
        return None if dated else _text_date(tokens, at, at, tokens[at].text)
    if month and low[1].isdigit() and len(low[1]) < 3:  # "March 1"
        return _text_date(tokens, at, at + 1, "")
    if low[0].isdigit() and len(low[0]) < 3 and month_number(low[1]) and tokens[at + 1].capital:  # "1 March"
        return _text_date(tokens, at, at + 1, "")
    if month and (at or low[1] == "to"):
        several = low[1] in {"to", "–", "and"} and month_number(low[2]) > 0
        return _text_date(tokens, at, at + 2 * several, "")
    if _DECADE.fullmatch(low[0]):
        return _text_date(tokens, at, at, f"the {low[0]}")
    century = low[0].removesuffix("-century")
    if ordinal_number(century) and (century != low[0] or low[1] == "century"):
        last = at + (century == low[0])
        era = last + 1 < len(tokens) and tokens[last + 1].low in {"bc", "bce", "ad"}
        return _text_date(tokens, at, last + era, "")
    return None


def _is_year(tokens: Sequence[Token], at: int) -> bool:
    """Return whether four digits are a year.

    They are if a word before them leads to dates, or if no word follows that they could count.
    """
    before = tokens[at - 1].low if at else ""
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if after is not None and (_unit_at(tokens, at + 1)[0] or after.text == "%" or after.low in number_words("scale")):
        return False
    if before in _SIGNS or before in {"some", "than", "nearly", "almost", "over", "no.", "number"}:
        return False
    counts = after is not None and after.word and not after.capital and after.low.endswith("s")
    known = before in _DATING or month_number(before) > 0
    return known or not counts or after is None or after.low in _NO_COUNTED


def _dated(first: int, last: int, text: str, datatype: str) -> ValueSpan:
    return ValueSpan("date", first, last, text, f'"{text}"^^xsd:{datatype}')


def _text_date(tokens: Sequence[Token], first: int, last: int, text: str) -> ValueSpan:
    text = text or " ".join(t.text for t in tokens[first : last + 1])
    return ValueSpan("date", first, last, text, text_key(text))


def _number(sentence: str, tokens: Sequence[Token], at: int) -> ValueSpan | None:
    """Return a number with its unit or with the noun that it counts.

    Examples: "3.4 million pounds", "£15,000", "22 to 28 mm", "five arches".
    """
    sign = _SIGNS.get(tokens[at].text, "")
    first = at + bool(sign)
    amount, last = _amount(tokens, first)
    if amount is None:
        return None
    if last + 2 < len(tokens) and tokens[last + 1].low in {"to", "–", "-"}:
        more, end = _amount(tokens, last + 2)
        if more is not None and more > amount:
            amount, last = None, end
    dimension, length = ("money", 0) if sign else _unit_at(tokens, last + 1)
    text = sentence[tokens[at].start : tokens[last + length].end]
    if dimension or amount is None:
        return ValueSpan(
            "number", at, last + length, text, text_key(text), dimension, _counted(tokens, last + length + 1)
        )
    whole = int(amount) if amount == int(amount) else amount
    kind = "integer" if isinstance(whole, int) else "decimal"
    return ValueSpan("number", at, last, str(whole), f'"{whole}"^^xsd:{kind}', "", _counted(tokens, last + 1))


def _amount(tokens: Sequence[Token], at: int) -> tuple[float | None, int]:
    """Return the number at a position and its last token; the number is None if there is none."""
    if at >= len(tokens):
        return None, at
    low = tokens[at].low
    if _NUMBER.fullmatch(low):
        amount: float | None = float(low.replace(",", ""))
    else:
        amount = cardinal_number(low)
        if amount == 1:
            return None, at  # "one" is seldom a count
    if amount is None:
        return None, at
    while at + 1 < len(tokens) and (times := number_words("scale").get(tokens[at + 1].low)):
        amount, at = amount * times, at + 1
        if at + 2 < len(tokens) and tokens[at + 1].low == "and" and (more := cardinal_number(tokens[at + 2].low)):
            amount, at = amount + more, at + 2
    return amount, at


def _unit_at(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Return the dimension of the unit at a position and its number of tokens; ("", 0) if there is none."""
    if at >= len(tokens):
        return "", 0
    scaled = tokens[at].low in _SCALED
    place = at + scaled
    low = [t.low for t in tokens[place : place + 3]]
    if low[:2] == ["per", "cent"]:
        return "percent", 2
    unit = unit_dimensions().get(low[0] if low else "", "")
    if not unit or (low[0] == "m" and len(low) > 1 and low[1] == "'s"):
        return "", 0
    if unit == "length" and tuple(low[1:3]) in {_SPEED, ("an", "hour"), ("a", "second"), ("per", "second")}:
        return "speed", 3 + scaled
    if scaled and tokens[at].low == "square":
        return "area", 2
    if scaled and tokens[at].low == "cubic":
        return "volume", 2
    if unit == "length" and low[1:2] in (["/"],):
        return "speed", 3
    return unit, 1 + scaled


def _counted(tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """Return stems of what a number may count: the words after it, up to a punctuation mark or function word."""
    found = []
    for t in tokens[at : at + _BEHIND]:
        if not t.word or t.low in _NO_COUNTED:
            break
        found.append(t.stem)
    if (
        at < len(tokens) and tokens[at].low == "of" and at + 2 < len(tokens)
    ):  # "67 of them": nothing; "five of the arches"
        return ()
    return tuple(found)


def text_key(text: str) -> str:
    """Return the text as a literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
