"""Sources that disagree: what verification is worth compared with relevance alone, where one of several is wrong.

    python bench/verification/rivals.py DATA FOLDER [--sets altered,pages,birthplaces,heritages] [--limit 240]
    python bench/verification/rivals.py DATA FOLDER --store STORE --sets webqsp_test,rubq [--limit 150]

DATA is the data pack, FOLDER a place for stores; with --store the sets are question sets of the pack, asked of a store
of the four slices, where sources mostly agree. Four sets are made of it, each with one right answer a question:

* ``altered``: what Freebase and Wikidata both state of a thing, as its only value, and a passage about the thing names.
  In one of the two graphs, drawn by lot, all that joins the two is changed to another value of the same relation.
* ``pages``: the same questions; both graphs are left alone, and the passages name the other value. A control: what
  two graphs agree on should stand.
* ``birthplaces``, ``heritages``: claims of web sites as they were gathered, each site a source, nothing altered. Asked
  is what has three claims or more that are not all the same; right is the gold value or what it lies in.

Questions are worded by relation. "relevance alone" is without any verification: α_cross 1, no rivals weighed, no texts
compared. "three factors as printed" has HydraRAG's score of §4.3 alone, as its preset sets it, over the same relevance.
Differences are paired: McNemar's exact test on Hits@1, 95 % bootstrap intervals over questions.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import answerable_questions, machine, save
from hydra_kg import Hydra
from hydra_kg.evaluate.questions.datasets import Question
from hydra_kg.evaluate.scoring.metrics import score
from hydra_kg.evaluate.scoring.statistics import bootstrap_paired, estimate, mcnemar
from hydra_kg.settings import Settings
from hydra_kg.text.folding import fold

FREEBASE: Final = "<http://rdf.freebase.com/ns/%s>"
WIKIDATA: Final = "<http://www.wikidata.org/entity/%s>"
RELATIONS: Final = (
    ("people.person.place_of_birth", "P19", "Where was {} born?"),
    ("people.deceased_person.place_of_death", "P20", "Where did {} die?"),
    ("people.person.nationality", "P27", "What is the nationality of {}?"),
    ("people.person.spouse_s./people.marriage.spouse", "P26", "Who is {} married to?"),
    ("film.film.directed_by", "P57", "Who directed {}?"),
    ("film.film.music", "P86", "Who composed the music of {}?"),
    ("sports.sports_team.sport", "P641", "What sport does {} play?"),
    (
        "organization.organization.headquarters./location.mailing_address.citytown",
        "P159",
        "Where is the headquarters of {}?",
    ),
    (
        "location.administrative_division.capital./location.administrative_division_capital_relationship.capital",
        "P36",
        "What is the capital of {}?",
    ),
)
VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "default": {},
    "relevance alone": {"verification.alpha_cross": 1.0, "verification.rivals": False, "verification.text": False},
    "three factors as printed": {
        "verification.alpha_cross": 0.7,
        "verification.support": "paths",
        "verification.independence": "kind",
        "verification.gamma": 0.8,
        "verification.f2": "support",
        "verification.f3": "entities",
        "verification.mix_over": 0,
        "verification.rivals": False,
        "verification.text": False,
    },
}
GRAPHS: Final = ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "wikipedia.jsonl.gz")
_ATTRIBUTES: Final = {
    "birthplaces": ("place of birth", "Where was {} born?"),
    "heritages": ("located in", "Where is {} located?"),
}
_STATEMENT: Final = re.compile(r"<http://www.wikidata.org/entity/(Q\d+)> <\S+/direct/(P\d+)> <\S+/entity/(Q\d+)> \.")
_LABEL: Final = re.compile(r'<http://www.wikidata.org/entity/(Q\d+)> <\S+#label> "(.*)"@en \.')


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the values that are right, and the one that was put in its place ("" where none was)."""

    text: str
    gold: tuple[str, ...]
    other: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A thing and its one value as two graphs state it, with another value of the relation: QIDs, and mids for all."""

    relation: int
    subject: str
    value: str
    other: str
    graph: str


class Slices:
    """What the pack states: values by (QID, relation), names, places around places, and texts about things."""

    def __init__(self, data: Path) -> None:
        with gzip.open(data / "sameas.tsv.gz", "rt", encoding="utf-8") as lines:
            self.qid = {row["mid"]: row["qid"] for row in csv.DictReader(lines, delimiter="\t")}
        self.mid = {q: m for m, q in self.qid.items()}
        self.names: dict[str, str] = {}
        self.texts: dict[str, list[str]] = defaultdict(list)
        self._around: dict[str, set[str]] = defaultdict(set)
        self.freebase = self._read_freebase(data)
        self.wikidata = self._read_wikidata(data)
        with gzip.open(data / "wikipedia.jsonl.gz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                self.texts[row.get("qid") or ""].append(row["text"])

    def _read_freebase(self, data: Path) -> dict[tuple[str, str], set[str]]:
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        with gzip.open(data / "freebase_composite.tsv.gz", "rt", encoding="utf-8") as lines:
            for s, p, o, *_ in (line.rstrip("\n").split("\t") for line in lines):
                if s in self.qid and o in self.qid:
                    found[self.qid[s], p].add(self.qid[o])
                    if p == "location.location.containedby":
                        self._around[self.qid[s]].add(self.qid[o])
        return found

    def _read_wikidata(self, data: Path) -> dict[tuple[str, str], set[str]]:
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        with gzip.open(data / "wikidata.nt.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                if label := _LABEL.match(line):
                    self.names[label[1]] = json.loads(f'"{label[2]}"')
                elif fact := _STATEMENT.match(line):
                    found[fact[1], fact[2]].add(fact[3])
                    if fact[2] in {"P17", "P131"}:
                        self._around[fact[1]].add(fact[3])
        return found

    def within(self, one: str, other: str) -> bool:
        """Whether a place lies in another, by either graph."""
        seen, waiting = {one}, [one]
        while waiting:
            for place in self._around[waiting.pop()] - seen:
                seen.add(place)
                waiting.append(place)
        return other in seen

    def says(self, subject: str, value: str) -> bool:
        """Whether a passage about a thing has the name of another."""
        name = re.compile(rf"(?<!\w){re.escape(self.names[value])}(?!\w)")
        return any(name.search(text) for text in self.texts[subject])

    def pairs(self, limit: int, *, seed: int = 23) -> list[Pair]:
        """At most so many things, in equal parts by relation as far as there are."""
        draw, by_relation = random.Random(seed), []
        taken: set[str] = set()
        for number, (freebase, wikidata, _) in enumerate(RELATIONS):
            agreed = sorted(
                (s, next(iter(values)))
                for (s, p), values in self.freebase.items()
                if p == freebase and len(values) == 1 and self.wikidata.get((s, wikidata)) == values
            )
            known = [(s, v) for s, v in agreed if s in self.names and v in self.names]
            values = sorted({v for _, v in known})
            told = [(s, v) for s, v in known if self.says(s, v)]
            draw.shuffle(told)
            by_relation.append([p for s, v in told if (p := self._pair(number, s, v, values, draw)) is not None])
        chosen: list[Pair] = []
        for row in range(max(map(len, by_relation))):
            for pair in (own[row] for own in by_relation if row < len(own)):
                if len(chosen) < limit and pair.subject not in taken and pair.value not in taken:
                    taken.add(pair.subject)
                    chosen.append(pair)
        return chosen

    def _pair(self, number: int, subject: str, value: str, values: Sequence[str], draw: random.Random) -> Pair | None:
        for other in draw.sample(values, min(12, len(values))):
            apart = not self.within(value, other) and not self.within(other, value)
            if other not in {value, subject} and apart and not self.says(subject, other):
                return Pair(number, subject, value, other, draw.choice(("freebase", "wikidata")))
        return None

    def asked(self, pair: Pair) -> Asked:
        """The question about a pair."""
        text = RELATIONS[pair.relation][2].format(self.names[pair.subject])
        return Asked(text, (self.mid[pair.value], pair.value), self.mid[pair.other])


def altered(slices: Slices, pairs: Sequence[Pair], data: Path, out: Path) -> None:
    """The graphs with what one of them states of each pair put otherwise."""
    swaps = {"freebase": _swaps(slices, pairs, "freebase"), "wikidata": _swaps(slices, pairs, "wikidata")}
    beside: dict[str, set[str]] = defaultdict(set)  # mediators of a thing, each of one thing here
    with gzip.open(data / "freebase.nt.gz", "rt", encoding="utf-8") as lines:
        for s, _, o, *_ in (line.split("\t") for line in lines):
            if s in swaps["freebase"] and "/m.0cvt_" in o:
                beside[o].add(s)
    for mediator, things in beside.items():
        if len(things) == 1:
            swaps["freebase"][mediator] = swaps["freebase"][next(iter(things))]
    for graph, sign in (("freebase", "\t"), ("wikidata", " ")):
        _rewritten(data / f"{graph}.nt.gz", out / f"{graph}.nt.gz", swaps[graph], sign)


def _swaps(slices: Slices, pairs: Sequence[Pair], graph: str) -> dict[str, tuple[str, str]]:
    """By thing, the value that a graph had and the one that it gets, as terms."""
    named = {"freebase": lambda q: FREEBASE % slices.mid[q], "wikidata": lambda q: WIKIDATA % q}[graph]
    return {named(p.subject): (named(p.value), named(p.other)) for p in pairs if p.graph == graph}


def _rewritten(source: Path, target: Path, swaps: Mapping[str, tuple[str, str]], sign: str) -> None:
    with gzip.open(source, "rt", encoding="utf-8") as lines, gzip.open(target, "wt", 1, encoding="utf-8") as out:
        for line in lines:
            s, p, o, *rest = line.split(sign)
            if s in swaps and o == swaps[s][0]:
                o = swaps[s][1]
            elif o in swaps and s == swaps[o][0]:
                s = swaps[o][1]
            out.write(sign.join((s, p, o, *rest)))


def pages(slices: Slices, pairs: Sequence[Pair], data: Path, out: Path) -> None:
    """The passages with the other value's name wherever one about a thing has the value's."""
    names = {p.subject: (slices.names[p.value], slices.names[p.other]) for p in pairs}
    about = "wikipedia.jsonl.gz"
    with gzip.open(data / about, "rt", encoding="utf-8") as lines, gzip.open(out / about, "wt", 1, "utf-8") as file:
        for row in map(json.loads, lines):
            if row.get("qid") in names:
                was, becomes = names[row["qid"]]
                row["text"] = re.sub(rf"(?<!\w){re.escape(was)}(?!\w)", lambda _: becomes, row["text"])  # noqa: B023
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def feeds(name: str, data: Path, out: Path, limit: int) -> list[Asked]:
    """Claims of sites about one attribute, each site a table, and questions with three claims that are not the same."""
    what, wording = _ATTRIBUTES[name]
    folder = data / "truth" / name
    claims: dict[str, list[tuple[str, str]]] = defaultdict(list)
    table: list[tuple[str, str, str]] = []
    with gzip.open(folder / "claims.tsv.gz", "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            claims[row["entity"]].append((row["source"], row["value"]))
            table.append((row["source"], _turned(row["entity"]), row["value"]))
    with (out / "claims.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("site", "name", what), *table])
    queries = map(json.loads, (folder / "queries.dev.jsonl").read_text("utf-8").splitlines())
    found = []
    for q in queries:
        own = claims[q["entity"]]
        if len(own) > 2 and len({fold(v) for _, v in own}) > 1:
            gold = tuple(dict.fromkeys(part for text in q["gold"] for part in (text, *text.split(","))))
            found.append(Asked(wording.format(_turned(q["entity"])), gold))
    random.Random(23).shuffle(found)
    return found[:limit]


def _turned(name: str) -> str:
    """ "Jane Roe" of "Roe, Jane"."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and ", " not in first else name


def made(name: str, data: Path, folder: Path, limit: int) -> tuple[Path, list[Asked]]:
    """The store of a set, made where it is not there, and its questions."""
    out = folder / name
    out.mkdir(parents=True, exist_ok=True)
    if name in {"birthplaces", "heritages"}:
        asked = feeds(name, data, out, limit)
        roles = {"entity": "name", "source_column": "site", "map": f"{_ATTRIBUTES[name][0]}=link"}
        return _loaded(out / "store", [out / "claims.csv"], **roles), asked
    slices = Slices(data)
    pairs = slices.pairs(limit)
    asked = [slices.asked(p) for p in pairs]
    if not (out / "store").exists():
        (altered if name == "altered" else pages)(slices, pairs, data, out)
    files = [own if (own := out / file).exists() else data / file for file in GRAPHS]
    return _loaded(out / "store", files), asked


def _loaded(store: Path, files: Iterable[Path], **extra: str) -> Path:
    if not store.exists():
        with Hydra(store=store, settings=Settings()) as hydra:
            hydra.load(*files, extra=extra)
    return store


Result = tuple[float, float, str]
"""Whether the first answer is right, whether it is the one that was put in, and the verdict."""


def answers(store: str, change: Mapping[str, Any], asked: Sequence[Asked | Question], keep: Path) -> list[Result]:
    """What became of each question. ``keep``: a file with a line for each, for a run that goes on."""
    known: dict[str, Result] = {}
    if keep.is_file():
        known = {text: (r, o, v) for text, r, o, v in map(json.loads, keep.read_text("utf-8").splitlines())}
    with Hydra(settings=Settings().changed(store=store, **change), agent="offline") as hydra:
        for question in asked:
            if question.text not in known:
                known[question.text] = answered(hydra, question)
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([question.text, *known[question.text]], ensure_ascii=False) + "\n")
    return [known[q.text] for q in asked]


def answered(hydra: Hydra, question: Asked | Question) -> Result:
    """What became of one question."""
    answer = hydra.ask(question.text, keep=False)
    first = answer.answers[0] if answer.answers else None
    given = {*first.keys, fold(first.name)} if first is not None else set()
    if isinstance(question, Question):
        right, other = score(answer.to_dict(), question.gold or ())["hits1"] > 0, False
    else:
        right, other = bool(given & {*question.gold, *map(fold, question.gold)}), question.other in given
    return float(right), float(other), answer.verdict if first else ""


def compared(
    name: str, data: Path, folder: Path, limit: int, jobs: int, store: Path | None = None
) -> Iterator[dict[str, Any]]:
    """A row for each variant of a set."""
    asked: Sequence[Asked | Question]
    if store is None:
        store, asked = made(name, data, folder, limit)
    else:
        asked = answerable_questions(name, limit)
    found: dict[str, list[Result]] = {}
    for number, (label, change) in enumerate(VARIANTS.items()):
        keep = [folder / f"{name}.{number}.{i}.jsonl" for i in range(jobs)]
        work = [(str(store), change, asked[i::jobs], keep[i]) for i in range(jobs)]
        with get_context("spawn").Pool(jobs) as pool:
            done = pool.starmap(answers, work, chunksize=1)
        every: list[Any] = [None] * len(asked)
        for i, part in enumerate(done):
            every[i::jobs] = part
        found[label] = every
    base = [r[0] for r in found["relevance alone"]]
    for label, results in found.items():
        right = [r[0] for r in results]
        share, gain = estimate(right), bootstrap_paired(base, right)
        won = sum(a < b for a, b in zip(base, right, strict=True))
        lost = sum(a > b for a, b in zip(base, right, strict=True))
        yield {
            "set": name,
            "variant": label,
            "n": len(right),
            "right, %": f"{100 * share.mean:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})",
            "put in, %": f"{100 * sum(r[1] for r in results) / len(right):.1f}",
            "contested, %": f"{100 * sum(r[2] in {'contested', 'contradicted'} for r in results) / len(right):.1f}",
            "against relevance alone": f"{100 * gain.mean:+.1f} ({100 * gain.low:+.1f} … {100 * gain.high:+.1f})",
            "won / lost": f"{won} / {lost}",
            "McNemar p": f"{mcnemar(lost, won):.2g}",
        }


def main() -> None:
    """Run and write bench/results/rivals.md and .json."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("data", type=Path)
    a.add_argument("folder", type=Path)
    a.add_argument("--sets", default="altered,pages,birthplaces,heritages")
    a.add_argument("--limit", type=int, default=240, help="questions of each set")
    a.add_argument("--store", type=Path, help="a store of the four slices: the sets are question sets of the pack")
    a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--out", default="rivals")
    o = a.parse_args()
    rows = []
    for name in o.sets.split(","):
        for row in compared(name, o.data, o.folder, o.limit, o.jobs, o.store):
            print(row, flush=True)
            rows.append(row)
    save(
        o.out,
        title="Sources that disagree, offline",
        command=" ".join(["python bench/verification/rivals.py DATA FOLDER", *sys.argv[3:]]),
        about=machine("numpy", "onnxruntime"),
        notes=(
            "Percent with 95 % intervals (Wilson; paired bootstrap for differences); p by McNemar's exact test.",
            "put in: the value that was made up is the first answer; in `birthplaces` and `heritages` nothing is.",
        ),
        rows=rows,
    )


if __name__ == "__main__":
    main()
