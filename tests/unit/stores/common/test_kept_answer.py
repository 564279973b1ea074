"""A kept answer is read as untrusted data: what hydra-kg writes is accepted, everything else is one clear error."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.samples.answers import answer

from hydra_kg.errors import StoreCorruptError
from hydra_kg.serialise import answer_json
from hydra_kg.stores.common.kept_answer import ANSWER, find_misfit, read_kept_answer

WRONG = [[{"x": [None]}]]
"""A value that no field may have."""


def packed(value: object) -> bytes:
    """Return a document as it is stored."""
    return zlib.compress(json.dumps(value).encode())


def changes(value: Any) -> Iterator[Any]:
    """Yield a document with one value after the other, at any depth, replaced by a wrong one."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        nested = changes(inner) if isinstance(inner, dict | list) and key != "manifest" else iter(())
        for changed in (WRONG, *nested):
            copy: Any = dict(value) if isinstance(value, dict) else list(value)
            copy[key] = changed
            yield copy


def test_what_is_written_is_read() -> None:
    doc = json.loads(json.dumps(answer_json(answer())))
    assert read_kept_answer(packed(doc), "It") == doc


def test_every_value_is_checked() -> None:
    every = [*changes(json.loads(json.dumps(answer_json(answer()))))]
    assert len(every) > 200
    for changed in every:
        with pytest.raises(StoreCorruptError, match=r"It is damaged: .* is missing or of another type"):
            read_kept_answer(packed(changed), "It")


@pytest.mark.parametrize("name", [name for name in ANSWER if not name.endswith("?")])
def test_a_field_that_is_missing_is_named(name: str) -> None:
    doc = answer_json(answer())
    assert find_misfit({k: v for k, v in doc.items() if k != name}, ANSWER) == name


def test_fields_of_later_versions_are_let_through() -> None:
    doc = {**json.loads(json.dumps(answer_json(answer()))), "of_version_2": {"x": [1]}}
    assert read_kept_answer(packed(doc), "It") == doc


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff",
        b"{}",
        zlib.compress(b"[" * 100_000),
        zlib.compress(b" " * 50_000_000),
        packed({})[:-2],
    ],
    ids=["empty", "noise", "plain", "deep", "large", "cut"],
)
def test_bytes_that_hold_no_answer_are_one_clear_error(data: bytes) -> None:
    with pytest.raises(StoreCorruptError, match="It is damaged"):
        read_kept_answer(data, "It")


def test_a_truth_value_is_no_number() -> None:
    assert find_misfit(True, int, "n") == "n"
    assert find_misfit(True, bool, "n") == ""
    assert find_misfit(1, (str, None), "n") == "n"
