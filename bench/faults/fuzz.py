"""Fuzzes what reads data from outside: mutated inputs by the million, invariants checked on each, failures kept.

``python bench/faults/fuzz.py PARSER… [--inputs 1000000] [--seed 1] [--jobs 1] [--report]`` (``all``: every parser of
bench/faults/fuzz_targets.py). Seeds are tests/corpus/PARSER: every file is an input, of ``*.lines`` every line is one.
An input that fails is written there as ``found-…`` and the next run begins with it. A batch depends on nothing but
parser, seed and number, so a failure can be had again. Time is bounded per input, memory per process; a process that
dies is a failure of its batch. ``--report`` adds the run to bench/results/fuzz.json and fuzz.md.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import hashlib
import html
import itertools
import json
import multiprocessing
import random
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import measure
from bench.faults.fuzz_targets import TARGETS, Failure

CORPUS: Final = measure.ROOT / "tests" / "corpus"
MEMORY: Final = 6 << 30
"""Address space of a process; the inputs of a batch have some megabytes together."""

BATCH_SECONDS: Final = 1800
"""By the clock, for what waits for ever on a busy machine; each input has its processor seconds (fuzz_targets)."""
ALIKE: Final = 2
"""Failures of one kind that are shown and kept."""

LONGEST: Final = 1 << 16
_BYTES: Final = (
    b"\0",
    b"\x01",
    b"\x02",
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b"\x1c",
    b"\x1d",
    b"\x1e",
    b"\x1f",
    b" ",
    b'"',
    b"'",
    b"\\",
    b"<",
    b">",
    b"&",
    b"{",
    b"}",
    b"[",
    b"]",
    b"|",
    b",",
    b";",
    b":",
    b"=",
    b"#",
    b"@",
    b"^",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xf4\x90\x80\x80",
    "\u200f\u202e\u2028\u0085\u00a0\ufeff".encode(),
    "é\u0301ﬁ😀".encode(),
    b"0",
    b"-1",
    b"9223372036854775808",
    b"1e999",
    b"\x1b[31m",
)
"""What no parser likes."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one batch gave."""

    inputs: int
    failures: tuple[Failure, ...]
    seen: dict[str, int]
    slowest: float


def seeds(parser: str) -> list[bytes]:
    """The corpus of a parser, in the order of its files."""
    found: list[bytes] = []
    for file in sorted((CORPUS / parser).iterdir()):
        data = file.read_bytes()
        found += data.splitlines() if file.suffix == ".lines" else [data]
    return found


def mutated(draw: random.Random, corpus: Sequence[bytes], tokens: Sequence[bytes], shape: str = "") -> bytes:
    """One input: a seed, or two of them joined, with one to a few changes; one in fifty is a seed as it is. Of a seed
    with a ``shape`` most are changed inside it, so that what is behind the parser of JSON or XML is reached."""
    data = bytearray(draw.choice(corpus))
    if draw.random() < 0.02:
        return bytes(data)
    if shape and draw.random() < 0.6:
        return SHAPES[shape](draw, bytes(data), corpus, tokens)[:LONGEST]
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        at = draw.randrange(len(data) + 1)
        end = min(len(data), at + draw.choice((1, 1, 2, 4, 16, 64)))
        kind = draw.randrange(9)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = draw.randrange(256)
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = draw.choice(_BYTES)
        elif kind == 4:
            data[at:end] = draw.choice(tokens)
        elif kind == 5:
            data[at:at] = draw.choice(tokens)
        elif kind == 6:  # a part again, here or many times
            data[at:at] = bytes(data[at:end]) * draw.choice((1, 1, 1, 2, 2, 5, 10, 100))
        elif kind == 7:  # the rest of another seed
            other = draw.choice(corpus)
            data[at:] = other[draw.randrange(len(other) + 1) :]
        else:
            other = draw.choice(corpus)
            begin = draw.randrange(len(other) + 1)
            data[at:end] = other[begin : begin + draw.choice((4, 16, 64, 256))]
        del data[LONGEST:]
    return bytes(data)


def in_json(draw: random.Random, data: bytes, corpus: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """A document with a value, or a few, replaced by another, a part of itself, nothing, or a changed text."""
    try:
        doc = json.loads(data.strip().removesuffix(b","))
    except ValueError:
        return mutated(draw, corpus, tokens)
    for _ in range(draw.choice((1, 1, 2, 3))):
        places: list[tuple[Any, Any]] = []
        stack = [doc]
        while stack:
            value = stack.pop()
            found = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            places += [(value, key) for key in found]
            stack += [value[key] for key in found]
        if not places:
            break
        holder, key = draw.choice(places)
        kind, old = draw.randrange(6), holder[key]
        if kind == 0:
            del holder[key]
        elif kind == 1:
            other, inner = draw.choice(places)
            holder[key] = copy.deepcopy(other[inner])
        elif kind == 2:
            holder[key] = copy.deepcopy(draw.choice(_VALUES))
        elif kind == 3:
            holder[key] = [old, copy.deepcopy(old)]
        elif kind == 4 and isinstance(holder, dict):
            holder[_text(draw, str(key), tokens)] = holder.pop(key)
        else:
            holder[key] = _text(draw, str(old)[:400], tokens)
    return json.dumps(doc, ensure_ascii=draw.random() < 0.5).encode("utf-8", "replace")


def in_xml(draw: random.Random, data: bytes, corpus: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """A document with the text between two tags, or a few, changed and escaped."""
    parts = re.split(rb"(<[^<>]*>)", data)
    for _ in range(draw.choice((1, 1, 2, 3))):
        at = draw.randrange(0, len(parts), 2)
        text = _text(draw, html.unescape(parts[at].decode("utf-8", "replace")), tokens)
        parts[at] = "".join(c for c in html.escape(text) if c >= " " or c in "\t\n").encode("utf-8", "replace")
    return b"".join(parts)


def _text(draw: random.Random, text: str, tokens: Sequence[bytes]) -> str:
    return mutated(draw, [text.encode("utf-8", "replace")], tokens).decode("utf-8", draw.choice(_WRONG))


SHAPES: Final = {"json": in_json, "xml": in_xml}
_WRONG: Final = ("replace", "ignore")
_VALUES: Final = (
    None,
    True,
    0,
    -1,
    1.5,
    1e300,
    10**30,
    "",
    "\0",
    "\ud800",
    "é\u0301",
    [],
    {},
    [[]],
    "Q42",
    "P31",
    "value",
    "+1952-03-11T00:00:00Z",
    [{}],
    {"": ""},
)


def batch(parser: str, seed: int, number: int) -> Result:
    """Check one batch; batch 0 begins with the corpus itself."""
    target = TARGETS[parser]
    draw = random.Random(f"{parser} {seed} {number}")
    corpus = seeds(parser)
    inputs = [] if number else list(corpus)
    inputs += [mutated(draw, corpus, target.tokens, target.shape) for _ in range(target.batch - len(inputs))]
    return checked(parser, inputs, whole=number % target.every == 0)


def checked(parser: str, inputs: Sequence[bytes], *, whole: bool) -> Result:
    """Check some inputs; ``whole``: through all of the load as well, where the parser is a loader's. What fails without
    saying which input it was is looked for by halves."""
    seen: Counter[str] = Counter()
    begun = time.perf_counter()
    failures = [
        f if f.data else Failure(narrowed(parser, inputs, whole=whole), f.what)
        for f in _failures(parser, inputs, seen, whole=whole)
    ]
    slowest = seen.pop("slowest µs", 0) / 1e6 or time.perf_counter() - begun
    return Result(seen.pop("records", len(inputs)), tuple(failures), dict(seen), slowest)


def narrowed(parser: str, inputs: Sequence[bytes], *, whole: bool) -> bytes:
    """The fewest of the inputs, cut in halves, that still fail."""
    while len(inputs) > 1:
        middle = len(inputs) // 2
        halves = (inputs[:middle], inputs[middle:])
        failing = next((h for h in halves if _failures(parser, h, Counter(), whole=whole)), None)
        if failing is None:
            break
        inputs = failing
    return b"\n".join(inputs)[: 4 * LONGEST]


def _failures(parser: str, inputs: Sequence[bytes], seen: Counter[str], *, whole: bool) -> list[Failure]:
    with tempfile.TemporaryDirectory(prefix="hydra-fuzz-") as folder:
        try:
            return TARGETS[parser].check(inputs, Path(folder), seen, whole)
        except Exception as e:  # whatever it is: it was not expected
            return [Failure(b"", f"{type(e).__name__}: {e}")]


def keep(parser: str, data: bytes) -> Path:
    """Put a failing input into the corpus."""
    path = CORPUS / parser / f"found-{hashlib.sha256(data).hexdigest()[:10]}"
    path.write_bytes(data)
    return path


def limited() -> None:
    """Bounds of a process of the pool."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def guarded(parser: str, seed: int, number: int) -> Result:
    """A batch that ends its process if it never comes back."""
    faulthandler.dump_traceback_later(BATCH_SECONDS, exit=True)
    try:
        return batch(parser, seed, number)
    finally:
        faulthandler.cancel_dump_traceback_later()


def run(parser: str, *, seed: int, jobs: int) -> Iterator[tuple[int, Result]]:
    """Batches without end: number and result, as they come. A process that dies is a failure without an input."""
    context = multiprocessing.get_context("forkserver")
    numbers = itertools.count()
    while True:
        waiting = dict[Future[Result], int]()
        with ProcessPoolExecutor(jobs, mp_context=context, initializer=limited) as pool:
            try:
                while True:
                    while len(waiting) < jobs:
                        number = next(numbers)
                        waiting[pool.submit(guarded, parser, seed, number)] = number
                    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                        number = waiting[future]
                        result = future.result()
                        del waiting[future]
                        yield number, result
            except BrokenProcessPool:
                lost = sorted(waiting.values())
                yield lost[0], Result(0, tuple(Failure(b"", f"batch {n} ended its process") for n in lost), {}, 0.0)


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parsers", nargs="+", choices=[*TARGETS, "all"])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most", type=int, default=20, help="failures after which a parser is given up")
    parser.add_argument("--report", action="store_true", help="add to bench/results/fuzz.json and fuzz.md")
    options = parser.parse_args()
    failed = 0
    for name in TARGETS if "all" in options.parsers else options.parsers:
        begun, count, failures, slowest = time.monotonic(), 0, list[Failure](), 0.0
        seen, kinds = Counter[str](), Counter[str]()
        for number, result in run(name, seed=options.seed, jobs=options.jobs):
            count += result.inputs
            slowest = max(slowest, result.slowest)
            seen.update(result.seen)
            for failure in result.failures:
                kind = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+", "", failure.what)[:60]
                kinds[kind] += 1
                if kinds[kind] <= ALIKE:
                    path = keep(name, failure.data) if failure.data else None
                    print(f"{name} batch {number}: {failure.what}\n  {failure.data[:300]!r} {path or ''}", flush=True)
            failures += result.failures
            if count >= options.inputs or len(failures) >= options.most:
                break
        spent = time.monotonic() - begun
        failed += len(failures)
        row = {
            "parser": name,
            "what is read": TARGETS[name].reads,
            "inputs": count,
            "failures": len(failures),
            "seconds": round(spent),
            "inputs/s": round(count / spent),
            "slowest input ms": round(slowest * 1e3, 1),
            "seen": dict(sorted(seen.items())),
        }
        print(json.dumps(row, ensure_ascii=False), flush=True)
        if options.report:
            report(row, seed=options.seed)
    sys.exit(bool(failed))


def report(row: dict[str, object], *, seed: int) -> None:
    """Add one parser to the results."""
    path = measure.ROOT / "bench" / "results" / "fuzz.json"
    before = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
    rows = [*(r for r in before if r["parser"] != row["parser"]), row]
    rows.sort(key=lambda r: list(TARGETS).index(r["parser"]))
    measure.save(
        "fuzz",
        title="Parsers: mutated inputs",
        command=f"bench/faults/fuzz.py all --seed {seed} --report",
        about=measure.machine("duckdb", "rdflib", "orjson"),
        rows=rows,
        notes=[
            "An input is a line, a record, a page or a small file, as the second column says; what the last column "
            "counts says how many of them were kept or rejected, and why.",
            "The slowest input of the bulk readers is a batch of thousands of lines.",
        ],
    )


if __name__ == "__main__":
    main()
