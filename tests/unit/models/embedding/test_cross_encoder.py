"""A cross-encoder of the user's: a tiny one, written here, that scores a pair by the tokens of its second text."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.samples.scripted import asked, country

from hydra_kg.errors import ModelError, UsageError
from hydra_kg.fakes import FakeEmbedder
from hydra_kg.models.embedding.cross_encoder import TOKENS, CrossEncoder
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Services
from hydra_kg.steps.text.sentence_retrieval import ranked
from hydra_kg.stores.embedded.store import EmbeddedStore


def field(number: int, value: int | str | bytes) -> bytes:
    """One field of a protocol buffer: a number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(n: int) -> bytes:
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def tensor(name: str, kind: int, *sizes: str) -> bytes:
    """A ValueInfoProto; kind: 1 float, 7 int64."""
    shape = b"".join(field(1, field(2, size)) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(kind: str, given: str, out: str, *attributes: bytes) -> bytes:
    return field(1, field(1, given) + field(2, out) + field(4, kind) + b"".join(field(5, a) for a in attributes))


def model(*, outputs: int = 1) -> bytes:
    """Logit: how many tokens have type 1, in ONNX of opset 11; with two outputs a no of 0 beside it."""
    as_float = field(1, "to") + field(3, 1) + field(20, 2)
    over_tokens = field(1, "axes") + field(8, 1) + field(20, 7)
    keep = field(1, "keepdims") + field(3, 1) + field(20, 2)
    nodes = node("Cast", "token_type_ids", "types", as_float) + node("ReduceSum", "types", "sum", over_tokens, keep)
    if outputs == 2:
        nodes += field(1, field(1, "sum") + field(1, "sum") + field(2, "none") + field(4, "Sub"))
        axis = field(1, "axis") + field(3, 1) + field(20, 2)
        nodes += field(1, field(1, "none") + field(1, "sum") + field(2, "logits") + field(4, "Concat") + field(5, axis))
    last = "logits" if outputs == 2 else "sum"
    graph = (
        nodes + field(2, "g") + field(11, tensor("token_type_ids", 7, "n", "t")) + field(12, tensor(last, 1, "n", "k"))
    )
    return field(1, 6) + field(7, graph) + field(8, field(2, 11))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({"[UNK]": 0, "[SEP]": 1}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A [SEP] $B:1", special_tokens=[("[SEP]", 1)]
    )
    path = tmp_path_factory.mktemp("cross")
    made.save(str(path / "tokenizer.json"))
    (path / "model.onnx").write_bytes(model())
    return path


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_query_and_text_are_read_together_and_each_pair_alone(folder):
    encoder = CrossEncoder(folder)
    scores = encoder.scores("who leads", ["one two three", "", "one\ud800", "word " * 2_000])
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx([logistic(n) for n in (3, 0, 2, 60)])
    assert encoder.scores("who leads", []).shape == (0,)
    assert encoder.scores("word " * 5_000, ["one"])[0] == pytest.approx(logistic(1)), (
        "the query leaves room for the text"
    )
    assert TOKENS == 512


def test_two_logits_are_no_and_yes(folder, tmp_path):
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    (tmp_path / "model.onnx").write_bytes(model(outputs=2))
    assert CrossEncoder(tmp_path).scores("who", ["one two"])[0] == pytest.approx(logistic(2))


@pytest.mark.parametrize("broken", ["model.onnx", "tokenizer.json"])
def test_files_that_are_no_model_are_refused(folder, tmp_path, broken):
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"{}" if name == broken else (folder / name).read_bytes())
    with pytest.raises(ModelError):
        CrossEncoder(tmp_path)
    (tmp_path / broken).unlink()
    with pytest.raises(ModelError, match="Cannot read"):
        CrossEncoder(tmp_path)


def test_texts_are_ranked_by_it(folder):
    context: Any = SimpleNamespace(settings=Settings(), services=Services(None, rerank=CrossEncoder(folder).scores))
    texts = ["patron", "a b c d", "a b"]
    found = ranked(context, None, "the patron", texts, ranker="cross", most=2)  # type: ignore[arg-type]
    assert found == [(1, pytest.approx(logistic(4))), (2, pytest.approx(logistic(2)))]
    context.services = Services(None)
    with pytest.raises(UsageError, match="needs a cross-encoder"):
        ranked(context, None, "the patron", texts, ranker="cross", most=2)  # type: ignore[arg-type]


def test_tog_2_ranks_the_documents_of_entities_by_it(folder, tmp_path):
    with EmbeddedStore(tmp_path) as store:
        country(store)
        named = Settings(cross_encoder=str(folder))
        _, script = asked(store, FakeEmbedder(), "tog-2+ranker=cross", settings=named)
        documents = script.lines("judge")[0]
        with pytest.raises(UsageError, match="needs a cross-encoder"):
            asked(store, FakeEmbedder(), "tog-2+ranker=cross")
        with pytest.raises(ModelError, match="Cannot read"):
            asked(store, FakeEmbedder(), "tog-2", settings=Settings(cross_encoder=str(tmp_path / "none")))
    assert documents[0] == "Freedonia: It is always short of money.", "the longer of the two"
