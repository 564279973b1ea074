"""Follow-up questions: how many are resolved to the question that was meant, to another one, or to none.

    python bench/dialogues/follow_ups.py STORE [--dialogues FILE] [--show]

Each line of FILE (by default follow_ups.jsonl beside this) is a first question with what is said after it.
``understood`` lists the full questions that count as right: none where the follow-up should be refused, ``alone`` where
it stands by itself; ``{answer}`` is the last answer. Every follow-up is asked after the last one that was resolved,
with the offline agent. Two wordings are equal where they fold to the same words.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg import Hydra
from hydra_kg.answer import Answer
from hydra_kg.dialogue.follow_ups import COURTESY
from hydra_kg.text.folding import fold

DIALOGUES = Path(__file__).with_name("follow_ups.jsonl")


def outcome(answer: Answer, say: str, understood: list[str], before: Answer) -> str:
    """``right``, ``wrong`` or ``refused`` (which is right where nothing should be understood: ``rightly refused``)."""
    refused = not answer.understood_as and answer.missing.startswith(("not understood as a follow-up", COURTESY))
    if refused:
        return "refused" if understood else "rightly refused"
    name = before.answers[0].name if before.answers else "{answer}"
    wanted = {fold((say if text == "alone" else text).replace("{answer}", name)) for text in understood}
    return "right" if fold(answer.understood_as or say) in wanted else "wrong"


def main() -> None:
    """Ask all dialogues and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--dialogues", type=Path, default=DIALOGUES)
    parser.add_argument("--show", action="store_true", help="print every turn, not only what is not right")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    begun = time.perf_counter()
    with Hydra(store=options.store) as hydra:
        for line in options.dialogues.read_text().splitlines():
            dialogue = json.loads(line)
            last = hydra.ask(dialogue["first"])
            print(f"{dialogue['id']} {dialogue['first']} → {last.answer_text or '—'}") if options.show else None
            for turn in dialogue["then"]:
                answer = hydra.ask(turn["say"], after=last)
                found = outcome(answer, turn["say"], turn["understood"], last)
                counts[found] += 1
                if found == "right":
                    answered["answered" if not answer.abstained else "no answer"] += 1
                if options.show or found in {"wrong", "refused"}:
                    said = answer.understood_as or answer.missing
                    print(f"  {dialogue['id']} {found}: {turn['say']} → {said} → {answer.answer_text or '—'}")
                if "refused" not in found:
                    last = answer
    total = sum(counts.values())
    print(
        f"{total} follow-ups in {time.perf_counter() - begun:.0f} s: {dict(counts)}; of those right: {dict(answered)}"
    )


if __name__ == "__main__":
    main()
