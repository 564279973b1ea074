"""Every format at dump scale: generated files from the data pack, from compressed file to ready store.

    python bench/speed/loaders.py [--only NAME,…] [--scale 1.0] [--folder DIR]

A format is a function in FORMATS that makes its file (once, if the folder is kept) and says what is counted. Rows that
are not measured in a run stay as they are in bench/results/loaders.json. Beside each load stands its floor on this
machine: the same file in the same run, unpacked and no more, and with each line parsed and forgotten.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT, data, machine, save
from bench.speed.load import LOAD, calibration, run


@dataclass(frozen=True)
class Case:
    """A file to load. ``unit``: what its lines are · ``target``: units a second on two cores · ``memory``: DuckDB's."""

    file: Path
    unit: str
    target: int
    memory: str = "1GB"
    rules: Mapping[str, bool] | None = None


def wikidata_nt(folder: Path, scale: float) -> Case:
    """The truthy slice, repeated with other items: 4.1 M lines."""
    file = folder / f"wikidata-{scale:g}.nt.gz"
    if not file.exists():
        text = gzip.decompress((data() / "wikidata.nt.gz").read_bytes())
        with gzip.open(file, "wb", 1) as out:
            for copy in range(max(1, round(5 * scale))):
                out.write(text.replace(b"/entity/Q", b"/entity/Q%d0000" % copy) if copy else text)
    return Case(file, "lines", 400_000)


def wikidata_nt_full(folder: Path, scale: float) -> Case:
    """The same with every English text in seven other languages as well, as in the dump: 10 M lines."""
    file = folder / f"wikidata-full-{scale:g}.nt.gz"
    if not file.exists():
        text = gzip.decompress((data() / "wikidata.nt.gz").read_bytes())
        lines = []
        for line in text.splitlines():
            lines.append(line)
            if line.endswith(b'"@en .'):
                lines += [line[:-4] + name + b" ." for name in b"de fr ru zh-hans nl ar en-gb".split()]
        text = b"\n".join(lines) + b"\n"
        with gzip.open(file, "wb", 1) as out:
            for copy in range(max(1, round(4 * scale))):
                out.write(text.replace(b"/entity/Q", b"/entity/Q%d0000" % copy) if copy else text)
    return Case(file, "lines", 400_000)


def wikidata_json(folder: Path, scale: float) -> Case:
    """The sample dump, repeated with other items: 117,000 entities of 5.6 KB and 19 statements."""
    file = folder / f"wikidata-{scale:g}.json.gz"
    if not file.exists():
        with gzip.open(file, "wb", 1) as out:
            out.write(b"[\n")
            for copy in range(max(1, round(8 * scale))):
                for line in entities():
                    out.write(moved(line, copy) + b",\n")
            out.write(b"]\n")
    return Case(file, "entities", 8_000)


def wikidata_json_full(folder: Path, scale: float) -> Case:
    """The same with what the sample leaves out: texts in 40 languages and a reference on every second statement, so
    that an entity has 14 KB as in the dump."""
    file = folder / f"wikidata-full-{scale:g}.json.gz"
    if not file.exists():
        with gzip.open(file, "wb", 1) as out:
            out.write(b"[\n")
            for copy in range(max(1, round(4 * scale))):
                for n, line in enumerate(entities()):
                    out.write(moved(filled(line, n), copy) + b",\n")
            out.write(b"]\n")
    return Case(file, "entities", 8_000)


def entities() -> list[bytes]:
    text = gzip.decompress((data() / "wikidata_dump_sample.json.gz").read_bytes())
    return [line.rstrip(b",") for line in text.split(b"\n") if line.startswith(b"{")]


def moved(line: bytes, copy: int) -> bytes:
    if not copy:
        return line
    return line.replace(b'"id":"Q', b'"id":"Q%d0000' % copy).replace(b'"/m/0', b'"/m/0%d' % copy)


def filled(line: bytes, n: int) -> bytes:
    entity = json.loads(line)
    languages = [f"x{chr(97 + i // 20)}{chr(97 + i % 20)}" for i in range(40)]
    for part in ("labels", "descriptions"):
        if "en" in entity.get(part, {}):
            value = entity[part]["en"]["value"]
            entity[part] |= {name: {"language": name, "value": value} for name in languages}
    kinds = ({"P143": "Q328"}, {"P248": "Q15241312"}, {"P248": "Q36578", "P813": "Q1"})
    for statements in entity["claims"].values():
        for i, statement in enumerate(statements[::2]):
            snaks = {
                p: [
                    {
                        "snaktype": "value",
                        "property": p,
                        "datatype": "wikibase-item",
                        "datavalue": {
                            "value": {"entity-type": "item", "numeric-id": int(q[1:]), "id": q},
                            "type": "wikibase-entityid",
                        },
                    }
                ]
                for p, q in kinds[(n + i) % 3].items()
            }
            statement["references"] = [{"hash": f"{n * 1000 + i:040x}", "snaks": snaks, "snaks-order": list(snaks)}]
    return json.dumps(entity, ensure_ascii=False, separators=(",", ":")).encode()


FORMATS: Final[dict[str, Callable[[Path, float], Case]]] = {
    "wikidata_nt": wikidata_nt,
    "wikidata_nt_full": wikidata_nt_full,
    "wikidata_json": wikidata_json,
    "wikidata_json_full": wikidata_json_full,
}


def floor(file: Path, seconds: float) -> dict[str, str]:
    """Seconds of bench/speed/floor.py, and the last of them as a share of those of a load."""
    took = []
    for processes in "012":
        begun = time.perf_counter()
        subprocess.run([sys.executable, ROOT / "bench" / "speed" / "floor.py", file, processes], check=True)
        took.append(f"{time.perf_counter() - begun:.1f}")
    return {
        "unpacked s": took[0],
        "parsed s": took[1],
        "parsed by two s": took[2],
        "of our s": f"{float(took[2]) / seconds:.0%}",
    }


def measured(name: str, case: Case, folder: Path) -> dict[str, Any]:
    """A row."""
    shutil.rmtree(folder / "store", ignore_errors=True)
    before = calibration()
    done = run(LOAD, folder / "store", case.file, case.memory)
    result = json.loads(done.output)
    total = sum(sum(result[part].values()) for part in ("kept", "dropped", "rejected", "duplicates"))
    if total != result["read"]:
        raise SystemExit(f"{name}: the lines are not all accounted for.")
    size = sum(f.stat().st_size for f in (folder / "store").rglob("*") if f.is_file())
    shutil.rmtree(folder / "store")
    steps = ", ".join(f"{step.removeprefix('sort ')} {s:.1f}" for step, s in result["seconds"].items() if s >= 0.05)
    return {
        "format": name,
        "input MB": f"{case.file.stat().st_size / 1e6:,.0f}",
        case.unit: f"{result['read']:,}",
        "units": f"{result['read']:,} {case.unit}",
        "facts": f"{result['facts']:,}",
        "s": f"{done.seconds:.1f}",
        "processor s": f"{done.processor:.1f}",
        "units/s": f"{result['read'] / done.seconds:,.0f}",
        "units/s if both cores were ours": f"{2 * result['read'] / done.processor:,.0f}",
        "target": f"{case.target:,}",
        **floor(case.file, done.seconds),
        "peak MB": done.memory,
        "store MB": f"{size / 1e6:,.0f}",
        "load after": f"{os.getloadavg()[0]:.1f}",
        "calibration s": f"{before:.2f} {calibration():.2f}",
        "steps (s)": steps,
    }


def main() -> None:
    """The chosen rows; the others stay."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default=",".join(FORMATS), help="formats to measure (default: all)")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the generated files (default %(default)s)")
    parser.add_argument("--folder", type=Path, help="where to put the files, kept then (default: a temporary folder)")
    parser.add_argument("--make", action="store_true", help="only make the files")
    args = parser.parse_args()
    if args.make:
        for name in args.only.split(","):
            FORMATS[name](args.folder, args.scale)
        return
    old = ROOT / "bench" / "results" / "loaders.json"
    rows = {row["format"]: row for row in json.loads(old.read_text("utf-8"))["rows"]} if old.exists() else {}
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        for name in args.only.split(","):
            # In a process of its own: what is measured begins as a copy of this one, its memory included.
            subprocess.run(
                [sys.executable, __file__, "--make", "--only", name, "--scale", str(args.scale), "--folder", folder],
                check=True,
            )
            row = measured(name, FORMATS[name](folder, args.scale), folder)
            rows[name] = {k: v for k, v in row.items() if k not in {"lines", "entities", "pages", "rows"}}
            print(rows[name])
    save(
        "loaders",
        title="Formats: compressed file to ready store",
        command="python bench/speed/loaders.py",
        about=machine("duckdb", "orjson", "msgspec"),
        rows=[{column: row.get(column, "") for column in rows[name]} for row in map(rows.get, FORMATS) if row],
        notes=[
            "Everything on: cleaning, provenance, names, full text, both directions.",
            "peak MB: the main process; its workers take some 160 MB each.",
            "load after: of the machine (2: nobody else at work). calibration: processor seconds of a fixed loop,"
            " before and after; two threads that share a core make it longer, and processor seconds with it.",
            "unpacked s … of our s (bench/speed/floor.py): "
            "the same file unpacked and no more; all lines parsed (entities"
            " by orjson, triples split at two spaces) and forgotten in one process, and in two that a third feeds;"
            " the last as a share of the load, which also cleans, sorts, indexes and writes.",
            "The column before the target says what two cores would give at these processor seconds if every step"
            " used both; indexing the texts uses one.",
        ],
    )


if __name__ == "__main__":
    main()
