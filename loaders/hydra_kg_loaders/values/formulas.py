"""Translate formulas over the columns of a table, such as ``(price - cost) / price``, into SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.errors import UsageError
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.values.written_numbers import POINT

_SIGNS: Final = {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"}
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<sign>[-+*/()])|(?P<quoted>\"[^\"]+\")|(?P<word>[^\W\d]\w*))"
)
_DIGITS: Final = 10
"""Number of decimal places of results."""


def formula_sql(text: str, columns: Sequence[str], what: str) -> str:
    """Return a formula as SQL for text, over the cells c0 … of the columns.

    ``what`` is the name that it defines, for errors. Raises UsageError if the formula cannot be read or names no
    column.
    """
    value = _Formula(text, columns, what).sql()
    decimal = f"CAST(CAST(round({value}, {_DIGITS}) AS DECIMAL(28, {_DIGITS})) AS VARCHAR)"
    return f"rtrim(rtrim({decimal}, '0'), '.')"


class _Formula:
    """Parser that translates a formula into SQL by recursive descent."""

    def __init__(self, text: str, columns: Sequence[str], what: str) -> None:
        self.text, self.columns, self.what = text, columns, what
        self.tokens = list(self._split("".join(_SIGNS.get(sign, sign) for sign in text)))
        self.place = 0

    def sql(self) -> str:
        """Return the whole formula as SQL."""
        found = self._sum()
        if self.place < len(self.tokens):
            raise self._error(f"“{self._next()[1]}” was not expected")
        return found

    def _split(self, text: str) -> Sequence[tuple[str, str]]:
        found, at = [], 0
        while text[at:].strip():
            m = _TOKEN.match(text, at)
            if m is None:
                raise self._error(f"“{text[at:].strip()[:20]}” cannot be read")
            found.append((str(m.lastgroup), m[0].strip()))
            at = m.end()
        return found

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "the end")

    def _take(self, *signs: str) -> str:
        kind, text = self._next()
        if kind != "sign" or text not in signs:
            return ""
        self.place += 1
        return text

    def _sum(self) -> str:
        found = self._product()
        while sign := self._take("+", "-"):
            found = f"({found} {sign} {self._product()})"
        return found

    def _product(self) -> str:
        found = self._factor()
        while sign := self._take("*", "/"):
            other = self._factor()
            found = f"({found} * {other})" if sign == "*" else f"({found} / nullif({other}, 0))"
        return found

    def _factor(self) -> str:
        """Return SQL for a factor: a number, a column, a bracket or a negation."""
        if self._take("-"):
            return f"(-{self._factor()})"
        if self._take("("):
            found = self._sum()
            if not self._take(")"):
                raise self._error("a bracket is not closed")
            return found
        kind, text = self._next()
        if kind == "number":
            self.place += 1
            return f"{text}::DOUBLE"
        if kind in ("word", "quoted"):
            return number_sql(f"c{self._column()}")
        raise self._error(f"{text} was not expected")

    def _column(self) -> int:
        """Return the place of the column that the next words name. The longest name is tried first."""
        names = {fold_column_name(name): n for n, name in enumerate(self.columns)}
        run = 0
        while self.place + run < len(self.tokens) and self.tokens[self.place + run][0] == self._next()[0]:
            run += 1
        for size in range(run, 0, -1):
            said = " ".join(text.strip('"') for _, text in self.tokens[self.place : self.place + size])
            if (found := names.get(fold_column_name(said))) is not None:
                self.place += size
                return found
        raise self._error(f"there is no column “{self._next()[1]}”")

    def _error(self, problem: str) -> UsageError:
        return UsageError(
            f"In feeds.yaml, the formula of {self.what} cannot be used: {problem}.",
            remedy=f"Write it with + - * / ( ), numbers and these columns: {', '.join(self.columns)}.",
        )


def number_sql(cell: str) -> str:
    """Return SQL for the number in a rewritten cell: ``1,250 €`` is 1250, and NULL if it is not a number."""
    pattern = sql_text(f"^(?:{POINT.pattern})$")
    sign = f"CASE WHEN regexp_matches(regexp_extract({cell}, {pattern}, 1), '[(−–-]') THEN -1 ELSE 1 END"
    bare = f"replace(replace(regexp_extract({cell}, {pattern}, 3), ',', ''), '−', '-')"
    return f"({sign} * TRY_CAST({bare} AS DOUBLE))"


def fold_column_name(name: str) -> str:
    """Return a column's name in lower case, with spaces for underscores."""
    return re.sub(r"[\s_]+", " ", name).strip().casefold()
