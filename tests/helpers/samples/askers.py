"""Askers for evaluation runs: they answer, fail or die as the question says; importable by worker processes."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from helpers.samples.answers import answer

from hydra_kg.evaluate.runs.runner import Setup
from hydra_kg.serialise import answer_json


class Echo:
    """Answers with the question's last word (id ``m.word``); writes down what it was asked, if given a file."""

    def __init__(self, setup: Setup, log: Path | None = None) -> None:
        self.strategy = setup.strategy
        self.log = log

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        """``fail`` raises, ``die`` ends the process, ``nothing`` abstains."""
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{self.strategy}|{text}|{','.join(topics)}\n")
        word = text.rstrip("?").split()[-1]
        if word == "fail":
            raise ValueError("no luck with \x1b[31mthis one")
        if word == "die":
            os._exit(9)
        doc = answer_json(answer(id=f"id-{word}"))
        doc |= {"question": text, "strategy": self.strategy, "answer_text": word, "abstained": word == "nothing"}
        doc["answers"] = [] if doc["abstained"] else [{"id": f"m.{word}", "name": word, "ids": [f"m.{word}"]}]
        return doc


class Broken:
    """Cannot be made."""

    def __init__(self, setup: Setup) -> None:
        raise RuntimeError("the store does not open")


class Slow(Echo):
    """Takes a moment for each question, so that a run can be killed on its way."""

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        """As Echo, later."""
        doc = super().__call__(text, topics)
        time.sleep(0.15)
        return doc


class Costly(Echo):
    """Spends three calls on each question."""

    def __call__(self, text: str, topics: tuple[str, ...]) -> Mapping[str, Any]:
        """As Echo, with a bill."""
        usage = {"calls": 3, "tokens_in": 300, "tokens_out": 30, "money": 0.01}
        return {**super().__call__(text, topics), "usage": usage}
