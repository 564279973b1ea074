"""Tables of recorded runs: right answers with intervals, the worth of variants such as relevance alone, and costs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.reproduce.fixed_runs import Way
from hydra_kg.evaluate.scoring.statistics import bootstrap_paired, estimate, mcnemar

Recorded = tuple[Way, Mapping[str, Any]]


def totals(found: Iterable[Recorded]) -> list[dict[str, Any]]:
    """Return right answers and costs of each set, system and preset: means a question, with 95 % intervals (Wilson).

    ``answered`` counts questions, and ``without a call`` those of them that asked no model.
    """
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for way, row in found:
        groups[way.question.dataset, way.system, way.preset].append(row)
    return [
        {
            "set": name,
            "system": system,
            "preset": preset,
            "questions": len(own),
            "right, %": _share([float(row["hits1"] or 0) for row in own]),
            "F1, %": f"{100 * sum(float(row['f1'] or 0) for row in own) / len(own):.1f}",
            "answered": sum(bool(row["answers"]) for row in own),
            "without a call": sum(bool(row["answers"]) and not row["calls"] for row in own),
            **{
                title: round(sum(row[key] for row in own) / len(own), 1)
                for title, key in (("calls", "calls"), ("tokens in", "tokens_in"), ("tokens out", "tokens_out"))
            },
        }
        for (name, system, preset), own in sorted(groups.items())
    ]


def worth_of_variants(found: Iterable[Recorded]) -> list[dict[str, Any]]:
    """Return what a preset has over each of its variants, on the questions that were asked under both."""
    right = {way.key: (way.question.dataset, float(row["hits1"] or 0)) for way, row in found}
    groups: dict[tuple[str, str, str, str], list[tuple[float, float]]] = defaultdict(list)
    for (question, system, name), (dataset, hit) in right.items():
        preset, _, variant = name.partition("+")
        if variant and (whole := right.get((question, system, preset))):
            groups[dataset, system, preset, variant].append((hit, whole[1]))
    found_rows = []
    for (dataset, system, preset, variant), pairs in sorted(groups.items()):
        without, whole_run = [a for a, _ in pairs], [b for _, b in pairs]
        gain = bootstrap_paired(without, whole_run)
        won, lost = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
        found_rows.append(
            {
                "set": dataset,
                "system": system,
                "preset": preset,
                "questions": len(pairs),
                "right, %": _share(whole_run),
                f"{variant}, %": _share(without),
                "difference": f"{100 * gain.mean:+.1f} ({100 * gain.low:+.1f} … {100 * gain.high:+.1f})",
                "won / lost": f"{won} / {lost}",
                "p": f"{mcnemar(lost, won):.2g}",
            }
        )
    return found_rows


def costs(found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return calls and tokens of each step: means over the questions of a system and preset."""
    sums: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    asked_of: dict[tuple[str, str], int] = defaultdict(int)
    for row in found:
        asked_of[row["system"], row["preset"]] += 1
        for step, numbers in row["steps"].items():
            own = sums[row["system"], row["preset"], step]
            for place, number in enumerate(numbers):
                own[place] += number
    return [
        {
            "system": system,
            "preset": preset,
            "step": step,
            "questions": asked_of[system, preset],
            **{
                name: round(total / asked_of[system, preset], 1)
                for name, total in zip(("calls", "tokens in", "tokens out"), own, strict=True)
            },
        }
        for (system, preset, step), own in sorted(sums.items())
    ]


def _share(hits: Sequence[float]) -> str:
    share = estimate(hits)
    return f"{100 * share.mean:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})"
