"""Dumps of every format with broken lines in their middle, what a load stages of them, and engines to read them."""

from __future__ import annotations

import bz2
import gzip
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from helpers.samples import wiki_dumps

from hydra_kg.ingest.contract.choices import Engine, Options
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.load import batch_files, sources_of
from hydra_kg.ingest.staging.sorting import prepare
from hydra_kg.util.package_data import find_content

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
REPEATED = {"literal", "plain", "decoded", "title", "reject", "row", "raw_value"}
"""Tables of a stage that may have a row more than once."""
SORTED = {"link", "value", "name", "node", "term", "passage", "predicate", "mediator", "same"}
"""Tables of a stage whose order counts, because what is read next relies on it. Others lie as the threads left them."""


def _between(lines: bytes, seeds: str, broken: bytes = b'\n<a> "caf\xe9"\n\0\n') -> bytes:
    """Lines with those of a corpus in their middle, of which some are broken, one that is no UTF-8 and one with a
    NUL."""
    half = lines.index(b"\n", len(lines) // 2) + 1
    broken = (CORPUS / seeds / "seeds.lines").read_bytes() + broken
    return lines[:half] + broken + lines[half:]


def _sample(name: str, most: int) -> bytes:
    lines = gzip.decompress(find_content("sample", name).read_bytes()).splitlines(keepends=True)
    return b"".join(lines[:most])


def _json(folder: Path) -> Path:
    lines = (CORPUS / "wikidata_json" / "seeds.lines").read_bytes()
    copies = b"".join(lines.replace(b'"Q42"', b'"Q42%d"' % n).replace(b"P31", b"P%d" % n) for n in range(1, 12))
    return _file(folder / "dump.json", b'{"type": "item", "id": "Q1", "labels": {}},\n' + copies)


def _file(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


DUMPS: dict[str, Callable[[Path], Path]] = {
    "freebase": lambda d: _file(d / "freebase.nt", _between(_sample("freebase.nt.gz", 600), "freebase")),
    "wikidata_nt": lambda d: _file(d / "wikidata.nt", _between(_sample("wikidata.nt.gz", 600), "wikidata_nt")),
    "wikidata_json": _json,
    "sameas": lambda d: _file(d / "links.nt", _between(_sample("fb2w.nt.gz", 300), "sameas")),
    "passages": lambda d: _file(
        d / "p.jsonl", _between(find_content("sample", "passages.jsonl").read_bytes(), "passages")
    ),
    "rdf": lambda d: _file(d / "own.nq", _between(_sample("fb2w.nt.gz", 500), "ntriples", b'<a> "caf\xe9"\n')),
    "wikipedia": lambda d: wiki_dumps.multistream(d / "pages.xml.bz2", wiki_dumps.PAGES * 4, each=1),
}
"""Writes a dump of each format that is read in ranges, uncompressed but for the last."""


def packed(file: Path) -> Path:
    """The same as a bzip2 file of two streams of small blocks."""
    data = file.read_bytes()
    half = len(data) // 2
    return _file(file.with_name(file.name + ".bz2"), bz2.compress(data[:half], 1) + bz2.compress(data[half:], 1))


def staged(file: Path, folder: Path, form: str, engine: Engine | None = None) -> dict[str, Any]:
    """Lines, counts and every table of a stage, row for row."""
    (batch,) = batch_files([file], format=form)
    sources = sources_of(batch, batch.source, Options())
    with Work(
        folder,
        batch.loader,
        batch.files,
        options=Options(),
        listener=lambda _: None,
        sources=sources,
        name=batch.source.name,
        engine=engine,
    ) as work:
        prepared = prepare(work, batch.loader)
        found: dict[str, Any] = {"lines": work.lines, "prepared": prepared}
        for (name,) in work.db.execute("SELECT table_name FROM duckdb_tables() WHERE table_name <> 'step'").fetchall():
            what = "DISTINCT *" if name in REPEATED else "*"
            order = "rowid" if name in SORTED else "ALL"
            found[name] = work.db.execute(f"SELECT {what} FROM {name} ORDER BY {order}").fetchall()
        return found


class Here:
    """An engine in this process: everything goes through pickle, the last item is done first, and once more."""

    def run(self, do: Callable[[Any], Iterable[Any]], items: Sequence[Any]) -> Iterator[Any]:
        """See :class:`Engine`."""
        do, items = pickle.loads(pickle.dumps((do, items)))
        list(do(items[-1]))
        for item in items:
            for result in do(item):
                yield pickle.loads(pickle.dumps(result))


class Killing:
    """An engine whose executor is killed once, by its last item, when it has done others."""

    def __init__(self, engine: Engine, mark: Path) -> None:
        self._engine, self._mark = engine, mark

    def run(self, do: Callable[[Any], Iterable[Any]], items: Sequence[Any]) -> Iterator[Any]:
        """See :class:`Engine`."""
        last = len(items) - 1
        numbered = [(item, n == last) for n, item in enumerate(items)]
        return self._engine.run(partial(_doing, do=do, mark=self._mark), numbered)


def _doing(item: tuple[Any, bool], *, do: Callable[[Any], Iterable[Any]], mark: Path) -> Iterator[Any]:
    yield from do(item[0])
    if item[1] and not mark.exists():
        mark.write_text(str(os.getpid()))
        os.kill(_executor(os.getpid()), signal.SIGKILL)


def _executor(process: int) -> int:
    """The process of Spark's executor among the parents of a Python worker."""
    while process > 1:
        if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_bytes():
            return process
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    raise AssertionError("this is no executor of Spark")
