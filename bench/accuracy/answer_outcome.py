"""Compare an answer with the gold names, ids and values of a question."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

_DROPPED = str.maketrans("", "", "$,%")


def outcome(document: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> str:
    """Return `right` if the first answer is gold, `partly` if another is, `wrong` if none is, `silent` without any."""
    said = document.get("answers") or []
    if document.get("abstained") or not said:
        return "silent"
    good = [_is_gold(one, gold) for one in said]
    return "right" if good[0] else "partly" if any(good) else "wrong"


def outcome_of_rows(document: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> str:
    """Judge answers with several columns: ``right`` if the rows of the table are the gold rows, ``partly`` if some are.

    The order of rows and columns does not count. Answers without a table are ``partly`` if gold rows have one of them.
    """
    said = document.get("answers") or []
    if document.get("abstained") or not said:
        return "silent"
    wanted = [row for one in gold if (row := _cells(one["row"]))]
    shown = [_cells(row) for row in (document.get("table") or {}).get("rows") or []]
    if not shown:
        cells = {cell for row in wanted for cell in row}
        return "partly" if any(_cells([one.get("name")])[0] in cells for one in said) else "wrong"
    good = sum(row in wanted for row in shown)
    return "right" if good == len(shown) and all(row in shown for row in wanted) else "partly" if good else "wrong"


def _cells(row: Sequence[object]) -> list[str]:
    """Return the cells of a row as they are compared: sorted, numbers rounded to four places."""
    return sorted(_cell(str(cell)) for cell in row if cell is not None and cell != "")


def _cell(text: str) -> str:
    try:
        return f"{float(text.translate(_DROPPED)):.4f}"
    except ValueError:
        return _plain(text)


def f1(document: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> float:
    """Return the F1 of the answers as a set."""
    said = [] if document.get("abstained") else document.get("answers") or []
    good = sum(_is_gold(one, gold) for one in said)
    return 2 * good / (len(said) + len(gold)) if said else 0.0


def _is_gold(said: Mapping[str, Any], gold: Sequence[Mapping[str, Any]]) -> bool:
    texts = {str(said.get("name") or ""), _lexical(str(said.get("value") or ""))} - {""}
    ids = set(said.get("ids") or [said.get("id")])
    for one in gold:
        if one.get("id") in ids - {None}:
            return True
        wanted = one.get("name", one.get("value"))
        if isinstance(wanted, bool):
            wanted = "yes" if wanted else "no"
        if any(_same(text, str(wanted)) for text in texts):
            return True
    return False


def _lexical(literal: str) -> str:
    return literal.split("^^", maxsplit=1)[0].strip('"')


def _same(one: str, other: str) -> bool:
    a, b = _plain(one), _plain(other)
    try:
        return abs(float(one.translate(_DROPPED)) - float(other.translate(_DROPPED))) <= 1e-4
    except ValueError:
        return a == b


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in decomposed if not unicodedata.combining(c)).split())
