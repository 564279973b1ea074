"""The English names of the months, as python-dateutil has them."""

from __future__ import annotations

from typing import Final

from dateutil.parser import parserinfo

MONTHS: Final = tuple(names[-1] for names in parserinfo.MONTHS)
"""January to December."""

_NUMBERS: Final = {name.casefold(): n for n, names in enumerate(parserinfo.MONTHS, 1) for name in names}


def month_number(word: str) -> int:
    """1 to 12 for the name of a month or its abbreviation, in any case; 0 for any other word."""
    return _NUMBERS.get(word.casefold(), 0)
