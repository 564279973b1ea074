"""One run in parts: which questions a part asks, and how the parts are merged into one run."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import FormatError, NotFoundError, UsageError
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.runs.run_records import ANSWERS, Key, append, read_records, writing
from hydra_kg.evaluate.runs.runner import RUN, RunPlan
from hydra_kg.util.fast_dataclass import dataclass

FILE: Final = "shard.json"
_AGAIN: Final = "Run it once more: it goes on where it was."


@dataclass(frozen=True, slots=True)
class RunShard:
    """Part ``number`` of ``of``, counted from 1: every ``of``-th question, so that parts take about as long."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> RunShard:
        """Return the part that a text such as ``2/8`` names. Raises UsageError."""
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageError(f"--shard {text} is not a part.", remedy="Write it as K/N with K from 1 to N.")
        return cls(int(found[1]), int(found[2]))

    def part(self, questions: Sequence[Question]) -> list[Question]:
        """Return the questions of this part, in their order."""
        return list(questions[self.number - 1 :: self.of])


def begin(folder: Path, shard: RunShard, questions: Sequence[Question], plan: RunPlan) -> list[Question]:
    """Record in a folder which part of which questions it has; return these questions.

    Raises UsageError if the folder has another part.
    """
    part = shard.part(questions)
    keys = [list(q.key) for q in questions]
    mine: dict[str, Any] = {
        "version": 1,
        "shard": [shard.number, shard.of],
        "all": hashlib.sha256(json.dumps(keys).encode()).hexdigest(),
        "questions": [list(q.key) for q in part],
    }
    ways = [[s.strategy, s.variant.apply(plan.settings_of(s.strategy)).hash(), s.sample] for s in plan.setups()]
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / FILE).is_file():
        old = _read_shard_record(folder)
        if {k: v for k, v in old.items() if k != "ways"} != mine:
            raise UsageError(
                f"{folder} holds another part, or a part of other questions.", remedy="Give another --out."
            )
        ways = [*old["ways"], *(way for way in ways if way not in old["ways"])]
    elif (folder / ANSWERS).is_file():
        raise UsageError(f"{folder} holds a whole run.", remedy="Give another --out.")
    part_file = folder / f"{FILE}.part"
    part_file.write_text(json.dumps({**mine, "ways": ways}) + "\n", "utf-8")
    part_file.replace(folder / FILE)
    return part


def merge(folders: Sequence[Path], out: Path) -> int:
    """Write ``out`` as if one process had asked all questions; return the number of answers.

    Raises UsageError for incomplete parts, and NotFoundError or FormatError for missing or damaged files.
    """
    if (out / ANSWERS).exists():
        raise UsageError(f"{out} holds a run already.", remedy="Name a new folder.")
    noted = [_read_shard_record(folder) for folder in folders]
    first, plan = noted[0], _plan(folders[0])
    of = first["shard"][1]
    for folder, other in zip(folders, noted, strict=True):
        same = (other["all"], other["shard"][1], other["ways"]) == (first["all"], of, first["ways"])
        if not same or _plan(folder) != plan:
            raise UsageError(
                f"{folder} and {folders[0]} are not parts of one run.",
                remedy="Questions, N, strategies, variants and settings have to be the same.",
            )
    numbers = sorted(n["shard"][0] for n in noted)
    if numbers != list(range(1, of + 1)):
        missing = [f"{n}/{of}" for n in range(1, of + 1) if n not in numbers]
        raise UsageError(
            f"Missing: {', '.join(missing[:10])}." if missing else "A part is named twice.",
            remedy="Name every part once.",
        )
    records: dict[Key, dict[str, Any]] = {}
    places: dict[tuple[str, str], int] = {}
    for folder, note in zip(folders, noted, strict=True):
        found = read_records(folder)
        keys = [Key(*q, *way) for way in note["ways"] for q in note["questions"]]
        if left := sum(key not in found for key in keys):
            raise UsageError(f"{folder} is not finished: {left} answers are missing.", remedy=_AGAIN)
        records |= {key: found[key] for key in keys}
        places |= {tuple(q): note["shard"][0] - 1 + i * of for i, q in enumerate(note["questions"])}
    order = sorted(places, key=places.__getitem__)
    out.mkdir(parents=True, exist_ok=True)
    (out / RUN).write_bytes((folders[0] / RUN).read_bytes())
    part = f"{ANSWERS}.part"
    (out / part).unlink(missing_ok=True)
    with writing(out, part) as file:
        for way in first["ways"]:
            for question in order:
                append(file, records[Key(*question, *way)])
    (out / part).replace(out / ANSWERS)
    return len(records)


def _read_shard_record(folder: Path) -> dict[str, Any]:
    """Return what ``begin`` recorded. Raises NotFoundError or FormatError."""
    try:
        found = json.loads((folder / FILE).read_text("utf-8"))
        questions = [[str(d), str(q)] for d, q in found["questions"]]
        ways = [[str(s), str(h), int(n)] for s, h, n in found["ways"]]
        number, of = (int(n) for n in found["shard"])
        return {"version": 1, "shard": [number, of], "all": str(found["all"]), "questions": questions, "ways": ways}
    except FileNotFoundError:
        raise NotFoundError(
            f"{folder} holds no part of a run.", remedy="Make one: hydra-kg eval run DATASET --shard K/N --out DIR."
        ) from None
    except (ValueError, KeyError, TypeError) as e:
        raise FormatError(f"{folder / FILE} is damaged ({e}).", remedy="Run that part again in a new folder.") from e


def _plan(folder: Path) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = json.loads((folder / RUN).read_text("utf-8"))
    except (OSError, ValueError) as e:
        raise FormatError(f"{folder / RUN} cannot be read ({e}).", remedy=_AGAIN) from e
    return found
