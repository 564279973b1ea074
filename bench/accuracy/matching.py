#!/usr/bin/env python3
"""Entity resolution: F1 of ``hydra-kg match`` on pairs of feeds, without labels and with fifty; and how long it takes.

    matching.py DATA [--sets a,b] [--labels 50] [--thinned DRAWS] [--synthetic N]

DATA has a folder for each set: tableA.csv, tableB.csv and matches.dev.csv (idA,idB: the true pairs of some rows of A),
or table.csv and clusters.csv. Both feeds are loaded into a fresh store, matched, and scored. *Rows with a partner*:
precision and recall over the rows of A that the true pairs name. *All rows*: precision over everything that was linked,
taking it that the true pairs named are half of all, and that the others are found as often. Labels are the true answers
to what ``match review`` would ask first. ``--thinned DRAWS``: feeds in which one row in ten has a partner, drawn so
many times, next to TF-IDF (``tfidf_matching.py``) at its fixed threshold and at the best one for each set.
``--synthetic N``: N invented people against N, half of them the same, with typing errors. Prints a table.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import multiprocessing
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import tfidf_matching
from hydra_kg import Hydra
from hydra_kg.match.match_run import Matcher
from hydra_kg.match.model import Matching
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

Pair = tuple[str, str]


@contextmanager
def matched(files: Sequence[Path]) -> Iterator[Matcher]:
    """A matcher over files that are loaded into a fresh store as feeds of their own names."""
    with TemporaryDirectory() as scratch:
        store = Path(scratch) / "store"
        with Hydra(store=store, settings=Settings()) as hydra:
            for file in files:
                hydra.load(file, format="tables", extra={"entity": "id"})
        with (
            EmbeddedStore(store) as opened,
            opened.pin() as pinned,
            closing(Matcher(pinned, [f.stem for f in files], Path(scratch))) as matcher,
        ):
            yield matcher


def keyed(matcher: Matcher, found: Matching, *, accepted: bool = True) -> list[Pair]:
    """Pairs by the ids of the files."""
    pairs = found.accepted if accepted else found.pairs
    keys = [key.partition(":")[2] for key in matcher.keys([i for p in pairs for i in (p.left, p.right)])]
    return list(zip(keys[::2], keys[1::2], strict=True))


def scores(linked: Iterable[Pair], true: set[Pair]) -> tuple[float, float, float, float]:
    """Precision, recall and F1 over rows with a partner, and F1 over all rows."""
    linked = list(linked)
    left = {a for a, _ in true}
    judged = [pair for pair in linked if pair[0] in left]
    right = sum(pair in true for pair in judged)
    precision, recall = right / max(1, len(judged)), right / len(true)
    everywhere = min(1.0, 2 * right / max(1, len(linked)))
    return precision, recall, _f1(precision, recall), _f1(everywhere, recall)


def cluster_scores(linked: Iterable[Pair], cluster: dict[str, str]) -> tuple[float, float, float, float]:
    """The same over pairs within clusters, of all pairs that the links amount to."""
    root = {row: row for row in cluster}

    def find(row: str) -> str:
        while root[row] != row:
            root[row] = row = root[root[row]]
        return row

    for a, b in linked:
        root[find(a)] = find(b)

    def within(counts: Iterable[int]) -> int:
        return sum(n * (n - 1) // 2 for n in counts)

    both = within(Counter((find(row), name) for row, name in cluster.items()).values())
    precision = both / max(1, within(Counter(map(find, cluster)).values()))
    recall = both / within(Counter(cluster.values()).values())
    return precision, recall, _f1(precision, recall), _f1(precision, recall)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(1e-9, precision + recall)


def labelled(matcher: Matcher, found: Matching, true: set[Pair], *, most: int) -> dict[Pair, bool]:
    """The pairs nearest the threshold whose answer is known, those above and below in turn, under their keys."""
    left, right = {a for a, _ in true}, {b for _, b in true}
    pairs = zip(found.pairs, keyed(matcher, found, accepted=False), strict=True)
    known = [(pair.probability, ids) for pair, ids in pairs if ids[0] in left or ids[1] in right]
    above = [ids for p, ids in reversed(known) if p >= found.threshold]
    below = [ids for p, ids in known if p < found.threshold]
    turns = [p for i in range(max(len(above), len(below))) for p in (*above[i : i + 1], *below[i : i + 1])]
    names = found.feeds
    return {(f"{names[0]}:{a}", f"{names[-1]}:{b}"): (a, b) in true for a, b in turns[:most]}


def measure(folder: Path, *, labels: int) -> None:
    """One line for a set without labels, and one with."""
    begun, before = time.perf_counter(), time.process_time()
    files = [folder / "table.csv"] if (folder / "table.csv").is_file() else [folder / f"table{x}.csv" for x in "AB"]
    with matched(files) as matcher:
        found = matcher.run({})
        seconds, processor = time.perf_counter() - begun, time.process_time() - before
        rest = f"{len(found.accepted):>6} | {found.compared:>7} | {processor:.0f} | {seconds:.0f} | {_memory():.0f} |"
        if len(files) == 1:
            cluster = dict(_rows(folder / "clusters.csv"))
            _line(folder.name, 0, cluster_scores(keyed(matcher, found), cluster), rest)
            return
        true = set(_rows(folder / "matches.dev.csv"))
        _line(folder.name, 0, scores(keyed(matcher, found), true), rest)
        if labels:
            said = labelled(matcher, found, true, most=labels)
            again = matcher.run(said)
            _line(folder.name, len(said), scores(keyed(matcher, again), true), f"{len(again.accepted):>6} | | | | |")


def thin(folder: Path, into: Path, *, draw: int) -> tuple[list[Path], set[Pair]]:
    """Write a pair of feeds in which one row in ten of the first has a partner. Return their files and the true pairs.

    Of the first feed only rows stay that the true pairs name, since nobody knows of the others whether they have a
    partner; the partners of nine in ten of them, which ``draw`` chooses, leave the second feed.
    """
    true = set(_rows(folder / "matches.dev.csv"))
    left = sorted({a for a, _ in true}, key=lambda a: hashlib.sha1(f"{draw}:{a}".encode()).hexdigest())
    matched_rows = set(left[: max(1, round(len(left) / 10))])
    stay = {(a, b) for a, b in true if a in matched_rows}
    gone = {b for _, b in true} - {b for _, b in stay}
    files = [into / "tableA.csv", into / "tableB.csv"]
    for file, fits in zip(files, (set(left).__contains__, lambda row: row not in gone), strict=True):
        with (folder / file.name).open(encoding="utf-8", newline="") as lines, file.open("w", encoding="utf-8") as out:
            rows = csv.DictReader(lines)
            write = csv.DictWriter(out, rows.fieldnames or [])
            write.writeheader()
            write.writerows(row for row in rows if fits(row["id"]))
    return files, stay


def measure_thinned(folder: Path, *, draws: int) -> None:
    """Print F1 over all rows of thinned feeds, links and true pairs of all draws together, and that of TF-IDF."""
    thresholds = sorted({tfidf_matching.THRESHOLD, *(t / 20 for t in range(2, 20))})
    kinds = (tfidf_matching.words, tfidf_matching.trigrams)
    counts: Counter[tuple[str, float, str]] = Counter()
    before = time.process_time()
    for draw in range(draws):
        with TemporaryDirectory() as scratch:
            files, true = thin(folder, Path(scratch), draw=draw)
            with matched(files) as matcher:
                linked = keyed(matcher, matcher.run({}))
            for kind in kinds:
                scored = tfidf_matching.tfidf_pairs(*files, kind)
                for t in thresholds:
                    over = [pair for score, *pair in scored if score >= t]
                    counts[kind.__name__, t, "right"] += sum(tuple(pair) in true for pair in over)
                    counts[kind.__name__, t, "linked"] += len(over)
        counts["", 0, "right"] += len(true & set(linked))
        counts["", 0, "linked"] += len(linked)
        counts["", 0, "true"] += len(true)

    def f1(kind: str, t: float) -> float:
        return 2 * counts[kind, t, "right"] / (counts[kind, t, "linked"] + counts["", 0, "true"])

    rivals = [
        f"{f1(k.__name__, tfidf_matching.THRESHOLD):.3f} | {max(f1(k.__name__, t) for t in thresholds):.3f}"
        for k in kinds
    ]
    own = f"{counts['', 0, 'linked']} | {counts['', 0, 'right']} | {f1('', 0):.3f}"
    took = f"{time.process_time() - before:.0f}"
    print(f"| {folder.name} | {counts['', 0, 'true']} | {own} | {' | '.join(rivals)} | {took} |", flush=True)


def _line(name: str, labels: int, values: Sequence[float], rest: str) -> None:
    print(f"| {name} | {labels} | {' | '.join(f'{v:.3f}' for v in values)} | {rest}", flush=True)


def _rows(path: Path) -> list[Pair]:
    with path.open(encoding="utf-8", newline="") as lines:
        return [(a, b) for a, b in list(csv.reader(lines))[1:]]


def _memory() -> float:
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def people(count: int, folder: Path, *, seed: int = 1) -> tuple[list[Path], set[Pair]]:
    """Two files of invented people, half of them in both, and who is who."""
    draw = random.Random(seed)
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    given = ["".join(draw.choices(syllables, k=2)) for _ in range(2_000)]
    family = ["".join(draw.choices(syllables, k=3)) for _ in range(50_000)]
    towns = ["".join(draw.choices(syllables, k=3)) for _ in range(3_000)]

    def person() -> list[str]:
        born = f"{draw.randint(1930, 2005)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        street = f"{draw.randint(1, 200)} {draw.choice(family)} road"
        return [f"{draw.choice(given)} {draw.choice(family)}", street, draw.choice(towns), born]

    def mistyped(text: str) -> str:
        at = draw.randrange(len(text) - 1)
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]

    left = [person() for _ in range(count)]
    right = [[mistyped(c) if draw.random() < 0.2 else c for c in p[:3]] + p[3:] for p in left[: count // 2]]
    right += [person() for _ in range(count - len(right))]
    order = list(range(count))
    draw.shuffle(order)
    paths = [folder / "people_a.csv", folder / "people_b.csv"]
    for path, rows, places in zip(paths, (left, right), (range(count), order), strict=True):
        with path.open("w", encoding="utf-8", newline="") as out:
            write = csv.writer(out)
            write.writerow(("id", "name", "street", "town", "born"))
            write.writerows((f"p{i}", *rows[i]) for i in places)
    return paths, {(f"p{i}", f"p{i}") for i in range(count // 2)}


def synthetic(count: int) -> None:
    """Time, memory and F1 of invented people against invented people, who are invented in a process of their own."""
    with TemporaryDirectory() as scratch:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
            files, true = apart.submit(people, count, Path(scratch)).result()
        with matched(files) as matcher:
            begun, before = time.perf_counter(), time.process_time()
            found = matcher.run({})
            seconds, processor = time.perf_counter() - begun, time.process_time() - before
            linked = keyed(matcher, found)
    right = len(true & set(linked))
    f1 = _f1(right / max(1, len(linked)), right / len(true))
    print(f"{count:,} x {count:,}: F1 {f1:.3f}, {found.compared:,} pairs, {processor:.0f} s of processors,")
    print(f"{seconds:.0f} s, {_memory():,.0f} MB")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="", help="names with commas between; default: all")
    parser.add_argument("--labels", type=int, default=50)
    parser.add_argument("--thinned", type=int, default=0, metavar="DRAWS", help="feeds with one partner for ten rows")
    parser.add_argument("--synthetic", type=int, default=0, metavar="N", help="only this: N invented rows against N")
    chosen = parser.parse_args()
    if chosen.synthetic:
        synthetic(chosen.synthetic)
        return
    names = chosen.sets.split(",") if chosen.sets else sorted(p.name for p in chosen.data.iterdir() if p.is_dir())
    if chosen.thinned:
        print(
            "| set | true | linked | right | F1 | words at .5 | words, best | trigrams at .5 | trigrams, best | CPU s |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|")
        for name in names:
            if (chosen.data / name / "matches.dev.csv").is_file():
                measure_thinned(chosen.data / name, draws=chosen.thinned)
        return
    print("| set | labels | P | R | F1, rows with a partner | F1, all rows | linked | compared | CPU s | s | MB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        measure(chosen.data / name, labels=chosen.labels)


if __name__ == "__main__":
    main()
