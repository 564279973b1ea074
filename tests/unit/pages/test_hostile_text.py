"""Pages whose every text wants to be a script: none of it becomes markup, and all of it stays to be read."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from helpers.samples.answers import answer, no_answer, planned

from hydra_kg.evaluate.fusion.report_page import page as fusion_page
from hydra_kg.evaluate.reports.comparison import compare, flips_page, index_by_question
from hydra_kg.evaluate.reports.report import page as report_page
from hydra_kg.evaluate.reports.report import summarise, tables
from hydra_kg.evaluate.reports.tables import Table
from hydra_kg.pages.page import core, page
from hydra_kg.serialise import answer_json

EVIL = "<script>alert('1')</script>\"><b onclick=x>&amp;"
KEPT = frozenset({"phase", "role", "version", "created"})
"""Fields of an answer whose words are this program's own."""


class Seen(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def everywhere(value: Any, key: str = "") -> Any:
    """A document with the hostile text in place of every text."""
    if isinstance(value, dict):
        return {k: everywhere(v, k) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [everywhere(v, key) for v in value]
    return EVIL if isinstance(value, str) and key not in KEPT else value


FOLLOW_UP = replace(no_answer(), understood_as="in full", choices=("this", "or that"), notes=("and a note",))


@pytest.mark.parametrize("made", [answer(), no_answer(), planned(), FOLLOW_UP])
def test_an_answer(made: Any) -> None:
    doc = everywhere(answer_json(made))
    for seen, scripts in ((Seen(page(doc)), 3), (Seen(core(doc)), 0)):
        assert seen.tags.count("script") == scripts
        assert seen.tags.count("b") == len(doc["explorations"])  # their phases are bold
        assert seen.handlers == []
        assert "alert('1')" in seen.text


def test_how_a_follow_up_was_read_is_on_its_page() -> None:
    text = Seen(core(answer_json(FOLLOW_UP))).text
    assert all(part in text for part in ("Understood as: in full", "this", "or that", "Note: and a note"))


def record(**more: Any) -> dict[str, Any]:
    """An answer as a run keeps it."""
    node = {"id": EVIL, "name": EVIL}
    path = {
        "text": EVIL,
        "hops": [{"subject": node, "predicate": EVIL, "object": node}],
        "scores": {"cross": 0.5},
        "reason": EVIL,
        "phase": EVIL,
    }
    exploration = {"phase": EVIL, "indicator": EVIL, "topics": [node], "depth": 1, "counts": {EVIL: 1}, "paths": [path]}
    return {
        "dataset": EVIL,
        "question_id": EVIL,
        "strategy": EVIL,
        "variant": EVIL,
        "question": EVIL,
        "gold": [node],
        "answers": [{**node, "ids": [EVIL]}],
        "abstained": False,
        "verdict": EVIL,
        "confidence": 0.5,
        "explorations": [exploration],
        "paths": [path],
    } | more


def fusion_sets() -> dict[str, Any]:
    """What ``eval fusion`` keeps of one set."""
    scores = {"answered": 0.5, "precision": 0.5, "recall": 0.5, "f1": 0.5, "macro_f1": 0.5, "seconds": 1.0}
    methods = [{"method": EVIL, "queries": 1, "minus vote": None, **scores}] * 2
    points = [{"corruption": EVIL, "share": share, "f1": {EVIL: [0.5]}} for share in (0.0, 0.3)]
    conflict = [{"share": EVIL, "queries": 1, EVIL: 0.5}]
    more: dict[str, Any] = {"filters": [], "ablations": [], "formats": [], "seeds": 1, "part": 1.0}
    return {EVIL: {"methods": methods, "conflict": conflict, "copies": [[EVIL, EVIL]], "curves": points, **more}}


def test_reports() -> None:
    right, wrong = record(), record(answers=[{"id": "m.b", "name": EVIL, "ids": ["m.b"]}])
    summary = summarise([right, record(question_id="2", strategy="t")])
    summary["manifests"] = [{"answers": 1, "manifest": {EVIL: [EVIL]}}]
    sides = [right], [wrong]
    pages = [
        report_page(summary, tables(summary, [right])),
        report_page(summary),
        flips_page(compare(*sides), *map(index_by_question, sides), names=(EVIL, EVIL)),
        fusion_page(fusion_sets(), {EVIL: EVIL}),
        Table(EVIL, (EVIL, EVIL), ((EVIL, EVIL), ("x", EVIL)), EVIL).html(),
    ]
    for seen in map(Seen, pages):
        assert "script" not in seen.tags
        assert seen.handlers == []
        assert "alert('1')" in seen.text
