"""Say in German what a query computes. Nouns and relations stay as the data and the question have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hydra_kg.plan import model as m
from hydra_kg.plan.query_wording import plan_words, words
from hydra_kg.plan.serialise import PlanError, plan_from_json, query_from_json
from hydra_kg.plan.walk import parts

_BOUNDS: Final = {"<": "unter", "<=": "höchstens", "=": "", "!=": "nicht", ">=": "mindestens", ">": "über", "in": "aus"}
_FUNCTIONS: Final = {
    "sum": "Summe von",
    "mean": "Mittelwert von",
    "median": "Median von",
    "min": "kleinster Wert von",
    "max": "größter Wert von",
}
_ENDS: Final = {"date": ("frühestem", "spätestem"), "text": ("erstem", "letztem")}
_MATCHES: Final = {"contains": "enthält", "starts": "beginnt mit", "ends": "endet mit"}
_SIGNS: Final = {"<": "kleiner ist als", ">": "größer ist als", "=": "gleich ist:"}
_WORDS: Final = {
    "more than": "mehr als",
    "less than": "weniger als",
    "fewer than": "weniger als",
    "at least": "mindestens",
    "at most": "höchstens",
    "exactly": "genau",
    "between": "zwischen",
    "after": "nach",
    "before": "vor",
    "since": "seit",
    "until": "bis",
    "over": "über",
    "above": "über",
    "under": "unter",
    "below": "unter",
    "from": "ab",
    "during": "während",
    "in": "in",
    "on": "am",
}
_THAT_OF: Final = re.compile(r"(after|before) that of (.+)")
_BOUND: Final = re.compile(rf"({'|'.join(_WORDS)}) ([^a-z].*)")


def known_queries(answer: Mapping[str, Any]) -> dict[str, str]:
    """Return German words for the plan of an answer, its query and every part of them, by their English words."""
    found: dict[str, str] = {}
    try:
        if answer.get("plan"):
            plan = plan_from_json(answer["plan"])
            found |= dict(_known(plan.root)) | {plan_words(plan): german_plan(plan)}
    except PlanError:
        pass
    try:
        if answer.get("query"):
            found |= _known(query_from_json(answer["query"]))
    except PlanError:
        pass
    return found


def _known(root: m.Root) -> Iterator[tuple[str, str]]:
    for part in parts(root):
        said, german = words(part), german_query(part)
        yield said, german
        yield f"({said})", f"({german})"
        if isinstance(part, m.Value):
            yield words(m.Project(part.of, (part.attribute,))), german


def german_plan(plan: m.Plan) -> str:
    """Return a plan in German, like :func:`hydra_kg.plan.query_wording.plan_words`."""
    text = german_query(plan.root)
    if plan.open:
        text = f"alle außer: {text}"
    if plan.unused:
        text += f" (nicht geprüft: {', '.join(plan.unused)})"
    return f"{text} (so liest es das Modell)" if plan.by == "model" else text


def german_query(root: m.Root) -> str:
    """Return an operator and the operators below it in German."""
    match root:
        case m.Named():
            return f"{root.noun} {root.text}".strip()
        case m.Class():
            return root.noun or "alles"
        case m.Related():
            return _related(root)
        case m.Where() | m.TextMatch() | m.Having():
            return f"{german_query(root.of)} {german_condition(root)}"
        case m.Extreme() | m.Top() | m.FileOrder() | m.Adjacent() | m.Compare():
            return _ordered(root)
        case m.Both():
            first, *more = (german_query(part) for part in root.parts)
            return " und ".join([first, *(text.removeprefix("alles ") for text in more)])
        case m.Either():
            return " oder ".join(map(german_query, root.parts))
        case m.Without():
            return f"{german_query(root.of)}, aber nicht {german_query(root.less)}"
        case m.OfKind():
            return f"{german_query(root.of)}, nur „{root.noun}“"
        case m.TextPassage():
            return f"was Texte zu „{root.asked}“ über {german_query(root.of)} sagen"
        case m.Project():
            return f"{' und '.join(map(_first, root.columns))} von {german_query(root.of)}"
        case m.Headings():
            end = {"max": "die größte Zahl steht", "min": "die kleinste Zahl steht"}.get(root.order, "")
            if root.condition is not None:
                end = f"die Zahl {_bound(root.condition)} ist"
            return f"Spalte, in der für {german_query(root.of)} {end}"
        case m.GroupBy():
            return _grouped(root)
        case m.Holds() | m.Among() | m.Some() | m.Every() | m.Only() | m.Untrue():
            return _assertion(root)
        case _:
            return _value(root)


def german_condition(root: m.Where | m.TextMatch | m.Having) -> str:
    """Return a condition without the things that it is about: "mit price mehr als 40000"."""
    match root:
        case m.Where():
            return _condition(_first(root.attribute), root.condition)
        case m.TextMatch():
            verb = _MATCHES[root.how]
            return f"mit {_first(root.attribute)}, das {'nicht ' * root.negated}„{root.text}“ {verb}"
        case m.Having():
            things = _owned(root)
            if root.condition.op in ("exists", "lacks"):
                return f"{'mit' if root.condition.op == 'exists' else 'ohne'} {things}"
            return f"mit {_bound(root.condition)} {things}"


def _owned(root: m.Having) -> str:
    """Return what things have: "director Ada Lindqvist", "orders (als customer)", "director (people …)"."""
    one, text = root.things, german_query(root.things)
    via = _first(root.via)
    if not via or root.back:
        return f"{text} (als {via})" if via else text
    if isinstance(one, m.Where) and isinstance(one.of, m.Class) and _first(one.attribute) == "name":
        return f"{via} {german_words(one.condition)}"
    return f"{via} ({text})"


def german_order(root: m.Extreme | m.Top | m.Compare) -> str:
    """Return an order without the things that are put in order: "mit größtem price"."""
    rank = root.rank if isinstance(root, m.Extreme) else root.skip + 1 if isinstance(root, m.Top) else 1
    place = f"{rank}. " if rank > 1 else ""
    if root.counted:
        counted = root.counted.replace("of _", "").replace("_", "").strip()
        return f"mit {'den meisten' if root.order == 'max' else 'den wenigsten'} {counted}"
    if not isinstance(root, m.Top) and root.since:
        long = "längster" if root.order == "max" else "kürzester"
        return f"mit {long} Zeit von {_first(root.since)} bis {_first(root.attribute)}"
    end = _ENDS.get(root.kind, ("kleinstem", "größtem"))[root.order == "max"]
    return f"mit {place}{end} {_first(root.attribute)}"


def _related(root: m.Related) -> str:
    inside, phrase = german_query(root.of), (root.said or root.phrase).removeprefix("that ").removeprefix("what ")
    if " " in inside and not isinstance(root.of, m.Named):
        inside = f"({inside})"
    whose = re.fullmatch(r"whose (.+) is _", phrase)
    if whose:
        text = f"mit {_first(whose[1])} {inside}"
    else:
        before, _, after = phrase.partition("_")
        relation = "".join(f"„{part}“" for part in (f"{before.strip()} {after.strip()}".strip(),) if part)
        text = f"{inside} {relation}" if not before.strip() and after.strip() else f"{relation} {inside}"
    through = ", auch über andere" if root.closed else ""
    during = f" ({german_words(root.during)})" if root.during is not None else ""
    noun = "" if root.noun and f" {root.noun} " in f" {phrase} " else root.noun or "alles" * bool(whose)
    return f"{noun} {text}{during}{through}".strip()


def _condition(attribute: str, condition: m.Condition) -> str:
    if condition.op in ("exists", "lacks"):
        return f"{'mit' if condition.op == 'exists' else 'ohne'} {attribute}"
    if condition.than:
        return f"mit {attribute} {_BOUNDS[condition.op]} {_FUNCTIONS[condition.than].removesuffix(' von')}"
    return f"mit {attribute} {'nicht ' * (condition.op == '!=')}{german_words(condition)}".strip()


def german_words(condition: m.Condition) -> str:
    """Return the value or the bound of a condition in German: "mehr als 40000", "nach 1990", "Kiel"."""
    found = _bound(condition)
    return _VALUES.sub(" oder ", found) if condition.values else found


_VALUES: Final = re.compile(r" or (?=\S)")


def german_bound(text: str) -> str:
    """Return a bound in German: "more than 40000" → "mehr als 40000"; other words in quotation marks."""
    if match := _THAT_OF.fullmatch(text):
        return f"{_WORDS[match[1]]} dem von {match[2]}"
    if match := _BOUND.fullmatch(text):
        return f"{_WORDS[match[1]]} {re.sub(r'(?<=[0-9]) and (?=[0-9])', ' und ', match[2])}"
    return f"„{text}“" if " " in text and text.islower() else text


def _bound(condition: m.Condition) -> str:
    if condition.words:
        return german_bound(condition.words)
    return " ".join(filter(None, [_BOUNDS.get(condition.op, ""), f"{condition.low:g}", condition.unit]))


def _ordered(root: m.Extreme | m.Top | m.FileOrder | m.Adjacent | m.Compare) -> str:
    match root:
        case m.Compare():
            return f"von {' und '.join(map(german_query, root.things))} {german_order(root)}"
        case m.Top() if not root.n:
            falling = " absteigend" if root.order == "max" else ""
            return f"{german_query(root.of)}, geordnet nach {root.counted or _first(root.attribute)}{falling}"
        case m.Top():
            return f"{german_query(root.of)}, nur {'eines' if root.n == 1 else root.n} {german_order(root)}"
        case m.Extreme():
            return f"{german_query(root.of)}, nur eines {german_order(root)}"
        case m.Adjacent():
            by = f" nach {_first(root.attribute)}" if root.attribute else ""
            place = f"das nächste {'nach' if root.step > 0 else 'vor'} {german_query(root.item)}{by}"
            return f"{german_query(root.of)}, {place}" if root.of is not None else f"{root.noun} {place}".strip()
        case m.FileOrder():
            if root.to is not None:
                return f"Zeilen zwischen {german_query(root.of)} und {german_query(root.to)} in der Datei"
            if root.step:
                return f"{german_query(root.of)}, die Zeile {'danach' if root.step > 0 else 'davor'} in der Datei"
            if root.count > 1:
                return f"{german_query(root.of)}, nur die ersten {root.count} der Datei"
            place = "die letzte" if root.place == -1 else f"die {root.place}."
            return f"{german_query(root.of)}, nur {place} der Datei"


def _grouped(root: m.GroupBy) -> str:
    rows, by = german_query(root.of), _first(root.by)
    having = f", nur mit {_bound(root.having)}" if root.having else ""
    if root.function == "list":
        return f"{rows} je {by}{having}"
    if root.function in ("count", "share"):
        return f"{'Anzahl' if root.function == 'count' else 'Prozentanteil'} {rows} je {by}{having}"
    bound = f", nur {_bound(root.bound)}" if root.bound else ""
    return f"{_FUNCTIONS[root.function]} {_first(root.attribute)} von {rows} je {by}{having}{bound}"


def _value(root: m.Root) -> str:
    match root:
        case m.Value():
            text = f"{_first(root.attribute)} von {german_query(root.of)}" if root.attribute else german_query(root.of)
            return f"{text} {german_words(root.during)}" if root.during is not None else text
        case m.Count():
            different = "verschiedene Werte: " if isinstance(root.of, m.Project) else ""
            return f"Anzahl {different}{german_query(root.of)}"
        case m.Aggregate():
            over = f"{_first(root.attribute)} von " if root.attribute else ""
            return f"{_FUNCTIONS[root.function]} {over}{german_query(root.of)}"
        case m.Ratio():
            name = "Prozentanteil" if root.scale == 100 else "Verhältnis" if root.scale == 1 else "Anteil"
            return f"{name}: {german_query(root.part)} zu {german_query(root.whole)}"
        case m.LongestRun():
            return f"Länge der längsten Folge von {german_query(root.of)}"
        case m.Difference():
            unit = f", in {_UNITS.get(root.unit, root.unit)}" if root.unit else ""
            return f"{german_query(root.high)} minus {german_query(root.low)}{unit}"
        case m.Constant():
            return root.words
        case m.Today():
            return "heute"
        case _:
            return words(root)


_UNITS: Final = {"years": "Jahren", "months": "Monaten", "days": "Tagen", "weeks": "Wochen"}


def _assertion(root: m.Assertion) -> str:
    match root:
        case m.Holds():
            return f"ob {german_query(root.left)} {_SIGNS[root.op]} {german_query(root.right)}"
        case m.Among():
            return f"ob {german_query(root.item)} {'heute ' * root.today}dazu gehört: {german_query(root.of)}"
        case m.Some():
            least = "" if root.least == 1 else f"mindestens {root.least}: "
            return f"ob es das gibt: {least}{german_query(root.of)}"
        case m.Every():
            return " und ".join(map(_assertion, root.parts))
        case m.Only():
            return f"nur {_assertion(root.of)}"
        case m.Untrue():
            return f"das Gegenteil von: {_assertion(root.of)}"


def _first(attribute: str) -> str:
    """Return the first name of an attribute, in quotation marks if it has several words."""
    name = attribute.split("; ", 1)[0]
    return f"„{name}“" if " " in name else name
