"""Wikipedia: decompressing, reading, cleaning and relating one by one, and a whole multistream dump into a store.

    python bench/speed/wikipedia.py [--megabytes 520] [--file DUMP.xml.bz2] [--folder DIR]

The steps run alone in one process over the first pieces of the dump and count processor seconds, so that they say what
one core does whatever else the machine is doing; the load runs as people run it, in processes of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.generate.wikipedia_dump import generate
from bench.measure import data, machine, save
from hydra_kg_loaders.wikipedia.dump import Piece, cut_pages, decompress_piece, read_page, stream_pieces
from hydra_kg_loaders.wikipedia.wikitext import paragraphs
from hydra_kg_loaders.wikipedia.worker import Job, clean_piece

LOAD = """
import json, sys
from pathlib import Path
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
with EmbeddedStore(sys.argv[1]) as store:
    options = LoadOptions(rules={"relations": sys.argv[3] == "on"}, extra={"sitelinks": sys.argv[4]})
    report = load_files(store, [Path(sys.argv[2])], options)
print(json.dumps(report.to_json()["loads"][0]))
"""
TARGET = "≥ 10 MB/s a core"
SAMPLE = 60e6  # plain bytes that the single steps are measured on


def steps(file: Path, folder: Path) -> list[dict[str, Any]]:
    """A row for each step, measured on its own with what the one before it made."""
    pieces: list[Piece] = []
    plain = 0.0
    for piece in stream_pieces(file):
        pieces.append(piece)
        plain += sum(len(c) for c in decompress_piece(piece))
        if plain >= SAMPLE:
            break
    rows = []

    def measured(name: str, run: Callable[[], Any], target: str = "") -> Any:
        best = float("inf")
        for _ in range(2):
            begun = time.process_time()
            result = run()
            best = min(best, time.process_time() - begun)
        rows.append(
            {
                "what": name,
                "plain MB": f"{plain / 1e6:.0f}",
                "processor s": f"{best:.2f}",
                "MB/s a core": f"{plain / 1e6 / best:.1f}",
                "wall s": "",
                "peak MB": "",
                "target": target,
            }
        )
        return result

    chunks = measured("bz2 alone", lambda: [c for p in pieces for c in decompress_piece(p)])
    cut = measured("pages cut out", lambda: list(cut_pages(iter(chunks))))
    pages = measured("XML parsed", lambda: [read_page(p) for p in cut])
    texts = [p.text for p in pages if not p.space and not p.redirect]
    measured("wikitext cleaned", lambda: sum(len(p.text) for t in texts for p in paragraphs(t)))
    out = str(folder / "piece")
    measured(
        "all of it, without relations", lambda: [clean_piece(Job(p, out, relations=False)) for p in pieces], TARGET
    )
    measured("all of it, with relations", lambda: [clean_piece(Job(p, out)) for p in pieces], TARGET)
    return rows


def load(file: Path, folder: Path, *, relations: bool) -> dict[str, Any]:
    """A row for the whole load: wall, processor and memory of all its processes."""
    store = folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    command = [
        sys.executable,
        "-c",
        LOAD,
        str(store),
        str(file),
        "on" if relations else "off",
        str(data() / "wikidata_sitelinks.nt.gz"),
    ]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)  # with the workers, which it has waited for
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"The load failed with status {process.returncode}.")
    wall, processor = time.perf_counter() - begun, usage.ru_utime + usage.ru_stime
    result = json.loads(output.strip().splitlines()[-1])
    plain = result["notes"]["plain bytes"] / 1e6
    spent = ", ".join(f"{name.removeprefix('sort ')} {s:.0f}" for name, s in result["seconds"].items() if s >= 0.5)
    what = (
        f"load into a ready store, relations {'on' if relations else 'off'}: {result['read']:,} pages,"
        f" {result['passages']:,} passages, {result['links']:,} facts ({spent})"
    )
    return {
        "what": what,
        "plain MB": f"{plain:.0f}",
        "processor s": f"{processor:.1f}",
        "MB/s a core": f"{plain / processor:.1f}",
        "wall s": f"{wall:.0f}",
        "peak MB": usage.ru_maxrss // 1024,
        "target": "",
    }


def main() -> None:
    """All rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=520, help="plain size of the dump (default %(default)s)")
    parser.add_argument("--file", type=Path, help="a dump to use instead of a generated one")
    parser.add_argument("--folder", type=Path, help="where to put the files, kept then (default: a temporary folder)")
    args = parser.parse_args()
    about = machine("duckdb")
    with ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        file = args.file or folder / "generated.xml.bz2"
        if not file.exists():
            generate(file, megabytes=args.megabytes)
        rows = [*steps(file, folder), load(file, folder, relations=True), load(file, folder, relations=False)]
    notes = [
        "The dump is generated (bench/generate/wikipedia_dump.py, seed 1): "
        "sentences of real passages with infoboxes, nested"
        " templates, tables, references and links around them, 100 pages a stream. It compresses 10 to 1, the real one"
        " about 4 to 1, so bz2 alone is slower there; this was not measured.",
        "Processor seconds include the kernel's; of the load those of its worker processes too. peak MB: the largest"
        " single process.",
        f"Load of the machine: {about['load']} at the start, {os.getloadavg()[0]:.1f} at the end, on two cores: wall"
        " seconds were measured with others at work.",
    ]
    save(
        "wikipedia",
        title="Wikipedia: from the dump to passages and facts",
        command="python bench/speed/wikipedia.py",
        about=about,
        notes=notes,
        rows=rows,
    )


if __name__ == "__main__":
    main()
