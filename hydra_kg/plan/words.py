"""A plan in one line of plain English: "films directed by James Cameron → whose release date is in 1986 → how many"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hydra_kg.language.numbers import ordinal
from hydra_kg.plan.model import (
    Adjacent,
    Among,
    Both,
    Compare,
    Condition,
    Constant,
    Count,
    Difference,
    Either,
    Every,
    Extreme,
    Holds,
    Lived,
    Named,
    OfKind,
    Only,
    Plan,
    Related,
    Root,
    Some,
    Today,
    Untrue,
    Value,
    Where,
    Without,
)
from hydra_kg.plan.serialise import PlanError, plan_from_json
from hydra_kg.text.articles import with_article

_MARK: Final = "_"
_ENDS: Final = {
    ("number", "max"): "greatest",
    ("number", "min"): "smallest",
    ("date", "max"): "latest",
    ("date", "min"): "earliest",
    ("any", "max"): "greatest",
    ("any", "min"): "smallest",
}
_SIGNS: Final = {"<": "is less than", ">": "is more than", "=": "is"}
_DATED: Final = {"<": "is before", ">": "is after", "=": "is"}
_OPS: Final = {"<": "below", "<=": "at most", "=": "", ">=": "at least", ">": "above"}


def plan_words(plan: Plan) -> str:
    """The plan for people, in one line; what it does not check stands at the end, and that a model wrote it."""
    text = words(plan.root)
    if plan.open:
        text = f"all but: {text}"
    if plan.unused:
        text += f" (not checked: {', '.join(plan.unused)})"
    return f"{text} (as the model reads it)" if plan.by == "model" else text


def stored_plan_words(document: object) -> str:
    """The plan of a kept answer for people; "" for a document that is none, as one that was cut to size may be."""
    try:
        return plan_words(plan_from_json(document))
    except PlanError:
        return ""


def words(root: Root) -> str:
    """One operator and what is below it, in words."""
    match root:
        case Named():
            return f"the {root.noun} {root.text}" if root.noun else root.text
        case Related():
            return _related(root)
        case OfKind():
            return f"{words(root.of)} → that are {root.noun}"
        case Both():
            first, *more = root.parts
            return " → also ".join([_inside(first), *(_inside(_without_noun(p, first)) for p in more)])
        case Either():
            return " or ".join(map(_inside, root.parts))
        case Without():
            return f"{words(root.of)} → but not {_inside(_without_noun(root.less, root.of))}"
        case Where():
            return f"{words(root.of)} → {_condition(_first(root.attribute), root.condition)}"
        case Extreme():
            return f"{words(root.of)} → with the {_place(root.rank)}{_best(root)}"
        case Compare():
            return f"{' or '.join(map(_inside, root.things))} → the one with the {_best(root)}"
        case Adjacent():
            return _adjacent(root)
        case Value():
            return f"the {_first(root.attribute)} of {_inside(root.of)}"
        case Count():
            return f"{words(root.of)} → how many{' times' if root.times else ''}"
        case Difference():
            unit = f", in {root.unit}" if root.unit else ""
            return f"{words(root.high)} less {words(root.low)}{unit}"
        case Constant():
            return root.words
        case Today():
            return "today"
        case Holds():
            dates = "date" in {getattr(root.left, "kind", ""), getattr(root.right, "kind", "")}
            return f"whether {words(root.left)} {(_DATED if dates else _SIGNS)[root.op]} {words(root.right)}"
        case Among():
            return _among(root)
        case Some():
            return f"whether there {'is one' if root.least == 1 else f'are at least {root.least}'}: {words(root.of)}"
        case Every():
            return " and ".join(map(words, root.parts))
        case Only():
            return f"only {words(root.of)}"
        case Untrue():
            return f"the opposite of {words(root.of)}"
        case Lived():
            return f"whether {words(root.of)} was there: {root.verb} {root.during.words}"


def _inside(root: Root) -> str:
    """In brackets where it is a chain of operators itself."""
    text = words(root)
    return f"({text})" if " → " in text else text


def _without_noun(root: Root, first: Root) -> Root:
    """A relation without its noun where the one before says it: "films by _ → also directed by _"."""
    if isinstance(root, Related) and getattr(first, "noun", "") == root.noun and not root.phrase.startswith(_MARK):
        return replace(root, noun="")
    return root


def _related(root: Related) -> str:
    inner, phrase = _inside(root.of), f" {root.said or root.phrase} "
    noun = "" if root.noun and f" {root.noun} " in phrase else root.noun
    text = phrase.replace(f" {_MARK} s ", f" {_MARK}'s ", 1).replace(f" {_MARK}", f" {inner}", 1).strip()
    if noun:
        text = f"{noun} that {text}" if root.phrase.startswith(_MARK) else f"{noun} {text}"
    else:
        text = text.removeprefix("that ")
    return f"{text} {root.during.words}" if root.during is not None else text


def _among(root: Among) -> str:
    item, today = _inside(root.item), "today " * root.today
    if isinstance(root.of, OfKind) and root.of.of == root.item:
        return f"whether {item} is {today}{with_article(root.of.noun)}"
    if isinstance(root.of, Related) and root.of.said and not root.of.noun:
        return f"whether {item} {_related(root.of)}{' today' * root.today}"
    return f"whether {item} is {today}among: {words(root.of)}"


def _condition(attribute: str, condition: Condition) -> str:
    if condition.op in {"exists", "lacks"}:
        return f"that have {'a' if condition.op == 'exists' else 'no'} {attribute}"
    condition_text = (
        condition.words or " ".join([_OPS.get(condition.op, ""), f"{condition.low:g}", condition.unit]).strip()
    )
    return f"whose {attribute} is {condition_text}"


def _best(root: Extreme | Compare) -> str:
    if root.counted:
        most = "most" if root.order == "max" else "fewest"
        return f"{most} {root.counted.replace(f'of {_MARK}', '').replace(_MARK, 'it').strip()}"
    if root.since:
        longest = "longest" if root.order == "max" else "shortest"
        return f"{longest} time from {_first(root.since)} to {_first(root.attribute)}"
    return f"{_ENDS[root.kind, root.order]} {_first(root.attribute)}"


def _adjacent(root: Adjacent) -> str:
    of = f"{words(root.of)} → the" if root.of is not None else f"the {root.noun}".strip()
    by = f" by {_first(root.attribute)}" if root.attribute else ""
    return f"{of} next {'after' if root.step > 0 else 'before'} {_inside(root.item)}{by}"


def _place(rank: int) -> str:
    if rank == 1:
        return ""
    return f"{ordinal(rank)} "


def _first(attribute: str) -> str:
    return attribute.split("; ", 1)[0]
