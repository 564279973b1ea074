"""Claims in a store for the time of a run: a set's as they are, those of some formats, or with a share made worse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hydra_kg.client import Hydra
from hydra_kg.evaluate.fusion.corruption import Corruption, Mode
from hydra_kg.evaluate.fusion.curves import formats_together, rows_in, thinned
from hydra_kg.evaluate.fusion.sets import SetFiles, rows_of
from hydra_kg.evaluate.papers.catalog import CORRUPTED, MIXED
from hydra_kg.fusion.normalisation.values import Row
from hydra_kg.settings import Settings

HEAD: Final = ("source", "entity", "attribute", "value")


def claims_as(files: SetFiles, which: str, *, part: float = 1.0) -> Iterable[Row] | None:
    """Return the rows of a label such as ``@ JSON + KG``, ``% mask any source 0.7`` or "", or None; ``part``: see
    ``curve``."""
    sign, _, what = which.partition(" ")
    if sign == MIXED.strip():
        chosen = tuple(what.split(" + "))
        return rows_in(files, chosen) if chosen in formats_together(files) else None
    if sign == CORRUPTED.strip():
        mode, share = what.split()[0], float(what.split()[-1])
        return Corruption(Mode(mode), share, dated=files.wide)(thinned(files, part))
    return rows_of(files.claims, files.rules.left_out, [])


@contextmanager
def store_of(rows: Iterable[Row], name: str, settings: Settings, folder: Path) -> Iterator[str]:
    """Make a temporary store in ``folder`` with these claims as the load ``name`` and as pages for rivals that read;
    left-out sources are not in it."""
    with TemporaryDirectory(dir=folder, prefix=".claims") as made:
        claims, pages, store = Path(made, f"{name}.tsv"), Path(made, "pages.jsonl"), str(Path(made, "store"))
        sentences: dict[str, list[str]] = {}
        with claims.open("w", encoding="utf-8") as out:
            out.write("\t".join(HEAD) + "\n")
            for entity, attribute, source, value in rows:
                what = attribute or "value"
                out.write(f"{source}\t{entity}\t{what}\t{value}\n")
                said = f"{source}: the {what.replace('_', ' ')} of {entity} is {value}."
                sentences.setdefault(entity, []).append(said)
        with pages.open("w", encoding="utf-8") as out:
            out.writelines(json.dumps({"title": e, "text": " ".join(own)}) + "\n" for e, own in sentences.items())
        with Hydra(store=store, settings=settings.changed(store=store)) as hydra:
            hydra.load(claims, source=name)
            hydra.load(pages, source=f"{name}-pages")
        claims.unlink()
        pages.unlink()
        yield store
