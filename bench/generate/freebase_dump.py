"""Writes any number of lines in the syntax of the Freebase dump, for speed runs, and counts what it wrote.

    python bench/generate/freebase_dump.py --lines 20000000 --out out/fb20m.nt.gz [--seed 1] [--bad 0.02]

Beside ``out/fb20m.nt.gz`` there is then ``out/fb20m.json``: lines, good and bad, per kind and per predicate, so that
a loader's reconciliation can be checked. The same seed and number of lines give the same lines.

The file looks like the dump: subjects contiguous, one gzip member per block, schema rows in both name spaces,
names in several languages, each repeated as ``rdfs:label``, types repeated as ``rdf:type``, keys twice with
``$0028`` escapes, untyped numbers and booleans, mediators without a name (a fifth of the nodes), both directions of
a property, metadata (``type.type.instance``, ``common.notable_for``). A quarter of the lines are facts between nodes;
in the dump, where every third line is a ``display_name``, it is less, so a loader has more to do per line here.
Bad lines are added between good ones, never in their place: without them the graph is whole.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.generate.freebase_output import Output, Tally
from bench.generate.freebase_tables import (
    ALIASES,
    DESCRIPTIONS,
    KEY,
    KEYS,
    KINDS,
    LINKS,
    METADATA,
    NAME,
    NAME_VARIANTS,
    NOTABLE_TEXTS,
    NS,
    SUBJECT,
    Kind,
    Text,
    key_text,
    line,
    name_lines,
    term,
    type_lines,
)
from bench.generate.freebase_world import Ints, World, expected_lines

BLOCK = 200_000  # lines, about
MINIMUM = 50_000  # lines: below, the nodes of a fixed number (countries, genres) would be all there is

Column = list[bytes]


class Slices:
    """Turns slices of a kind's nodes into bytes, one string per node with all its lines."""

    def __init__(self, world: World, tally: Tally, seed: int) -> None:
        self.world, self.tally, self.seed = world, tally, seed
        self.names = {kind.name: _name_tables(kind) for kind in KINDS.values() if not kind.mediator}
        self.heads = {kind.name: _head_texts(kind) for kind in KINDS.values()}
        self.values = {
            kind.name: [
                (share, predicate, [line(predicate, form) for form in forms]) for share, predicate, forms in kind.values
            ]
            for kind in KINDS.values()
        }
        self.chance = np.array([weight for weight, _ in NAME_VARIANTS]) / 100

    def chunks(self, kind: Kind, start: int, stop: int) -> list[bytes]:
        """The lines of the nodes from ``start`` up to ``stop``."""
        if start == stop:
            return []
        index = np.arange(start, stop)
        rng = np.random.default_rng([self.seed, 2, list(KINDS).index(kind.name), start])
        columns = [self._heads(kind, index, rng)]
        if not kind.mediator:
            names, keys = self._names(kind, len(index), rng)
            columns[0] = [head.replace(NAME, name) for head, name in zip(columns[0], names, strict=True)]
            columns += self._texts(kind, index, rng, names, keys)
        for share, predicate, lines in self.values[kind.name]:
            columns.append(self._values(share, predicate, lines, len(index), rng))
        if kind.name == "notable":
            columns.append(self._choices(NOTABLE_TEXTS, 1.0, len(index), rng))
        for matching in self.world.matchings:
            link = matching.link
            if link.source == kind.name:
                columns.append(self._facts(link.forward, link.target, matching.forward(start, stop), start, stop))
            if link.target == kind.name and link.reverse is not None:
                columns.append(self._facts(link.reverse, link.source, matching.backward(start, stop), start, stop))
        self.tally.nodes[kind.name] += len(index)
        subjects = self.world.keys(kind.name, index)
        rows = zip(*columns, strict=True)
        return [b"".join(row).replace(SUBJECT, subject) for row, subject in zip(rows, subjects, strict=True)]

    def fillers(self, number: Ints, rng: np.random.Generator) -> list[bytes]:
        """Recordings that nothing points at, to reach a number of lines exactly."""
        kind = KINDS["recording"]
        heads = self._heads(kind, number, rng)
        names, _ = self._names(kind, len(number), rng)
        self.tally.nodes["filler"] += len(number)
        rows = zip(heads, names, self.world.keys_at(self.world.fillers + number), strict=True)
        return [head.replace(NAME, name).replace(SUBJECT, subject) for head, name, subject in rows]

    def _heads(self, kind: Kind, index: Ints, rng: np.random.Generator) -> Column:
        """Types and names, the name still a placeholder."""
        heads = self.heads[kind.name]
        mask = np.zeros(len(index), dtype=np.int64)
        for place in range(len(kind.roles)):
            mask |= (index % (place + 2) == 0).astype(np.int64) << place
        if not kind.mediator:
            mask = mask * len(NAME_VARIANTS) + rng.choice(len(NAME_VARIANTS), len(index), p=self.chance)
        for variant, times in enumerate(np.bincount(mask).tolist()):
            self.tally.add(heads[variant], times)
        lines = [head.lines for head in heads]
        return [lines[variant] for variant in mask.tolist()]

    def _names(self, kind: Kind, count: int, rng: np.random.Generator) -> tuple[Column, Column]:
        heads, tails, head_keys, tail_keys = self.names[kind.name]
        one, two = rng.integers(len(heads), size=count).tolist(), rng.integers(len(tails), size=count).tolist()
        names = [heads[i] + tails[j] for i, j in zip(one, two, strict=True)]
        return names, [head_keys[i] + tail_keys[j] for i, j in zip(one, two, strict=True)]

    def _texts(
        self, kind: Kind, index: Ints, rng: np.random.Generator, names: Column, keys: Column
    ) -> Iterator[Column]:
        """Keys, aliases and descriptions, for some of the nodes."""
        count = len(names)
        if kind.key_share:
            column = [b""] * count
            rows = np.flatnonzero(rng.random(count) < kind.key_share)
            pages = (self.world.base[kind.name] + index[rows]) * 7 + 1000
            for row, page in zip(rows.tolist(), pages.tolist(), strict=True):
                column[row] = KEYS.lines.replace(NAME, keys[row]).replace(KEY, b"%d" % page)
            self.tally.add(KEYS, len(rows))
            yield column
        for table in (ALIASES, DESCRIPTIONS):
            if kind.text_share:
                column = self._choices(table, kind.text_share, count, rng)
                yield [lines and lines.replace(NAME, name) for lines, name in zip(column, names, strict=True)]

    def _choices(self, table: Sequence[Text], share: float, count: int, rng: np.random.Generator) -> Column:
        """One of several texts for a share of the nodes."""
        chosen = np.where(rng.random(count) < share, rng.integers(1, len(table) + 1, size=count), 0)
        for number, times in enumerate(np.bincount(chosen).tolist()):
            if number:
                self.tally.add(table[number - 1], times)
        lines = [b"", *(choice.lines for choice in table)]
        return [lines[number] for number in chosen.tolist()]

    def _values(
        self, share: float, predicate: str, lines: Sequence[bytes], count: int, rng: np.random.Generator
    ) -> Column:
        """One literal for a share of the nodes."""
        chosen = np.where(rng.random(count) < share, rng.integers(len(lines), size=count), -1)
        self.tally.predicates[predicate] += int((chosen >= 0).sum())
        return [lines[number] if number >= 0 else b"" for number in chosen.tolist()]

    def _facts(self, predicate: str, other: str, ends: tuple[Ints, Ints], start: int, stop: int) -> Column:
        """The facts of one property, as many lines per node as it has."""
        near, far = ends
        self.tally.predicates[predicate] += len(near)
        keys = self.world.keys(other, far)
        first, last = line(predicate, NS + NAME + b">").split(NAME)
        column = [b""] * (stop - start)
        if len(near) == stop - start and np.array_equal(near, np.arange(start, stop)):
            return [first + key + last for key in keys]
        rows, begins = np.unique(near - start, return_index=True)
        between = last + first
        for row, (begin, end) in zip(rows.tolist(), itertools.pairwise([*begins.tolist(), len(keys)]), strict=True):
            column[row] = first + between.join(keys[begin:end]) + last
        return column


def _name_tables(kind: Kind) -> tuple[Column, Column, Column, Column]:
    """First and second halves of names, and of the same names as keys."""
    tables = (kind.heads, kind.tails, map(key_text, kind.heads), (key_text(t + kind.key_suffix) for t in kind.tails))
    one, two, three, four = ([part.encode() for part in table] for table in tables)
    return one, two, three, four


def _head_texts(kind: Kind) -> list[Text]:
    """Types and names of a node, per set of roles (a bit each) and per variant of names."""
    result = []
    for mask in range(1 << len(kind.roles)):
        types = type_lines([*kind.types, *(role for bit, role in enumerate(kind.roles) if mask >> bit & 1)])
        if kind.mediator:
            result.append(types)
        else:
            result += [name_lines(languages) + types for _, languages in NAME_VARIANTS]
    return result


def schema_chunks(world: World, tally: Tally) -> list[bytes]:
    """Declarations as in the dump: mediators and ids on mids, reverse properties by path and again by mid."""
    chunks = []

    def declare(subject: bytes, rows: Sequence[tuple[str, bytes]]) -> None:
        tally.predicates.update(predicate for predicate, _ in rows)
        tally.nodes["schema"] += 1
        chunks.append(b"".join(line(predicate, value, subject) for predicate, value in rows))

    types = sorted({of for kind in KINDS.values() for of in (*kind.types, *kind.roles)})
    mediators = {kind.types[0] for kind in KINDS.values() if kind.mediator}
    links = [link for link in LINKS if not link.forward.startswith(METADATA)]
    pairs = sorted({(link.forward, link.reverse) for link in links if link.reverse is not None})
    paths = [*types, *itertools.chain.from_iterable(pairs)]
    keys = dict(zip(paths, world.keys_at(world.fillers + np.arange(len(paths))), strict=True))
    world.fillers += len(paths)

    def iri(path: str, by_mid: bool) -> bytes:
        return NS + (keys[path] if by_mid else path.encode()) + b">"

    for path in types:
        rows = [("type.object.type", NS + b"type.type>"), ("type.object.id", f'"/{path.replace(".", "/")}"'.encode())]
        declare(keys[path], rows + ([("freebase.type_hints.mediator", b'"true"')] if path in mediators else []))
    for forward, reverse in pairs:
        for path, relation, other in (
            (forward, "type.property.reverse_property", reverse),
            (reverse, "type.property.master_property", forward),
        ):
            for by_mid in (False, True):
                rows = [
                    ("type.object.type", NS + b"type.property>"),
                    ("type.property.schema", NS + path.rpartition(".")[0].encode() + b">"),
                    (relation, iri(other, by_mid)),
                ]
                if by_mid:
                    rows.append(("type.object.id", f'"/{path.replace(".", "/")}"'.encode()))
                declare(keys[path] if by_mid else path.encode(), rows)
    return chunks


def instance_chunks(world: World, tally: Tally) -> Iterator[list[bytes]]:
    """``type.type.instance`` of every node, one subject per type, in pieces."""
    for kind in KINDS.values():
        first, last = line("type.type.instance", NS + NAME + b">", kind.types[0].encode()).split(NAME)
        count = world.counts[kind.name]
        for start in range(0, count, BLOCK):
            keys = world.keys(kind.name, np.arange(start, min(start + BLOCK, count)))
            tally.predicates["type.type.instance"] += len(keys)
            # a chunk per thousand lines, so that bad lines find places
            yield [first + (last + first).join(keys[at : at + 1000]) + last for at in range(0, len(keys), 1000)]


def generate(
    out: Path, *, lines: int, seed: int = 1, bad_share: float = 0.02, progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Writes exactly ``lines`` lines to ``out`` (gzip if it ends in ``.gz``) and the counts beside it; returns them.

    Raises ``ValueError`` for fewer lines than ``MINIMUM``.
    """
    if lines < MINIMUM:
        raise ValueError(f"{lines} lines are too few for such a world; at least {MINIMUM}")
    bad_wanted = round(lines * bad_share)
    wanted = lines - bad_wanted
    per_unit, fixed = expected_lines()
    # 2 per cent are left for fillers: the expectation is one, and schema rows are not in it
    units = int((wanted * 0.98 - fixed - 1000) / per_unit)
    world, tally = World(units, seed), Tally()
    slices = Slices(world, tally, seed)
    blocks = max(1, round(wanted / BLOCK))
    with out.open("wb") as file:
        output = Output(file, compress=out.suffix == ".gz", bad_share=bad_share, tally=tally, seed=seed)
        output.write(schema_chunks(world, tally))
        for block in range(blocks):
            chunks = []
            for kind in KINDS.values():
                count = world.counts[kind.name]
                chunks += slices.chunks(kind, count * block // blocks, count * (block + 1) // blocks)
            output.write(chunks)
            if progress is not None:
                progress(tally.good + tally.bad.total())
        for chunks in instance_chunks(world, tally):
            output.write(chunks)
        if tally.good > wanted:
            raise ValueError(f"the world of {units} units has {tally.good} lines, more than {wanted}")
        _fill(output, slices, wanted, bad_wanted)
        output.close()
    report = _report(out, lines=lines, seed=seed, world=world, tally=tally, size=output.bytes)
    sidecar(out).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return report


def _fill(output: Output, slices: Slices, wanted: int, bad_wanted: int) -> None:
    """Adds recordings until the numbers of good and of bad lines are exactly right."""
    rng = np.random.default_rng([slices.seed, 4])
    tally, start = slices.tally, 0
    while tally.good < wanted:
        before = (tally.good, Counter(tally.predicates), Counter(tally.languages))
        number = np.arange(start, start + 20_000)
        chunks = slices.fillers(number, rng)
        start += len(number)
        if tally.good >= wanted:  # too many: take whole lines from the front
            kept = b"".join(chunks).splitlines(keepends=True)[: wanted - before[0]]
            tally.predicates, tally.languages = before[1], before[2]
            tally.nodes["filler"] += len({text[: text.index(b"\t")] for text in kept}) - len(number)
            tally.predicates.update(_predicate(text) for text in kept)
            tally.languages.update(text.rpartition(b"@")[2][:-3].decode() for text in kept if b'"@' in text)
            output.write(kept, bad_wanted - tally.bad.total())
        else:
            output.write(chunks)


_BY_TERM = {term(name): name for name in ("type.object.name", "rdfs:label", "type.object.type", "rdf:type")}


def _predicate(text: bytes) -> str:
    """The predicate of a line of a recording."""
    return _BY_TERM[text.split(b"\t", 2)[1]]


def sidecar(out: Path) -> Path:
    """``x.nt.gz`` → ``x.json``."""
    return out.with_name(out.name.removesuffix(".gz").removesuffix(".nt") + ".json")


def category(predicate: str) -> str:
    """What kind of line a predicate makes."""
    if predicate.startswith(METADATA):
        return "metadata"
    if predicate in {link.forward for link in LINKS}:
        return "fact"
    if predicate in {link.reverse for link in LINKS}:
        return "reverse_fact"
    for kind in KINDS.values():
        for _, name, forms in kind.values:
            if name == predicate:
                return "typed_literal" if b"^^" in forms[0] else "boolean" if forms[0] == b'"true"' else "number"
    if predicate.startswith(("type.property.", "freebase.", "type.object.id")):
        return "schema"
    return "key" if predicate.startswith("key/") else predicate


def _report(out: Path, *, lines: int, seed: int, world: World, tally: Tally, size: int) -> dict[str, Any]:
    kinds: Counter[str] = Counter()
    for predicate, count in tally.predicates.items():
        kinds[category(predicate)] += count
    mediators = {kind.name for kind in KINDS.values() if kind.mediator}
    return {
        "file": out.name,
        "seed": seed,
        "units": world.units,
        "bytes": size,
        "lines": lines,
        "good": tally.good,
        "bad": {"total": tally.bad.total(), **sorted_counts(tally.bad)},
        "nodes": {
            "total": tally.nodes.total(),
            "mediators": sum(count for kind, count in tally.nodes.items() if kind in mediators),
            **sorted_counts(tally.nodes),
        },
        "kinds": sorted_counts(kinds),
        "languages": sorted_counts(tally.languages),
        "predicates": sorted_counts(tally.predicates),
    }


def sorted_counts(counts: Counter[str]) -> dict[str, int]:
    """By name, zeros left out."""
    return {name: counts[name] for name in sorted(counts) if counts[name]}


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, required=True, help=f"how many lines, at least {MINIMUM}")
    parser.add_argument("--out", type=Path, required=True, help="the file: .nt.gz, or .nt for plain text")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bad", type=float, default=0.02, help="share of bad lines (default 0.02)")
    options = parser.parse_args(argv)
    options.out.parent.mkdir(parents=True, exist_ok=True)

    def show(done: int) -> None:
        print(f"\r{done:,} of {options.lines:,} lines", end="", file=sys.stderr, flush=True)

    try:
        report = generate(
            options.out,
            lines=options.lines,
            seed=options.seed,
            bad_share=options.bad,
            progress=show if sys.stderr.isatty() else None,
        )
    except ValueError as error:
        parser.error(str(error))
    print(json.dumps({key: value for key, value in report.items() if key != "predicates"}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
