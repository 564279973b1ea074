"""Word pieces are those of Hugging Face's tokenizer, without the package."""

from __future__ import annotations

import random
import sys

import orjson
import pytest
from tokenizers import Tokenizer

from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.onnx_embedder import encoder_of
from hydra_kg.models.embedding.prepared_model import TOKENIZER, locate
from hydra_kg.models.embedding.word_pieces import read_word_pieces

FILE = locate(TOKENIZER).read_bytes()
RANGES = (
    (0, 0x61D),
    (0x61E, 0x700),
    (0x900, 0x9FC),
    (0xE00, 0xE80),
    (0x1E00, 0x2E43),
    (0x3000, 0x3100),
    (0xAC00, 0xAC40),
)
RANGES += ((0x4E00, 0x4E40), (0xE000, 0xE010), (0xFE20, 0x10000), (0x1F300, 0x1F600), (0x20000, 0x20010))
CHARACTERS = [chr(code) for first, last in RANGES for code in range(first, last)]


@pytest.fixture(scope="module")
def theirs() -> Tokenizer:
    made = Tokenizer.from_buffer(FILE)
    made.no_padding()
    made.enable_truncation(256)
    return made


def test_every_character_gives_the_same_ids(theirs: Tokenizer):
    encode = encoder_of(FILE)
    assert [hex(ord(c)) for c in CHARACTERS if encode(f"x{c}yé") != theirs.encode(f"x{c}yé").ids] == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Who directed Inception?",
        "Ångström's naïve café, №5: 3.50€ (≈ $4.10) — ΣΊΣΥΦΟΣ İstanbul",
        "北京 and 東京 are cities",
        "word" * 26,
        "unaffable " * 300,
        "a [SEP] b [MASK]c [CLS]",
        "x\u200dy \ufffd z\x00\x1cw \u00a0 v",
    ],
)
def test_texts_give_the_same_ids(theirs: Tokenizer, text: str):
    assert encoder_of(FILE)(text) == theirs.encode(text).ids


def test_drawn_texts_give_the_same_ids(theirs: Tokenizer):
    draw, encode = random.Random(46), encoder_of(FILE)
    texts = ["".join(draw.choices(CHARACTERS + [" ", "a", "e"] * 400, k=draw.randrange(60))) for _ in range(300)]
    assert [text for text in texts if encode(text) != theirs.encode(text).ids] == []


@pytest.mark.parametrize("part, value", [("pre_tokenizer", {"type": "Whitespace"}), ("post_processor", None)])
def test_other_tokenizers_are_left_to_the_package(part: str, value: object):
    assert read_word_pieces({**orjson.loads(FILE), part: value}, most=256) is None


def test_a_tokenizer_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ModelError) as caught:
        encoder_of(orjson.dumps({**orjson.loads(FILE), "pre_tokenizer": {"type": "Whitespace"}}))
    assert "hydra-kg[onnx]" in str(caught.value)
