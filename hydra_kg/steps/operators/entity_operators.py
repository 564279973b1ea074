"""Operators that return sets of things as a few readings, best first; the rest of the plan shows which is meant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.plan import model as m
from hydra_kg.plan import walk
from hydra_kg.steps.answering.results import named
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators import selection_operators
from hydra_kg.steps.operators.claims.claim_wording import awards_named_after
from hydra_kg.steps.operators.relations.noun_filter import fit, same_kind
from hydra_kg.steps.operators.relations.place_filter import Placement, lies_in, money_of, mostly_places, placed
from hydra_kg.steps.operators.relations.relation_matching import MEMBERS, READINGS, relate
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import Surety, ThingSet, Valued, step_of
from hydra_kg.steps.operators.whole_lists import of_unlisted, of_unstated, perhaps_left_out, value_lacking, with_more
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, field, replace

_BASES: Final = 2  # readings of a set from which relations are followed
_OTHER_NAME: Final = 0.3  # cost of another reading of a name; each further one half of it
_OTHER_KIND: Final = 2.0  # cost of a reading of a name that is not of the kind said
_EMPTY: Final = 0.2  # cost of a reading under which nothing is left

MOST_NAMED: Final = 2_000
"""Things that are compared by name."""


@dataclass(slots=True)
class Worked:
    """Evaluates the set operators of one plan, memoised by operator. Fulfils :class:`reading.Sets`."""

    context: Context
    _known: dict[m.Things, list[ThingSet]] = field(default_factory=dict)

    def readings(self, op: m.Things) -> list[ThingSet]:
        """Return the readings of an operator, best first; [] if nothing states what it asks for."""
        if op not in self._known:
            found = sorted(self._work(op), key=lambda f: _price(f, _EMPTY))
            self._known[op] = found[: 2 * READINGS]
        return self._known[op]

    def best(self, op: m.Things) -> ThingSet | None:
        """Return the best reading."""
        return next(iter(self.readings(op)), None)

    def _work(self, op: m.Things) -> list[ThingSet]:
        match op:
            case m.Named():
                return self._named(op)
            case m.Related():
                bases = [b for b in self.readings(op.of) if len(b)]
                bases = bases[:_BASES]
                found = [f for b in bases for f in with_more(self.context, op, relate(self.context, b, op))]
                if any(not f.unmet and f.surety.relevance >= thresholds.DENIES_PLAINLY for f in found):
                    return found
                return [f for b in bases[:1] for f in money_of(self.context, b, op)] or found
            case m.OfKind():
                return [f for base in self.readings(op.of) if (f := self._of_kind(base, op.noun)) is not None]
            case m.Both():
                return self._both(op)
            case m.Either():
                best = [f for p in op.parts if (f := self.best(p)) is not None]
                return [_united(self.context, best)] if best else []
            case m.Without():
                return self._without(op)
            case m.Where():
                return selection_operators.where(self, op)
            case m.Extreme():
                return selection_operators.extreme(self, op)
            case m.Adjacent():
                return selection_operators.adjacent(self, op)
            case m.Compare():
                return selection_operators.compare(self, op)
            case _:
                return []  # operators of own tables, which no plan of the grammar has

    def _named(self, op: m.Named) -> list[ThingSet]:
        """Return the readings of a name, those of the kind that the question calls it first."""
        known = self.context.entities([op.node, *op.others])
        nodes = np.array([n for n in dict.fromkeys((op.node, *op.others)) if known[n].keys], np.int64)
        kind = fit(self.context, nodes, op.noun)
        found = []
        for i, node in enumerate(nodes.tolist()):
            cost = _OTHER_NAME * (2 - 0.5 ** (i - 1)) if i else 0.0
            if kind is not None and kind.right.any():
                cost += 0.0 if kind.right[i] else _OTHER_KIND
            found.append(ThingSet(np.array([node], np.int64), (), -cost, known[node].node.name))
        return found

    def _of_kind(self, base: ThingSet, noun: str) -> ThingSet | None:
        kind = fit(self.context, base.ids, noun)
        if kind is None:
            return replace(base, unmet=(*base.unmet, noun))
        step = step_of("of kind", noun, len(base), int(kind.right.sum()))
        return base.only(kind.right, steps=(*base.steps, step), words=noun)

    def _both(self, op: m.Both) -> list[ThingSet]:
        """Return the things that are in every part.

        Of the readings of the parts, those that fit best together and leave something are intersected. There
        are none if one verb would mean another relation for each name: one produced, the other directed.
        """
        stated = tuple(p for p in op.parts if not any(self._holds_place(p, other) for other in op.parts))
        if 0 < len(stated) < len(op.parts):
            return self.readings(replace(op, parts=stated) if len(stated) > 1 else stated[0])
        parts, most = [self.readings(p) for p in op.parts], READINGS
        for i, part in enumerate(op.parts):
            others = [found[0] for j, found in enumerate(parts) if j != i and found]
            if others and len(others) == len(parts) - 1:
                parts[i] = self._with_places(part, parts[i], _met(self.context, others))
                parts[i] = self._with_awards(part, parts[i], others[0])
        found: list[ThingSet] = []
        unclear: list[ThingSet] = []
        for choice in product(*(p[:most] for p in parts)):
            met = _met(self.context, choice)
            (unclear if _has_verb_of_several_relations(op, choice) else found).append(met)
        best = min((_price(f, _EMPTY) for f in found), default=np.inf)
        return [] if any(_price(f, _EMPTY) < best for f in unclear) else found

    def _holds_place(self, op: m.Things, other: m.Things) -> bool:
        """Return True if one part only says where the other's place is: "buried in the Panthéon in Paris"."""
        if not (isinstance(op, m.Related) and isinstance(other, m.Related) and op.phrase == other.phrase):
            return False
        area, place = self.best(op.of), self.best(other.of)
        return area is not None and place is not None and lies_in(self.context, place, area)

    def _with_awards(self, op: m.Things, known: list[ThingSet], things: ThingSet) -> list[ThingSet]:
        """Add those of ``things`` to the kinds of an award that have its name: "Academy Award for Best Score"."""
        base = self.best(op.of) if isinstance(op, m.Related) and op.phrase == MEMBERS and known else None
        if base is None:
            return known
        called = awards_named_after(self.context, base.ids, things.ids)
        return [replace(known[0], ids=np.union1d(known[0].ids, called)), *known[1:]]

    def _with_places(self, op: m.Things, known: list[ThingSet], things: ThingSet) -> list[ThingSet]:
        """Return the readings after one that adds those of ``things`` whose place lies in the area asked for.

        They are added to the best reading of ``known`` that is relevant enough. Without such a reading they are one
        alone.
        """
        if (placement := self.placement(op, things)) is None:
            return known
        by_place = placement.inside
        least = thresholds.HOLDS_RELEVANCE
        direct = next((f for f in known if f.surety.relevance >= least), None)
        return [by_place if direct is None else _widened(direct, by_place), *known]

    def placement(self, op: m.Things, things: ThingSet) -> Placement | None:
        """Return where things are if the operator relates them to an area, else None."""
        area = self.best(op.of) if isinstance(op, m.Related) else None
        return placed(self.context, things, op, area) if isinstance(op, m.Related) and area is not None else None

    def _without(self, op: m.Without) -> list[ThingSet]:
        bases = self.readings(op.of)
        less = next(iter(self._with_places(op.less, self.readings(op.less), bases[0])), None) if bases else None
        if (
            less is None
            or less.unmet
            or (not len(less) and isinstance(op.less, m.OfKind))
            or (bases and isinstance(op.less, m.Named) and _of_other_kind(self.context, bases[0], less))
        ):
            return [replace(base, unmet=(*base.unmet, _words(op.less))) for base in bases]
        names = np.array([p.node for p in walk.parts(op.less) if isinstance(p, m.Named)], np.int64)
        return [self._left(base, op.less, less, names) for base in bases]

    def _left(self, base: ThingSet, op: m.Things, less: ThingSet, names: Ids) -> ThingSet:
        """Return the things of ``base`` that are not in ``less``, nor among ``names``.

        The name in a condition is left out too: what does not border France does not include France.
        """
        out_of_it = np.union1d(_also_named(self.context, base.ids, less.ids), names)
        # Of whom the value is not stated, nothing says that the condition is not met.
        unsure = np.setdiff1d(_also_named(self.context, base.ids, np.array(less.unknown, np.int64)), out_of_it)
        unstated, single = of_unstated(self.context, base.ids[~np.isin(base.ids, out_of_it)], op, less)
        if len(unstated) == int((~np.isin(base.ids, out_of_it)).sum()) or mostly_places(self.context, names):
            unsure, unstated = np.union1d(unsure, unstated), unstated[:0]  # everybody was born somewhere
        elif not single:
            unsure = np.union1d(unsure, of_unlisted(self.context, base.ids[~np.isin(base.ids, out_of_it)], op, less))
        keep = ~np.isin(base.ids, np.union1d(out_of_it, unsure))
        left, unknown = int(keep.sum()), int(np.isin(base.ids, unsure).sum())
        step = step_of("without", f"without {less.words}", len(base), left, unknown=unknown, what="value")
        return base.only(
            keep,
            trails=(*base.trails, *(t for t in less.trails if isinstance(t, Valued))),
            sought=len(base) if unknown else base.sought,
            lacks=(less.lacks or value_lacking(op)) if unknown else base.lacks,
            doubt=(*base.doubt, *less.doubt, *perhaps_left_out(self.context, op, less, unstated, left, single=single)),
            unknown=tuple(sorted({*base.unknown, *base.ids[np.isin(base.ids, unsure)].tolist()})),
            steps=tuple(dict.fromkeys((*base.steps, *less.steps, step))),
            surety=base.surety.worst(less.surety),
            score=base.score + less.score,
            words=f"{base.words} without {less.words}",
            reason=base.reason
            or ("" if left else f"none of {len(base)} {base.words} is known not to be among {less.words}"),
        )


def _of_other_kind(context: Context, base: ThingSet, less: ThingSet) -> bool:
    """Return True if excluded things share no kind with the things: "not Swedish" for a language."""
    return not np.isin(less.ids, base.ids).any() and not same_kind(context, base.ids, less.ids)


def _also_named(context: Context, own: Ids, other: Ids) -> Ids:
    """Return ``other`` and those of ``own`` that share a name with one of them.

    They count as one thing that two sources did not link.
    """
    own_left, left = np.setdiff1d(own, other, assume_unique=True), np.setdiff1d(other, own, assume_unique=True)
    if not len(own_left) or not len(left) or len(own_left) + len(left) > MOST_NAMED:
        return other
    known = context.entities([*own_left.tolist(), *left.tolist()])
    names = {fold(known[n].node.name) for n in left.tolist() if named(known[n])}
    same = [n for n in own_left.tolist() if named(known[n]) and fold(known[n].node.name) in names]
    return np.union1d(other, np.array(same, np.int64))


def _price(found: ThingSet, empty: float) -> float:
    """Return what counts against a reading; it is more if nothing is left, since another reading is then likelier."""
    return (0.0 if len(found) or found.decided else empty) - found.score


def _met(context: Context, choice: Sequence[ThingSet]) -> ThingSet:
    id_sets = [_also_named(context, choice[0].ids, f.ids) for f in choice[1:]]
    ids = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), id_sets, choice[0].ids)
    words = f"{choice[0].words} and {' and '.join(f.words for f in choice[1:])}" if len(choice) > 1 else choice[0].words
    steps = tuple(dict.fromkeys(s for f in choice for s in f.steps))
    parts = " and ".join(str(len(f)) for f in choice)
    every = "both" if len(choice) == 2 else "all"
    step = step_of("both", f"in {every} ({parts})", max(len(f) for f in choice), len(ids))
    return ThingSet(
        ids,
        tuple(t for f in choice for t in f.trails),
        sum(f.score for f in choice),
        words,
        (*steps, step),
        tuple(dict.fromkeys(u for f in choice for u in f.unmet)),
        reduce(Surety.worst, [f.surety for f in choice]),
        next((f.reason for f in choice if f.reason), "" if len(ids) else f"nothing is among {words}"),
        open=all(f.open for f in choice),
        unknown=_possible(choice, ids),
        sought=min(f.sought or len(f) for f in choice),
        lacks=next((f.lacks for f in choice if f.lacks and f.unknown), ""),
        doubt=tuple(dict.fromkeys(d for f in choice for d in f.doubt)),
    )


def _possible(choice: Sequence[ThingSet], ids: Ids) -> tuple[int, ...]:
    """Return the ids of classes that would be in every set if an unknown value were known."""
    may_be = (np.union1d(f.ids, np.array(f.unknown, np.int64)) for f in choice)
    return tuple(np.setdiff1d(reduce(np.intersect1d, may_be), ids).tolist())


def _has_verb_of_several_relations(op: m.Both, choice: Sequence[ThingSet]) -> bool:
    """Return True if all parts have one verb, but no relation is common to their readings."""
    verbs = {part.phrase if isinstance(part, m.Related) else "" for part in op.parts}
    codes = [set(found.codes) for found in choice]
    same_verb = len(verbs) == 1 and next(iter(verbs)).startswith("_ ")
    return same_verb and all(codes) and not set.intersection(*codes)


def _widened(direct: ThingSet, by_place: ThingSet) -> ThingSet:
    """Return what a relation states of a place itself, and of the places in it."""
    return replace(
        direct,
        ids=np.union1d(direct.ids, by_place.ids),
        trails=(*direct.trails, *by_place.trails),
        score=max(direct.score, by_place.score),
        steps=tuple(dict.fromkeys((*direct.steps, *by_place.steps))),
        unknown=tuple(n for n in by_place.unknown if n not in direct.ids),
        sought=by_place.sought,
        lacks=by_place.lacks,
    )


def _united(context: Context, found: Sequence[ThingSet]) -> ThingSet:
    ids = reduce(np.union1d, [f.ids for f in found])
    return replace(
        _met(context, found[:1]),
        ids=ids,
        trails=tuple(t for f in found for t in f.trails),
        words=" or ".join(f.words for f in found),
        steps=tuple(s for f in found for s in f.steps),
        surety=reduce(Surety.worst, [f.surety for f in found]),
        open=any(f.open for f in found),
        unknown=tuple(sorted({n for f in found for n in f.unknown} - set(ids.tolist()))),
        sought=sum(f.sought or len(f) for f in found),
        lacks=next((f.lacks for f in found if f.lacks and f.unknown), ""),
        doubt=tuple(dict.fromkeys(d for f in found for d in f.doubt)),
    )


def _words(op: m.Things) -> str:
    said = op.phrase.replace("_", "").strip() if isinstance(op, m.Related) else getattr(op, "text", "")
    return f"not {said or getattr(op, 'noun', '')}".strip()
