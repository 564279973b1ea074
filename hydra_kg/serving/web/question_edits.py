"""Offer changes of a question: each condition and operator of its query, with the questions that it would become.

"Which boats cost more than 40000?" has the condition "price is more than 40000". It can be removed, its bound can be
another number, and "more than" can be "less than".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final, cast

from hydra_kg.language.adjectives import opposite_superlative
from hydra_kg.plan import model as m
from hydra_kg.plan.query_wording import words
from hydra_kg.plan.serialise import PlanError, query_from_json
from hydra_kg.plan.walk import parts
from hydra_kg.util.fast_dataclass import dataclass

VALUE: Final = "{value}"
"""Placeholder in a question for another value of a condition."""

Json = dict[str, Any]

_FUNCTIONS: Final = {"mean": "average", "median": "median", "sum": "total", "min": "lowest", "max": "highest"}
_BOUNDS: Final = {
    "number": {">": "more than", "<": "less than", ">=": "at least", "<=": "at most", "=": "exactly"},
    "date": {">": "after", "<": "before", "=": "in"},
}
_NUMBER: Final = re.compile(r"-?\d[\d,.]*\d|\d")


def question_edits(question: str, answer: Mapping[str, Any]) -> list[Json]:
    """Return the conditions and operators of an answer's query that can be changed, each with the new questions.

    - ``kind``: "condition", "operator" or "order"
    - ``text``: the condition or operator in words
    - ``without``: the question without it, or ""
    - ``changes``: ``text`` and ``question`` of other bounds, functions and orders
    - ``value``: its value, or "", and ``with_value``: the question with :data:`VALUE` in the place of that
    """
    root, query = edited_query(answer), answer.get("query")
    tables = bool(query) and query != (answer.get("plan") or {}).get("root")
    return [] if root is None else list(_Editor(question, root, tables=tables).edits())


def edited_query(answer: Mapping[str, Any]) -> m.Root | None:
    """Return the query of an answer, or else that of its plan, or None."""
    try:
        return query_from_json(answer.get("query") or (answer.get("plan") or {}).get("root"))
    except PlanError:
        return None


def question_words(root: m.Root) -> str:
    """Return a query as a question: "What is the average price of boats whose harbour is Kiel?"."""
    match root:
        case m.Count():
            return f"How many {_plain(root.of)} are there?"
        case m.Aggregate() if root.attribute:
            return f"What is the {_FUNCTIONS[root.function]} {root.attribute} of {_plain(root.of)}?"
        case m.Value() | m.Difference() | m.Ratio() | m.Aggregate():
            return f"What is {_plain(root)}?"
        case _:
            return f"{_plain(root)}?"


@dataclass(frozen=True, slots=True)
class _Editor:
    """Writer of the changed questions. ``tables``: whether own tables answer it, which understand queries in words."""

    question: str
    root: m.Root
    tables: bool

    def edits(self) -> Iterator[Json]:
        for part in _outer(self.root):
            match part:
                case m.Where():
                    yield self._where(part)
                case m.Value() | m.Related() if part.during is not None and self.question.count(part.during.words) == 1:
                    yield self._time(part.during.words)
                case m.Having() | m.TextMatch():
                    yield self._edit("condition", clause_words(part), without=self._asked(_without(self.root, part)))
                case m.Both():
                    for one in part.parts:
                        if isinstance(one, m.Related) and one.phrase.startswith("whose "):
                            left = self._asked(_without(self.root, one))
                            yield self._edit("condition", clause_words(one), without=left)
                case m.Aggregate() if part.attribute and self.tables:
                    yield self._function(part)
                case m.Count():
                    listed = {"text": "list them", "question": f"{_plain(part.of)}?"}
                    yield self._edit("operator", "how many", changes=[listed])
                case m.Top() | m.Extreme() if part.attribute:
                    yield from self._order(part)

    def _where(self, part: m.Where) -> Json:
        condition, question = part.condition, self.question
        said = condition.words
        literal = not self.tables and bool(said) and question.count(said) == 1
        if literal and condition.kind == "date":
            without = " ".join(question.replace(said, " ").split()).replace(" ?", "?")
        else:
            without = self._asked(_without(self.root, part))

        def ask(bound: str) -> str:
            if literal:
                return question.replace(said, bound)
            return self._asked(_replaced(self.root, part, replace(part, condition=replace(condition, words=bound))))

        number = _NUMBER.search(said) if condition.kind in _BOUNDS else None
        value = number[0] if number else said if condition.values else ""
        if not value or condition.op not in ("<", "<=", "=", ">=", ">") or not (self.tables or literal):
            return self._edit("condition", clause_words(part), without=without)
        rest = said[said.index(value) :]
        bounds = [f"{text} {rest}" for text in _BOUNDS.get(condition.kind if number else "", {}).values()]
        changes = [{"text": text, "question": ask(text)} for text in bounds if text != said]
        asked = ask(said.replace(value, VALUE))
        return self._edit("condition", clause_words(part), without=without, changes=changes, value=value, asked=asked)

    def _time(self, said: str) -> Json:
        """Return the time of a statement ("in 2000"), which can be another one."""
        number = _NUMBER.search(said)
        value = number[0] if number else ""
        asked = self.question.replace(said, said.replace(value, VALUE)) if value else ""
        without = " ".join(self.question.replace(said, " ").split()).replace(" ?", "?")
        return self._edit("condition", said, without=without, value=value, asked=asked)

    def _function(self, part: m.Aggregate) -> Json:
        changes = []
        for name, text in _FUNCTIONS.items():
            if name != part.function:
                other: Any = replace(part, function=cast("Any", name))
                changes.append({"text": text, "question": self._asked(_replaced(self.root, part, other))})
        return self._edit("operator", _FUNCTIONS[part.function], changes=changes)

    def _order(self, part: m.Top | m.Extreme) -> Iterator[Json]:
        turned: Any = replace(part, order="min" if part.order == "max" else "max")
        names = [clause_words(one).removeprefix("things, only the one with the ") for one in (part, turned)]
        if self.tables:
            without, other = self._asked(_without(self.root, part)), self._asked(_replaced(self.root, part, turned))
        else:
            without, other = "", _with_opposite(self.question)
        if other:
            yield self._edit("order", names[0], without=without, changes=[{"text": names[1], "question": other}])

    def _asked(self, root: m.Root | None) -> str:
        return "" if root is None else question_words(root)

    @staticmethod
    def _edit(
        kind: str, text: str, *, without: str = "", changes: list[Json] | None = None, value: str = "", asked: str = ""
    ) -> Json:
        doc: Json = {"kind": kind, "text": text, "without": without, "changes": changes or []}
        return {**doc, "value": value, "with_value": asked}


def _with_opposite(question: str) -> str:
    """Return the question with its superlative turned round, or "" unless it has exactly one."""
    words = [word.strip("?!.,;:") for word in question.split()]
    found = [(word, opposite) for word in words if (opposite := opposite_superlative(word.lower()))]
    return question.replace(*found[0], 1) if len(found) == 1 else ""


def _outer(root: m.Root) -> Iterator[m.Root]:
    """Yield the operators of a query except those inside a condition, which are a part of its words."""
    inside: set[int] = set()
    for part in parts(root):
        if id(part) in inside:
            continue
        if isinstance(part, m.Having):
            inside |= {id(one) for one in parts(part.things)}
        yield part


def clause_words(part: Any) -> str:
    """Return an operator in words without the things that it is about."""
    alone = part if isinstance(part, m.Related) else replace(part, of=m.Class(""))
    return _plain(alone).removeprefix("things ").removeprefix("whose ")


def _plain(root: m.Root) -> str:
    return words(root).replace("“", "").replace("”", "").removeprefix("things whose ")


def _without(root: m.Root, old: Any) -> m.Root | None:
    """Return the query without a condition or order, or None if nothing would be left."""
    found = _replaced(root, old, old.of if not isinstance(old, m.Related) else m.Class(""))
    return None if isinstance(found, m.Class) and not found.noun else found


def _replaced(root: Any, old: Any, new: Any) -> Any:
    """Return the tree with one operator in place of another. Parts of an intersection that say nothing are left out."""
    if root is old:
        return new
    values: Json = {field.name: getattr(root, field.name) for field in fields(root)}
    for name, value in values.items():
        if isinstance(value, m.Operator):
            values[name] = _replaced(value, old, new)
        elif isinstance(value, tuple):
            values[name] = tuple(_replaced(v, old, new) if isinstance(v, m.Operator) else v for v in value)
    if isinstance(root, m.Both):
        left = tuple(p for p in values["parts"] if not (isinstance(p, m.Class) and not p.noun))
        return left[0] if len(left) == 1 else replace(root, parts=left) if left else m.Class("")
    return replace(root, **values)
