"""Find files of the package (Cypher, sample, tables …) in a checkout, an editable install or a wheel."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Literal

from hydra_kg.errors import NotFoundError

Kind = Literal["cypher", "docker", "migrations", "sample"]

_PACKAGE = Path(__file__).resolve().parents[1]


def find_content(kind: Kind, name: str = "") -> Path:
    """Return a content folder, or the file ``name`` in it.

    The wheel (``_content``) comes first, then the checkout. ``name`` cannot leave the folder. Raises NotFoundError.
    """
    places = (_PACKAGE / kind,) if kind == "sample" else (_PACKAGE / "_content" / kind, _PACKAGE.parent / kind)
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise NotFoundError(f"hydra-kg was installed without its folder {kind!r}.", remedy="Install the package again.")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.exists():
        raise NotFoundError(f"There is no {name!r} in {kind!r}.", remedy=f"It holds: {', '.join(names(kind))}.")
    return path


def names(kind: Kind, *, suffix: str = "") -> list[str]:
    """Return the sorted names of the files in a content folder.

    ``suffix``, such as ``.cypher``, selects some of them.
    """
    return sorted(p.name for p in find_content(kind).iterdir() if p.is_file() and p.name.endswith(suffix))


def table(package: str, name: str) -> list[list[str]]:
    """Return the rows of a table file in a package's folder, split at tabs.

    Empty lines and lines that begin with # are skipped.
    """
    lines = files(package).joinpath(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]
