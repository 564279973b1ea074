"""Load three tables of a shop as one graph and ask questions that need more than one of them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from hydra_kg import Hydra

shop = Path(str(files("hydra_kg"))) / "sample" / "shop"
questions = [
    "Who is the supplier of the Harbour Lamp?",
    "Which product is the most expensive?",
    "What is the average price of products made of glass?",
    "Which products does Kestrel Glassworks supply?",
    "What is the phone number of Kestrel Glassworks?",  # no table has it: nothing is answered
]
with Hydra(store="shop-store") as hydra:
    hydra.load(shop)
    for question in questions:
        answer = hydra.ask(question)
        print(question, "->", answer.answer_text or f"no answer: {answer.missing}")
