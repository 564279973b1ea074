"""Ask a question, then others that only make sense after it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from hydra_kg import Hydra

sample = Path(str(files("hydra_kg"))) / "sample"
with Hydra(store="sample-store") as hydra:
    hydra.load(*(sample / name for name in ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz")))
    answer = hydra.ask("Who directed Forrest Gump?")
    print("Who directed Forrest Gump?", "->", answer.answer_text)
    for question in ("When was he born?", "And where?"):
        answer = hydra.ask(question, after=answer)
        print(
            f"{question} -> {answer.answer_text or answer.missing} (understood as: {answer.understood_as or question})"
        )
