"""Find the languages of a file's texts, to help a person who asked for a language that is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import HydraError
from hydra_kg.ingest.formats.archives import chunks

_LOOKED_AT: Final = 32  # pieces of the beginning of a file, some 16 MB
_SHOWN: Final = 8
_TAG: Final = re.compile(rb'"@([a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*)|"language"\s*:\s*"([a-z]{2,8}(?:-[a-z0-9]{1,8})*)"')


def languages_of(files: Sequence[Path]) -> list[str]:
    """Return the languages of texts at the beginning of some files, the most frequent first.

    Files that cannot be read are ignored.
    """
    found: Counter[str] = Counter()
    for file in files:
        try:
            for piece in islice(chunks(file), _LOOKED_AT):
                found.update((a or b).decode().lower() for a, b in _TAG.findall(piece))
        except (HydraError, OSError):
            continue
    return [name for name, _ in found.most_common()]


def no_such_language(load: Mapping[str, Any], asked: Sequence[str], files: Sequence[Path]) -> str:
    """Return a hint for a load without any name in the asked languages, else ""."""
    dropped = load["dropped"].get("language", 0)
    if load["kept"].get("names", 0) or not dropped:
        return ""
    there = [name for name in languages_of(files) if name not in asked]
    shown = f" The texts are in {', '.join(there[:_SHOWN])}{' …' if len(there) > _SHOWN else ''}." if there else ""
    again = f" Load it again with --replace --language {there[0]}." if there else ""
    return (
        f"{load['name']} has no name in {', '.join(asked)}, so that no question finds anything of it; {dropped:,}"
        f" texts in other languages were left out.{shown}{again}"
    )
