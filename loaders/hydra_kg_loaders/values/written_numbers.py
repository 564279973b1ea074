"""Read numbers and days as people write them (separators, currencies, units), and convert units of a column."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Final, Literal

from hydra_kg.language.units import unit_dimensions, unit_factors
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass

SIGN: Final = (
    "(?:US|CA|AU|NZ|HK|C|A|R)?[$]|[€£¥₹₽₩₺₴₪₫₱฿]|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|RUB|BRL|AUD"
    "|CAD|NZD|ZAR|MXN|KRW|SGD|HKD|zł|Kč|kr[.]?|Fr[.]?"
)
UNIT: Final = r"%|‰|°[CF]?|[A-Za-zµ°][A-Za-zµ./]{0,14}[²³23]?"
_SPACE: Final = "[ \u00a0\u202f]"
_WHOLE: Final = "(?:0|[1-9][0-9]*)"
_DIGITS: Final = 12
"""Number of significant digits of a converted number."""

Order = Literal["dmy", "mdy"]

_DIGITS_OF_DAYS: Final = re.compile(
    r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?:[ ,T]+(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AaPp])\.?[Mm]\.?)?)?"
)
_YEAR_FIRST: Final = re.compile(r"(\d{4})([./])(\d{1,2})\2(\d{1,2})")
_DAY_FIRST: Final = re.compile(
    r"(?:[^\W\d]+\.?,? )?(\d{1,2})(?:\.|st|nd|rd|th|er)?[ -](?:de )?([^\W\d]{3,12})\.?,?[ -](?:de )?(\d{4})"
)
_MONTH_FIRST: Final = re.compile(r"(?:[^\W\d]+\.?,? )?([^\W\d]{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? ?(\d{4})")
_MONTHS: Final = (
    "jan january januar janvier enero gennaio januari janeiro ene gen janv",
    "feb february februar février fevrier febrero febbraio februari fevereiro fév fev févr",
    "mar march märz maerz mars marzo maart março marts mär mrz mrt",
    "apr april avril abril aprile abr avr",
    "may mai mayo maggio mei maio maj maggio mag",
    "jun june juni juin junio giugno junho giu",
    "jul july juli juillet julio luglio julho lug juil",
    "aug august août aout agosto augustus augusti ago",
    "sep sept september septembre septiembre settembre setembro set",
    "oct october oktober octobre octubre ottobre outubro okt ott out",
    "nov november novembre noviembre novembro",
    "dec december dezember décembre decembre diciembre dicembre dezembro dez déc dic des desember",
)
_NUMBER_OF: Final = {name: n for n, names in enumerate(_MONTHS, 1) for name in names.split()}
_CENTURY: Final = 69
"""Last two-digit year in the 21st century, as in POSIX."""


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """The separators of thousands and decimals in a column.

    Attributes:
        core: The pattern of its numbers without sign.
        group: The characters that separate thousands.
        decimal: The character that separates decimals.
    """

    name: str
    core: str
    group: str
    decimal: str

    @property
    def pattern(self) -> str:
        """Return the pattern of a cell: sign or bracket, currency, number (group 3), currency or unit (group 5)."""
        return rf"([(]?[-+−–]?){_SPACE}?((?:{SIGN})?){_SPACE}?([-−]?(?:{self.core}))({_SPACE}?)((?:{SIGN}|{UNIT})?)[)]?"

    def plain(self, number: str) -> str:
        """Return a number of this style as Python writes it."""
        bare = re.sub(f"[{self.group}]", "", number).replace("−", "-")
        return bare.replace(self.decimal, ".")


_BY_POINT: Final = rf"{_WHOLE}(?:[.][0-9]+)?|[.][0-9]+"
POINT: Final = NumberStyle("point", rf"[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+(?:[.][0-9]+)?|{_BY_POINT}", ",", ".")
"""1,234.5"""
COMMA: Final = NumberStyle(
    "comma",
    rf"[1-9][0-9]{{0,2}}(?:(?:[.]|’|'|{_SPACE})[0-9]{{3}})+(?:,[0-9]+)?|{_WHOLE}(?:,[0-9]+)?",
    ".’' \u00a0\u202f",
    ",",
)
"""1.234,5 and 1 234,5"""
SPACE: Final = NumberStyle(
    "space", rf"[1-9][0-9]{{0,2}}(?:(?:’|'|{_SPACE})[0-9]{{3}})+(?:[.][0-9]+)?|{_BY_POINT}", "’' \u00a0\u202f", "."
)
"""1 234.5 and 1'234.5"""
STYLES: Final = (POINT, COMMA, SPACE)


def read_number(cell: str, style: NumberStyle) -> tuple[float, str] | None:
    """Return a cell's number and unit, or None. ``(1.250,00 €)`` is ``(-1250.0, "€")``."""
    m = re.fullmatch(style.pattern, cell.strip())
    if m is None or (m[2] and m[5]) or cell.count("(") != cell.count(")"):
        return None
    value = float(style.plain(m[3]))
    negative = m[1].startswith("(") or m[1].endswith(("-", "−", "–"))
    return (-value if negative else value), m[2] or m[5]


def is_plain(cell: str, style: NumberStyle) -> bool:
    """Return True if a cell is not a number, or if its number is in the form that programs write."""
    m = re.fullmatch(style.pattern, cell.strip())
    return m is None or (m[1] in ("", "-") and m[3] == style.plain(m[3]))


def choose_style(cells: Sequence[str], *, comma: bool = False) -> tuple[NumberStyle, int]:
    """Return the number style of most cells and its count.

    `comma` is True if other columns use decimal commas (``18.500``).
    """
    counts = [(sum(read_number(cell, style) is not None for cell in cells), style) for style in STYLES]
    most = max(count for count, _ in counts)
    best = [style for count, style in counts if count == most]
    return (COMMA if comma and COMMA in best else best[0]), most


def is_separated(cells: Sequence[str]) -> bool:
    """Return True if a cell has any separator of thousands or decimals."""
    return any(re.search(r"[0-9][.,’' \u00a0\u202f][0-9]", cell) for cell in cells)


def canonical_sql(cell: str, style: NumberStyle) -> str:
    """Return SQL for canonical numbers with units: ``1.250,00 €`` → ``1250.00 €``, ``(12)`` → ``-12``."""
    pattern = sql_text(f"^(?:{style.pattern})$")

    def part(group: int) -> str:
        return f"regexp_extract({cell}, {pattern}, {group})"

    bare = f"regexp_replace({part(3)}, {sql_text(f'[{style.group}]')}, '', 'g')"
    bare = f"replace(replace({bare}, {sql_text(style.decimal)}, '.'), '−', '-')"
    sign = f"CASE WHEN regexp_matches({part(1)}, '[(−–-]') THEN '-' ELSE '' END"
    whole = f"{sign} || {part(2)} || {bare} || {part(4)} || {part(5)}"
    return f"CASE WHEN regexp_matches({cell}, {pattern}) THEN {whole} ELSE {cell} END"


def is_unit(text: str) -> bool:
    """Return True for a unit of measurement or a currency."""
    return bool(_factor(text)[0]) or text.casefold() in unit_dimensions() or re.fullmatch(SIGN, text) is not None


def find_common_unit(units: Sequence[str]) -> str:
    """Return the first of some units if all of them convert to it, "" if not, as for currencies."""
    bases = {base for base, _ in map(_factor, units)}
    return units[0] if len(bases) == 1 and "" not in bases else ""


def convert(amount: tuple[float, str], unit: str) -> str:
    """Return a number with its unit converted to another unit of the same measure.

    Example: (850.0, "g") in kg is "0.85 kg".
    """
    value = amount[0] * _factor(amount[1])[1] / _factor(unit)[1]
    number = f"{value:.{_DIGITS}g}"
    if "e" in number:
        number = f"{value:.{_DIGITS}f}".rstrip("0").rstrip(".")
    return f"{number} {unit}"


def _factor(unit: str) -> tuple[str, float]:
    """Return the base unit of a unit and their ratio. The base unit is "" if it cannot be converted."""
    small = unit.casefold().rstrip(".")
    return unit_factors().get(small) or unit_factors().get(small.removesuffix("s")) or ("", 0.0)


def read_day(cell: str, order: Order) -> str | None:
    """Return a day (or moment) in ISO form, None for other texts. Example: ``31.12.98`` is 1998-12-31."""
    text = cell.strip()
    if m := _DIGITS_OF_DAYS.fullmatch(text):
        day, month = (int(m[1]), int(m[3])) if order == "dmy" else (int(m[3]), int(m[1]))
        year = int(m[4]) if len(m[4]) == 4 else int(m[4]) + (2000 if int(m[4]) < _CENTURY else 1900)
        time = None
        if m[5]:
            hour = int(m[5]) % 12 + 12 * (m[8].lower() == "p") if m[8] else int(m[5])
            time = hour, int(m[6]), int(m[7] or 0)
        return _iso(year, month, day, time)
    if m := _YEAR_FIRST.fullmatch(text):
        return _iso(int(m[1]), int(m[3]), int(m[4]))
    if m := _DAY_FIRST.fullmatch(text):
        return _iso(int(m[3]), _NUMBER_OF.get(m[2].casefold(), 0), int(m[1]))
    if m := _MONTH_FIRST.fullmatch(text):
        return _iso(int(m[3]), _NUMBER_OF.get(m[1].casefold(), 0), int(m[2]))
    return None


def choose_order(cells: Sequence[str]) -> tuple[Order | None, int]:
    """Return the day order of most cells and its count, None for a tie. ``03.05.2016`` is 3 May."""
    counts: dict[Order, int] = {order: sum(read_day(c, order) is not None for c in cells) for order in ("dmy", "mdy")}
    if counts["dmy"] != counts["mdy"]:
        return max(counts, key=lambda o: counts[o]), max(counts.values())
    differs = any(read_day(c, "dmy") != read_day(c, "mdy") for c in cells if "." not in c)
    return (None if differs else "dmy"), counts["dmy"]


def _iso(year: int, month: int, day: int, time: tuple[int, int, int] | None = None) -> str | None:
    try:
        if time is None:
            return datetime.date(year, month, day).isoformat()
        return datetime.datetime(year, month, day, *time).isoformat()
    except ValueError:
        return None
