"""Make the plan of an English question: the first reading that accounts for all of its words, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from hydra_kg.agents import answer_type_words
from hydra_kg.agents.answer_type_words import is_claim
from hydra_kg.agents.planning import lexicon
from hydra_kg.agents.planning.amount_conditions import Amounts
from hydra_kg.agents.planning.checked_conditions import AGGREGATES, LIMITING
from hydra_kg.agents.planning.lexicon import is_common, is_office
from hydra_kg.agents.planning.nouns import Exhausted
from hydra_kg.agents.planning.predicates import measured
from hydra_kg.agents.planning.question_forms import Questions, QuestionTarget
from hydra_kg.agents.planning.relation_wording import as_said
from hydra_kg.agents.planning.tokens import QuestionToken, readings
from hydra_kg.domain import Mention
from hydra_kg.language.lexicon import lexicon_table, list_words
from hydra_kg.language.units import unit_spellings
from hydra_kg.plan.model import (
    Among,
    Both,
    Compare,
    Condition,
    Count,
    Extreme,
    Named,
    Plan,
    Related,
    Root,
    Things,
    Value,
)
from hydra_kg.plan.walk import changed, depth, operators

MOST_WORDS: Final = 40
"""Largest number of words of a question that is parsed."""

MOST_NESTED: Final = 8
"""Largest depth of nested operators. A deeper plan comes from a wrong parse."""

_TYPES: Final = {
    **dict.fromkeys(("Count", "Difference"), "number"),
    **dict.fromkeys(("Holds", "Among", "Some", "Every", "Only", "Untrue"), "boolean"),
}

_STATED_IN: Final = list_words("stated_unit") | {"square kilometres"}
"""Units in which graphs state lengths, areas, masses and times."""

_NAMES: Final = frozenset({"_ s name", "_ s names", "name of _", "names of _"})
_PEOPLE_THERE: Final = frozenset({"people in _", "people of _", "people from _"})

_BY_AGE: Final = frozenset({"youngest", "oldest"})

_NOW: Final = re.compile(r"\b(?:currently|presently|today|nowadays|these days|right now|still)\b", re.IGNORECASE)


def plan_of(question: str, mentions: Sequence[Mention]) -> Plan | None:
    """Return the plan of a question or claim with linked names.

    It is None if no reading accounts for the question, or if the role or meaning of a name is unknown.
    """
    if not mentions:
        return None
    for tokens in readings(question, mentions):
        if len(tokens) > MOST_WORDS or not any(t.mention for t in tokens):
            continue
        if any(t.text in AGGREGATES for t in tokens if not t.mention):
            continue
        for during, said, lenient in _timed_parts(tokens):
            grammar = Questions(said, lenient=lenient)
            try:
                asked = next(_asked(grammar, question), None)
            except Exhausted:
                continue
            if asked is not None and during is not None:
                if (value := _value_during(measured(asked.root), during)) is not None:
                    return _plan(replace(asked, root=value), tokens)
            elif asked is not None and not _is_one_fact(asked.root) and depth(asked.root) <= MOST_NESTED:
                plan = _plan(asked, tokens)
                if isinstance(asked.root, Among) and any(t.text in LIMITING for t in tokens if not t.mention):
                    return None  # spoken there does not mean only there
                if operators(plan) and any(map(_is_kind, tokens)):
                    return None
                return replace(plan, root=as_said(plan.root, tokens))
    return None


def _is_one_fact(root: Root) -> bool:
    """Return True if one fact about two names is asked for ("who plays _ in _"), not a set."""
    if not isinstance(root, Both) or not all(isinstance(p, Related) and isinstance(p.of, Named) for p in root.parts):
        return False
    phrases = [p.phrase for p in root.parts if isinstance(p, Related)]
    verbs = {p.replace("_", "").split()[0] for p in phrases}
    return len(verbs) == 1 and len(set(phrases)) == len(phrases)


def _is_kind(token: QuestionToken) -> bool:
    """Return True if a name is a kind ("a drama film"), which the graph writes in small letters."""
    m = token.mention
    if m is None or m.chosen is None or not m.text.islower() or not is_common(m.text):
        return False
    words = m.chosen.node.name.split()
    return len(words) < 2 or words[-1].islower()


def _asked(grammar: Questions, question: str) -> Iterator[QuestionTarget]:
    if is_claim(question) and not grammar.asks():
        yield from (QuestionTarget(root) for root in grammar.claim(now=_NOW.search(question) is not None))
        return
    yield from grammar.question()


def _timed_parts(tokens: Sequence[QuestionToken]) -> Iterator[tuple[Condition | None, Sequence[QuestionToken], bool]]:
    """Yield a time at an end of the question, the other words, and whether to read them leniently.

    The whole question follows, without a time.
    """
    grammar = Amounts(tokens)
    for i in range(len(tokens)):
        condition, end = grammar.time(i) or (None, 0)
        if condition is not None and condition.op == "in" and (i == 0 or end == len(tokens)):
            yield condition, tokens[:i] or tokens[end + (grammar.word(end) == ",") :], False
    yield from ((None, tokens, lenient) for lenient in (False, True))


def _value_during(root: Root, during: Condition) -> Value | None:
    """Return the number that is asked for of a time; the people living in a place then are its population."""
    if isinstance(root, Count) and isinstance(root.of, Related) and root.of.noun in list_words("counted_as_population"):
        root = Value(root.of.of, root.stated, "number") if root.stated else root
    return replace(root, during=during) if isinstance(root, Value) and root.kind == "number" else None


def _of_the_whole(operator: Root) -> Root:
    """Return one relation for two nested ones that graphs do not separate ("composer of music for _")."""
    if not isinstance(operator, Related) or not isinstance(operator.of, Related) or operator.of.during is not None:
        return operator
    inner = operator.of
    if operator.phrase in _NAMES:
        return inner  # a name of a thing is the thing itself
    if inner.phrase in _PEOPLE_THERE and operator.noun in list_words("of_people"):
        return replace(
            operator, of=inner.of, said=operator.phrase.replace("_", inner.phrase)
        )  # the language of a country's people is the country's
    if (joint := _stranded(operator.phrase, inner)) is not None:
        return replace(operator, of=inner.of, phrase=joint, said="")
    if inner.noun not in list_words("aspect") or "_" not in operator.phrase:
        return operator
    return replace(operator, of=inner.of, phrase=operator.phrase.replace("_", inner.phrase))


def _stranded(phrase: str, inner: Related) -> str | None:
    """Return one relation for participle and preposition ("is _ associated with").

    It is None where the preposition is one of place ("airport is in").
    """
    words, inside = phrase.split(), inner.phrase.split()
    if len(words) != 3 or words[:2] != ["_", "is"] or len(inside) != 2 or inside[0] != "_" or inside[1] != inner.noun:
        return None
    known = lexicon.verb(inner.noun)
    joined = inner.noun in list_words("belonging") or inner.noun.endswith("ed") or (known and known.form == "en")
    return f"_ is {inner.noun} {words[2]}" if joined else None


def _plan(asked: QuestionTarget, tokens: Sequence[QuestionToken]) -> Plan:
    root = measured(changed(changed(asked.root, _of_the_whole), by_near_relatives))
    kind = _TYPES.get(type(root).__name__, "")
    if isinstance(root, Value):
        kind = "date" if root.kind == "date" else "number"
    pattern = re.sub(r"[^\w]+", " ", " ".join(t.text for t in tokens)).strip()
    if not kind and not isinstance(root, Compare):
        kind = answer_type_words.answer_type(pattern)
    unused = ("not",) if asked.open else _unit(tokens) if isinstance(root, Value) else _age_in_office(root, tokens)
    noun = root.noun if isinstance(root, Related) and asked.noun in {"name", "names"} else asked.noun
    return Plan(root, noun, kind, open=asked.open, unused=unused)


def _age_in_office(root: Root, tokens: Sequence[QuestionToken]) -> tuple[str, ...]:
    """Return "youngest" or "oldest" if the plan orders holders of an office, because the date of birth does not tell.

    The holder who was born last need not have been the youngest in office.
    """
    if not isinstance(root, Extreme) or not isinstance(root.of, Related) or not is_office(root.of.noun):
        return ()
    return tuple(t.text for t in tokens if t.text.casefold() in _BY_AGE)


def _unit(tokens: Sequence[QuestionToken]) -> tuple[str, ...]:
    """Return the unit at the end of the question ("in feet"), if graphs do not state such values in it."""
    words = [t.text for t in tokens]
    for length in (1, 2):
        unit = unit_spellings().get(tuple(words[-length:]))
        if unit is not None and words[-length - 1 : -length] == ["in"] and unit not in _STATED_IN:
            return (" ".join(words[-length - 1 :]),)
    return ()


_CHILDREN: Final = re.compile(r"child(?:ren)?$")


def by_near_relatives(operator: Root) -> Root:
    """Return a relation to a distant relative as a chain of near relatives; other operators are returned unchanged."""
    if not isinstance(operator, Related) or operator.during is not None:
        return operator
    found = _pattern().search(operator.phrase)
    if found is None:
        return operator
    kin = found[0]
    nearest, *others = _table()[kin]
    root: Things = operator.of
    for relative in reversed(others):
        root = Related(root, f"{relative} of _", relative)
    return Related(root, operator.phrase.replace(kin, nearest), operator.noun.replace(kin, nearest))


@cache
def _table() -> Mapping[str, Sequence[str]]:
    """Return the chain of near relatives, outermost first, for each distant relative, singular and plural."""
    rows = [(kin, near.split()) for kin, near in lexicon_table("kin")]
    return {**dict(rows), **{_plural(kin): [_plural(near), *rest] for kin, (near, *rest) in rows}}


def _plural(noun: str) -> str:
    return f"{noun}ren" if _CHILDREN.search(noun) else f"{noun}s"


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(_table(), key=len, reverse=True))})\b")
