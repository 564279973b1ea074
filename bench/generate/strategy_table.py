"""Writes docs/strategies.md, the list of strategies, and a page for each with the steps that it took in a recorded run.

    python bench/generate/strategy_table.py [--check]

Each strategy answers one question over the shipped sample, by a model and a search engine that follow a script
(``step_recording.py``), and what it did is recorded: nothing here is declared but the words (``step_terms.py``) and the
parameters. A test compares the pages with a recording of its own.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.generate.step_recording import Recorded, recorded  # noqa: E402
from bench.generate.step_terms import STEPS, TERMS  # noqa: E402
from hydra_kg import Hydra, Settings  # noqa: E402
from hydra_kg.strategies.registry import parameters_of  # noqa: E402
from hydra_kg.util.package_data import find_content  # noqa: E402

DOCS = ROOT / "docs"
HEAD = "Written by `python bench/generate/strategy_table.py`; do not edit."
SAMPLE = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")


def strategies() -> dict[str, Any]:
    """Our strategies by name, made."""
    ours = (e for e in entry_points(group="hydra_kg.strategies") if e.value.startswith("hydra_kg."))
    return {e.name: e.load()() for e in sorted(ours, key=lambda e: e.name)}


def pages(store: Path) -> dict[str, str]:
    """Return the text of each page by its name, as runs over a store of the sample make it."""
    made = strategies()
    runs = {name: recorded(store, name) for name in made}
    taken = {name: [s.name for s in run.steps] for name, run in runs.items()}
    index = [
        "# Strategies",
        "",
        "A strategy decides how a question is searched and judged. This page lists all; the page of each has its",
        "parameters and steps. `--strategy NAME` chooses one. Parameters follow the name, as in",
        "`--strategy tog-2+clues=false+ranker=bm25`, and answers and evaluations record the name with them. To add one",
        "of yours, see [extending.md](extending.md).",
        "",
        "Calls of a language model are counted in one run: “Where was the director of Inception born?” over the",
        "shipped sample, with `--preset paper` and a model that follows a script. It never finds the evidence",
        "sufficient, so every exploration runs. Strategies marked \\* need a model.",
        "",
        "| strategy | paper | what it does | calls |",
        "|---|---|---|--:|",
    ]
    written = {}
    for name, s in made.items():
        what, _, more = _text(s).partition("\n\n")
        index.append(f"| [{name}](strategies/{name}.md){_mark(s)} | {s.paper} | {what} | {runs[name].calls} |")
        values = {k: str(v).lower() if isinstance(v, bool) else v for k, v in parameters_of(s).items()}
        lines = [f"# Strategy {name}", "", f"{s.paper}. {what}", ""]
        lines += [more, ""] if more else []
        lines += [f"Parameters: {', '.join(f'`{k}={v}`' for k, v in values.items())}.", ""] if values else []
        twins = (n for n in TERMS if n != name and TERMS[n] == TERMS.get(name) and taken[n] == taken[name])
        if (same := next(twins, name)) < name:
            lines += [f"The steps are those of [{same}]({same}.md)."]
        else:
            lines += _steps(runs[name], TERMS.get(name, {}))
        lines += ["", HEAD]
        written[f"strategies/{name}.md"] = "\n".join(lines) + "\n"
    return {"strategies.md": "\n".join([*index, "", HEAD]) + "\n"} | written


def _mark(strategy: Any) -> str:
    return " \\*" if getattr(strategy, "needs_model", False) else ""


def _steps(run: Recorded, terms: Mapping[str, tuple[str, str]]) -> list[str]:
    """The steps of one run in the order in which they first began, in the paper's words."""
    times = Counter(s.name for s in run.steps)
    rows = []
    for number, step in enumerate(times, 1):
        term, where = terms.get(step, (STEPS[step], ""))
        calls = sum(s.calls for s in run.steps if s.name == step)
        rows.append(f"| {number} | `{step}` | {term} | {where} | {times[step]} | {calls or ''} |")
    head = (
        "| | step | in the paper's words | where | times | calls |"
        if terms
        else "| | step | what it does | | times | calls |"
    )
    return [
        "Steps of the recorded run, in the order in which they first began:",
        "",
        head,
        "|--:|---|---|---|--:|--:|",
        *rows,
    ]


def _text(strategy: Any) -> str:
    """The docstring as paragraphs of one line each."""
    blocks = (strategy.__doc__ or "").strip().split("\n\n")
    return "\n\n".join(" ".join(block.split()).replace("``", "`") for block in blocks)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages, or with --check say whether they are up to date."""
    with TemporaryDirectory(prefix="hydra-kg-") as folder:
        with Hydra(store=folder, settings=Settings()) as hydra:
            hydra.load(*(find_content("sample", name) for name in SAMPLE))
        made = pages(Path(folder))
    if "--check" in (sys.argv[1:] if arguments is None else arguments):
        if old := [name for name, text in made.items() if (DOCS / name).read_text("utf-8") != text]:
            raise SystemExit(f"docs/{old[0]} is old: run python bench/generate/strategy_table.py.")
        return
    (DOCS / "strategies").mkdir(exist_ok=True)
    for name, text in made.items():
        (DOCS / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
