"""Claims: how many are marked stated, contradicted or not found as they should be, over the bundled sample.

    python bench/claims/score.py STORE

STORE holds the sample (`hydra-kg demo --store STORE` loads it). ``plain.jsonl`` has claims of one statement,
``three_parts.jsonl`` claims of three: they are stated if every part is, and contradicted if one part is. Wrong is a
claim that is marked stated or contradicted and should not be; "not found" in place of either is silence.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg import Hydra

FOLDER: Final = Path(__file__).resolve().parent
SETS: Final = ("plain", "three_parts")
_STATUS: Final = {"true": "stated", "false": "contradicted", "unknown": "not found"}


def score(hydra: Hydra, name: str) -> dict[str, list[str]]:
    """Return the claims of a set by ``right``, ``wrong`` and ``silent``."""
    found: dict[str, list[str]] = {"right": [], "wrong": [], "silent": []}
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        status = _STATUS[hydra.ask(row["claim"], keep=False).claim or "unknown"]
        outcome = "right" if status == row["gold"] else "silent" if status == "not found" else "wrong"
        found[outcome].append(f"{row['id']} {status}, gold {row['gold']}: {row['claim']}")
    return found


def main() -> None:
    """Print the counts of each set, and every claim that is not right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", help="a store with the bundled sample")
    options = parser.parse_args()
    with Hydra(store=options.store) as hydra:
        for name in SETS:
            found = score(hydra, name)
            total = sum(map(len, found.values()))
            shares = ", ".join(f"{len(rows)} {outcome} ({len(rows) / total:.3f})" for outcome, rows in found.items())
            print(f"{name}: {total} claims, {shares}")
            for outcome in ("wrong", "silent"):
                for row in found[outcome]:
                    print(f"  {outcome} {row}")


if __name__ == "__main__":
    main()
