"""Embed the relation texts of stores with Freebase's and Wikidata's relations, for hydra_kg to ship.

python bench/training/relation_vectors.py STORE...
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hydra_kg.client import Hydra
from hydra_kg.models.embedding.cached_embedder import pack_vectors
from hydra_kg.models.embedding.onnx_embedder import OnnxEmbedder

FILE = Path(__file__).resolve().parents[2] / "hydra_kg/models/embedding/relation_vectors.npz"


def relation_texts(store: str) -> set[str]:
    """Return every relation text that a question over a store can need."""
    with Hydra(store=store) as hydra, hydra.store.snapshot() as snapshot:
        return set(hydra.reasoner._space(snapshot).all_texts(snapshot.relation_pairs()))


def main() -> None:
    """Write the file of vectors and print its size."""
    texts = sorted(set().union(*map(relation_texts, sys.argv[1:])))
    embedder = OnnxEmbedder()
    vectors = np.concatenate([embedder.embed(texts[at : at + 256]) for at in range(0, len(texts), 256)])
    np.savez(FILE, **pack_vectors(embedder.checksum, texts, vectors))
    print(f"{len(texts):,} texts, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
