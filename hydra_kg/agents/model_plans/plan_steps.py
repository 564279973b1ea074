"""Turn the steps that a language model writes into a plan of operators over the names in the question."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from hydra_kg.agents.model_plans.value_words import Amount, value_named
from hydra_kg.agents.planning.lexicon import PLACING, order_in_time
from hydra_kg.agents.planning.planner import plan_of
from hydra_kg.agents.planning.tokens import name_of
from hydra_kg.agents.replies.schemas import PlanStep
from hydra_kg.domain import Candidate, Mention, Node
from hydra_kg.plan.model import Named, Plan
from hydra_kg.plan.serialise import PlanError, plan_from_json, plan_json
from hydra_kg.text.folding import fold

Document = Mapping[str, Any]

_REFERENCE: Final = re.compile(r"#\s*(\d{1,2})")
_ASIDE: Final = re.compile(r"\s*\([^()]*\)\s*$")
_ARTICLE: Final = re.compile(r"^(?:the|a|an) ")
_STAND_IN: Final = "Stepone"
"""Word that replaces the result of an earlier step in a phrase, so that the grammar parses it as a name."""
_SETS: Final = {"and": "Both", "or": "Either"}
_BEST: Final = {
    "earliest": ("min", "date"),
    "latest": ("max", "date"),
    "largest": ("max", "number"),
    "smallest": ("min", "number"),
}
_OTHER_END: Final = {"min": "max", "max": "min"}


def plan_of_steps(steps: Sequence[PlanStep], mentions: Sequence[Mention]) -> Plan:
    """Return the plan of the steps, whose phrases the grammar parses.

    Raises PlanError for unknown names, for references to no step, for unused steps, and where
    :func:`hydra_kg.plan.serialise.plan_from_json` does.
    """
    reader = _StepReader(mentions)
    for step in steps:
        reader.read(step)
    if not reader.done:
        raise PlanError("it has no steps")
    if unused := sorted(set(range(1, len(steps))) - reader.used):
        raise PlanError(f"nothing uses its step {unused[0]}")
    root = reader.done[-1]
    return plan_from_json({"root": root, "noun": _noun(root), "by": "model"}, names=reader.names)


class _StepReader:
    """Reader that turns steps into JSON documents of operators, each over the documents of earlier steps."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        self.done: list[Document] = []
        self.used = set[int]()
        self.names: dict[str, Named] = {}
        self._mentions: dict[str, Mention] = {}
        for m in mentions:
            if m.chosen is not None:
                for text in (m.text, m.chosen.node.name):
                    self.names.setdefault(_plain(text), name_of(m))
                    self._mentions.setdefault(_plain(text), m)

    def read(self, step: PlanStep) -> None:
        """Add the document of one step."""
        self.done.append(self._document(step))

    def _document(self, step: PlanStep) -> Document:
        if step.op in {"more", "less"}:
            return self._compared(step)
        things = [self._thing(text) for text in step.of]
        match step.op, things:
            case "follow", [of]:
                return self._followed(step.by, of)
            case "keep", [of]:  # one name cannot be filtered: small models confuse "keep" and "follow"
                return (self._followed if of["operator"] == "Named" else self._filtered)(step.by, of)
            case ("and" | "or") as op, [_, _, *_]:
                return _operator(_SETS[op], parts=things)
            case "not", [of, less]:
                return _operator("Without", of=of, less=less)
            case "count", [of]:
                return _operator("Count", of=of, **_stated(of))
            case ("earliest" | "latest" | "largest" | "smallest") as op, [_, *_]:
                return _chosen(op, step.by, things)
            case ("after" | "before") as op, [item]:
                return _next(op, step.by, None, item)
            case ("after" | "before") as op, [of, item]:
                return _next(op, step.by, of, item)
            case "value", [of]:
                value = value_named(step.by, _noun(of))
                return _operator("Value", of=of, attribute=value.attribute, kind=value.kind or "number")
            case "minus", [high, low]:
                unit = "years" if "date" in {high.get("kind"), low.get("kind")} else ""
                return _operator("Difference", high=high, low=low, unit=unit)
        raise PlanError(f"“{step.op} {' '.join(step.of)} {step.by}”".replace(" ”", "”") + " is no step")

    def _thing(self, text: str) -> Document:
        """Return the document of an earlier step ("#1"), or of a name in the question."""
        if m := _REFERENCE.fullmatch(text.strip()):
            n = int(m[1])
            if not 1 <= n <= len(self.done):
                raise PlanError(f"“{text}” is no earlier step")
            self.used.add(n)
            return self.done[n - 1]
        for name in (_plain(text), _plain(_ASIDE.sub("", text))):
            if name in self.names:
                return _operator("Named", text=name)
        raise PlanError(f"the question does not name “{text}”")

    def _compared(self, step: PlanStep) -> Document:
        """Return the document that compares two values, either of which may be a number or date from the question."""
        if len(step.of) != 2:
            raise PlanError(f"“{step.op}” takes two values")
        sides: list[Document] = []
        for text in step.of:
            amount = None if text.startswith("#") else Amount.of(text)
            sides.append(_operator("Constant", **amount.constant()) if amount else self._thing(text))
        kinds = [s["kind"] for s in sides if s["operator"] == "Value"]
        for i, side in enumerate(sides):
            if side["operator"] in {"Named", "Related"} and step.by:
                value = value_named(step.by, _noun(side))
                sides[i] = _operator("Value", of=side, attribute=value.attribute, kind=value.kind or "number")
            elif side["operator"] == "Constant" and kinds:
                sides[i] = {**side, "kind": kinds[0]}
        return _operator("Holds", left=sides[0], op=">" if step.op == "more" else "<", right=sides[1])

    def _followed(self, by: str, of: Document) -> Document:
        """Return the document that follows a relation from a thing."""
        if not by.strip():
            raise PlanError("“follow” has no relation")
        joined = by.rsplit(maxsplit=1)[-1].casefold() in PLACING
        text = by if "_" in by else f"{by} _" if joined else f"{by} of _"
        if (found := self._by_grammar(text, of)) is not None:
            return found
        phrase = " ".join("_" if w == "_" else fold(w) for w in re.sub(r"_(?:'s|’s)?", " _ ", text).split())
        return _operator("Related", of=of, phrase=phrase)

    def _filtered(self, by: str, of: Document) -> Document:
        """Return the things that meet a condition, which the grammar parses behind a noun.

        For example, "films of _ released before 1990".
        """
        noun = _noun(of) or "members"
        for link in ("", "that ", "that were ", "with "):
            found = self._by_grammar(f"{noun} of _ {link}{by.replace('_', ' ')}", of)
            inner = found and next(_inside(found, f"{noun} of _"), None)
            if found and inner is not None and inner is not found and "during" not in inner:
                return cast("Document", _replaced(found, inner, of))
        raise PlanError(f"“{by}” is no condition that is understood")

    def _by_grammar(self, text: str, of: Document) -> Document | None:
        """Return the document of a phrase as the grammar of questions parses it.

        ``_`` and the question's names count as names.
        """
        own = self._mentions.get(str(of.get("text", ""))) if of["operator"] == "Named" else None
        stand_in = own or _mention(_STAND_IN)
        whole, mentions = _placed(text, stand_in, self._mentions.values())
        plan = plan_of(whole, mentions)
        if plan is None or plan.open:
            return None
        document: Document = plan_json(plan)["root"]
        return document if own else cast(Document, _filled(document, of))


def _placed(text: str, first: Mention, others: Collection[Mention]) -> tuple[str, list[Mention]]:
    """Return a phrase with a name in place of its first ``_``, and the mentions in it with their places."""
    before, _, after = text.partition("_")
    whole = f"{before}{first.text}{after}"
    own = replace(first, start=len(before), end=len(before) + len(first.text))
    placed = [own]
    for m in sorted(others, key=lambda m: -len(m.text)):
        for found in re.finditer(rf"(?<!\w){re.escape(m.text)}(?!\w)", whole, re.IGNORECASE):
            if all(found.end() <= p.start or found.start() >= p.end for p in placed):
                placed.append(replace(m, start=found.start(), end=found.end()))
    return whole, sorted(placed, key=lambda m: m.start)


def _mention(text: str) -> Mention:
    candidate = Candidate(Node(0, "", text), 1.0, "name")
    return Mention(text, 0, len(text), (candidate,), candidate)


def _operator(name: str, **values: Any) -> Document:
    return {"operator": name, **values}


def _noun(document: Document) -> str:
    """Return the noun for the things of a document, such as "films"."""
    inner = document.get("of") or next(iter(document.get("parts", ())), None)
    return str(document.get("noun") or (_noun(inner) if inner and document["operator"] != "Related" else ""))


def _stated(of: Document) -> Document:
    """Return the name under which a source may state the number of such things, if no condition limits them."""
    noun = str(of.get("noun", "")) if of["operator"] == "Related" and "during" not in of else ""
    belongs = noun and str(of["phrase"]).startswith((f"{noun} of ", f"{noun} in "))
    return {"stated": f"number of {noun}"} if belongs else {}


def _chosen(op: str, by: str, things: Sequence[Document]) -> Document:
    """Return the document that chooses the first of a set, or of several names, by a value."""
    value = value_named(by, _noun(things[0]))
    order, kind = _BEST[op]
    if kind == "number" and value.kind == "date":  # the greatest age has the earliest date of birth
        order, kind = _OTHER_END[order], "date"
    by_what: dict[str, Any] = {"attribute": value.attribute, "kind": kind, "order": order}
    if value.counted:
        by_what["counted"] = value.counted
    if not value.attribute and not value.counted:
        if kind != "date":
            raise PlanError(f"“{op}” says no value")
        by_what["attribute"] = order_in_time(_noun(things[0]))
    if len(things) > 1:
        return _operator("Compare", things=list(things), **by_what)
    return _operator("Extreme", of=things[0], rank=value.rank, **by_what)


def _next(op: str, by: str, of: Document | None, item: Document) -> Document:
    """Return the document of the thing that comes next to an item in a set.

    If no set is named, ``by`` names the things that are asked for.
    """
    value = value_named(by, _noun(of) if of else "")
    attribute = value.attribute if of else ""
    noun = _noun(of) if of else fold(by)
    return _operator("Adjacent", of=of, item=item, attribute=attribute, step=1 if op == "after" else -1, noun=noun)


def _plain(text: str) -> str:
    return _ARTICLE.sub("", fold(text))


def _inside(document: Document, phrase: str) -> Iterator[Document]:
    """Yield the operators within a document that follow a phrase."""
    if document.get("phrase") == phrase:
        yield document
    for value in document.values():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, Mapping):
                yield from _inside(one, phrase)


def _replaced(document: Any, old: Document, new: Document) -> Any:
    """Return the document with one document replaced by another wherever it occurs."""
    if document == old:
        return new
    if isinstance(document, Mapping):
        return {k: _replaced(v, old, new) for k, v in document.items()}
    return [_replaced(v, old, new) for v in document] if isinstance(document, list) else document


def _filled(document: Any, of: Document) -> Any:
    """Return the document with the result of an earlier step in place of its stand-in."""
    if isinstance(document, Mapping):
        if document.get("text") == _STAND_IN and document.get("operator") == "Named":
            return of
        return {k: _filled(v, of) for k, v in document.items()}
    return [_filled(v, of) for v in document] if isinstance(document, list) else document
