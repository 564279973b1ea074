"""Checks Cypher that a model wrote, word by word: only reading clauses and the names shown to the model pass.

A model sees things, relations and values, but not how the store represents them. In its query, ``Thing`` and the
names of relations become labels and types, and ``number(v)`` and ``text(v)`` become the value of a node. Everything
that is not known to be harmless is refused. The server is asked to check the query again
(:mod:`hydra_kg.stores.neo4j.reads.cypher_queries`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from hydra_kg.text.quoting import cypher_name
from hydra_kg.util.fast_dataclass import dataclass, field

LONGEST: Final = 2_000
"""Most characters of a query."""

FARTHEST: Final = 4
"""Most steps of a pattern of variable length."""

_SHOWN: Final = 10
"""Most relations that are suggested when an unknown one was used."""

_TOKEN: Final = re.compile(
    r"(?P<space>\s+)|(?P<string>'[^'\\]*'|\"[^\"\\]*\")|(?P<number>\d+(?:\.\d+)?)|(?P<parameter>\$[A-Za-z]\w*)"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<sign>\.\.|->|<-|<=|>=|<>|!=|[-()\[\]{},:|.=<>+*/%])",
    re.ASCII,
)
_KEYWORDS: Final = frozenset(
    "match optional where with return distinct as and or not xor in is null order by asc desc ascending descending"
    " limit skip contains starts ends case when then else end unwind union all true false".split()
)
_FUNCTIONS: Final = frozenset(
    "count collect sum avg min max abs round size coalesce head last tolower toupper trim any none single relationships"
    " nodes length".split()
)
_CLAUSES: Final = frozenset(
    "call load create merge delete detach nodetach set remove foreach use show drop alter grant deny revoke terminate"
    " start stop explain profile cypher yield insert finish let filter next for using exists count collect from csv"
    " transactions".split()
)
"""Words that are refused even where they might be names."""

_PROPERTIES: Final = frozenset("id key name".split())
_VALUES: Final = {"number": "toFloat(split({}.o, '\"')[1])", "text": "split({}.o, '\"')[1]"}
_BEGIN: Final = frozenset("match optional unwind with".split())


class RefusedError(ValueError):
    """Raised for a query that is not run. The message is a clause with the reason, for the model that wrote it."""


@dataclass(frozen=True, slots=True)
class QueryNames:
    """Names for a query: ``relations`` with their types, ``values`` with predicate ids, and its ``parameters``."""

    relations: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, int] = field(default_factory=dict)
    parameters: Collection[str] = ()


def rewritten(text: str, known: QueryNames) -> str:
    """Return the query with the store's own labels and types. Raise RefusedError."""
    if len(text) > LONGEST:
        raise RefusedError("it is too long")
    tokens = list(_tokens(text))
    if not tokens or tokens[0][1].casefold() not in _BEGIN:
        raise RefusedError("it does not begin with MATCH")
    return _Rewriting(tokens, known).text()


def _tokens(text: str) -> list[tuple[str, str]]:
    """Split a query into tokens. Raises RefusedError for other characters."""
    found, at = [], 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            raise RefusedError(f"it holds {text[at]!r}")
        if m.lastgroup != "space":
            found.append((str(m.lastgroup), m[0]))
        at = m.end()
    return found


class _Rewriting:
    """One pass over the words of a query.

    ``open`` has the brackets around a place; ``[-`` is the bracket of a relationship.
    """

    def __init__(self, tokens: list[tuple[str, str]], known: QueryNames) -> None:
        self.tokens, self.known = tokens, known
        self.open: list[str] = []
        self.predicate: int | None = None

    def text(self) -> str:
        """Return all words, each in the form of the store."""
        out, at = [], 0
        while at < len(self.tokens):
            kind, word = self.tokens[at]
            if kind == "word" and self._text(at + 1) == "(" and (macro := _VALUES.get(word.casefold())):
                if self._kind(at + 2) != "word" or self._text(at + 3) != ")":
                    raise RefusedError(f"{word} takes one value")
                out.append(macro.format(self.tokens[at + 2][1]))
                at += 4
                continue
            out.append(self._one(at, kind, word))
            at += 1
        if self.open or self.predicate is not None:
            raise RefusedError("its brackets do not close")
        return " ".join(out)

    def _one(self, at: int, kind: str, word: str) -> str:
        if kind == "parameter":
            if word[1:] not in self.known.parameters:
                raise RefusedError(f"there is no {word}")
            return word
        if kind == "word":
            return self._word(at, word)
        return self._sign(at, "<>" if word == "!=" else word) if kind == "sign" else word

    def _word(self, at: int, word: str) -> str:
        """Return an allowed word of a query in Cypher. Raises RefusedError for others."""
        before, after, low = self._text(at - 1), self._text(at + 1), word.casefold()
        inside = self.open[-1] if self.open else ""
        if before == ".":
            if low not in _PROPERTIES or after in ("(", "."):
                raise RefusedError(f"nothing has a property {word}{self._instead(word, self._text(at - 2))}")
            return low
        if inside == "{" and after == ":":
            if low not in _PROPERTIES | {"subject"}:
                raise RefusedError(f"nothing has a property {word}{self._instead(word, 'x')}")
            return low
        if inside != "{" and (before == ":" or (before == "|" and inside == "[-")):
            return self._named(word, relation=inside == "[-")
        if low in _KEYWORDS or (low in _FUNCTIONS and after == "("):
            return word
        if after == "(" or low in _CLAUSES or not all(self._is_neighbour(k) for k in (at - 1, at + 1)):
            raise RefusedError(f"it uses {word}")
        return word

    def _instead(self, word: str, of: str) -> str:
        """Return a hint how to get a value that the query used like a property."""
        if word not in self.known.values:
            return ""
        return f": MATCH (v:{word} {{subject: {of}.id}}), then number(v) or text(v), and v among the facts"

    def _is_neighbour(self, at: int) -> bool:
        """Return True if a variable may be next to this word.

        It may be next to a sign or a word of a clause, but to no other name.
        """
        kind, word = self.tokens[at] if 0 <= at < len(self.tokens) else ("", "")
        return kind in ("", "sign") or (kind == "word" and word.casefold() in _KEYWORDS)

    def _named(self, word: str, *, relation: bool) -> str:
        """Return a relation or class of the graph in Cypher. Raises RefusedError for unknown ones."""
        if relation:
            if word not in self.known.relations:
                some = ", ".join(list(self.known.relations)[:_SHOWN])
                raise RefusedError(f"there is no relation {word} between things, but {some or 'none'}")
            return cypher_name(self.known.relations[word])
        if word in self.known.values:
            self.predicate = self.known.values[word]
            return "HydraValue"
        if word != "Thing":
            raise RefusedError(f"there is no {word}: a thing is (x:Thing), a value (v:relation {{subject: x.id}})")
        return "HydraEntity"

    def _sign(self, at: int, sign: str) -> str:
        """Return an allowed sign and note which brackets are open. Raises RefusedError for others."""
        before = self._text(at - 1)
        inside = self.open[-1] if self.open else ""
        if (sign == "|" and inside not in ("[-", "[")) or (before == ":" and inside != "{"):
            raise RefusedError(f"it uses {sign}")
        if sign in "([{":
            if sign == "{" and not (
                self.open[-1:] == ["("] and self._kind(at - 1) in ("word", "sign") and before != ")"
            ):
                raise RefusedError("it uses braces for more than a pattern of a thing")
            self.open.append("[-" if sign == "[" and before in ("-", "<-") else sign)
            if sign == "{" and self.predicate is not None:
                predicate, self.predicate = self.predicate, None
                if self._text(at + 1) != "subject":
                    raise RefusedError("a value is (v:relation {subject: x.id})")
                return f"{{p: {predicate},"
        elif sign in ")]}":
            if not self.open or self.open.pop()[0] != {")": "(", "]": "[", "}": "{"}[sign]:
                raise RefusedError("its brackets do not close")
            if self.predicate is not None:
                raise RefusedError("a value is (v:relation {subject: x.id})")
            if sign == ")" and self._repeats(at):
                raise RefusedError("it repeats a pattern")
        elif sign == "*" and self.open[-1:] == ["[-"]:
            self._bounded(at)
        return sign

    def _repeats(self, at: int) -> bool:
        """Return True if a closing bracket is followed by a repetition of its pattern, and not by a sum."""
        mark, after = self._text(at + 1), self._text(at + 2)
        return mark in ("+", "*") and (after in ("", "-", "->", "<-", ",") or after.casefold() in _KEYWORDS)

    def _bounded(self, at: int) -> None:
        """Raise RefusedError for a pattern of variable length without a small upper limit."""
        upper = next((k for k in range(at + 1, at + 5) if self._text(k) == "]"), 0)
        end = self._text(upper - 1) if upper else ""
        if not end.isdigit() or int(end) > FARTHEST:
            raise RefusedError(f"a pattern of variable length may have {FARTHEST} steps: *1..{FARTHEST}")

    def _text(self, at: int) -> str:
        return self.tokens[at][1] if 0 <= at < len(self.tokens) else ""

    def _kind(self, at: int) -> str:
        return self.tokens[at][0] if 0 <= at < len(self.tokens) else ""
