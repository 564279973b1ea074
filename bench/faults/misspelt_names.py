"""What misspelt, joined and made-up names of questions are linked to, with the index of names and without it.

    python bench/faults/misspelt_names.py STORE QUESTIONS.jsonl

QUESTIONS: one JSON object a line with ``question``. The longest name that a question is linked by exactly is replaced:
by itself with wrong letters, as one word, by a made-up one, or by its first word and the last word of another's. Right:
what it was linked to before. It prints a table, which ``docs/results/name-index.md`` has.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg import Hydra
from hydra_kg.domain import Mention
from hydra_kg.events import ignore
from hydra_kg.index.faiss_index import PathIndex
from hydra_kg.steps.context import Context, Services
from hydra_kg.steps.linking.like_names import finder, like_names
from hydra_kg.steps.linking.link import link

SYLLABLES = "ba ko ri zen dra mol tik ves har lun qui pos nar fel gri".split()


def wrong(name: str, letters: int) -> str:
    """The name with so many letters wrong: put in, left out, replaced or exchanged."""
    out = list(name)
    for _ in range(letters):
        at, other = random.randrange(1, len(out)), random.choice("aeiourstln")
        match random.randrange(3):
            case 0:
                out.insert(at, other)
            case 1 if len(out) > 4:
                del out[at]
            case _:
                out[at] = other
    return "".join(out)


def made_up() -> str:
    """A name that nobody has."""
    return " ".join("".join(random.choices(SYLLABLES, k=k)).capitalize() for k in (3, 2))


def main(store: str, questions: str) -> None:
    """See the module."""
    random.seed(5)
    asked = [json.loads(line)["question"] for line in Path(questions).read_text("utf-8").splitlines()]
    with Hydra(store=store) as hydra, hydra.store.snapshot() as snapshot:
        space = hydra.reasoner._space(snapshot)

        def linked(question: str, by: str) -> tuple[Mention, ...]:
            settings = hydra.settings.changed(linking={"entities_by": by})
            context = SimpleNamespace(
                settings=settings, services=Services(lambda: PathIndex(1), like=finder(snapshot, ignore)), space=space
            )
            like = like_names(cast("Context", context))
            return link(question, snapshot, relation_words=space.words, candidates=5, like=like)

        names: list[tuple[str, Mention]] = []
        for question in asked:
            exact = [m for m in linked(question, "off") if m.chosen and m.chosen.how in ("name", "alias")]
            long = [m for m in exact if len(m.text) >= 8 and m.text[:1].isupper() and m.start >= 0]
            names += [(question, max(long, key=lambda m: len(m.text)))] if long else []
        several = [(q, m) for q, m in names if " " in m.text]
        last = random.sample([m.text.split()[-1] for _, m in several], len(several))
        others = zip(several, last, strict=True)
        sets: dict[str, list[tuple[str, Mention, str]]] = {
            **{f"{n} letters wrong": [(q, m, wrong(m.text, n)) for q, m in names] for n in (1, 2, 3)},
            "written as one word": [(q, m, m.text.replace(" ", "").capitalize()) for q, m in several],
            "a made-up name": [(q, m, made_up()) for q, m in names],
            "with another's family name": [
                (q, m, f"{m.text.split()[0]} {w}") for (q, m), w in others if w != m.text.split()[-1]
            ],
        }
        print(
            "| the name is | index | questions | right | another | none | processor ms |\n|---|---|---|---|---|---|---|"
        )
        for title, some in sets.items():
            for by in ("off", "letters"):
                counts = {"right": 0, "another": 0, "none": 0}
                begun = time.process_time()
                for question, mention, text in some:
                    found: list[Any] = [
                        m.chosen
                        for m in linked(question[: mention.start] + text + question[mention.end :], by)
                        if m.chosen and m.start < mention.start + len(text) and m.end > mention.start
                    ]
                    meant = mention.chosen is not None and mention.chosen.node.id in [c.node.id for c in found]
                    counts["right" if meant else "another" if found else "none"] += 1
                each = 1000 * (time.process_time() - begun) / len(some)
                cells = " | ".join(map(str, counts.values()))
                print(f"| {title} | {by} | {len(some)} | {cells} | {each:.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
