"""Questions asked of a real small language model: a seeded draw of those that the slices can answer, by ``eval run``.

    python bench/accuracy/language_model.py STORE --out DIR [--model qwen1.5b] [--strategies hydra]
                                [--preset paper] [--sets webqsp_test,qald10_en] [--limit 10] [--budget-calls 12]
                                [--budget-tokens 8000] [--port 8765]

STORE holds the four slices of the data pack. Of the set ``plain`` the draw has as many questions of each kind.
tests/helpers/servers/small_model.py serves the model on loopback, at ``--port``, for the address is one of the settings
that a run keeps. The same command again takes an unfinished run up; more strategies, sets or a higher ``--limit`` add
to it. DIR/read.md has each answer beside gold, with its cost, to be read by a person.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT, answerable_questions, data

sys.path.insert(0, str(ROOT / "tests"))
from helpers.servers.small_model import SmallModel, serving

SCORES = {"Hits@1": "hits1", "F1": "f1"}


def drawn(name: str, folder: Path, limit: int, seed: int) -> Path:
    """A question file with ``limit`` of the set's answerable questions; a lower limit is a part of a higher one. Of
    ``plain``, whose questions need not be answerable: with one of each kind after another."""
    file = "plain/plain.dev.jsonl" if name == "plain" else f"questions/dev/{name}.jsonl"
    fits = (data() / file).read_text("utf-8").splitlines()
    if name != "plain":
        able = {q.id for q in answerable_questions(name)}
        fits = [line for line in fits if str(json.loads(line)["id"]) in able]
    random.Random(f"{seed}:{name}").shuffle(fits)
    if name == "plain":
        seen: Counter[str] = Counter()
        turns = []
        for line in fits:
            kind = json.loads(line)["kind"]
            turns.append((seen[kind], line))
            seen[kind] += 1
        fits = [line for _, line in sorted(turns, key=lambda turn: turn[0])]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(f"{line}\n" for line in fits[:limit]), "utf-8")
    return path


def ask(command: Sequence[str], model: SmallModel) -> int:
    """Run ``hydra-kg eval run`` with the model; its exit status."""
    env = os.environ | {
        "HYDRA_MODEL_NAME": model.name,
        "HYDRA_MODEL_BASE_URL": model.url,
        "HYDRA_MODEL_TIMEOUT": "900",
        "OPENAI_API_KEY": "none",
    }
    return subprocess.run([sys.executable, "-m", "hydra_kg", *command], env=env, check=False).returncode


def table(folder: Path) -> str:
    """Every answer beside gold, with the paths that it stands on and what was spent."""
    rows = ["# Answers to read", ""]
    for line in (folder / "answers.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        said = ", ".join(str(a["name"]) for a in row["answers"][:8]) or "no answer"
        gold = ", ".join(str(g.get("name") or g.get("value")) for g in (row["gold"] or ())[:8])
        spent = ", ".join(f"{name} {step['calls']}" for name, step in row["usage"].get("steps", {}).items())
        metrics = row["metrics"]
        score = ", ".join(f"{name} {metrics[key]:.2f}" for name, key in SCORES.items() if metrics.get(key) is not None)
        rows += [
            f"## {row['question']}",
            f"{row['strategy']} · {row['dataset']} · {row['question_id']} · {score}",
            "",
            f"* said: {said}",
            f"* gold: {gold}",
            f"* calls: {spent}; {row['usage']['tokens_in']} tokens in",
            *(f"* path: {path['text']}" for path in row["paths"][:3]),
            "",
        ]
    return "\n".join(rows)


def main() -> None:
    """Draw, serve, ask, and write what there is to read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", default="qwen1.5b")
    parser.add_argument("--strategies", default="hydra")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--sets", default="webqsp_test,qald10_en")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--budget-calls", type=int, default=12)
    parser.add_argument("--budget-tokens", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8765)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    sets = args.out / "questions"
    sets.mkdir(exist_ok=True)
    with serving(args.model, port=args.port) as model:
        files = [str(drawn(name, sets, args.limit, args.seed)) for name in args.sets.split(",")]
        status = ask(
            [
                "eval",
                "run",
                *files,
                "--out",
                str(args.out),
                "--strategy",
                args.strategies,
                "--preset",
                args.preset,
                "--agent",
                "llm",
                "--budget-calls",
                str(args.budget_calls),
                "--budget-tokens",
                str(args.budget_tokens),
                "--store",
                str(args.store),
            ],
            model,
        )
    (args.out / "read.md").write_text(table(args.out), "utf-8")
    sys.exit(status)


if __name__ == "__main__":
    main()
