"""Plans that a real small language model writes, beside the grammar's: ordinary questions, judged offline.

    python bench/accuracy/model_plans.py STORE --out DIR [--model qwen1.5b] [--limit 42] [--port 8765]

STORE holds the four slices of the data pack. Of the model only the analysis is asked, with a plan for every question
that has a known name; all else is the offline agent's, so that answers differ by plans alone. Replies are kept beside
the store: the same command again asks for those that it lacks. DIR/plans.jsonl has each question with both plans, the
note on one that is refused, and the grades of the grammar's plan, of the model's where it stands (``first``), and of
the model's where the grammar has none (``needed``).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.accuracy.language_model import drawn
from bench.measure import ROOT, table
from hydra_kg import Hydra, Settings
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.domain import Analysis, Mention
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.evaluate.scoring.grades import GRADES, grade
from hydra_kg.plan.words import plan_words
from hydra_kg.ports import Agent
from hydra_kg.runtime import Judge, Tools
from hydra_kg.serialise import answer_json

sys.path.insert(0, str(ROOT / "tests"))
from helpers.servers.small_model import serving


class PlannedByModel(OfflineAgent):
    """The offline agent with the plan of another one's analysis."""

    def __init__(self, settings: Settings, planner: Agent) -> None:
        super().__init__(settings)
        self.planner = planner

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the one who plans."""
        return tuple(self.planner.notes)

    def analyse(self, question: str, mentions: Sequence[Mention], *, d_max: int, kinds: Sequence[str] = ()) -> Analysis:
        """The offline analysis with the other's plan."""
        base = super().analyse(question, mentions, d_max=d_max, kinds=kinds)
        if all(m.chosen is None for m in mentions):
            return base
        return replace(base, plan=self.planner.analyse(question, mentions, d_max=d_max, kinds=kinds).plan)


class PlanningTools(Tools):
    """Makes that agent."""

    def judge(self) -> Judge:
        """As always, with the agent changed."""
        made = super().judge()
        return replace(made, agent=PlannedByModel(self.settings, made.agent))


def compared(hydra: Hydra, tools: Tools, question: Question) -> Mapping[str, Any]:
    """One question asked with either plan."""

    def ask(**other: Any) -> tuple[str, Mapping[str, Any], str]:
        answer = hydra.reasoner.ask(question.question, **other)
        doc = answer_json(answer)
        record = {**doc, "gold": list(question.gold), "expected": asdict(question.expected)}  # type: ignore[call-overload]
        return grade(record), doc, plan_words(answer.plan) if answer.plan is not None else ""

    own, _, grammar = ask()
    first, doc, model = ask(tools=tools)
    written = doc.get("plan", {}).get("by") == "model"
    return {
        "id": question.id,
        "question": question.question,
        "grammar": grammar,
        "model": model if written else "",
        "notes": doc.get("notes", []),
        "offline": own,
        "first": first,
        "needed": own if grammar else first,
        "calls": doc["usage"]["calls"],
    }


def counted(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Grades by whose plans were carried out."""
    for plans in ("offline", "first", "needed"):
        found = Counter(row[plans] for row in rows)
        yield {"plans": plans, "n": len(rows), **{name: found[name] for name in GRADES}}


def main() -> None:
    """Draw, serve, ask with either plan, and count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", default="qwen1.5b")
    parser.add_argument("--limit", type=int, default=42)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8765)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    questions = read_questions(drawn("plain", args.out, args.limit, args.seed))
    rows = []
    with serving(args.model, port=args.port) as model, Hydra(store=args.store, agent="offline") as hydra:
        named = {"name": model.name, "base_url": model.url, "timeout": 900.0}
        settings = Settings().changed(model=named, agent={"plan": "first"}, budget={"calls": 2})
        tools = PlanningTools(settings, "llm", args.store)
        for question in questions:
            rows.append(compared(hydra, tools, question))
            print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
    (args.out / "plans.jsonl").write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), "utf-8")
    print(table(list(counted(rows))))


if __name__ == "__main__":
    main()
