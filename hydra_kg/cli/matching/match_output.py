"""Print the results of ``hydra-kg match``: columns, counts, and pairs on both sides of the threshold with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hydra_kg.cli.terminal import cut, number, table
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.match.feed_rows import ShownRow
    from hydra_kg.match.match_run import Matcher
    from hydra_kg.match.model import Matching, Pair

EXAMPLES = 3
"""Most pairs of each kind that are shown."""

AMBIGUOUS = 10
"""Most rows that fit several rows equally well and are shown."""

_WIDTH = 60


def preview_lines(found: Matching, matcher: Matcher, *, accepted: Sequence[Pair], at: str = "") -> list[str]:
    """Return the run in lines for people.

    ``accepted``: the pairs that would be linked. ``at``: the option that names the store in commands to type next.
    """
    return [
        *_preview(found, matcher, accepted=len(accepted)),
        *_ambiguous_lines(found, matcher, at),
        *_difference_lines(found, matcher, accepted),
    ]


def format_count(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 pair``, ``1,200 pairs``."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def _ambiguous_lines(found: Matching, matcher: Matcher, at: str) -> Iterator[str]:
    """Yield the rows that fit several rows equally well, with all candidates."""
    groups = found.ambiguous[:AMBIGUOUS]
    if not groups:
        return
    shown = matcher.rows(i for group in groups for p in group for i in (p.left, p.right))
    yield ""
    yield f"Ambiguous, not linked ({number(len(found.ambiguous))}): several rows fit equally well."
    for group in groups:
        for pair in group:
            left, right = (f"{clean(shown[i].key)} {cut(shown[i].name, _WIDTH)}" for i in (pair.left, pair.right))
            yield f"  {pair.probability:.2f}  {left} = {right}"
    if len(found.ambiguous) > len(groups):
        yield f"  … {number(len(found.ambiguous) - len(groups))} more (--json lists all)"
    yield f"Decide with: hydra-kg match review {clean(' '.join(found.feeds))}{at}"


def _difference_lines(found: Matching, matcher: Matcher, accepted: Sequence[Pair]) -> Iterator[str]:
    """Yield which attributes get two values through the links, and from which feed each comes."""
    differences = matcher.differences(accepted)
    if not differences:
        return
    left, right = clean(found.feeds[0]), clean(found.feeds[-1])
    yield ""
    yield "Links keep both values where the feeds differ, each with its source:"
    for d in differences:
        values = f"{cut(d.left, _WIDTH)} ({left}) | {cut(d.right, _WIDTH)} ({right})"
        yield f"  {clean(d.column)}: {format_count(d.links, 'link')}, e.g. {values}"


def _preview(found: Matching, matcher: Matcher, *, accepted: int) -> Iterator[str]:
    """Yield the lines about a comparison: columns, threshold and some of the links."""
    each = ", ".join(f"{clean(f)}: {number(n)} rows" for f, n in zip(found.feeds, found.rows, strict=True))
    yield f"{each}; {number(found.compared)} pairs were compared by"
    total = sum(found.rows)
    rows = [(c.name, c.kind, f"{c.filled / total:.0%} filled", _how(c.how)) for c in found.columns]
    yield from table(rows, indent="  ")
    left_out = len(found.accepted) - accepted
    chosen = f"{format_count(accepted, 'pair')} to link, with a probability of at least {found.threshold:.2g}"
    yield f"{chosen}. About {format_count(round(found.expected), 'row')} should have a partner."
    if left_out:
        yield f"{format_count(left_out, 'pair')} left out: two rows of one feed would become one thing."
    groups = _examples(found)
    shown = matcher.rows(i for pairs in groups.values() for p in pairs for i in (p.left, p.right))
    for title, pairs in groups.items():
        if pairs:
            yield ""
            yield f"{title}:"
            for pair in pairs:
                yield from pair_lines(found, pair, shown)


def _ambiguous_groups(found: Matching, matcher: Matcher) -> list[list[dict[str, Any]]]:
    ends = [i for group in found.ambiguous for p in group for i in (p.left, p.right)]
    keys = dict(zip(ends, matcher.keys(ends), strict=True))
    return [
        [{"left": keys[p.left], "right": keys[p.right], "probability": round(p.probability, 4)} for p in group]
        for group in found.ambiguous
    ]


def _how(how: str) -> str:
    return "" if how == "name" else "named differently, with like values"


def _examples(found: Matching) -> Mapping[str, list[Pair]]:
    """Return the surest pairs and those nearest the threshold on both sides, each pair once."""
    above = list(found.accepted)
    below = [p for p in found.pairs if p.probability < found.threshold]
    at = above[max(EXAMPLES, len(above) - EXAMPLES) :]
    return {"Surest": above[:EXAMPLES], "Just above the threshold": at, "Just below": below[:EXAMPLES]}


def pair_lines(found: Matching, pair: Pair, rows: Mapping[int, ShownRow]) -> Iterator[str]:
    """Yield a pair with its probability, the columns that agree, and what differs."""
    from hydra_kg.match.same_as_links import agreement

    agrees, differs = agreement(pair, rows, found)
    left, right = (cut(rows[i].name, _WIDTH) for i in (pair.left, pair.right))
    keys = ", ".join(cut(rows[i].key, _WIDTH) for i in (pair.left, pair.right))
    yield f"  {pair.probability:.2f}  {left} = {right}   ({keys})"
    if agrees:
        yield f"        agrees: {clean(', '.join(agrees))}"
    for text in differs:
        yield f"        differs: {cut(text, 2 * _WIDTH)}"


def question_lines(found: Matching, pair: Pair, rows: Mapping[int, ShownRow], *, place: int, of: int) -> Iterator[str]:
    """Yield a pair to be judged, with both rows side by side."""
    yield f"{place} of {of}, probability {pair.probability:.2f}"
    left, right = rows[pair.left].cells, rows[pair.right].cells
    lines: list[tuple[object, ...]] = [("", *map(clean, found.feeds * (3 - len(found.feeds))))]
    compared = [(c.name, left.get(c.left, ""), right.get(c.right, "")) for c in found.columns]
    lines += [(name, cut(a, _WIDTH), cut(b, _WIDTH)) for name, a, b in compared]
    yield from table(lines, indent="  ")


def document(found: Matching, matcher: Matcher, *, accepted: Sequence[Pair]) -> dict[str, Any]:
    """Return the run as JSON: counts, columns, method, pairs with their reasons, ambiguous ones, differing values."""
    from hydra_kg.match.same_as_links import agreement

    groups = _examples(found)
    shown = matcher.rows(i for pairs in groups.values() for p in pairs for i in (p.left, p.right))
    names = {"Surest": "surest", "Just above the threshold": "above", "Just below": "below"}
    examples = {}
    for title, pairs in groups.items():
        examples[names[title]] = [
            {
                "left": shown[p.left].key,
                "right": shown[p.right].key,
                "probability": round(p.probability, 4),
                "agrees": agreement(p, shown, found)[0],
                "differs": agreement(p, shown, found)[1],
            }
            for p in pairs
        ]
    columns = [
        {"left": c.left, "right": c.right, "kind": c.kind, "filled": c.filled, "how": c.how} for c in found.columns
    ]
    return {
        "feeds": list(found.feeds),
        "rows": list(found.rows),
        "compared": found.compared,
        "expected": round(found.expected, 1),
        "threshold": found.threshold,
        "pairs": len(accepted),
        "columns": columns,
        "method": dict(found.method),
        "examples": examples,
        "ambiguous": _ambiguous_groups(found, matcher),
        "differences": [asdict(d) for d in matcher.differences(accepted)],
    }
