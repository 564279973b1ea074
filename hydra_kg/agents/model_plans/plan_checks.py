"""Check that a model's plan uses only words of the question, and that it accounts for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Final

from hydra_kg.agents.model_plans.plan_steps import plan_of_steps
from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.amount_conditions import Amounts
from hydra_kg.agents.planning.tokens import words_of
from hydra_kg.agents.replies.schemas import OTHER, PlanStep
from hydra_kg.domain import Analysis, Mention
from hydra_kg.language.dates import month_number
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular_candidates
from hydra_kg.language.number_words import number_words
from hydra_kg.plan.model import (
    Among,
    Compare,
    Condition,
    Constant,
    Count,
    Difference,
    Extreme,
    Holds,
    Named,
    Plan,
    Related,
    Root,
    Value,
    Where,
)
from hydra_kg.plan.serialise import PlanError
from hydra_kg.plan.walk import operators, parts

_LONGEST: Final = 80
"""Largest number of words of a question that is compared with a plan."""

_ORDERS: Final = frozenset({"Extreme", "Compare", "Adjacent", "Holds", "Difference"})
_PLACES: Final = list_words("most least rank")
_SPANS: Final = list_words("length_of_time")
_MANY: Final = list_words("counting")
_NUMBERS: Final = frozenset({"Count", "Difference", "Value"})
_NEGATIONS: Final = lexicon.NEGATIONS | {"nor", "neither", "without", "except"}
_TIMES: Final = frozenset("before after since until".split())
_NARROWING: Final = _NEGATIONS | _TIMES | _PLACES | number_words("ordinal").keys() | list_words("narrowing")
_ASKING: Final = list_words("asking_of_a_plan")


def model_plan(
    steps: Sequence[PlanStep], analysis: Analysis, mentions: Sequence[Mention], *, free: bool = False
) -> Plan:
    """Return the plan of the steps, after checking it against the question.

    free: the plan may use any words, which are looked up later.

    Raises PlanError as :func:`plan_of_steps` does. It also raises PlanError for words that are not the question's, for
    words of the question that the plan omits ("it leaves out “not”"), and for another type of answer.
    """
    own = [t.text for t in words_of(analysis.question, ())][:_LONGEST]
    for step in steps:
        if step.op == OTHER:
            raise PlanError(f"“{step.by}” is no step")
        for token in () if free else words_of(step.by, ()):
            if not _is_own(token.text, own, values=step.op != "follow"):
                raise PlanError(f"the question does not say “{token.text}”")
    plan = plan_of_steps(steps, mentions)
    if (analysis.kind == "boolean") != (_type(plan.root) == "boolean"):
        raise PlanError("it does not answer yes or no" if analysis.kind == "boolean" else "it answers yes or no")
    if analysis.kind == "count" and _type(plan.root) != "number":
        raise PlanError("it gives no number")
    if isinstance(plan.root, Count) and analysis.kind != "count" and {"number", "many"}.isdisjoint(own):
        raise PlanError("it counts what is not to be counted")
    # A choice among names needs no kind.
    known = analysis.answer_noun.split() if isinstance(plan.root, Compare) else ()
    account = _Account(plan, analysis.question, mentions)
    if not free and (left := next((w for w in account.left_out() if w not in known), "")):
        raise PlanError(f"it leaves out “{left}”")
    return replace(plan, answer_type=_type(plan.root) or analysis.answer_type)


def _type(root: Root) -> str:
    """Return the type of answer that an operator gives, or "" for things."""
    if isinstance(root, Holds | Among):
        return "boolean"
    if isinstance(root, Value) and root.kind == "date":
        return "date"
    return "number" if isinstance(root, Value | Count | Difference) else ""


def _is_own(word: str, own: Sequence[str], *, values: bool) -> bool:
    """Return True if a word is in the question, is neutral, or, with ``values``, names a value ("tallest")."""
    if word in own:
        return True
    if word in _NARROWING or lexicon.superlative(word) or lexicon.comparative(word):
        return False
    if word in lexicon.CLOSED or (values and (word in lexicon.value_words() or lexicon.event((word,)))):
        return True
    return word.isalpha() and any(_same(word, other) for other in own)


def _same(word: str, other: str) -> bool:
    """Return True if two words are forms of one word."""
    if word == other or not set(singular_candidates(word)).isdisjoint(singular_candidates(other)):
        return True
    lemmas = {v.lemma for v in lexicon.verbs(word)} or {word}
    return not lemmas.isdisjoint({v.lemma for v in lexicon.verbs(other)} or {other})


class _Account:
    """Account of the question's words for which the operators of a plan stand."""

    def __init__(self, plan: Plan, question: str, mentions: Sequence[Mention]) -> None:
        self._every = list(parts(plan.root))
        self._operators = operators(plan)
        named = {p.text for p in self._every if isinstance(p, Named)}
        self._reader = Amounts(words_of(question, [m for m in mentions if m.text in named])[:_LONGEST])
        self._said = [t.text for p in self._every for text in _texts(p) for t in words_of(text, ())]
        self._stated = {t.text for p in self._every for text in _stated(p) for t in words_of(text, ())}
        self._attributes = {w for p in self._every for w in _wordings(getattr(p, "attribute", ""))}

    def left_out(self) -> Iterator[str]:
        """Return the words of the question that no operator of the plan accounts for."""
        for i, word in enumerate(self._reader.words):
            if not self._reader.is_mention(i) and not self._narrows(i, word):
                yield word

    def _narrows(self, i: int, word: str) -> bool:
        """Return True if a word that narrows the answer has its operator; other words need only occur in the plan."""
        has = self._operators.isdisjoint
        place = self._reader.ordinal(i)
        if word in _NEGATIONS:
            lacks = any(isinstance(p, Where) and p.condition.op == "lacks" for p in self._every)
            return lacks or "Without" in self._operators
        if word == "both":
            return "Both" in self._operators
        if word in self._stated:
            return True
        if place is not None:
            ranked = any(isinstance(p, Extreme) and p.rank == place for p in self._every)
            return ranked or (place == 1 and not has(_ORDERS))
        if word[:1].isdigit() or month_number(word) or word in _TIMES:
            return word in _TIMES and not has(_ORDERS)
        if lexicon.superlative(word) or lexicon.comparative(word) or word in _PLACES:
            return not has(_ORDERS)
        if word in _MANY | _SPANS:
            return not has(_NUMBERS | _ORDERS) or word in self._said
        return word in lexicon.CLOSED or word in _ASKING or self._says(i, word)

    def _says(self, i: int, word: str) -> bool:
        """Return True if a word is in the plan in some form, or names a value of it, alone or with a neighbour."""
        pairs = ((word, self._reader.word(i + 1)), (self._reader.word(i - 1), word))
        meant = frozenset().union(*(_values_of(*pair) for pair in pairs))
        return any(_same(word, other) for other in self._said) or not self._attributes.isdisjoint(meant)


def _texts(operator: Root) -> Iterator[str]:
    """Return all words of an operator, without those of its operands."""
    for field in fields(operator):
        value = getattr(operator, field.name)
        if isinstance(value, str) and not isinstance(operator, Named):
            yield value
        elif isinstance(value, Condition):
            yield from (value.words, value.unit)


def _wordings(attribute: str) -> Iterator[str]:
    yield from (w.strip() for w in attribute.split(";") if w.strip())


def _stated(operator: Root) -> Iterator[str]:
    """Yield the dates and numbers that an operator compares with, in the question's words."""
    if isinstance(operator, Constant):
        yield operator.words
    condition = operator.condition if isinstance(operator, Where) else None
    if isinstance(operator, Related):
        condition = operator.during
    if condition is not None:
        yield condition.words


def _values_of(word: str, following: str) -> frozenset[str]:
    """Return the values that one or two words may name: "came out" the release date, "tall" the height."""
    measures = (lexicon.measures().get(word), lexicon.adjective(word), lexicon.comparative(word))
    found = [m.attribute for m in measures if m is not None]
    found += [lexicon.event((word,)), lexicon.event((word, following))]
    found += [v.made for v in lexicon.verbs(word)]
    return frozenset(w for attribute in found for w in _wordings(attribute))
