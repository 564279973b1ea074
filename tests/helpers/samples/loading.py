"""What loading tests share: lines in, everything that a store would be handed out, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from hydra_kg import ids
from hydra_kg.events import ignore
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.report import reconcile
from hydra_kg.ingest.staging.sorting import prepare
from hydra_kg.ingest.staging.stage import DuckStage

NS = "http://rdf.freebase.com/ns/"


@dataclass(frozen=True)
class Staged:
    """A cleaned file: facts as (subject, predicate, object, line), everything else as the words say."""

    links: list[tuple[str, str, str, int]]
    values: list[tuple[str, str, str, int]]
    names: set[tuple[str, str, str]]
    nodes: set[str]
    mediators: set[str]
    predicates: dict[str, tuple[str, str]]
    passages: list[tuple[str, str, str, str, int]]
    same_as: list[tuple[str, str, int]]
    kept: Mapping[str, int]
    dropped: Mapping[str, int]
    rejected: Mapping[str, int]
    duplicates: Mapping[str, int]
    notes: Mapping[str, int]
    rejects: list[tuple[int, str, int]]
    read: int

    @property
    def facts(self) -> set[tuple[str, str, str]]:
        """Links and values without their lines."""
        return {(s, p, o) for s, p, o, _ in self.links + self.values}

    def balanced(self) -> bool:
        """Whether every line is accounted for, once."""
        return self.read == sum(
            sum(part.values()) for part in (self.kept, self.dropped, self.rejected, self.duplicates)
        )


def stage(
    lines: Iterable[str | bytes],
    folder: Path,
    format: str,  # noqa: A002
    *,
    languages: Sequence[str] = ("en",),
    limit: int = 0,
    max_line: int = 1 << 20,
    **rules: bool,
) -> Staged:
    """Put lines through everything but the store. ``rules`` are switched by name, ``-`` as ``_``."""
    file = folder / "lines.nt"
    data = [line if isinstance(line, bytes) else line.encode() for line in lines]
    file.write_bytes(b"".join(line + b"\n" for line in data))
    return stage_files([file], folder / "stage", format, languages=languages, limit=limit, max_line=max_line, **rules)


def stage_files(
    files: Sequence[Path],
    folder: Path,
    format: str,  # noqa: A002
    *,
    languages: Sequence[str] = ("en",),
    limit: int = 0,
    max_line: int = 1 << 20,
    **rules: bool,
) -> Staged:
    """The same for files."""
    chosen = {name.replace("_", "-"): on for name, on in rules.items()}
    options = Options(rules=chosen, languages=tuple(languages), limit=limit, max_line=max_line)
    loader = loaders()[format]
    sources = loader.sources(files, source=loader.source, options=options)
    with Work(folder, loader, files, options=options, listener=ignore, sources=sources) as work:
        prepared = prepare(work, loader)
        streams = DuckStage(work.db, prepared.rows(), prepared.streams.predicates)
        return _words(work, streams, reconcile(work, prepared), {**prepared.streams.notes, **prepared.read})


def fact(s: str, p: str, o: str) -> str:
    """A line of the Freebase dump: names without their name space, ``http…`` IRIs and literals as they are."""
    return "\t".join((*(t if t.startswith('"') else f"<{t if ':' in t else NS + t}>" for t in (s, p, o)), "."))


def _words(work: Work, staged: DuckStage, parts: Mapping[str, Mapping[str, int]], notes: Mapping[str, int]) -> Staged:
    texts = {int(i): t for batch, found in staged.terms() for i, t in zip(batch, found, strict=True)}
    predicates = {number: key for number, key, _, _ in staged.predicates()}

    def key(number: int) -> str:
        text = ids.decode(int(number))
        return texts[int(number)] if text is None else text

    def facts(batches: Iterable[Mapping[str, object]]) -> list[tuple[str, str, str, int]]:
        return [
            (key(s), predicates[int(p)], key(o), int(line))
            for batch in batches
            for s, p, o, line in zip(batch["s"], batch["p"], batch["o"], batch["line"], strict=True)  # type: ignore[call-overload]
        ]

    counted = staged.counts()
    links, values = facts(staged.links()), facts(staged.values())
    assert (counted["links"], counted["values"]) == (len(links), len(values))
    nodes = [key(i) for batch in staged.nodes() for i in batch]
    assert len(set(nodes)) == len(nodes) == counted["nodes"]
    return Staged(
        links,
        values,
        {(key(n), kind, text) for batch in staged.names() for n, kind, text in batch},
        set(nodes),
        {key(i) for batch in staged.mediators() for i in batch},
        {k: (text, inverse) for _, k, text, inverse in staged.predicates()},
        [(key(n) if n else "", title, url, text, line) for b in staged.passages() for n, title, url, text, line in b],
        [
            (key(a), key(b), int(n))
            for batch in staged.same_as()
            for a, b, n in zip(batch["a"], batch["b"], batch["line"], strict=True)
        ],
        parts["kept"],
        parts["dropped"],
        parts["rejected"],
        parts["duplicates"],
        notes,
        work.db.execute("SELECT line, reason, place FROM reject ORDER BY line").fetchall(),
        sum(work.lines),
    )


def data_pack() -> Path:
    """The data pack, or skip with the reason."""
    import os

    found = Path(os.environ.get("HYDRA_DATA") or Path(__file__).parents[3] / ".." / "shared" / "data").resolve()
    if not found.is_dir():
        pytest.skip(f"the data pack is not at {found}; set HYDRA_DATA")
    return found
