"""What benchmarks share: the machine in words, timings, tables in Markdown and JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hydra_kg.evaluate.questions.datasets import Question, read_answerable, read_questions
from hydra_kg.ports import Snapshot

ROOT = Path(__file__).resolve().parent.parent


def data() -> Path:
    """The data pack: HYDRA_DATA, or beside the checkout."""
    path = Path(os.environ.get("HYDRA_DATA") or ROOT.parent / "shared" / "data")
    if not path.is_dir():
        raise SystemExit(f"The data pack was not found at {path}. Set HYDRA_DATA to its folder.")
    return path


def answerable_questions(name: str, limit: int = 0) -> list[Question]:
    """The first questions of a set of the pack, of those that the slices can answer (see ``datasets.able``)."""
    known = read_answerable(data() / "questions" / "answerable.dev.tsv.gz")
    found = read_questions(data() / "questions" / "dev" / f"{name}.jsonl", only=known)
    return found[:limit] if limit else found


def stored(snapshot: Snapshot, keys: Sequence[str]) -> list[str]:
    """Those keys that the store has."""
    return [k for k, n in zip(keys, snapshot.lookup(keys), strict=True) if n is not None]


def median_of(run: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """The last result, and the median time in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        times.append((time.perf_counter() - start) * 1e3)
    return result, statistics.median(times)


def quantile(values: Sequence[float], q: float) -> float:
    """The value at a share of the sorted list."""
    ordered = sorted(values)
    return ordered[round(q * (len(ordered) - 1))]


def machine(*packages: str) -> dict[str, Any]:
    """Cores, load, Python and package versions; nothing that names the machine."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.system(),
        "python": platform.python_version(),
        **found,
    }


def commit() -> str:
    """The commit that was measured; a star says that files were changed since."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    head = git("rev-parse", "--short", "HEAD")
    return f"{head}*" if head and git("status", "--porcelain", "--untracked-files=no") else head or "none"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a Markdown table; the columns are the keys of the first."""
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns), *([str(row.get(c, "")) for c in columns] for row in rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def save(
    name: str,
    *,
    title: str,
    command: str,
    about: Mapping[str, Any],
    notes: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Write ``bench/results/NAME.md`` and ``.json`` and print the table."""
    folder = ROOT / "bench" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    facts = " · ".join(f"{k} {v}" for k, v in about.items())
    text = f"# {title}\n\n`{command}` · commit {commit()} · {facts}\n\n{table(rows)}"
    text += "".join(f"\n* {note}" for note in notes) + ("\n" if notes else "")
    (folder / f"{name}.md").write_text(text, "utf-8")
    record = {"command": command, "commit": commit(), "machine": dict(about), "notes": list(notes), "rows": list(rows)}
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(text)


def append_to_log(log: Path, note: str, entry: Mapping[str, Any]) -> None:
    """Append one line of JSON to a log: date, commit, what was measured, and the entry."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    with log.open("a", encoding="utf-8") as out:
        out.write(json.dumps({"date": date.today().isoformat(), "commit": commit, "note": note, **entry}) + "\n")
