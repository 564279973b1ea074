"""Read numbers as people write them: separators, currencies, units, brackets for negative amounts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass

SIGN: Final = (
    "(?:US|CA|AU|NZ|HK|C|A|R)?[$]|[€£¥₹₽₩₺₴₪₫₱฿]|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|RUB|BRL|AUD"
    "|CAD|NZD|ZAR|MXN|KRW|SGD|HKD|zł|Kč|kr[.]?|Fr[.]?"
)
UNIT: Final = r"%|‰|°[CF]?|[A-Za-zµ°][A-Za-zµ./]{0,14}[²³23]?"
_SPACE: Final = "[ \u00a0\u202f]"
_WHOLE: Final = "(?:0|[1-9][0-9]*)"


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
