"""Ask the unread part of the development questions and append the totals of each set and family to a log.

    python bench/behaviour/unread.py --work DIR --slices STORE [--sets plain,metaqa] [--note TEXT] [--records FILE]

Only totals are printed and written, never a question or an answer: nobody reads these questions, so that they show
whether a change generalises. Questions that silence answers rightly, as nothing known answers them, are left out of the
figures, which are shares of the others. DIR and STORE are those of `record.py`, whose records can be given instead of
asking. Each run appends one line to `bench/results/unread.jsonl`: date, commit, and the figures of
`hydra_kg.evaluate.scoring.selective`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.behaviour.asking import ask_items, describe_result
from bench.behaviour.sets import SETS, QuestionSet, chosen, read_items
from bench.measure import ROOT, append_to_log
from hydra_kg.evaluate.scoring.selective import SelectiveFigures, selective_figures

LOG = ROOT / "bench" / "results" / "unread.jsonl"
COLUMNS = ("n", "right", "wrong", "silent", "right_at_wrong", "auroc", "ece", "sure", "sure_right", "right_sure")
HAS_UNREAD = {one.name for one in SETS if one.unread}


def figures_of(records: Sequence[Mapping[str, Any]]) -> SelectiveFigures:
    """Return the figures of recorded answers; a partly right answer counts as right, as in the other reports."""
    records = [r for r in records if not _is_rightly_silent(r)]
    return selective_figures(
        [r["confidence"] for r in records],
        [r["outcome"] in ("right", "partly") for r in records],
        [r["outcome"] != "silent" and bool(r["answers"]) for r in records],
    )


def _is_rightly_silent(record: Mapping[str, Any]) -> bool:
    return record["outcome"] == "right" and not record["answers"]


def ask_unread(sets: Iterable[QuestionSet], *, work: Path, slices: str) -> list[dict[str, Any]]:
    """Ask the unread part of some sets and return the records of `record.py`."""
    records = []
    for some in sets:
        items = read_items(some, part="unread")
        records += [describe_result(item, document) for item, document in ask_items(items, work=work, slices=slices)]
    return records


def totals(records: Sequence[Mapping[str, Any]]) -> dict[str, SelectiveFigures]:
    """Return the figures of each set, each family of several sets, and all together."""
    families = {one.name: one.family for one in SETS}
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        groups[record["set"]].append(record)
        groups[f"family {families[record['set']]}"].append(record)
        groups["all"].append(record)
    return {name: figures_of(mine) for name, mine in groups.items()}


def table(figures: Mapping[str, SelectiveFigures]) -> str:
    """Return the figures as a Markdown table, one row per set."""
    lines = [f"| set | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, one in figures.items():
        cells = [getattr(one, column) for column in COLUMNS]
        shown = ["–" if c is None else f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    """Ask, print the totals and append them to the log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--slices", default="", help="the store of the real slices")
    parser.add_argument("--sets", default="", help=f"of {', '.join(sorted(HAS_UNREAD))}")
    parser.add_argument("--records", type=Path, help="recorded answers instead of asking")
    parser.add_argument("--note", default="", help="what was measured, for the log")
    parser.add_argument("--no-log", action="store_true", help="print only")
    options = parser.parse_args()
    if options.records:
        lines = options.records.read_text(encoding="utf-8").splitlines()
        records = [r for r in map(json.loads, lines) if r["unread"]]
    elif options.work and options.slices:
        options.work.mkdir(parents=True, exist_ok=True)
        sets = [one for one in chosen(options.sets) if one.unread]
        records = ask_unread(sets, work=options.work, slices=options.slices)
    else:
        parser.error("give --work and --slices to ask, or --records")
    figures = totals(records)
    print(table(figures))
    if not options.no_log:
        append_to_log(LOG, options.note, {"figures": {name: one.to_json() for name, one in figures.items()}})


if __name__ == "__main__":
    main()
