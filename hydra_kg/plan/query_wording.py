"""Say in plain English what a query computes; no other module words queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hydra_kg.extract.word_classes import PREPOSITIONS, VERB, kind
from hydra_kg.language.morphology import plural
from hydra_kg.language.number_words import ordinal
from hydra_kg.plan import model as m
from hydra_kg.plan.noun_phrases import NounClause, NounPhrase, owners
from hydra_kg.plan.serialise import PlanError, plan_from_json, query_from_json
from hydra_kg.text.articles import add_article

ENDS: Final = {
    "date": ("earliest", "latest"),
    "number": ("lowest", "highest"),
    "text": ("first", "last"),
    "any": ("smallest", "greatest"),
}
"""Words for the least and the greatest of a kind of value."""
FUNCTIONS: Final = {"sum": "sum", "mean": "mean", "median": "median", "min": "lowest", "max": "highest"}

_MARK: Final = "_"
_THROUGH: Final = ", directly or through others"
_SIGNS: Final = {"<": "is less than", ">": "is more than", "=": "is"}
_DATED: Final = {"<": "is before", ">": "is after", "=": "is"}
_BOUNDS: Final = {"<": "below", "<=": "at most", "=": "", "!=": "not", ">=": "at least", ">": "above", "in": "from"}
_COUNTS: Final = {**_BOUNDS, "<": "fewer than", "=": "exactly", ">": "more than"}
_MATCHES: Final = {"contains": "contain", "starts": "start with", "ends": "end with"}


def plan_words(plan: m.Plan) -> str:
    """Return a plan in one line, with the words that it does not check, and a note if a model wrote it."""
    text = words(plan.root)
    if plan.open:
        text = f"all but: {text}"
    if plan.unused:
        text += f" (not checked: {', '.join(plan.unused)})"
    return f"{text} (as the model reads it)" if plan.by == "model" else text


def asked_words(answer: Mapping[str, Any]) -> str:
    """Return in words what an answer's JSON was computed from, by its plan or query, or ""."""
    query, plan = answer.get("query"), answer.get("plan")
    try:
        if query and (not plan or (plan.get("root") != query and answer.get("steps"))):
            return words(query_from_json(query))
        return plan_words(plan_from_json(plan))
    except PlanError:
        return ""


def words(root: m.Root) -> str:
    """Return an operator and the operators below it in words."""
    match root:
        case m.Value():
            text = f"the {_first(root.attribute)} of {_inside(root.of)}" if root.attribute else _inside(root.of)
            return f"{text} {root.during.words}" if root.during is not None else text
        case m.Count() if isinstance(root.of, m.Project):
            return f"the number of different values of {words(root.of)}"
        case m.Count(of=m.GroupBy() as groups):
            return f"the number of {_inside(replace(groups, by=plural(groups.by)))}"
        case m.Count():
            return f"the number of {'times: ' if root.times else ''}{_inside(root.of)}"
        case m.Aggregate() if not root.attribute:
            return f"the {FUNCTIONS[root.function]} {_inside(root.of).removeprefix('the ')}"
        case m.Aggregate():
            return f"the {aggregate_words(root.function, root.attribute, _inside(root.of))}"
        case m.Ratio():
            return _ratio(root)
        case m.LongestRun():
            return f"the length of the longest run of {_inside(root.of)} that follow each other"
        case m.Difference():
            unit = f", in {root.unit}" if root.unit else ""
            return f"{words(root.high)} less {words(root.low)}{unit}"
        case m.Constant():
            return root.words
        case m.Today():
            return "today"
        case m.Holds() | m.Among() | m.Some() | m.Every() | m.Only() | m.Untrue():
            return _assertion(root)
        case _:
            return str(_phrase(root))


def aggregate_words(function: str, attribute: str, things: str) -> str:
    """Return an aggregate in words: "mean of running time over 6 films"."""
    of = "" if function in ("min", "max") else "of "
    return f"{FUNCTIONS[function]} {of}{_quoted(attribute)} over {things}"


def _assertion(root: m.Assertion) -> str:
    match root:
        case m.Holds():
            dates = "date" in {getattr(root.left, "kind", ""), getattr(root.right, "kind", "")}
            return f"whether {words(root.left)} {(_DATED if dates else _SIGNS)[root.op]} {words(root.right)}"
        case m.Among():
            return _among(root)
        case m.Some():
            found = _phrase(root.of)
            if found.named and found.clauses and not found.more:
                clauses = [f"{owners((found.noun, *c.of))} {c.one}" for c in found.clauses]
                return f"whether {' and '.join(clauses)}"
            return f"whether there {'is one' if root.least == 1 else f'are at least {root.least}'}: {found}"
        case m.Every():
            return " and ".join(map(words, root.parts))
        case m.Only():
            return f"only {words(root.of)}"
        case m.Untrue():
            return f"the opposite of {words(root.of)}"


def _among(root: m.Among) -> str:
    item, today = _inside(root.item), "today " * root.today
    if isinstance(root.of, m.OfKind) and root.of.of == root.item:
        return f"whether {item} is {today}{add_article(root.of.noun)}"
    if isinstance(root.of, m.Related) and root.of.said and not root.of.noun and root.of.said[:4] != "the ":
        return f"whether {item} {_related(root.of)}{' today' * root.today}"
    return f"whether {item} is {today}among: {words(root.of)}"


def _phrase(root: m.Root) -> NounPhrase:
    """Return the noun phrase for a query, built from the phrases of its parts."""
    match root:
        case m.Named():
            return NounPhrase(f"the {root.noun} {root.text}" if root.noun else root.text, named=True)
        case m.Class():
            return NounPhrase(root.noun, bare=True, one=root.one or root.noun)
        case m.Related():
            return _related(root)
        case m.TextPassage():
            return NounPhrase(f"what texts state of {_inside(root.of)} for “{root.asked}”", named=True)
        case m.OfKind():
            return _phrase(root.of).with_clause(NounClause(f"is {add_article(root.noun)}", f"that are {root.noun}"))
        case m.Both():
            found = _phrase(root.parts[0])
            for part in root.parts[1:]:
                found = _both(found, _phrase(_without_noun(part, root.parts[0])))
            return found
        case m.Either():
            text = " or ".join(map(_inside, root.parts))
            return NounPhrase(text, named=True)
        case m.Without():
            found, less = _phrase(root.of), _phrase(_without_noun(root.less, root.of))
            those = replace(less, noun="those") if less.clauses and (less.bare or less.noun == found.noun) else less
            return found.followed_by(f"but not {those}")
        case m.Where():
            return _phrase(root.of).with_clause(_condition(root))
        case m.TextMatch():
            verb = _MATCHES[root.how]
            does = f"does not {verb}" if root.negated else verb.replace(" ", "s ", 1) if " " in verb else f"{verb}s"
            return _phrase(root.of).with_clause(NounClause(f"{does} “{root.text}”", of=(_quoted(root.attribute),)))
        case m.Having():
            found = _phrase(root.of)
            return found.with_clause(_having(root, found.one))
        case m.Extreme():
            return _phrase(root.of).followed_by(f"only the one with the {_place(root.rank)}{_best(root)}")
        case m.Top():
            return _top(root)
        case m.FileOrder():
            return _in_file(root)
        case m.Compare():
            things = " and ".join(map(_inside, root.things))
            return NounPhrase(f"of {things}, the one with the {_best(root)}", named=True)
        case m.Adjacent():
            return _adjacent(root)
        case m.Project():
            columns = [_quoted(c) for c in root.columns]
            listed = " and ".join(filter(None, [", ".join(columns[:-1]), columns[-1]]))
            return NounPhrase(f"{listed} of {_inside(root.of)}", named=True)
        case m.Headings():
            return NounPhrase(f"the column in which {_inside(root.of)} {_beyond(root)}", named=True)
        case m.GroupBy():
            return _grouped(root)
        case _:
            return NounPhrase(words(root), named=True)


def _beyond(root: m.Headings) -> str:
    """Return which number a row has in a column: "has its highest number", "is below 600"."""
    if root.condition is None:
        return f"has its {FUNCTIONS[root.order or 'max']} number"
    return f"is {_BOUNDS[root.condition.op]} {root.condition.low:g}"


def _inside(root: m.Root) -> str:
    """Return an operator in words, in brackets if it contains commas."""
    found = _phrase(root)
    return f"({found})" if found.more else str(found)


def _without_noun(root: m.Root, first: m.Root) -> m.Root:
    """Return a relation without its noun if the one before has the same: "films by _, also directed by _"."""
    if isinstance(root, m.Related) and getattr(first, "noun", "") == root.noun and not root.phrase.startswith(_MARK):
        return replace(root, noun="")
    return root


def _related(root: m.Related) -> NounPhrase:
    phrase, through = root.said or root.phrase, _THROUGH * root.closed
    if not root.noun and phrase.startswith("whose ") and phrase.endswith(f" is {_MARK}"):
        return NounPhrase("", tuple(_owned(root, phrase[6:-5])), bare=True)
    if not root.noun and phrase.startswith("that ") and not phrase.startswith(f"that {_MARK}"):
        one, many = (f"{p.replace(_MARK, _inside(root.of), 1)}{through}" for p in (root.phrase, phrase))
        first = (many.removeprefix("that are ").split() or [""])[0]
        return NounPhrase(
            "", (NounClause(one, many.removeprefix("that are ") if kind(first) == VERB else many),), bare=True
        )
    phrase = f" {phrase} "
    noun = "" if root.noun and f" {root.noun} " in phrase else root.noun
    text = phrase.replace(f" {_MARK} s ", f" {_MARK}'s ", 1).replace(f" {_MARK}", f" {_inside(root.of)}", 1).strip()
    if noun:
        text = f"{noun} that {text}" if root.phrase.startswith(_MARK) else f"{noun} {text}"
    else:
        text = text.removeprefix("that ")
    text = f"{text} {root.during.words}" if root.during is not None else text
    return NounPhrase(f"{text}{through}", named=not root.noun)


def _owned(root: m.Related, relation: str) -> list[NounClause]:
    """Return the clauses about what a relation leads to, worded for its owners: "whose grower's town is Larkwood"."""
    before = root.of
    if isinstance(before, m.Related) and before.phrase == f"{relation} of {_MARK}":
        same = f"the same {relation} as {_inside(before.of)}"
        return [NounClause(f"has {same}", f"with {same}")]
    found, name = _phrase(before), _quoted(relation)
    clauses = [c.owned_by(name) for c in found.clauses] if not found.more else []
    if found.named or found.more:
        text = _inside(before) if found.more else found.noun
        return [NounClause(f"is {text}{_THROUGH * root.closed}", of=(name,)), *clauses]
    if (found.noun and found.one.lower() != relation.lower()) or not clauses:
        clauses.insert(0, NounClause(f"is {add_article(found.one) or 'known'}", of=(name,)))
    return clauses


def _both(one: NounPhrase, other: NounPhrase) -> NounPhrase:
    if not one.bare and (not other.bare or other.noun):
        return one.followed_by(f"also {other}")
    if not one.named and " that " in one.noun and other.clauses and not one.clauses:
        one = replace(one, noun=f"{one.noun} and")
    if (other.named and not one.named) or not one.noun:
        one, other = other, one
    found = replace(one, clauses=(*one.clauses, *other.clauses))
    if other.named:
        return found.with_clause(NounClause(f"is {other.noun}", f"that are {other.noun}"))
    if other.noun and other.one.lower() not in one.noun.lower():
        return found.with_clause(NounClause(f"is {add_article(other.one)}", f"that are {other.noun}"))
    return found


def _condition(root: m.Where) -> NounClause:
    attribute, condition = _first(root.attribute), root.condition
    if condition.op in ("exists", "lacks"):
        some = add_article(attribute) if condition.op == "exists" else f"no {attribute}"
        return NounClause(f"has {some}", f"with {some}")
    not_ = "not " * (condition.op == "!=")
    if condition.than:
        text = f"{_BOUNDS[condition.op]} the {FUNCTIONS[condition.than]}"
    elif condition.words:
        text = f"{not_}{condition.words}"
    else:
        text = " ".join(filter(None, [_BOUNDS.get(condition.op), f"{condition.low:g}", condition.unit]))
    if attribute == "name" and condition.values:
        return NounClause(f"is {text}", f"{not_}called {condition.words}")
    if condition.kind == "date" and is_event(attribute):
        *before, last = attribute.split()
        event = " ".join(before) if before and last.lower() in ("on", "at", "in") else attribute
        return NounClause(f"is {text}", f"{not_}{event} {condition.words}", (_quoted(attribute),))
    return NounClause(f"is {text}", of=(_quoted(attribute),))


def _having(root: m.Having, owner: str) -> NounClause:
    """Return a clause about things that belong to others. ``owner`` is the name for one of the others."""
    found, condition = _phrase(root.things), root.condition
    if root.back and root.via and root.via.lower() != owner.lower():
        role = f" as {root.via}"
        found = replace(found, noun=f"{found.noun}{role}", one=f"{found.one}{role}")
    elif root.via and not root.back and not is_event(root.via) and root.via.split()[-1].lower() not in PREPOSITIONS:
        found = replace(found, one=root.via)
    if isinstance(root.things, m.Top) and root.things.n == 1 and condition.op == "exists":
        of = replace(_phrase(root.things.of), noun=f"the {found.one}")
        chosen = f"{of} with the {_top_end(root.things)}"
        return NounClause(f"has {chosen}", f"with {chosen}")
    if condition.op == "exists" and len(found.clauses) == 1 and not found.more:
        return found.clauses[0].owned_by(found.one)
    if condition.op in ("exists", "lacks"):
        one = replace(found, noun=f"any {found.one}" if not found.clauses else f"{add_article(found.one)}")
        return NounClause(f"has {one}", f"with {one}") if condition.op == "exists" else _none(found)
    number = condition.words or f"{_COUNTS[condition.op]} {condition.low:g}"
    many = replace(found, noun=found.one) if condition.low == 1 and not condition.words else found
    return NounClause(f"has {number} {many}", f"with {number} {many}")


def _none(found: NounPhrase) -> NounClause:
    none = replace(found, noun=f"any {found.one}")
    return NounClause(f"is without {none}", f"without {none}")


def _ratio(root: m.Ratio) -> str:
    name = "percentage" if root.scale == 100 else "share"
    if isinstance(root.part, m.Scalar) or isinstance(root.whole, m.Scalar):
        return f"{words(root.part)} {f'as a {name} of' if root.scale == 100 else 'divided by'} {words(root.whole)}"
    part, whole = _phrase(root.part), _phrase(root.whole)
    clauses = part.clauses[len(whole.clauses) :]
    if clauses and part.clauses[: len(whole.clauses)] == whole.clauses and part.more == whole.more:
        return f"of {whole}, the {name} {' and '.join(c.behind(named=False) for c in clauses)}"
    return f"ratio of {part} to {whole}" if root.scale == 1 else f"{name} of {part} among {whole}"


def _top(root: m.Top) -> NounPhrase:
    found = _phrase(root.of)
    by = f"the number of {root.counted}" if root.counted else f"{'total ' * root.total}{_quoted(root.attribute)}"
    if not root.n:
        return found.followed_by(f"in {'descending ' * (root.order == 'max')}order of {by}")
    end = _top_end(root)
    if isinstance(root.of, m.GroupBy):
        if root.of.attribute and not (root.counted or root.total):
            end = f"{_place(root.skip + 1)}{_end(root)} {root.of.function} of {by}"
        ones = "" if root.n == 1 else f", only the {root.n}"
        return NounPhrase(f"{_quoted(root.of.by)}{ones} with the {end}")
    return found.followed_by(f"only the {'one' if root.n == 1 else root.n} with the {end}")


def _top_end(root: m.Top) -> str:
    """Return the words for the first in an order: "most orders", "second lowest price"."""
    most = "most" if root.order == "max" else "fewest"
    by = f"{'total ' * root.total}{_quoted(root.attribute)}"
    return f"{_place(root.skip + 1)}{f'{most} {root.counted}' if root.counted else f'{_end(root)} {by}'}"


def _grouped(root: m.GroupBy) -> NounPhrase:
    by, rows = _quoted(root.by), _phrase(root.of)
    many = f"{root.having.words or f'{_COUNTS[root.having.op]} {root.having.low:g}'}" if root.having else ""
    if root.function == "list":
        return NounPhrase(f"{by} with {many} {rows}" if many else f"{rows}, for each {by}")
    if root.function in ("count", "share"):
        named = f"the {'number' if root.function == 'count' else 'percentage'} of {rows}"
    else:
        named = f"the {aggregate_words(root.function, root.attribute, str(rows))}"
    if root.bound:
        return NounPhrase(f"{by} for which {named} is {_BOUNDS[root.bound.op]} {root.bound.low:g}")
    return NounPhrase(f"{named}, for each {by}{f' with {many} of them' if many else ''}")


def _in_file(root: m.FileOrder) -> NounPhrase:
    if root.to is not None:
        return NounPhrase(f"rows between {_inside(root.of)} and {_inside(root.to)} in the file", named=True)
    if root.step:
        return _phrase(root.of).followed_by(f"the row {'after' if root.step > 0 else 'before'} it in the file")
    place = {1: "first", -1: "last"}.get(root.place) or ordinal(root.place)
    if root.count > 1:
        return _phrase(root.of).followed_by(f"only the first {root.count} in the file")
    return _phrase(root.of).followed_by(f"only the {place} one in the file")


def _adjacent(root: m.Adjacent) -> NounPhrase:
    by = f" by {_first(root.attribute)}" if root.attribute else ""
    next_ = f"next {'after' if root.step > 0 else 'before'} {_inside(root.item)}{by}"
    if root.of is not None:
        return _phrase(root.of).followed_by(f"the {next_}")
    return NounPhrase(f"the {root.noun} {next_}" if root.noun else f"the {next_}", named=True)


def _best(root: m.Extreme | m.Compare) -> str:
    if root.counted:
        most = "most" if root.order == "max" else "fewest"
        return f"{most} {root.counted.replace(f'of {_MARK}', '').replace(_MARK, 'it').strip()}"
    if root.since:
        longest = "longest" if root.order == "max" else "shortest"
        return f"{longest} time from {_first(root.since)} to {_first(root.attribute)}"
    return f"{_end(root)} {_quoted(_first(root.attribute))}"


def _end(root: m.Extreme | m.Compare | m.Top) -> str:
    if root.kind == "number" and not isinstance(root, m.Top):
        return ENDS["any"][root.order == "max"]
    return ENDS[root.kind][root.order == "max"]


def _place(rank: int) -> str:
    return f"{ordinal(rank)} " if rank > 1 else ""


def is_event(attribute: str) -> bool:
    """Return True if the name of an attribute is a verb: "founded", "ordered on"."""
    return kind((attribute.split() or [""])[0].lower()) == VERB


def _quoted(attribute: str) -> str:
    *owner, name = _first(attribute).partition("'s ") if "'s " in attribute else (_first(attribute),)
    is_phrase = is_event(name) or (name.lower().split() or [""])[-1] in PREPOSITIONS  # "hangs in"
    return "".join([*owner, f"“{name}”" if is_phrase else name])


def _first(attribute: str) -> str:
    return attribute.split("; ", 1)[0]
