"""A cross-encoder from two files of the user: it scores how well a text answers a query (ToG-2 §4.5.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Floats
from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.onnx_embedder import clean, read_file, session_of, tokenizer_of

TOKENS: Final = 512
"""Largest number of tokens of query and text together; a longer text is cut."""
QUERY: Final = 1_000
"""Largest number of characters of a query."""


class CrossEncoder:
    """Model that scores texts for a query in [0, 1], each pair of query and text alone.

    ``folder`` contains ``model.onnx`` (one logit for each pair, or two: no and yes) and ``tokenizer.json``. Raises
    ModelError.
    """

    def __init__(self, folder: Path) -> None:
        self.name = folder.resolve().name
        self._session: Any = session_of(read_file(folder / "model.onnx"))
        self._tokenizer = tokenizer_of(read_file(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(TOKENS, strategy="only_second")

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        """Return float32 scores (n,), in the order of ``texts``. Raises ModelError."""
        query = clean(query)[:QUERY]
        return np.array([self._score(self._tokenizer.encode(query, clean(text))) for text in texts], np.float32)

    def _score(self, pair: Any) -> float:
        """Return the score of one tokenised pair."""
        given = {
            "input_ids": np.array([pair.ids], np.int64),
            "attention_mask": np.ones((1, len(pair.ids)), np.int64),
            "token_type_ids": np.array([pair.type_ids], np.int64),
        }
        try:
            output = self._session.run(None, {i.name: given[i.name] for i in self._session.get_inputs()})[0]
            logits = np.asarray(output, np.float64).reshape(-1)
            logit = float(logits[1] - logits[0]) if len(logits) == 2 else float(logits.item())
        except Exception as e:  # onnxruntime's exceptions share no public base; a KeyError is another input
            remedy = (
                "It wants input_ids, attention_mask and perhaps token_type_ids, and gives one or two logits a pair."
            )
            raise ModelError(f"The cross-encoder cannot be run: {e}", remedy=remedy) from e
        return 1 / (1 + math.exp(-min(60.0, max(-60.0, logit))))
