"""Turn values of cells into texts."""

from __future__ import annotations

import datetime
import decimal
import json
import re
from typing import Final

_HALF: Final = re.compile("[\ud800-\udfff]")


def text_of(value: object) -> str:
    """Return a value as the text of a cell.

    Integral floats have no fraction, dates are in ISO format, and bytes are empty.
    """
    if value is None or isinstance(value, bytes):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else _format_float(value)
    if isinstance(value, datetime.datetime):
        midnight = not (value.hour or value.minute or value.second or value.microsecond)
        return value.date().isoformat() if midnight else value.isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    text = f"{value:f}" if isinstance(value, decimal.Decimal) else str(value)
    return _HALF.sub("\ufffd", text).strip()


def _format_float(value: float) -> str:
    """Return a float with 15 significant digits, as spreadsheets show it: 68.66499999999999 is 68.665."""
    text = f"{value:.15g}"
    return text if "e" not in text else repr(value)
