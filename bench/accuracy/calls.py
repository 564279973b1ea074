"""Model calls and prompt tokens of a question (HydraRAG Table 9, Fig. 11): a scripted model, the real sources.

    python bench/accuracy/calls.py STORE [--limit 200] [--sets webqsp_test,cwq] [--presets default,paper]

The scripted model says that paths are enough iff a gold answer stands on the paths that it is shown; it selects the
first paths, asks nothing new in the follow-up, and predicts the last names of the first paths. Tokens are those of the
prompts as the package counts them where an endpoint does not say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import answerable_questions, machine, quantile, save
from hydra_kg import Hydra
from hydra_kg.domain import Completion
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.fakes import FakeLanguageModel
from hydra_kg.models.request import count_tokens
from hydra_kg.presets import with_preset
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings
from hydra_kg.text.folding import fold

LINE = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
SET = re.compile(r"\{([^{}]*)\}")


class Scripted(FakeLanguageModel):
    """A language model that knows the gold answers of the question at hand, and uses them to say yes or no only."""

    def __init__(self) -> None:
        super().__init__(self._completion, name="scripted")
        self.names: dict[str, str] = {}

    def ask(self, question: Question) -> None:
        """Begin a question."""
        self.names = {fold(str(g.get("name") or g.get("value") or "")): str(g.get("name") or "") for g in question.gold}
        self.calls.clear()
        self.steps.clear()

    def tokens(self) -> int:
        """Tokens of all prompts."""
        return sum(map(_tokens, self.calls))

    def _completion(self, messages: Sequence[Mapping[str, str]]) -> Completion:
        text = json.dumps(self._reply(self.steps[-1], messages[-1]["content"]))
        return Completion(text, _tokens(messages), len(text) // 4)

    def _reply(self, step: str, prompt: str) -> Mapping[str, Any]:
        lines = LINE.findall(prompt)
        ends = [SET.findall(line)[-1].split(", ")[0] for line in lines if SET.search(line)]
        said = [n for n in self.names.values() if n and any(fold(n) in fold(line) for line in lines)]
        if step.startswith("judge"):
            return {"facts": "", "parts": [], "enough": "yes" if said else "no", "answers": said, "missing": ""}
        if step == "answer":
            return {"why": "", "answers": said}
        question = prompt.rpartition("Question:")[2].strip()
        return {
            "topics": {"names": []},
            "analyse": {"parts": [question], "skyline": "", "sources": ["kg", "wiki", "web"]},
            "select_sources": {"sources": ["kg", "wiki", "web"]},
            "select_pages": {"pages": [1, 2, 3]},
            "write_paths": {"paths": [{"n": i, "chain": []} for i in range(1, len(lines) + 1)]},
            "summarise": {"keep": list(range(1, len(lines) + 1))},
            "select_paths": {"best": [{"n": i, "score": 9 - i} for i in (1, 2, 3)]},
            "refine": {"facts": "; ".join(lines)[:300]},
            "follow_up": {"question": question, "skyline": ""},
            "predict": {"predictions": [{"name": n, "skyline": ""} for n in ends[:3]]},
        }.get(step, {})


def _tokens(messages: Sequence[Mapping[str, str]]) -> int:
    return sum(count_tokens(m["content"]) for m in messages)


def run(store: Path, preset: str, questions: Sequence[Question], kinds: str) -> list[dict[str, Any]]:
    """One record a question: its phase, calls by step, prompt tokens."""
    settings = with_preset(
        Settings().changed(store=str(store), retrieval={"kinds": kinds}, budget={"calls": 0, "tokens": 0}), preset
    )
    model = Scripted()
    records = []
    with Hydra(settings=settings) as hydra:
        hydra.reasoner.tools = Tools(settings, "llm", model=model)
        for question in questions:
            model.ask(question)
            answer = hydra.ask(question.text, keep=False)
            last = answer.explorations[-1].phase if answer.explorations else "none"
            phase = "joint" if "answer" in model.steps else last
            records.append(
                {
                    "set": question.dataset,
                    "phase": phase,
                    "calls": len(model.calls),
                    "steps": Counter(model.steps),
                    "tokens": model.tokens(),
                }
            )
    return records


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and write bench/results/calls.md and .json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--sets", default="webqsp_test,cwq")
    parser.add_argument("--presets", default="default,paper")
    parser.add_argument("--name", default="calls", help="of the files of results")
    options = parser.parse_args(arguments)
    rows = []
    for name in options.sets.split(","):
        runs = answerable_questions(name, options.limit)
        for preset in options.presets.split(","):
            for kinds in ("kg", "kg,wiki,web"):
                rows += report(name, preset, kinds, run(options.store, preset, runs, kinds))
    notes = [
        "A scripted model that says yes iff a gold answer stands on the paths it is shown; no call budget.",
        "No search engine is configured, so all sources are the graphs and the stored text.",
    ]
    save(
        options.name,
        title="Model calls and prompt tokens of a question",
        command=f"python bench/accuracy/calls.py STORE --sets {options.sets} --presets {options.presets}"
        f" --limit {options.limit}",
        about=machine("numpy"),
        notes=notes,
        rows=rows,
    )


def report(name: str, preset: str, kinds: str, records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each phase in which questions ended, and one for all."""
    rows = []
    phases = [p for p in ("initial", "refined", "predicted", "joint") if any(r["phase"] == p for r in records)]
    for phase in [*phases, "all"]:
        mine = [r for r in records if phase in {r["phase"], "all"}]
        calls, tokens = [r["calls"] for r in mine], [r["tokens"] for r in mine]
        rows.append(
            {
                "set": name,
                "preset": preset,
                "sources": kinds,
                "ended in": phase,
                "n": len(mine),
                "calls mean": round(sum(calls) / len(calls), 2),
                "calls min-max": f"{min(calls)}-{max(calls)}",
                "prompt tokens p50": round(quantile(tokens, 0.5)),
                "p95": round(quantile(tokens, 0.95)),
            }
        )
        print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    main()
