"""Questions over generated graphs with many relations and one city of many inhabitants, on this and another checkout.

    python bench/speed/size/hubs.py [--before CHECKOUT] [--sizes 50x100,500x1000,…] [--folder DIR] [--limit 120]

A size is RELATIONSxINHABITANTS, with "u" behind it for citizens without labels, whom questions name by the end of their
address. All inhabitants were born in one city; every other relation is stated five times. Each
store is loaded once and asked by either checkout in a process of its own, which is ended after ``--limit`` seconds of a
processor. The first question reads the graph into memory, which the others find there.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.measure import ROOT, machine, save

SIZES: Final = "50x100,500x1000,2000x1000,50x30000,50x30000u,5000x300000"
QUESTIONS: Final = (
    "Where was Citizen 76 born?",
    "Where was Citizen 77 born?",
    "Who was born in Bigtown?",
    "How many were born in Bigtown?",
)
_ADDRESS: Final = "http://hub.example/"
_LABEL: Final = "<http://www.w3.org/2000/01/rdf-schema#label>"
_LOAD: Final = """
import sys
from hydra_kg import Hydra
with Hydra(store=sys.argv[2], agent="offline") as hydra:
    hydra.load(sys.argv[1])
"""
_ASK: Final = """
import json, sys, time
from hydra_kg import Hydra
with Hydra(store=sys.argv[1], agent="offline") as hydra:
    for question in sys.argv[2:]:
        begun = time.process_time()
        answer = hydra.ask(question, keep=False)
        took = time.process_time() - begun
        said = [a.name for a in answer.answers]
        print(json.dumps([took, len(said), said[:1], answer.verdict]), flush=True)
"""


def lines(relations: int, people: int, *, labels: bool = True) -> Iterator[str]:
    """Yield the graph as N-Triples."""
    yield f'<{_ADDRESS}city> {_LABEL} "Bigtown" .\n'
    for person in range(people):
        if labels:
            yield f'<{_ADDRESS}citizen/{person}> {_LABEL} "Citizen {person}" .\n'
        yield f"<{_ADDRESS}citizen/{person}> <{_ADDRESS}bornIn> <{_ADDRESS}city> .\n"
    for relation in range(relations - 1):
        for k in range(5):
            subject, other = (5 * relation + k) % people, (7 * relation + k) % 1_000
            yield f"<{_ADDRESS}citizen/{subject}> <{_ADDRESS}relation{relation}> <{_ADDRESS}thing/{other}> .\n"


def asked(checkout: Path, store: Path, limit: int) -> list[Any]:
    """What each question took and gave, on one checkout; fewer where the process was ended."""
    python = checkout / ".venv" / "bin" / "python"
    done = subprocess.run(
        [str(python if python.exists() else sys.executable), "-c", _ASK, str(store), *QUESTIONS],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout), "PATH": "/usr/bin:/bin", "HOME": str(store.parent)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def shown(found: list[Any], number: int, limit: int) -> str:
    """Seconds of a processor for one question and what came of it."""
    if number >= len(found):
        return f"none after {limit} s" if number == len(found) else "not asked"
    took, count, first, verdict = found[number]
    return f"{took:.2f} ({first[0] if count == 1 else count}, {verdict})"


def main() -> None:
    """All rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--folder", type=Path, help="where files and stores lie (default: a temporary folder)")
    parser.add_argument("--limit", type=int, default=120, help="processor seconds for the questions of one store")
    args = parser.parse_args()
    about, rows = machine("numpy"), []
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        for size in args.sizes.split(","):
            relations, people = map(int, size.rstrip("u").split("x"))
            labels = not size.endswith("u")
            file, store = folder / f"{size}.nt", folder / f"store-{size}"
            if not store.exists():
                with file.open("w", encoding="utf-8") as out:
                    out.writelines(lines(relations, people, labels=labels))
                subprocess.run([sys.executable, "-c", _LOAD, str(file), str(store)], cwd=ROOT, check=True)
            before = asked(args.before.resolve(), store, args.limit) if args.before else []
            after = asked(ROOT, store, args.limit)
            for number, question in enumerate(QUESTIONS):
                row = {
                    "relations": f"{relations:,}",
                    "inhabitants": f"{people:,}{'' if labels else ' without labels'}",
                    "question": question,
                }
                if args.before:
                    row["before"] = shown(before, number, args.limit)
                rows.append({**row, "after": shown(after, number, args.limit)})
                print(rows[-1], flush=True)
    save(
        "hubs",
        title="Many relations, and a hub",
        command="python bench/speed/size/hubs.py --before CHECKOUT",
        about=about,
        notes=[
            "Seconds of a processor for each question, in brackets the answer or the number of answers shown, and the"
            " verdict. The first question of a store also reads the graph into memory and starts the model of vectors."
        ],
        rows=rows,
    )


if __name__ == "__main__":
    main()
