"""Count the invented relations that a language model's chains would cite, where no sentence states what is asked.

    python bench/verification/absent_relations.py STORE --url http://127.0.0.1:8080/v1 --model NAME --out FILE.jsonl

STORE holds the bundled sample (``hydra-kg demo --store STORE``). Each of the 40 questions in ``absent_relations.tsv``
names something of the sample and asks for a relation that no passage states, although a passage names a plausible
value. Only the extraction step is run, through the product's own functions: linking, retrieval of passages, the
prompt ``write_paths``, and the check of what came back. FILE gets, for each question, the sentences that the model was
shown, its reply, and every path with whether it would be cited. Paths by rules, which stand in for a reply that cannot
be used, are marked. Whether a path is true is for a person to say.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg.agents.replies.lenient_json import parse_reply
from hydra_kg.agents.replies.schemas import WriteReply
from hydra_kg.domain import Analysis, Completion, Evidence, Judgement
from hydra_kg.errors import ModelError
from hydra_kg.models.budget import Budget
from hydra_kg.models.compose import make_model
from hydra_kg.ports import LanguageModel
from hydra_kg.reasoner import Reasoner
from hydra_kg.runtime import Tools
from hydra_kg.settings import Settings
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.link import mentions_of
from hydra_kg.steps.text.sentence_retrieval import excerpts, passages_of, read
from hydra_kg.steps.text.text_paths import NOT_CHECKED, text_evidence
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.strategies.base import Outcome

QUESTIONS = Path(__file__).with_name("absent_relations.tsv")


class ListeningModel:
    """A model that keeps its last reply."""

    def __init__(self, inner: LanguageModel) -> None:
        self.name, self.inner, self.reply = inner.name, inner, ""

    def complete(self, *args: Any, **options: Any) -> Completion:
        """Ask the inner model."""
        found = self.inner.complete(*args, **options)
        self.reply = found.text
        return found


@dataclass
class ExtractionOnly:
    """A strategy that writes paths from the passages of a question, and does nothing else."""

    name: str = "extraction-only"
    paper: str = "HydraRAG, Algorithm 2"
    found: list[Evidence] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def run(self, context: Context) -> Outcome:
        """Write paths from the passages about the question's topics."""
        mentions = mentions_of(context)
        analysis: Analysis = context.agent.parse(context.question, mentions, d_max=3)
        passages = passages_of(context, analysis.topics, context.question)
        topics = frozenset(analysis.topics)
        self.shown = [e.text for e in excerpts(context, read(context, context.question, passages))]
        self.found = text_evidence(
            context, analysis, passages, question=context.question, inside=topics, phase="initial"
        )
        return Outcome(mentions, analysis, NOTHING, Judgement(False, 0.0, "only extraction was run"))


def rows(evidence: Sequence[Evidence], reply: str) -> list[dict[str, object]]:
    """Return each written path: its text, its sentence, whether it would be cited under the default settings, and
    whether it comes from the reply; other paths are those of rules."""
    try:
        chains = [tuple(c.chain[1::2]) for c in parse_reply(reply, WriteReply).paths]
    except ModelError:
        chains = []
    found = []
    for e in evidence:
        relations = tuple(h.text.removesuffix(f" ({NOT_CHECKED})") for h in e.path.hops)
        by_model = any(relations == c[at : at + len(relations)] for c in chains for at in range(len(c)))
        found.append({"path": e.path.text, "sentence": e.sentence, "cited": e.path.checked, "by_model": by_model})
    return found


def main() -> None:
    """Ask the questions one after another; those that FILE already has are skipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--url", required=True, help="an OpenAI-compatible endpoint")
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    settings = Settings().changed(
        model={"name": args.model, "base_url": args.url, "timeout": 600, "alone": True},
        budget={"calls": 0, "tokens": 0, "seconds": 0},
    )
    strategy = ExtractionOnly()
    done = (
        {json.loads(line)["question"] for line in args.out.open(encoding="utf-8")} if args.out.exists() else set[str]()
    )
    with EmbeddedStore(args.store) as store, QUESTIONS.open(encoding="utf-8") as file:
        model = ListeningModel(make_model(settings, budget=Budget.of(settings)))
        tools = Tools(settings, "llm", model=model)
        reasoner = Reasoner(store, settings=settings, strategy=strategy, tools=tools)
        for row in csv.DictReader(file, delimiter="\t"):
            if row["question"] in done:
                continue
            model.reply = ""
            answer = reasoner.ask(row["question"])
            written = rows(strategy.found, model.reply)
            record = {**row, "shown": strategy.shown, "reply": model.reply, "written": written, "notes": answer.notes}
            with args.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
            print(row["question"], "|", *(f"{r['cited']}: {r['path']}" for r in written), flush=True)


if __name__ == "__main__":
    main()
