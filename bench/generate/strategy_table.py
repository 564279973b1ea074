"""Writes docs/strategies.md: which steps each strategy took in a recorded run, in which order, with how many calls.

    python bench/generate/strategy_table.py [--check]

Each strategy answers one question over the shipped sample, by a model and a search engine that follow a script
(``step_recording.py``), and what it did is recorded: nothing here is declared but the words (``step_terms.py``) and the
parameters. A test compares the page with a recording of its own.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.generate.step_recording import QUESTION, Recorded, recorded  # noqa: E402
from bench.generate.step_terms import STEPS, TERMS  # noqa: E402
from hydra_kg import Hydra, Settings  # noqa: E402
from hydra_kg.strategies.parameters import parameters_of  # noqa: E402
from hydra_kg.util.package_data import content  # noqa: E402

PAGE = ROOT / "docs" / "strategies.md"
SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")


def strategies() -> dict[str, Any]:
    """Our strategies by name, made."""
    ours = (e for e in entry_points(group="hydra_kg.strategies") if e.value.startswith("hydra_kg."))
    return {e.name: e.load()() for e in sorted(ours, key=lambda e: e.name)}


def page(store: Path) -> str:
    """The page as runs over a store of the sample make it."""
    made = strategies()
    runs = {name: recorded(store, name) for name in made}
    ran = {name: Counter(s.name for s in run.steps) for name, run in runs.items()}
    used = [step for step in STEPS if any(step in steps for steps in ran.values())]
    lines = [
        "# Strategies",
        "",
        "Written by `python bench/generate/strategy_table.py` from recorded runs; do not edit.",
        "",
        "A strategy is a composition of steps (`hydra_kg/steps`). `--strategy NAME` chooses one; parameters follow its",
        "name, as in `--strategy tog-2+clues=false+ranker=bm25`, and the name with them is what an answer and an",
        "evaluation record. One of yours: [extending.md](extending.md).",
        "",
        "## Steps that ran",
        "",
        f"“{QUESTION}”, asked once of each strategy over the shipped sample by a model",
        "that follows a script, with `--preset paper`. It never finds the evidence enough, so every exploration of a",
        "strategy runs. A number is how many calls of the model a step made; ● means that it ran without one.",
        "",
        f"| step | {' | '.join(made)} |",
        f"|---|{'|'.join(':-:' for _ in made)}|",
        *(f"| {step} | {' | '.join(_cell(run, step) for run in runs.values())} |" for step in used),
        f"| **calls** | {' | '.join(str(run.calls) for run in runs.values())} |",
        "",
        *(f"* `{step}`: {STEPS[step]}" for step in used),
        "",
        "## Strategies in short",
    ]
    for name, s in made.items():
        needs = " **Needs a language model.**" if getattr(s, "needs_model", False) else ""
        values = {k: str(v).lower() if isinstance(v, bool) else v for k, v in parameters_of(s).items()}
        parameters = ", ".join(f"`{k}={v}`" for k, v in values.items()) or "none"
        lines += ["", f"### {name}", "", f"{s.paper}.{needs}", "", _text(s), "", f"Parameters: {parameters}.", ""]
        lines += _steps(runs[name], TERMS.get(name, {}))
    return "\n".join(lines) + "\n"


def _cell(run: Recorded, step: str) -> str:
    calls = [s.calls for s in run.steps if s.name == step]
    return str(sum(calls)) if sum(calls) else "●" if calls else ""


def _steps(run: Recorded, terms: Mapping[str, tuple[str, str]]) -> list[str]:
    """The steps of one run in the order in which they first began, in the paper's words, then one after the other."""
    times = Counter(s.name for s in run.steps)
    rows = []
    for number, step in enumerate(times, 1):
        term, where = terms.get(step, (STEPS[step], ""))
        calls = sum(s.calls for s in run.steps if s.name == step)
        rows.append(f"| {number} | `{step}` | {term} | {where} | {times[step]} | {calls or ''} |")
    order = [(name, len(list(same))) for name, same in groupby(s.name for s in run.steps)]
    return [
        "| | step | in the paper's words | where | times | calls |",
        "|--:|---|---|---|--:|--:|",
        *rows,
        "",
        f"In order: {' → '.join(f'{name} ×{n}' if n > 1 else name for name, n in order)}.",
    ]


def _text(strategy: Any) -> str:
    """The docstring as paragraphs of one line each."""
    blocks = (strategy.__doc__ or "").strip().split("\n\n")
    return "\n\n".join(" ".join(block.split()).replace("``", "`") for block in blocks)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, or with --check say whether it is up to date."""
    with TemporaryDirectory(prefix="hydra-kg-") as folder:
        with Hydra(store=folder, settings=Settings()) as hydra:
            hydra.load(*(content("sample", name) for name in SAMPLE))
        made = page(Path(folder))
    if "--check" in (sys.argv[1:] if arguments is None else arguments):
        if PAGE.read_text("utf-8") != made:
            raise SystemExit("docs/strategies.md is old: run python bench/generate/strategy_table.py.")
        return
    PAGE.write_text(made, "utf-8")


if __name__ == "__main__":
    main()
