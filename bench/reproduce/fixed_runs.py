"""What recording and replaying share: the fixed runs, the settings of each, and what is compared of an answer."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from bench.measure import data
from hydra_kg import Hydra
from hydra_kg.domain import AnswerData
from hydra_kg.evaluate.questions.datasets import Question, read_questions
from hydra_kg.evaluate.scoring.metrics import score
from hydra_kg.presets import with_preset
from hydra_kg.serialise import answer_json
from hydra_kg.settings import Settings
from hydra_kg.util.package_data import find_content

HERE: Final = Path(__file__).resolve().parent
RUNS: Final = HERE / "runs.toml"
SAMPLE: Final = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")
_MARK: Final = "\ue0b0"
"""A private character, which no model writes. Between two of them are the places of letters in other case."""


@dataclass(frozen=True, slots=True)
class Way:
    """A question asked of a system under a preset, which may have a variant: ``paper+relevance-alone``."""

    question: Question
    system: str
    preset: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Question id, system and preset."""
        return self.question.id, self.system, self.preset

    @property
    def name(self) -> str:
        """``SYSTEM.PRESET``, the name of the file of replies."""
        return f"{self.system}.{self.preset}"


def runs(file: Path = RUNS) -> Mapping[str, Any]:
    """Return the fixed model, seed, questions, systems, presets and settings."""
    return tomllib.loads(file.read_text("utf-8"))


def cassettes_of(file: Path) -> Path:
    """Return the folder of the recorded replies and answers of a file of runs."""
    return file.with_name("cassettes")


def ways(fixed: Mapping[str, Any]) -> Iterator[Way]:
    """Yield every question with every system and preset: stage by stage, the first questions of all sets first."""
    known = {name: _questions(name) for name in fixed["questions"]}
    for stage in fixed["stages"]:
        for row in zip_longest(*(fixed["questions"][name] for name in stage["sets"])):
            for name, found in zip(stage["sets"], row, strict=True):
                for system in stage["systems"] if found else ():
                    for preset in stage["presets"]:
                        yield Way(known[name][found], system, preset)


def _questions(name: str) -> dict[str, Question]:
    file = find_content("sample", "questions.jsonl") if name == "sample" else data() / "questions/dev" / f"{name}.jsonl"
    return {q.id: q for q in read_questions(file)}


def settings_of(way: Way, fixed: Mapping[str, Any], *, base_url: str = "") -> Settings:
    """Return the settings of one way: its preset, its variant, then what the file fixes."""
    plain = Settings().changed(seed=fixed["seed"], model={"name": fixed["model"], "base_url": base_url})
    preset, _, variant = way.preset.partition("+")
    changed = with_preset(plain, preset, strategy=way.system)
    if variant:
        changed = changed.changed(**fixed["variants"][variant])
    return changed.changed(**fixed["settings"])


def load_sample(store: Path) -> None:
    """Load the bundled sample."""
    with Hydra(store=store, settings=Settings()) as hydra:
        hydra.load(*(find_content("sample", name) for name in SAMPLE))


def asked(way: Way, settings: Settings, store: Path, *, record: str = "", replay: str = "") -> dict[str, Any]:
    """Ask one question; return its row: the answer, the metrics and what it cost by step."""
    with Hydra(store=store, settings=settings, strategy=way.system, agent="llm", record=record, replay=replay) as hydra:
        answer = hydra.ask(way.question.text, keep=False)
    return row_of(way, settings, answer)


def row_of(way: Way, settings: Settings, answer: AnswerData) -> dict[str, Any]:
    """Return what is stored of an answer, without seconds, which differ between machines."""
    doc = answer_json(answer)
    metrics = score(doc, way.question.gold or ())
    usage = doc["usage"]
    return {
        "question": way.question.id,
        "system": way.system,
        "preset": way.preset,
        "settings": settings.changed(store="", model={"base_url": ""}).hash(),
        "answers": [a["name"] for a in doc["answers"]],
        "verdict": doc["verdict"],
        "confidence": doc["confidence"],
        "hits1": metrics["hits1"],
        "f1": metrics["f1"],
        "calls": usage["calls"],
        "tokens_in": usage["tokens_in"],
        "tokens_out": usage["tokens_out"],
        "steps": {
            name: [step["calls"], step["tokens_in"], step["tokens_out"]]
            for name, step in usage.get("steps", {}).items()
        },
    }


def without_question(text: str, question: str) -> str:
    """Return a reply with marks in place of the question, which may not be shared where a set's licence forbids it."""
    asked = question.rstrip("?. ")
    if not asked:
        return text

    def mark(found: re.Match[str]) -> str:
        places = (str(n) for n, (a, b) in enumerate(zip(found[0], asked, strict=True)) if a != b)
        return f"{_MARK}{','.join(places)}{_MARK}"

    return re.sub(re.escape(asked), mark, text, flags=re.IGNORECASE)


def with_question(text: str, question: str) -> str:
    """Return the reply that ``without_question`` was given."""
    asked = question.rstrip("?. ")

    def restore(mark: re.Match[str]) -> str:
        changed = {int(place) for place in mark[1].split(",") if place}
        return "".join(letter.swapcase() if n in changed else letter for n, letter in enumerate(asked))

    return re.sub(f"{_MARK}([0-9,]*){_MARK}", restore, text)


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON-lines file; none if it is missing."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
