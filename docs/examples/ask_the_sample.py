"""Load the bundled sample into a new store, ask a question, and print what carries the answer."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from hydra_kg import Hydra

sample = Path(str(files("hydra_kg"))) / "sample"
with Hydra(store="sample-store") as hydra:
    hydra.load(*(sample / name for name in ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")))
    answer = hydra.ask("Who directed Forrest Gump?")

print(f"{answer.answer_text} ({answer.verdict}, confidence {answer.confidence:.2f})")
for evidence in answer.evidence:
    print("path:", evidence.path.text)
for citation in answer.citations:
    print(f"[{citation.n}] {citation.source}, {citation.locator}")
