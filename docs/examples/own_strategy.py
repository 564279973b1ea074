"""Answer by two relation steps at most, and only where two sources agree: a strategy made of another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from hydra_kg import Hydra
from hydra_kg.plugins import Context, Outcome, make_strategy


@dataclass(frozen=True)
class TwoWitnesses:
    """HydraRAG, but silent where fewer than ``least`` sources state the answer."""

    least: int = 2
    name: str = "two-witnesses"
    paper: str = "none: an example"

    def run(self, context: Context) -> Outcome:
        """Return HydraRAG's outcome, or the same without an answer."""
        found = make_strategy("hydra").run(context)
        sources = {
            fact.source for evidence in found.conclusion.evidence for hop in evidence.path.hops for fact in hop.facts
        }
        if len(sources) >= self.least:
            return found
        why = f"{len(sources)} of {self.least} sources state it"
        return replace(found, judgement=replace(found.judgement, sufficient=False, missing=why))


sample = Path(str(files("hydra_kg"))) / "sample"
with Hydra(store="sample-store", strategy=TwoWitnesses()) as hydra:
    hydra.load(*(sample / name for name in ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz")))
    for least in (2, 3):
        answer = hydra.ask("Who directed Forrest Gump?", strategy=TwoWitnesses(least=least))
        print(least, "witnesses:", answer.answer_text or "no answer")
