"""Writes docs/strategies.md: which strategy takes which step, its parameters, and what stands in for a model.

    python bench/generate/strategy_table.py [--check]

A test compares the page with what the installed strategies say of themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from hydra_kg.strategies.parameters import parameters_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "strategies.md"

STEPS = {
    "know": "the model's own knowledge is asked",
    "agree": "the most frequent of several sampled answers is taken",
    "link": "names of the question become entities",
    "parse": "the question is analysed by its wording alone, without a call",
    "analyse": "the question is analysed: indicator, order of topics, depth, sub-questions",
    "select_sources": "the kinds of source to consult are chosen",
    "prune_topics": "the entities to start from are chosen",
    "cut": "the subgraph around the topics is fetched",
    "explore": "relation paths are searched, pruned at every hop",
    "constrain": "paths through the other topics come first",
    "expand": "the relations of a few entities are fetched, one hop",
    "prune_relations": "relations are scored and pruned",
    "prune_entities": "entities of a relation are scored and pruned",
    "draw_entities": "entities of a relation are sampled with the seed",
    "gather": "stored text and web pages are read",
    "search": "a search engine is asked, but no page is read",
    "contexts": "the documents about each entity are read",
    "rank": "pieces of text are ranked",
    "verify": "paths are verified across sources",
    "fuzzy": "paths are pruned to W_1 by vector similarity",
    "branch_reduced": "paths are selected by their first steps",
    "prune": "paths are pruned to W_2 by cross-score",
    "select": "paths are selected by the agent",
    "refine": "paths are summarised",
    "judge": "the agent judges whether the evidence suffices",
    "follow_up": "the agent asks a new question",
    "predict": "answers are predicted, then looked for in the graph",
    "homologous": "everything that the sources state about one attribute is grouped",
    "confidence": "the group is weighed by multi-level confidence",
    "answer": "the answer is given",
}
"""Steps in the order of the columns, with what they do."""


def strategies() -> dict[str, Any]:
    """Our strategies by name, made."""
    ours = (e for e in entry_points(group="hydra_kg.strategies") if e.value.startswith("hydra_kg."))
    return {e.name: e.load()() for e in sorted(ours, key=lambda e: e.name)}


def page() -> str:
    """The page as the strategies make it."""
    made = strategies()
    used = [step for step in STEPS if any(step in s.steps for s in made.values())]
    used += sorted({step for s in made.values() for step in s.steps} - set(STEPS))
    lines = [
        "# Strategies",
        "",
        "Written by `python bench/generate/strategy_table.py` from what the strategies say of themselves; do not edit.",
        "",
        "A strategy is a composition of steps (`hydra_kg/steps`). `--strategy NAME` chooses one; parameters follow its",
        "name, as in `--strategy tog-2+clues=false+ranker=bm25`, and the name with them is what an answer and an",
        "evaluation record. A package of yours adds a strategy through the entry point group `hydra_kg.strategies`.",
        "",
        "## Steps of each strategy",
        "",
        f"| step | {' | '.join(made)} |",
        f"|---|{'|'.join(':-:' for _ in made)}|",
        *(f"| {step} | {' | '.join('●' if step in s.steps else '' for s in made.values())} |" for step in used),
        "",
        *(f"* `{step}`: {STEPS.get(step, 'a step of its own')}" for step in used),
        "",
        "## Strategies in short",
    ]
    for name, s in made.items():
        needs = " **Needs a language model.**" if getattr(s, "needs_model", False) else ""
        values = {k: str(v).lower() if isinstance(v, bool) else v for k, v in parameters_of(s).items()}
        parameters = ", ".join(f"`{k}={v}`" for k, v in values.items()) or "none"
        lines += ["", f"### {name}", "", f"{s.paper}.{needs}", "", _text(s), "", f"Parameters: {parameters}."]
    return "\n".join(lines) + "\n"


def _text(strategy: Any) -> str:
    """The docstring as paragraphs of one line each."""
    blocks = (strategy.__doc__ or "").strip().split("\n\n")
    return "\n\n".join(" ".join(block.split()).replace("``", "`") for block in blocks)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, or with --check say whether it is up to date."""
    if "--check" in (sys.argv[1:] if arguments is None else arguments):
        if PAGE.read_text("utf-8") != page():
            raise SystemExit("docs/strategies.md is old: run python bench/generate/strategy_table.py.")
        return
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
