"""Load three sources about the same ferries, of which one differs, and see what is believed and who says otherwise."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from hydra_kg import Hydra

sample = Path(str(files("hydra_kg"))) / "sample"
with Hydra(store="ferries-store") as hydra:
    hydra.load(*(sample / name for name in ("harbour.csv", "townsite.csv", "tourbook.csv")), extra={"entity": "ferry"})
    answer = hydra.ask("Which pier does the Aurora leave from?")

print(answer.answer_text, f"({answer.verdict})")
for line in answer.dissent:
    print("but:", line)
