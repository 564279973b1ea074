"""Models that sentence-transformers wrote: by its library where it is installed, else by their ONNX export."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.embedders import PREFIX, make_embedder
from hydra_kg.models.embedding.onnx_embedder import MODEL, TOKENIZER, locate

LIBRARY = find_spec("sentence_transformers") is not None
without = pytest.mark.skipif(LIBRARY, reason="the extra 'sentence' is installed")
TEXTS = ["where was she born", "people person place of birth", "", "Zürich, 東京"]


def written(folder: Path, *, kinds=("Transformer", "Pooling", "Normalize"), pooling=None, export=True) -> str:
    """A folder in the layout of SentenceTransformer.save, and the setting that names it."""
    paths = ["", *(f"{n}_{kind}" for n, kind in enumerate(kinds) if n)]
    modules = [{"path": p, "type": f"sentence_transformers.models.{k}"} for p, k in zip(paths, kinds, strict=True)]
    for path in paths:
        (folder / path).mkdir(parents=True, exist_ok=True)
    (folder / "modules.json").write_text(json.dumps(modules))
    if len(paths) > 1:
        (folder / paths[1] / "config.json").write_text(json.dumps(pooling or {"pooling_mode": "mean"}))
    shutil.copy(locate(TOKENIZER), folder / "tokenizer.json")
    if export:
        (folder / "onnx").mkdir()
        (folder / "onnx" / "model.onnx").symlink_to(locate(MODEL))
    return f"{PREFIX}{folder}"


@without
@pytest.mark.parametrize("pooling", [{"pooling_mode": "mean"}, {"pooling_mode_mean_tokens": True, "dim": 384}])
def test_an_export_gives_the_vectors_of_its_model(tmp_path, pooling):
    own, ours = make_embedder(written(tmp_path / "model", pooling=pooling)), make_embedder()
    assert np.allclose(own.embed(TEXTS), ours.embed(TEXTS), atol=5e-4)  # one computes with floats
    assert own.checksum == ours.checksum
    assert own.name == "model"
    assert make_embedder(str(tmp_path / "model")).checksum == ours.checksum  # the folder alone names it, too


@without
@pytest.mark.parametrize(
    "layout, says",
    [
        ({"pooling": {"pooling_mode": "cls"}}, "pooling"),
        ({"pooling": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}}, "pooling"),
        ({"kinds": ("Transformer", "Pooling", "Dense")}, "Dense"),
        ({"kinds": ("StaticEmbedding",)}, "StaticEmbedding"),
        ({"export": False}, r"no onnx/model\.onnx"),
    ],
)
def test_what_only_the_library_can_read_says_so(tmp_path, layout, says):
    with pytest.raises(ModelError, match=says) as caught:
        make_embedder(written(tmp_path / "model", **layout))
    assert "hydra-kg[sentence]" in caught.value.remedy


@pytest.mark.parametrize("content", ["", "[", "{}", '[{"type": 1}]', "[3]", '[{"path": "x"}]'])
def test_a_damaged_folder_is_an_error_with_a_remedy(tmp_path, content):
    name = written(tmp_path / "model")
    (tmp_path / "model" / "modules.json").write_text(content)
    with pytest.raises(ModelError) as caught:
        make_embedder(name)
    assert caught.value.remedy


def test_a_folder_that_is_not_there_is_never_looked_for_in_a_hub():
    with pytest.raises(ModelError, match="no folder"):
        make_embedder(f"{PREFIX}all-MiniLM-L6-v2")


@pytest.mark.skipif(not LIBRARY, reason="the extra 'sentence' is not installed: torch alone is gigabytes")
def test_the_library_embeds_with_a_tiny_model(tmp_path):
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz"
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters,
                                                   *(f"##{c}" for c in letters)]))  # fmt: skip
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=57, **shape)).save_pretrained(tmp_path / "bert")
    BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path / "bert")
    SentenceTransformer(str(tmp_path / "bert"), device="cpu").save(str(tmp_path / "model"))
    own, again = (make_embedder(f"{PREFIX}{tmp_path / 'model'}") for _ in range(2))
    vectors = own.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), own.dimension) == (len(TEXTS), 32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert all((own.embed([text])[0] == row).all() for text, row in zip(TEXTS, vectors, strict=True))
    assert (again.embed(TEXTS) == vectors).all()
    assert again.checksum == own.checksum != make_embedder().checksum
