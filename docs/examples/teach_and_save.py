"""Teach a store a word of your company; save a question and try a newer table before it is in use."""

from __future__ import annotations

from pathlib import Path

from hydra_kg import Hydra
from hydra_kg.curation.asking_again import ask_before_change

table = Path("shops.csv")
table.write_text("shop,town,revenue\nAurora,Larkwood,120\nBoreas,Elmford,90\n", encoding="utf-8")
with Hydra(store="shops-store") as hydra:
    hydra.load(table, source="shops", extra={"entity": "shop"})
    hydra.teachings.teach("takings", "revenue", author="Ana")
    answer = hydra.ask("What are the takings of Aurora?")
    print(answer.answer_text, "-", answer.notes[0])

    hydra.saved.save(answer.to_dict())
    table.write_text("shop,town,revenue\nAurora,Larkwood,150\nBoreas,Elmford,90\n", encoding="utf-8")
    hydra.load(table, source="shops", extra={"entity": "shop"}, hold=True)
    for again in ask_before_change(hydra.store, hydra.saved.all(), lambda s: Hydra(store=s), flip="shops"):
        print(again.saved.question, ":", again.saved.answer_text, "would become", again.now["answer_text"])
    print("still:", hydra.ask("What are the takings of Aurora?").answer_text)
