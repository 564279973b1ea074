"""Print the templates of wikitext that are values in a sentence (``templates.tsv``). Nothing is looked up."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Final

from hydra_kg.language.dates import MONTHS
from hydra_kg.util.package_data import table

GAP: Final = "…"
"""Placeholder for the text of an unknown template in a sentence. No fact is read from such a sentence."""

_LONGEST: Final = 600  # characters of a template that prints values
_NAME: Final = re.compile(r"[^|:{}]{1,60}")
_NAMED: Final = re.compile(r"\s*([\w -]{1,30}?)\s*=(.*)", re.DOTALL)
_PART: Final = re.compile(r"\[([^\[\]]*)\]|\{([^{}]*)\}")
_NUMBER: Final = re.compile(r"([-−+]?)(\d+)((?:\.\d+)?)")
_ENDS: Final = ".!?:;"
_JOINING: Final = {
    "to": " to ",
    "and": " and ",
    "or": " or ",
    "-": "–",
    "–": "–",
    "to(-)": " to ",
    "by": " by ",
    "x": " × ",
    "*": " × ",
    "+/-": " ± ",
    "±": " ± ",
}

Arguments = Mapping[str, str]


def print_template(text: str, start: int, end: int, inner: Callable[[str], str]) -> str:
    """Return the text of a template, or :data:`GAP` if it is unknown and in a sentence.

    ``inner`` prints its arguments.
    """
    if end - start > _LONGEST:
        return ""
    name = _NAME.match(text, start + 2)
    cut = name.end() if name is not None else end
    said = _template_text(name[0]) if name is not None else None
    if said is None:
        return GAP if _is_in_sentence(text, start, end) else ""
    if not said:
        return ""
    arguments = _arguments(text[cut + 1 : end - 2], inner) if cut < end - 2 else {}
    if said[0] == "=":
        return _FUNCTIONS[said[1:]](arguments)
    return _fill_text(said, arguments)


def _is_in_sentence(text: str, start: int, end: int) -> bool:
    """Return True if words of one line continue around a place, so that it is not a note after a sentence."""
    before = text[max(start - 40, 0) : start].rpartition("\n")[2]
    after = text[end : end + 2]
    if not before.strip(" *#:;'\""):
        return after[:1] in {" ", "-"} and after[1:2].islower()
    return before[-1] in " \u00a0" and before.rstrip()[-1] not in _ENDS


@lru_cache(maxsize=1 << 13)
def _template_text(raw: str) -> str | None:
    """Return the text for a template's name as it is written, None if it is unknown."""
    name = raw.strip().replace("_", " ").lower()
    exact, begins = _read_templates()
    said = exact.get(name)
    return said if said is not None else next((said for start, said in begins if name.startswith(start)), None)


@cache
def _read_templates() -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Return the texts by name, and by the beginning of a name."""
    rows = [(row[0], "" if row[1] == "-" else row[1]) for row in table("hydra_kg_loaders.wikipedia", "templates.tsv")]
    exact = {name: said for name, said in rows if not name.endswith("*")}
    begins = tuple((name[:-1], said) for name, said in rows if name.endswith("*"))
    return exact, begins


@cache
def _units() -> dict[str, tuple[str, str]]:
    return {symbol: (one, several) for symbol, one, several in table("hydra_kg_loaders.wikipedia", "units.tsv")}


def _arguments(rest: str, inner: Callable[[str], str]) -> dict[str, str]:
    """Return the arguments by name. Those without a name get their place from 1."""
    found: dict[str, str] = {}
    place = 0
    for part in _parts(inner(rest) if "{{" in rest else rest):
        if (m := _NAMED.fullmatch(part)) is not None:
            found[m[1].lower()] = m[2].strip()
        else:
            place += 1
            found[str(place)] = part.strip()
    return found


def _parts(rest: str) -> list[str]:
    """Split arguments at bars outside links."""
    if "[[" not in rest:
        return rest.split("|")
    parts: list[str] = []
    pending = ""
    for part in rest.split("|"):
        pending = f"{pending}|{part}" if pending else part
        if pending.count("[[") <= pending.count("]]"):
            parts.append(pending)
            pending = ""
    return [*parts, pending] if pending else parts


def _positional_arguments(arguments: Arguments) -> list[str]:
    """Return the arguments without names in order."""
    return [value for name, value in arguments.items() if name.isdecimal() and value]


def _fill_text(said: str, arguments: Arguments) -> str:
    """Return a text with arguments in their places. A part in [ ] is included only if one of its arguments is given."""

    def argument(m: re.Match[str]) -> str:
        name, default = m[2].partition("|")[::2]
        if name.startswith("*"):
            return name[1:].join(_positional_arguments(arguments))
        return arguments.get(name) or (arguments.get(default) or ("" if default.isdecimal() else default))

    def part(m: re.Match[str]) -> str:
        if m[1] is None:
            return argument(m)
        given = [argument(inside) for inside in _PART.finditer(m[1])]
        return _PART.sub(argument, m[1]) if any(given) else ""

    return _PART.sub(part, said)


def _number(arguments: Arguments) -> str:
    return _group_thousands(arguments.get("1", "").replace(",", ""))


def _group_thousands(text: str) -> str:
    """Return a number with commas between thousands, other texts as they are."""
    m = _NUMBER.fullmatch(text.strip())
    return f"{m[1]}{int(m[2]):,}{m[3]}" if m and len(m[2]) < 30 and not m[2].startswith("00") else text.strip()


def _convert(arguments: Arguments) -> str:
    """Return the converted quantity with its unit in words: "1,300 miles"."""
    given = _positional_arguments(arguments)
    said, at = "", 0
    while at < len(given):
        said += _group_thousands(given[at].replace(",", ""))
        last, at = given[at], at + 1
        if at < len(given) and given[at] in _JOINING:
            said, at = said + _JOINING[given[at]], at + 1
            continue
        if at >= len(given):
            break
        unit, at = given[at], at + 1
        one, several = _units().get(unit, (unit, unit))
        short = arguments.get("abbr") in {"on", "in", "~"} and unit.isascii()
        if arguments.get("adj") in {"on", "mid"}:
            return f"{said}-{one.replace(' ', '-')}" if not short else f"{said} {unit}"
        said += f" {unit if short else one if last == '1' else several}"
        if unit in {"ft", "yd", "lb", "st"} and at + 1 < len(given) and _NUMBER.fullmatch(given[at]):
            said += " "
            continue
        break
    return said


def _date(arguments: Arguments) -> str:
    """Return "May 4, 1971", or "4 May 1971" if the template asks for that."""
    year, month, day = (*_positional_arguments(arguments)[:3], "", "", "")[:3]
    name = MONTHS[int(month) - 1] if month.isdecimal() and 0 < int(month) <= 12 else month
    if not name or not year.isdecimal():
        return year
    if not day.isdecimal():
        return f"{name} {year}"
    first = arguments.get("df", "")[:1] in {"y", "1"}
    return f"{int(day)} {name} {year}" if first else f"{name} {int(day)}, {year}"


def _as_of(arguments: Arguments) -> str:
    if arguments.get("alt"):
        return arguments["alt"]
    word = "as of" if arguments.get("lc", "")[:1] in {"y", "1"} else "As of"
    return f"{word} {_date({**arguments, 'df': 'y' if arguments.get('df') != 'us' else ''})}"


def _coordinates(arguments: Arguments) -> str:
    """Return "51°28′N 3°10′W", or nothing for coordinates that are shown next to the title."""
    if arguments.get("display", "") in {"title", "t"}:
        return ""
    said: list[str] = []
    numbers: list[str] = []
    for part in _positional_arguments(arguments):
        if part in {"N", "S", "E", "W"} and numbers:
            said.append("".join(n + mark for n, mark in zip(numbers, "°′″", strict=False)) + part)
            numbers = []
        elif _NUMBER.fullmatch(part):
            numbers.append(part)
        else:
            break
    if not said and len(numbers) == 2:
        latitude, longitude = (n.lstrip("+-−") + "°" for n in numbers)
        south, west = (n[0] in "-−" for n in numbers)
        return f"{latitude}{'S' if south else 'N'} {longitude}{'W' if west else 'E'}"
    return " ".join(said)


def _fraction(arguments: Arguments) -> str:
    given = _positional_arguments(arguments)
    if len(given) == 1:
        return f"1/{given[0]}"
    return f"{given[0]} {given[1]}/{given[2]}" if len(given) > 2 else "/".join(given)


def _percentage(arguments: Arguments) -> str:
    given = [float(n) for n in _positional_arguments(arguments)[:2] if _NUMBER.fullmatch(n)]
    return f"{100 * given[0] / given[1]:.0f}%" if len(given) == 2 and given[1] else ""


_FUNCTIONS: Final[Mapping[str, Callable[[Arguments], str]]] = {
    "number": _number,
    "convert": _convert,
    "date": _date,
    "as of": _as_of,
    "coord": _coordinates,
    "fraction": _fraction,
    "percentage": _percentage,
}
