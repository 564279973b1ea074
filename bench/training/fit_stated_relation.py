"""Fit ``hydra_kg.extract.stated_relation.LIKE``: from which cosine a sentence states a relation in other words.

    python bench/training/fit_stated_relation.py [--test] [--out docs/results/stated-relations.md]

``stated_relations.tsv`` holds labelled pairs, written by hand: a sentence, two names that it mentions, a relation, and
whether the sentence states it. ``kind``: *same* (in the words of the sentence), *like* (in other words), and three
hard negatives: *other* (another relation of the same names), *reverse* (the opposite direction), *negated*. A third of
the sentences, chosen by a hash of each, is the test part, which is read with ``--test`` only.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg.extract.stated_relation import LIKE, RelationClaim, are_stated, cosines
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.ports import Embedder

PAIRS = Path(__file__).with_name("stated_relations.tsv")
KINDS = ("same", "like", "other", "reverse", "negated")
FALSE_POSITIVES = 0.01
"""Share of the undecided negatives of the fitting part that may pass: an invented citation costs more than a lost
one."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A labelled claim."""

    claim: RelationClaim
    stated: bool
    kind: str
    test: bool


def pairs() -> list[Pair]:
    """Return all labelled pairs."""
    with PAIRS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Pair(
            RelationClaim(r["sentence"], r["subject"], r["relation"], r["object"]),
            r["stated"] == "yes",
            r["kind"],
            int(hashlib.sha256(r["sentence"].encode()).hexdigest(), 16) % 3 == 0,
        )
        for r in rows
    ]


def roc(some: Sequence[Pair], embedder: Embedder) -> list[tuple[float, float, float]]:
    """Return (bound, share of the stated that pass, share of the others that pass) over pairs that words do not
    decide, for each bound at which a share changes, highest first."""
    scored = list(zip(cosines([p.claim for p in some], embedder.embed), some, strict=True))
    yes = [c for c, p in scored if p.stated]
    no = [c for c, p in scored if not p.stated]
    bounds = sorted({c for c, _ in scored}, reverse=True)
    return [(b, sum(c >= b for c in yes) / len(yes), sum(c >= b for c in no) / len(no)) for b in bounds]


def area(curve: Sequence[tuple[float, float, float]]) -> float:
    """Return the area under a ROC curve."""
    points = [(0.0, 0.0), *((no, yes) for _, yes, no in curve), (1.0, 1.0)]
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))


def fitted(curve: Sequence[tuple[float, float, float]]) -> float:
    """Return the lowest bound in hundredths that lets no more than FALSE_POSITIVES of the negatives pass."""
    return next(b / 100 for b in range(101) if passing(curve, b / 100)[1] <= FALSE_POSITIVES)


def passing(curve: Sequence[tuple[float, float, float]], bound: float) -> tuple[float, float]:
    """Return the shares of the stated pairs and of the others that reach a bound."""
    return next(((yes, no) for b, yes, no in reversed(curve) if b >= bound), (0.0, 0.0))


def table(some: Sequence[Pair], embedder: Embedder) -> list[str]:
    """Return rows of a Markdown table: per kind, how many pairs pass the whole check."""
    passed = are_stated([p.claim for p in some], embedder.embed)
    lines = ["| kind | pairs | pass | share |", "|---|---|---|---|"]
    for kind in KINDS:
        own = [ok for ok, p in zip(passed, some, strict=True) if p.kind == kind]
        lines.append(f"| {kind} | {len(own)} | {sum(own)} | {sum(own) / len(own):.2f} |")
    return lines


def report(test: bool) -> str:
    """Return the results as a Markdown page."""
    embedder, every = make_embedder(), pairs()
    fit = [p for p in every if not p.test]
    undecided = [p for p in fit if p.claim.decided_by_words() is None]
    curve = roc(undecided, embedder)
    lines = [
        "# Stated relations",
        "",
        "Read this to see how well hydra-kg tells a relation that a sentence states from one that a language model "
        "invented between two names of that sentence. The check is `hydra_kg/extract/stated_relation.py`, the pairs "
        "are `bench/training/stated_relations.tsv`, and `python bench/training/fit_stated_relation.py --test --out "
        "docs/results/stated-relations.md` writes this page.",
        "",
        "What a small model wrote for forty questions whose relation no sentence states is counted in "
        "[absent_relations.md](../../bench/results/absent_relations.md).",
        "",
        "Pairs labelled yes are *same* (the sentence's own words) and *like* (other words). The others are hard "
        "negatives: *other* (both names, another relation), *reverse* (opposite direction) and *negated*.",
        "",
        f"## Fitting part: {len(fit)} pairs",
        "",
        *table(fit, embedder),
        "",
        f"Words decide {len(fit) - len(undecided)} of them. Over the other {len(undecided)}, the cosine of the "
        f"relation and the words between the names has an area under the ROC curve of {area(curve):.2f}. "
        f"The bound in use is {LIKE}; the fitted one is {fitted(curve)}: the lowest one that at most "
        f"{FALSE_POSITIVES:.0%} of the undecided negatives reach.",
        "",
        "| bound | stated pairs that pass | other pairs that pass |",
        "|---|---|---|",
    ]
    for bound in (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, LIKE, 0.5, 0.55, 0.6):
        yes, no = passing(curve, bound)
        lines.append(f"| {bound:.2f} | {yes:.2f} | {no:.2f} |")
    if test:
        held = [p for p in every if p.test]
        left = roc([p for p in held if p.claim.decided_by_words() is None], embedder)
        lines += ["", f"## Test part: {len(held)} pairs", "", *table(held, embedder), ""]
        lines.append(f"Area under the ROC curve of the cosine over undecided pairs: {area(left):.2f}.")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the results, and write them where ``--out`` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", action="store_true", help="also measure the test part")
    parser.add_argument("--errors", action="store_true", help="print wrong decisions of the fitting part")
    parser.add_argument("--out", type=Path, help="the Markdown file to write")
    args = parser.parse_args()
    text = report(args.test)
    print(text)
    if args.errors:
        fit = [p for p in pairs() if not p.test]
        for ok, p in zip(are_stated([p.claim for p in fit], make_embedder().embed), fit, strict=True):
            if ok != p.stated:
                print(p.kind, p.claim.decided_by_words(), p.claim)
    if args.out:
        args.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
