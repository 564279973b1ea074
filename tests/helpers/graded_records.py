"""Saved answers with their gold, made for a wanted grade."""

from __future__ import annotations


def graded_record(n: int, outcome: str, confidence: float = 0.0) -> dict:
    """Return a saved answer to question n: right, wrong, silent or, where no answer is known, silent and right."""
    gold = [] if outcome == "rightly silent" else [{"id": "m.a", "name": "a"}]
    given = {"right": "m.a", "wrong": "m.b"}.get(outcome)
    answers = [{"id": given, "name": given[2:], "ids": [given]}] if given else []
    shared = {"dataset": "set", "strategy": "s", "variant": "", "question": "?", "question_id": f"q{n:03}"}
    return {**shared, "gold": gold, "answers": answers, "abstained": not answers, "confidence": confidence}
