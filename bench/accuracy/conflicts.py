#!/usr/bin/env python3
"""Conflicts between two sources: how many are flagged, how many false alarms there are, and by what kind.

    conflicts.py DATA STORE [--most 150] [--passages 6000] [--seed 0] [--errors FILE]

DATA is the data pack, STORE a store with its knowledge graphs. *Feeds*: two sources of one attribute of one entity
whose gold value is known. *KG and text*: a fact and what a passage about its subject says, as it is, made wrong (the
value of another entity), less specific, in another form; statements that hold at different times; two things of one
name. Every pair is fused as ``hydra-kg fuse`` does it, then once more with its sources swapped. Writes
bench/results/conflicts.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import machine, save
from hydra_kg.domain import Fact, Locator, Node, Source
from hydra_kg.evaluate.fusion.claim_sets import folder_of, read_set
from hydra_kg.evaluate.fusion.method_runs import find_query_groups
from hydra_kg.evaluate.fusion.score import MatchRule, key, usable
from hydra_kg.evaluate.scoring.statistics import estimate
from hydra_kg.fusion.conflicts.conflict import MOST, Conflict, Holders, holders
from hydra_kg.fusion.conflicts.fuse import across, fuse
from hydra_kg.fusion.gathering.store_claims import ClaimStatement, statements
from hydra_kg.fusion.normalisation.dates import moment
from hydra_kg.fusion.normalisation.entity_names import NAME_SOURCE
from hydra_kg.fusion.normalisation.hierarchy import Hierarchy, read_hierarchy
from hydra_kg.fusion.truth_discovery.vote import Vote
from hydra_kg.ids import encode
from hydra_kg.ports import Snapshot
from hydra_kg.stores import open_store
from hydra_kg.text.folding import fold

CONFLICT = frozenset({"value"})
NOTES = (
    "Brackets: 95 % interval (Wilson). Feeds: a pair is what the scorer's keys, the gold and the set's hierarchy say "
    "of it; of lists, only those that share nothing are counted as wrong. KG and text: made from facts whose value the "
    "subject's passage names; pairs at different times and of two things of one name where the sample has them.",
    "Attributes that have several values (authors, and counties here) flag nothing: those pairs are missed.",
)
WITHIN = ("containedby", "located in the administrative territorial entity", "country")
DAY = re.compile(r"\d{1,2} [A-Z][a-z]+,? \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4}")
SOURCES = Source("kg"), Source("wikipedia", "wiki")


@dataclass(frozen=True)
class Pair:
    """What two sources state, and what kinds of conflict may be named; "" for none."""

    kind: str
    expected: frozenset[str]
    sides: tuple[tuple[ClaimStatement, ...], tuple[ClaimStatement, ...]]

    @property
    def swapped(self) -> Pair:
        """The same with each side said by the other source, and heard first."""
        first, second = self.sides
        return replace(
            self,
            sides=(
                tuple(map(partial(_said_by, first[0].fact.source), second)),
                tuple(map(partial(_said_by, second[0].fact.source), first)),
            ),
        )


def _said_by(source: Source, statement: ClaimStatement) -> ClaimStatement:
    return replace(statement, fact=replace(statement.fact, source=source))


def statement(
    entity: int, attribute: str, text: str, source: Source, *, when: tuple[tuple[str, str], ...] = ()
) -> ClaimStatement:
    """A statement of a text as its value."""
    literal = json.dumps(text, ensure_ascii=False)
    fact = Fact(
        encode(f"{entity} {attribute} {text} {source.name}") & (2**60 - 1),
        str(entity),
        attribute,
        literal,
        source,
        Locator(),
        qualifiers=when,
    )
    return ClaimStatement(entity, attribute, when, Node(encode(literal), literal, text), fact)


# Feeds


def feed_pairs(name: str, most: int, seed: int) -> tuple[list[Pair], Hierarchy | None]:
    """Pairs of sources on the groups of queries: what they agree on, what one says less of, and what one has wrong."""
    data = read_set(name)
    beside = folder_of(name) / "hierarchy.csv.gz"
    tree = read_hierarchy(beside) if beside.is_file() else None
    claims, reading = data.reading.claims, data.reading
    found: dict[str, list[tuple[str, str, list[tuple[str, list[str]]]]]] = defaultdict(list)
    for one in find_query_groups(data):
        gold = set(usable(one.query.gold, data.rule, one.query.attribute))
        for g in one.groups if gold else ():
            said: dict[str, tuple[set[object], list[str]]] = {}
            for row in range(int(claims.starts[g]), int(claims.starts[g + 1])):
                source = claims.sources[int(claims.source[row])]
                if source != NAME_SOURCE:
                    keys, texts = said.setdefault(source, (set(), []))
                    keys.add(key(claims.texts[g][int(claims.value[row])], data.rule, one.query.attribute))
                    texts.append(reading.texts[int(reading.original[row])])
            for (a, (ka, ta)), (b, (kb, tb)) in combinations(sorted(said.items()), 2):
                kind = judged(ka, kb, gold, data.rule, tree, ta, tb)
                if kind:
                    found[kind].append((claims.keys[g][0], claims.keys[g][1], [(a, ta), (b, tb)]))
    drawn, pairs, number = random.Random(seed), [], 0
    for kind in sorted(found):
        for _, attribute, sides in drawn.sample(found[kind], min(most, len(found[kind]))):
            number += 1
            made = [
                tuple(statement(number, attribute, t, Source(s, "table")) for t in dict.fromkeys(texts))
                for s, texts in sides
            ]
            expected = CONFLICT if kind == "one is wrong" else frozenset({"", "granularity"})
            pairs.append(Pair(f"{name}: {kind}", expected, (made[0], made[1])))
    return pairs, tree


def judged(
    a: set, b: set, gold: set, rule: MatchRule, tree: Hierarchy | None, texts: list[str], others: list[str]
) -> str:
    """What a pair is by the scorer's keys and the gold; "" where neither is known."""
    if a == b:
        return "the same" if texts == others else "the same, written differently"
    if tree is not None and any(
        tree.general(fold(x), fold(y)) or tree.general(fold(y), fold(x)) for x in texts for y in others
    ):
        return "one is less specific"
    if rule is MatchRule.NAMES and (a < b or b < a):
        return "one lists more"
    right = [bool(x) and x <= gold for x in (a, b)]
    return "one is wrong" if sum(right) == 1 and not (a & gold if right[1] else b & gold) and not a & b else ""


# KG and text


def kg_pairs(snapshot: Snapshot, data: Path, most: int, passages: int, seed: int) -> tuple[list[Pair], list[int]]:
    """Pairs of a fact and a text, see the top; and the entities that are values in them."""
    drawn = random.Random(seed)
    own: dict[int, str] = {}
    with gzip.open(data / "wikipedia.jsonl.gz", "rt", encoding="utf-8") as lines:
        known = [(doc["mid"], doc["text"]) for doc in map(json.loads, lines) if doc.get("mid")]
    chosen = drawn.sample(known, min(passages, len(known)))
    for (_, text), node in zip(chosen, snapshot.lookup([mid for mid, _ in chosen]), strict=True):
        if node is not None:
            own.setdefault(node, text)
    said = [s for i in range(0, len(own), 500) for s in statements(snapshot, sorted(own)[i : i + 500])]
    groups: dict[tuple[int, str, str], list[ClaimStatement]] = defaultdict(list)
    for s in said:
        groups[s.entity, s.attribute, s.fact.source.name].append(s)
    single = single_valued(groups)
    agree: list[tuple[ClaimStatement, str]] = []
    for (entity, attribute, _), found in sorted(groups.items()):
        if len(found) == 1 and attribute in single and (text := stated_in(snapshot, found[0], own[entity])):
            agree.append((found[0], text))
    drawn.shuffle(agree)
    pairs = [
        *_altered(snapshot, agree, most, drawn),
        *_times(groups, most),
        *_namesakes(snapshot, groups, single, most),
    ]
    return pairs, sorted({s.value.id for s, _ in agree if not s.value.key.startswith('"')})


def single_valued(groups: Mapping[tuple[int, str, str], list[ClaimStatement]]) -> set[str]:
    """Attributes of which a source states several values for less than one entity in twenty."""
    several: dict[str, list[bool]] = defaultdict(list)
    for (_, attribute, _), found in groups.items():
        several[attribute].append(len({s.value.name for s in found}) > 1)
    return {a for a, flags in several.items() if sum(flags) < 0.05 * len(flags)}


def stated_in(snapshot: Snapshot, stated: ClaimStatement, text: str) -> str:
    """The value as the text writes it, "" where it does not: a day, or a name or alias of four letters or more."""
    value = stated.value
    if value.key.startswith('"'):
        wanted = moment(value.name)
        days = (m[0] for m in DAY.finditer(text)) if wanted.day >= 0 and wanted.year >= 0 else ()
        return next((d for d in days if (moment(d).day, moment(d).year) == (wanted.day, wanted.year)), "")
    known = snapshot.entities([value.id])[0]
    for name in sorted({known.node.name, *known.aliases}, key=lambda n: (-len(n), n)):
        if len(name) > 3 and (m := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)):
            return m[0]
    return ""


def _altered(
    snapshot: Snapshot, agree: Sequence[tuple[ClaimStatement, str]], most: int, drawn: random.Random
) -> Iterator[Pair]:
    kg, wiki = SOURCES
    of: dict[str, list[tuple[ClaimStatement, str]]] = defaultdict(list)
    for s, text in agree:
        of[s.attribute].append((s, text))
    counts: dict[str, int] = defaultdict(int)

    def pair(kind: str, expected: frozenset[str], s: ClaimStatement, text: str) -> Iterator[Pair]:
        if counts[kind] < most:
            counts[kind] += 1
            number = 1000 * len(counts) + sum(counts.values())
            one = statement(number, s.attribute, s.value.name, kg)
            yield Pair(f"KG and text: {kind}", expected, ((one,), (statement(number, s.attribute, text, wiki),)))

    none, less = frozenset({""}), frozenset({"", "granularity"})
    for s, text in agree:
        day = s.value.key.startswith('"')
        yield from pair(
            "a day as the text writes it" if day else "a name as the text writes it", none if day else less, s, text
        )
        others = [(o, t) for o, t in of[s.attribute] if fold(o.value.name) != fold(s.value.name)]
        if others:
            _, wrong = others[drawn.randrange(len(others))]
            yield from pair("made wrong: another day" if day else "made wrong: another name", CONFLICT, s, wrong)
        if day:
            yield from pair("less specific: the year of a day", less, s, text[-4:])
        elif "person" in " ".join(snapshot.entities([s.value.id])[0].types) and len(s.value.name.split()) == 2:
            yield from pair("a name in the other order", none, s, ", ".join(s.value.name.split()[::-1]))
        else:
            holding = [x for x in statements(snapshot, [s.value.id]) if x.attribute in WITHIN]
            if holding:
                yield from pair("less specific: the place around a place", less, s, holding[0].value.name)


def _times(groups: Mapping[tuple[int, str, str], list[ClaimStatement]], most: int) -> Iterator[Pair]:
    """Two statements of one source under circumstances of their own, said by two."""
    made = 0
    for found in groups.values():
        dated = [s for s in found if any(k in ("P580", "P585", "P582") for k, _ in s.fact.qualifiers)]
        for a, b in combinations(dated, 2):
            when = [tuple(q for q in s.fact.qualifiers if q[0] in ("P580", "P582", "P585")) for s in (a, b)]
            same = {k for k, _ in when[0]} == {k for k, _ in when[1]}
            if same and not {v for _, v in when[0]} & {v for _, v in when[1]} and a.value.name != b.value.name:
                made += 1
                sides = [
                    (statement(50_000 + made, s.attribute, s.value.name, source, when=w),)
                    for s, source, w in zip((a, b), SOURCES, when, strict=True)
                ]
                yield Pair("KG and text: at different times", frozenset({"", "time"}), (sides[0], sides[1]))
                break
        if made >= most:
            return


def _namesakes(
    snapshot: Snapshot, groups: Mapping[tuple[int, str, str], list[ClaimStatement]], single: set[str], most: int
) -> Iterator[Pair]:
    """The same attribute of two things of one name."""
    entities = sorted({e for e, _, _ in groups})
    named: dict[str, list[int]] = defaultdict(list)
    for known in snapshot.entities(entities):
        named[fold(known.node.name)].append(known.node.id)
    made = 0
    for nodes in (n for _, n in sorted(named.items()) if len(n) > 1):
        for a, b in combinations(nodes, 2):
            both = {at for e, at, _ in groups if e == a} & {at for e, at, _ in groups if e == b} & single
            for attribute in sorted(both):
                found = [next(v for (e, at, _), v in groups.items() if e == n and at == attribute) for n in (a, b)]
                if made < most and fold(found[0][0].value.name) != fold(found[1][0].value.name):
                    made += 1
                    sides = [
                        (statement(70_000 + 2 * made + i, attribute, f[0].value.name, source),)
                        for i, (f, source) in enumerate(zip(found, SOURCES, strict=True))
                    ]
                    yield Pair("KG and text: two things of one name", frozenset({"entity"}), (sides[0], sides[1]))


# Judging


def named(pairs: Sequence[Pair], around: Holders) -> list[Conflict | None]:
    """The conflict of each pair as ``fuse`` names it: within its group, else between its groups."""
    every = [s for pair in pairs for side in pair.sides for s in side]
    groups = defaultdict(list)
    for g in fuse(every, Vote(), holders=around).groups():
        groups[g.entity].append(g)
    found = []
    for pair in pairs:
        entities = dict.fromkeys(s.entity for side in pair.sides for s in side)
        own = [g for e in entities for g in groups[e]]
        within = [g.conflict for g in own if g.conflict is not None]
        between = [c for _, c in across(own)]
        found.append(next(iter([*between, *within]), None))
    return found


def measured(pairs: Sequence[Pair], around: Holders) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """A row for each kind of pair, and the errors."""
    found, swapped = named(pairs, around), named([p.swapped for p in pairs], around)
    rows, errors = [], []
    for kind in dict.fromkeys(p.kind for p in pairs):
        at = [n for n, p in enumerate(pairs) if p.kind == kind]
        kinds = [found[n].kind if found[n] is not None else "" for n in at]  # type: ignore[union-attr]
        conflict = pairs[at[0]].expected == CONFLICT
        right = sum(k in pairs[n].expected for k, n in zip(kinds, at, strict=True))
        same = sum(_alike(found[n], swapped[n]) for n in at)
        share = estimate([float(k == "value") for k in kinds])
        what = f"{100 * share.mean:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})"
        rows.append(
            {
                "pairs": kind,
                "n": len(at),
                "flagged, of those in conflict, %": what if conflict else "",
                "false alarms, %": "" if conflict else what,
                "named rightly": f"{100 * right / len(at):.1f}",
                "same when swapped": f"{100 * same / len(at):.1f}",
            }
        )
        errors += [
            {
                "pairs": kind,
                "found": k,
                "sides": [[s.value.name for s in side] for side in pairs[n].sides],
                "attribute": pairs[n].sides[0][0].attribute,
            }
            for k, n in zip(kinds, at, strict=True)
            if k not in pairs[n].expected
        ]
    return rows, errors


def _above(tree: Hierarchy, pairs: Sequence[Pair]) -> Holders:
    """What the set's own hierarchy says lies around the values."""
    values = {fold(s.value.name) for p in pairs for side in p.sides for s in side}
    return {v: frozenset(fold(tree.names[a]) for n in tree.nodes.get(v, ()) for a in tree.above(n)) for v in values}


def _alike(one: Conflict | None, other: Conflict | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.kind == other.kind and {s.value for s in one.sides} == {s.value for s in other.sides}


def main() -> None:
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("data", type=Path)
    a.add_argument("store")
    a.add_argument("--sets", default="movies,books,flights,birthplaces,heritages")
    a.add_argument("--most", type=int, default=150, help="pairs of each kind")
    a.add_argument("--passages", type=int, default=6000)
    a.add_argument("--seed", type=int, default=0)
    a.add_argument("--errors", type=Path, help="write what was wrong as JSON")
    a.add_argument("--out", default="conflicts")
    o = a.parse_args()
    os.environ["HYDRA_DATA"] = str(o.data)
    parts = []
    for name in filter(None, o.sets.split(",")):
        pairs, tree = feed_pairs(name, o.most, o.seed)
        parts.append(measured(pairs, _above(tree, pairs) if tree is not None else {}))
    with open_store(o.store).snapshot() as snapshot:
        pairs, values = kg_pairs(snapshot, o.data, o.most, o.passages, o.seed)
        around: dict[str, frozenset[str]] = {}
        for i in range(0, len(values), MOST):
            around |= holders(snapshot, values[i : i + MOST])
    parts.append(measured(pairs, around))
    rows, errors = ([row for part in parts for row in part[n]] for n in (0, 1))
    if o.errors:
        o.errors.write_text(json.dumps(errors, indent=1, ensure_ascii=False), "utf-8")
    command = " ".join(["bench/accuracy/conflicts.py DATA STORE", *sys.argv[3:]])
    save(
        o.out,
        title="Conflicts between two sources",
        command=command,
        about=machine("numpy", "python-dateutil"),
        notes=NOTES,
        rows=rows,
    )


if __name__ == "__main__":
    main()
