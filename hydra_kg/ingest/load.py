"""Load files into a store: recognise, read, clean, sort, write and publish them.

Each source is published separately and all at once. This is one room because the steps of a load share its errors and
its order.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, cast, runtime_checkable

from hydra_kg.domain import Source
from hydra_kg.errors import (
    HydraError,
    LoadedAlreadyError,
    LoadError,
    NotFoundError,
    PartialLoadError,
    RejectedLinesError,
    UsageError,
    UserError,
)
from hydra_kg.events import Listener, ignore
from hydra_kg.ingest.appending import CHOICES, append_files, checksum_of_request, checksums
from hydra_kg.ingest.contract.choices import LoadOptions, Options, check_choices
from hydra_kg.ingest.contract.loader import FilePlan, Loader, format_file_name
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.folders import (
    find_damaged_files,
    list_readable_files,
    recognise_file,
    referring_files,
    usable_files,
)
from hydra_kg.ingest.forecast import check_disk, forecast, free_bytes
from hydra_kg.ingest.loaded_files import get_settled_states, remember_loaded
from hydra_kg.ingest.report import (
    REJECTS,
    LoadReport,
    LoadResult,
    find_earlier_load,
    reasons_text,
    reconcile,
    write_rejects,
)
from hydra_kg.ingest.staging.sorting import prepare
from hydra_kg.ingest.staging.spool import file_entry, spool_stdin
from hydra_kg.ingest.staging.stage import DuckStage
from hydra_kg.ports import LoadWriter, Store
from hydra_kg.util.fast_dataclass import dataclass, replace

if TYPE_CHECKING:
    from hydra_kg.ingest.neighbourhood.around import Neighbourhood

_MOST_SOURCES: Final = 1 << 16
ALL: Final = LoadOptions()
"""Options that load everything in the files, with the defaults of their loader."""


@runtime_checkable
class _InFolder(Protocol):
    """A store in a folder, which can tell how much space is left."""

    path: Path


@runtime_checkable
class _WritesFolder(Protocol):
    """A writer into a folder, which can tell where the rejects are."""

    @property
    def folder(self) -> Path:
        """Return the folder of the load."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Files of one format that make one load."""

    loader: Loader
    source: Source
    files: tuple[Path, ...]


def load_files(
    store: Store, files: Sequence[Path], options: LoadOptions = ALL, *, listener: Listener = ignore
) -> LoadReport:
    """Load files into a store and report what became of every line.

    A killed load is resumed when it is started again with the same files and options. Files that are loaded already are
    left as they are (``already``).

    Of several files, all that can be loaded are loaded, and PartialLoadError is raised afterwards if some cannot. If
    nothing is loaded, one of these is raised:

    * NotFoundError, FormatError, UsageError for an invalid call.
    * LoadedAlreadyError if something else is loaded under that name.
    * StoreError if the store is busy or damaged.
    * DiskFullError, before anything is started, if the disk is too small.
    * RejectedLinesError if lines are rejected with ``strict``.
    * LoadError for damaged files.
    """
    begun = time.monotonic()
    format_ = cast("str | Loader", options.format)
    with spool_stdin(files, near=store.path if isinstance(store, _InFolder) else None) as found:
        usable, refused = usable_files(found, format=format_, listener=listener)
        failed: list[tuple[str, HydraError]] = [(format_file_name(file), error) for file, error in refused]
        batches = batch_files(usable, format=format_, source=options.source, extra=options.extra)
        check_choices([batch.loader for batch in batches], options)
        around = _around(batches, options.reading())
        results: list[LoadResult] = []
        for batch in batches:
            try:
                results.append(_one(store, batch, options, listener, around))
            except (UserError, LoadError) as e:
                whole = options.replace or options.append or not isinstance(e, LoadError)
                damaged = {} if whole else find_damaged_files(batch.files)
                if rest := tuple(file for file in batch.files if damaged and file not in damaged):
                    failed += [(format_file_name(file), error) for file, error in damaged.items()]
                    batches.append(replace(batch, files=rest))  # tried again, last
                else:
                    failed.append((batch.source.name, e))
        if failed and not results and len(failed) == 1:
            raise failed[0][1]
        report = LoadReport(tuple(results), time.monotonic() - begun, options.dry_run)
        if failed:
            raise PartialLoadError(report, failed)
        return report


def _one(
    store: Store, batch: Batch, options: LoadOptions, listener: Listener, around: Neighbourhood | None
) -> LoadResult:
    """Load one batch, or forecast it for a dry run. Files of an appended load come first."""
    reading = options.reading(batch.loader.rules)
    if options.append and (
        whole := append_files(store.loads(), batch.source.name, batch.loader, batch.files, extra=reading.extra)
    ):
        batch = replace(batch, loader=whole.loader, files=whole.files)
        reading = replace(reading, extra=whole.extra)
    reading = replace(reading, extra=around.extra) if around else reading
    if options.dry_run:
        return _forecast(store, batch, reading, listener, around, beginnings=options.beginnings)
    return _load(store, batch, reading, options, listener=listener, around=around)


def batch_files(
    files: Sequence[Path],
    *,
    format: str | Loader = "auto",  # noqa: A002
    source: str = "",
    extra: Mapping[str, str] = MappingProxyType({}),
) -> list[Batch]:
    """Group files into loads by format and name, in order. A folder is one load if its loader says so."""
    batches: dict[str, tuple[Loader, Source, list[Path]]] = {}
    alone: list[Path] = []
    for path in map(Path, files):
        inside = list_readable_files([path], format=format) if path.is_dir() else [path]
        for loader, described, own in _feeds(path, inside, format=format, source=source, extra=extra):
            batches.setdefault(f"{loader.name} {described.name}", (loader, described, []))[2].extend(own)
            inside = [file for file in inside if file not in own]
        alone += inside
    for loader, described, own in referring_files(alone, extra) if format == "auto" and not source else ():
        batches.setdefault(f"{loader.name} {described.name}", (loader, described, []))[2].extend(own)
        alone = [file for file in alone if file not in own]
    single = _batches(alone, format=format, source=source) if alone or not batches else {}
    for name, (loader, described, own) in single.items():
        if source if len(own) > 1 else format == "auto":
            with suppress(UserError):  # the load of that batch alone reports a file that cannot be read
                single[name] = (loader.together(own, named=bool(source), extra=extra) or loader, described, own)
    return _check_batches({**batches, **single}, source=source)


def _feeds(
    folder: Path,
    files: Sequence[Path],
    *,
    format: str | Loader,  # noqa: A002
    source: str,
    extra: Mapping[str, str],
) -> list[tuple[Loader, Source, list[Path]]]:
    """Return the files of a folder that belong together, with the loader that reads them."""
    if not folder.is_dir():
        return []
    by_loader: dict[str, tuple[Loader, list[Path]]] = {}
    for file in files:
        _, loader = recognise_file(file, format=format)
        by_loader.setdefault(loader.family or loader.name, (loader, []))[1].append(file)
    out = []
    for loader, own in by_loader.values():
        feed = loader.together(own, named=bool(source), extra=extra) if len(own) > 1 else None
        if feed is not None:
            out.append((feed, replace(feed.source, name=source or folder.resolve().name), own))
    return out


def _batches(
    files: Sequence[Path],
    *,
    format: str | Loader,  # noqa: A002
    source: str,
) -> dict[str, tuple[Loader, Source, list[Path]]]:
    """Group the files by the load that they become."""
    found: dict[str, tuple[Loader, Source, list[Path]]] = {}
    for file in files:
        if not file.is_file():
            raise NotFoundError(f"There is no file {format_file_name(file)}.", remedy="Check the path.")
        if format_file_name(file) != str(file):
            raise UsageError(
                f"The name of the file {format_file_name(file)} is not valid UTF-8, so lines of it could not be cited.",
                remedy="Rename the file and load it again.",
            )
        head, loader = recognise_file(file, format=format)
        described = loader.describe(head)
        if (named := loader.named(file)) is not None:
            described = replace(named, name=source or named.name)
        found.setdefault(f"{loader.name} {described.name}", (loader, described, []))[2].append(file)
    return found


def _check_batches(found: Mapping[str, tuple[Loader, Source, list[Path]]], *, source: str) -> list[Batch]:
    """Return the batches, each with a name of its own. Raises UsageError if there are none or too many for `source`."""
    if not found:
        raise UsageError("No files to load.", remedy="Name at least one.")
    if source and len(found) > 1:
        kinds = ", ".join(sorted({loader.name for loader, _, _ in found.values()}))
        raise UsageError(
            f"The files are of several formats ({kinds}) and cannot all be called {source}.",
            remedy="Load them one by one, or leave --source out.",
        )
    batches: list[Batch] = []
    for loader, described, paths in found.values():
        name = source or described.name
        if any(batch.source.name == name for batch in batches):  # texts next to tables, in one folder
            name = f"{name}-{loader.name}"
        batches.append(Batch(loader, replace(described, name=name), tuple(paths)))
    return batches


def _around(batches: Sequence[Batch], options: Options) -> Neighbourhood | None:
    """Return the neighbourhood to load, or None to load everything."""
    if not options.extra.get("around"):
        return None
    from hydra_kg.ingest.neighbourhood.around import Neighbourhood

    return Neighbourhood([(batch.loader, batch.files) for batch in batches], options)


def _load(
    store: Store,
    batch: Batch,
    options: Options,
    chosen: LoadOptions,
    *,
    listener: Listener,
    around: Neighbourhood | None = None,
) -> LoadResult:
    """Load one batch from its stage to a committed load."""
    begun = time.monotonic()
    states = get_settled_states(batch.files)
    checksum, sums = checksums(batch.files)
    remember_loaded(batch.files, sums, states, fetched=chosen.origins)
    source = replace(batch.source, checksum=checksum)
    if len(batch.files) == 1 and batch.files[0] in chosen.origins:
        source = replace(source, url=chosen.origins[batch.files[0]])
    file = " + ".join(f.name for f in batch.files)
    if batch.loader.describes_itself and len(batch.files) > 1:
        file = source.name
    sources = sources_of(batch, source, options)
    asked = checksum_of_request(batch.loader, options, files=batch.files, sums=sums)
    try:
        writer = store.begin(FilePlan(source.name, sources, chosen.replace or chosen.append, file))
    except LoadedAlreadyError:
        pending = getattr(store, "holds", False)
        if before := find_earlier_load(store.loads(), source.name, asked, pending=pending):
            return before
        raise
    try:
        folder = writer.staging / "stage"
        per_byte = around.disk_per_byte if around else batch.loader.disk_per_byte
        check_disk(folder, batch.files, options, per_byte=per_byte)

        def named(event: Any) -> None:
            listener(replace(event, data={"load": source.name, **event.data}))

        loader = around.loader(batch.loader) if around else batch.loader
        with Work(
            folder,
            loader,
            batch.files,
            options=options,
            listener=named,
            sources=sources,
            name=source.name,
            start=begun,
            engine=chosen.engine,
        ) as work:
            return _run(work, loader, writer, chosen, file=file, sums=sums, asked=asked)
    except BaseException:
        writer.release()
        raise


def sources_of(batch: Batch, source: Source, options: Options) -> tuple[Source, ...]:
    """Return the sources of a load. Raises UsageError if two have one name."""
    found = batch.loader.sources(batch.files, source=source, options=options)
    names = sorted(s.name for s in found)
    if twice := sorted({a for a, b in itertools.pairwise(names) if a == b}):
        raise UsageError(f"Several sources are called {', '.join(twice)}.", remedy="Rename all but one of them.")
    if not 0 < len(found) <= _MOST_SOURCES:
        raise UsageError(f"The files name {len(found):,} sources.", remedy=f"One load may have 1 to {_MOST_SOURCES:,}.")
    return tuple(replace(s, checksum=s.checksum or source.checksum) for s in found)


def _run(
    work: Work, loader: Loader, writer: LoadWriter, chosen: LoadOptions, *, file: str, sums: Sequence[str], asked: str
) -> LoadResult:
    """Run the steps of a load and write it. Return what became of every line."""
    prepared = prepare(work, loader)
    parts = reconcile(work, prepared)
    rejects = work.folder / REJECTS
    if write_rejects(work, rejects) and chosen.strict:
        total = sum(parts["rejected"].values())
        raise RejectedLinesError(
            f"{total:,} lines are rejected: {reasons_text(parts['rejected'])}.",
            remedy=f"They are listed in {rejects}. Without --strict the load goes on from here and leaves them out.",
        )
    rows = prepared.rows()
    if not any(rows[name] for name in ("links", "values", "names", "passages", "same_as")):
        why = reasons_text({**parts["rejected"], **{f"rule {rule}": n for rule, n in parts["dropped"].items() if n}})
        raise LoadError(
            f"{file} has no facts: {why or 'it states nothing'}.",
            remedy="Nothing was loaded. Look at the reasons, and name the format with --as or the columns "
            "with --map if they were guessed wrong.",
        )
    result = LoadResult(
        work.name,
        work.loader.name,
        tuple(
            file_entry(f, lines=n, sha256=s, url=chosen.origins.get(f, ""))
            for f, n, s in zip(work.files, work.lines, sums, strict=False)
        ),
        sum(work.lines),
        **parts,
        links=rows["links"],
        values=rows["values"],
        names=rows["names"],
        passages=rows["passages"],
        same_as=rows["same_as"],
        nodes=rows["nodes"],
        mediators=rows["mediators"],
        notes={**{k: v for k, v in prepared.read.items() if k != "blank"}, **prepared.streams.notes},
        described=prepared.streams.described,
        choices={name: work.options.extra[name] for name in CHOICES if name in work.options.extra},
        rules=work.rules,
        rejects=REJECTS if parts["rejected"] else "",
        resumed=tuple(work.resumed),
        asked=asked,
        already=False,
        unit=work.unit,
    )
    progress = work.measured("load.write", total=sum(rows.values()), unit="entries")
    _write(work, writer, DuckStage(work.db, rows, prepared.streams.predicates, on_rows=progress.add))
    if parts["rejected"]:
        writer.attach(rejects)
    work.emit("load.flip", {"done": 0, "total": 1, "unit": "flips"})
    before = time.monotonic()
    details = {k: v for k, v in result.to_json().items() if k not in {"forecast", "seconds", "resumed"}}
    writer.commit({**details, "file": file})
    work.seconds["flip"] = time.monotonic() - before
    work.emit("load.flip", {"done": 1, "total": 1, "unit": "flips"})
    seconds = {name: round(s, 3) for name, s in work.seconds.items()}
    place = result.rejects
    if place and isinstance(writer, _WritesFolder):
        place = str(writer.folder / REJECTS)
    return replace(result, seconds=seconds, rejects=place)


def _write(work: Work, writer: LoadWriter, stage: DuckStage) -> None:
    before = time.monotonic()
    with work.errors("write"):
        writer.write(stage)
    work.seconds["write"] = time.monotonic() - before


def _forecast(
    store: Store,
    batch: Batch,
    options: Options,
    listener: Listener,
    around: Neighbourhood | None,
    *,
    beginnings: Mapping[Path, float],
) -> LoadResult:
    """Return what a load would need, without loading."""
    if around:
        expected = around.forecast(batch.loader, batch.files)
    else:
        expected = forecast(
            batch.loader,
            batch.files,
            options=options,
            listener=listener,
            sources=sources_of(batch, batch.source, options),
        )
    whole = {file: round(file.stat().st_size * beginnings.get(file, 1)) for file in batch.files}
    if (times := sum(whole.values()) / max(sum(file.stat().st_size for file in whole), 1)) > 1:
        expected = {name: round(value * times, 1 if name == "seconds" else None) for name, value in expected.items()}
    if isinstance(store, _InFolder):
        expected = {**expected, "bytes_free": free_bytes(store.path)}
    files = tuple({"name": file.name, "bytes": size} for file, size in whole.items())
    return LoadResult(batch.source.name, batch.loader.name, files, forecast=expected, unit=batch.loader.unit)
