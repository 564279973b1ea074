"""The corpus of every parser, and some mutations of it: what bench/faults/fuzz.py found once does not come back."""

from __future__ import annotations

import dataclasses
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "tests" / "corpus"
PARSERS = sorted(folder.name for folder in CORPUS.iterdir())
MORE = 300
"""Mutated inputs besides the corpus itself."""


@pytest.fixture(scope="module")
def fuzz() -> Iterator[Any]:
    """The fuzzer as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        from bench.faults import fuzz

        yield fuzz
        for name in ("bench.faults.fuzz", "bench.faults.fuzz_targets"):
            sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.parametrize("parser", PARSERS)
def test_no_input_breaks_what_must_hold(fuzz: Any, parser: str) -> None:
    target, draw, corpus = fuzz.TARGETS[parser], random.Random(parser), fuzz.seeds(parser)
    inputs = [*corpus, *(fuzz.mutated(draw, corpus, target.tokens, target.shape) for _ in range(MORE))]
    result = fuzz.checked(parser, inputs, whole=False)
    assert [f"{f.what}: {f.data!r:.300}" for f in result.failures] == []
    assert result.inputs >= len(inputs)
    assert Counter(result.seen).total() > 0


def test_every_parser_has_a_corpus(fuzz: Any) -> None:
    assert sorted(fuzz.TARGETS) == PARSERS
    assert sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()) < 1 << 20


def test_a_broken_invariant_is_found_and_narrowed_to_its_input(fuzz: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(inputs: Any, folder: Path, seen: Counter[str], whole: bool) -> list[Any]:
        if any(b"bad" in data for data in inputs):
            raise ValueError("no input is named")
        return []

    monkeypatch.setitem(fuzz.TARGETS, "ntriples", dataclasses.replace(fuzz.TARGETS["ntriples"], check=check))
    result = fuzz.checked("ntriples", [b"good", b"fine", b"a bad one", b"well"], whole=False)
    assert [(f.data, f.what) for f in result.failures] == [(b"a bad one", "ValueError: no input is named")]
