"""Record what the product makes of every development question, as a baseline for `compare.py`.

    python bench/behaviour/record.py --work DIR --slices STORE --out FILE.jsonl [--sets plain,metaqa] [--detail FILE]

DIR keeps the stores of the sets; STORE holds freebase.nt.gz, wikidata.nt.gz, fb2w.nt.gz and wikipedia.jsonl.gz of the
data pack. FILE gets one line per question: a hash of the question, its outcome, verdict and confidence, and digests of
plan and answers. ``--detail`` also writes questions and answers in full, of the part that may be read, to a file that
stays out of the repository.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.behaviour.asking import ask_items, describe_result
from bench.behaviour.sets import SETS, chosen, read_items

SHOWN = ("answers", "claim", "missing", "notes", "unchecked", "steps", "error")
"""Fields of an answer that ``--detail`` writes."""


def main() -> None:
    """Ask, write one line per question, and print the outcomes of each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--slices", required=True, help="the store of the real slices")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", default="", help=f"of {', '.join(one.name for one in SETS)}")
    parser.add_argument("--detail", type=Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    detail = options.detail.open("w", encoding="utf-8") if options.detail else None
    with options.out.open("w", encoding="utf-8") as out:
        for some in chosen(options.sets):
            counts: Counter[str] = Counter()
            for item, document in ask_items(read_items(some), work=options.work, slices=options.slices):
                result = describe_result(item, document)
                counts[result["outcome"]] += 1
                out.write(json.dumps(result) + "\n")
                if detail and not item.unread:
                    shown = {
                        k: document.get(k)
                        for k in ("answers", "claim", "missing", "notes", "unchecked", "steps", "error")
                    }
                    shown["answers"] = [a.get("name") for a in document.get("answers") or []]
                    line = {**result, "question": item.question, "said": shown}
                    detail.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
            out.flush()
            print(f"{some.name}: {dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
