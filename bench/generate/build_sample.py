"""Rebuild hydra_kg/sample from the data pack, and check the hand-written passages and questions against it.

    python bench/generate/build_sample.py DATA_DIR OUT_DIR

The three ``.nt.gz`` files are whole lines of the pack, in its order, chosen by these rules:

* *core*: the entities of ``sample_entities.tsv`` keep all their facts.
* *mediator*: a Freebase node without a name; one that touches a core entity keeps all its lines.
* *neighbour*: an entity one hop from a core entity (through a mediator counts as one hop) keeps its name,
  aliases, types, and its facts whose other end is kept too; in Wikidata also its description.
* ``corner/``, which the demonstration loads, is denser: the entities of ``demo_entities.tsv`` are core, and
  neighbours also keep their dates and numbers.
* types of kept Wikidata entities, and every property used, keep their labels.

Left out on purpose: descriptions in Freebase (their text is Wikipedia's, under another licence), and what a
demo has no business repeating about people (``PRIVATE_FREEBASE``, ``PRIVATE_WIKIDATA``).
The files are the same bytes on every machine with the same zlib: no time stamp, no file name in the gzip header.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ENTITIES = Path(__file__).with_name("sample_entities.tsv")
DEMO_ENTITIES = Path(__file__).with_name("demo_entities.tsv")
CORNER = "corner"
FREEBASE, WIKIDATA, SAMEAS = "freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz"
PASSAGES, QUESTIONS = "passages.jsonl", "questions.jsonl"
KINDS = ("one-hop", "two-hop", "two-topic", "both-sources", "value", "unanswerable")

NS = b"<http://rdf.freebase.com/ns/"
WD = b"<http://www.wikidata.org/entity/"
DIRECT = b"<http://www.wikidata.org/prop/direct/"
LABEL = b"<http://www.w3.org/2000/01/rdf-schema#label>"
ALIAS = b"<http://www.w3.org/2004/02/skos/core#altLabel>"
DESCRIPTION = b"<http://schema.org/description>"
PROPERTY_TEXTS = (LABEL, ALIAS, DESCRIPTION)
FREEBASE_ALWAYS = ("type.object.name", "common.topic.alias", "type.object.type")
WIKIDATA_ALWAYS = (*PROPERTY_TEXTS, DIRECT + b"P31>", DIRECT + b"P646>")

LINKS_FREEBASE = ("common.topic.topic_equivalent_webpage",)
TEXT_FREEBASE = ("common.topic.description",)
PRIVATE_FREEBASE = (
    "base.popstra.",
    "base.qualia.",
    "celebrities.celebrity.sexual_",
    "celebrities.romantic_",
    "celebrities.sexual_",
    "celebrities.substance_",
    "medicine.disease.notable_",
    "medicine.notable_",
    "people.disease_or_medical_",
)
PRIVATE_WIKIDATA = ("P91", "P1050")


class SampleError(Exception):
    """The sample, a passage or a question does not say what the graph says; the message lists every case."""


def read_lines(path: Path) -> list[bytes]:
    """The lines of a gzipped file, each with its end of line."""
    with gzip.open(path, "rb") as file:
        return file.readlines()


def write_gz(path: Path, lines: Iterable[bytes]) -> int:
    """Writes lines into a gzip file whose bytes depend on the lines alone; returns how many."""
    content = list(lines)
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=raw, mtime=0) as file:
        file.writelines(content)
    return len(content)


def read_core(path: Path = ENTITIES) -> list[dict[str, str]]:
    """The core entities: rows with ``mid``, ``qid`` and ``name``."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def freebase_id(term: bytes) -> str:
    """``<http://rdf.freebase.com/ns/m.0jcx>`` → ``m.0jcx``; any other term → the empty string."""
    return term[len(NS) : -1].decode() if term.startswith(NS) else ""


def wikidata_id(term: bytes) -> str:
    """``<http://www.wikidata.org/entity/Q937>`` → ``Q937`` (also of a direct property); else the empty string."""
    for space in (WD, DIRECT):
        if term.startswith(space):
            return term[len(space) : -1].decode()
    return ""


def split_freebase(line: bytes) -> tuple[str, str, bytes]:
    """Subject and predicate as ids, object as the term."""
    subject, predicate, rest = line.split(b"\t", 2)
    return freebase_id(subject), freebase_id(predicate), rest.rsplit(b"\t", 1)[0]


def split_wikidata(line: bytes) -> tuple[bytes, bytes, bytes]:
    """The three terms of a line of N-Triples with single spaces."""
    subject, predicate, rest = line.split(b" ", 2)
    return subject, predicate, rest.rsplit(b" ", 1)[0]


def _is_node(key: str) -> bool:
    return key.startswith(("m.", "g."))


def select_freebase(
    lines: Sequence[bytes], core: Collection[str], *, dense: bool = False
) -> tuple[list[bytes], set[str]]:
    """Return the sample's part of the Freebase lines, and the entities (core and neighbours) in it.

    With ``dense``, neighbours also keep their dates and numbers.
    """
    triples = []
    for line in lines:
        subject, predicate, term = split_freebase(line)
        if predicate not in TEXT_FREEBASE and not predicate.startswith(PRIVATE_FREEBASE):
            triples.append((line, subject, predicate, freebase_id(term)))
    named = {subject for _, subject, predicate, _ in triples if predicate == "type.object.name"}

    mediators: set[str] = set()
    kept = set(core)
    for _, subject, _, other in triples:
        if _is_node(other) and (subject in core or other in core):
            end = other if subject in core else subject
            if end not in named:
                mediators.add(end)
            elif subject in core:  # what merely points at a country or a language would be the whole pack
                kept.add(end)
    for _, subject, _, other in triples:
        if subject in mediators and other in named:
            kept.add(other)
    inside = kept | mediators

    selected = []
    for line, subject, predicate, other in triples:
        if subject in core or subject in mediators:
            keep = not _is_node(other) or other in inside
        elif subject in kept:
            keep = predicate in FREEBASE_ALWAYS or other in inside
            keep |= dense and not other and predicate not in LINKS_FREEBASE
        else:
            keep = False
        if keep:
            selected.append(line)
    return selected, kept


def select_wikidata(
    lines: Sequence[bytes],
    sitelinks: Iterable[bytes],
    core: Collection[str],
    twins: Collection[str],
    *,
    dense: bool = False,
) -> tuple[list[bytes], set[str]]:
    """Return the sample's part of the Wikidata lines, its sitelinks after them, and the items in it.

    ``twins`` are the items that are the same thing as a kept Freebase entity. With ``dense``, neighbours also keep
    their dates and numbers.
    """
    triples = []
    for line in lines:
        subject_term, predicate, term = split_wikidata(line)
        if wikidata_id(predicate) not in PRIVATE_WIKIDATA:
            triples.append((line, wikidata_id(subject_term), predicate, wikidata_id(term)))
    labelled = {subject for _, subject, predicate, _ in triples if predicate == LABEL}
    inside = set(core) | (set(twins) & labelled)
    inside |= {other for _, subject, _, other in triples if subject in core and other.startswith("Q")}

    keep = [False] * len(triples)
    classes, properties = set(), set()
    for number, (_, subject, predicate, other) in enumerate(triples):
        value = dense and predicate.startswith(DIRECT) and not other
        if subject in core or (subject in inside and (predicate in WIKIDATA_ALWAYS or other in inside or value)):
            keep[number] = True
            if predicate.startswith(DIRECT):
                properties.add(wikidata_id(predicate))
            if predicate == DIRECT + b"P31>":
                classes.add(other)
    for number, (_, subject, predicate, _) in enumerate(triples):
        keep[number] |= subject in properties and predicate in PROPERTY_TEXTS
        keep[number] |= subject in classes and predicate == LABEL
    selected = [triples[number][0] for number in range(len(triples)) if keep[number]]
    selected += [line for line in sitelinks if wikidata_id(split_wikidata(line)[2]) in inside]
    return selected, inside


def build(data: Path, out: Path, *, entities: Path = ENTITIES, dense: bool = False) -> dict[str, int]:
    """Write the three ``.nt.gz`` files into ``out`` and return how many lines each has.

    Raises ``SampleError`` where a core entity is not in the pack, or not under the item that its row names.
    """
    core = read_core(entities)
    links = read_lines(data / SAMEAS)
    twin = {freebase_id(line.split(b"\t")[0]): wikidata_id(line.split(b"\t")[2]) for line in links}
    wrong = [f"{row['name']}: {row['mid']} is not {row['qid']}" for row in core if twin.get(row["mid"]) != row["qid"]]
    if wrong:
        raise SampleError("core entities that the pack's same-as links do not know:\n  " + "\n  ".join(wrong))

    freebase, mids = select_freebase(read_lines(data / FREEBASE), {row["mid"] for row in core}, dense=dense)
    wikidata, _ = select_wikidata(
        read_lines(data / WIKIDATA),
        read_lines(data / "wikidata_sitelinks.nt.gz"),
        {row["qid"] for row in core},
        {twin[mid] for mid in mids if mid in twin},
        dense=dense,
    )
    sameas = [line for line in links if freebase_id(line.split(b"\t")[0]) in mids]
    out.mkdir(parents=True, exist_ok=True)
    return {
        name: write_gz(out / name, lines)
        for name, lines in ((FREEBASE, freebase), (WIKIDATA, wikidata), (SAMEAS, sameas))
    }


@dataclass
class Graph:
    """The sample in memory, small and plain: only for checking questions against it."""

    names: dict[str, str] = field(default_factory=dict)  # named entities of both sources
    twins: dict[str, str] = field(default_factory=dict)  # mid → QID
    edges: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # (node, predicate) → ids and literals
    back: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, subject: str, predicate: str, other: str) -> None:
        """One fact, in both directions."""
        self.edges.setdefault((subject, predicate), []).append(other)
        self.back.setdefault((other, predicate), []).append(subject)

    def follow(self, start: str, hops: Sequence[str]) -> set[str]:
        """The nodes and literals at the end of a chain.

        A hop is a predicate; ``a/b`` goes through a mediator (one hop); a leading ``^`` walks it backwards.
        The start itself is no answer.
        """
        here = {start}
        for hop in hops:
            for part in hop.split("/"):
                table, predicate = (self.back, part[1:]) if part.startswith("^") else (self.edges, part)
                here = {end for node in here for end in table.get((node, predicate), ())}
        return here - {start}


def load_graph(sample: Path) -> Graph:
    """Reads the three ``.nt.gz`` files of a sample folder; literals keep quotes off, datatype and language too."""
    graph = Graph()
    for line in read_lines(sample / FREEBASE):
        subject, predicate, term = split_freebase(line)
        other = freebase_id(term) or _plain(term)
        graph.add(subject, predicate, other)
        if predicate == "type.object.name":
            graph.names[subject] = other
    for line in read_lines(sample / WIKIDATA):
        subject_term, predicate_term, term = split_wikidata(line)
        subject, predicate = wikidata_id(subject_term), wikidata_id(predicate_term)
        if predicate:
            graph.add(subject, predicate, wikidata_id(term) or _plain(term))
        elif predicate_term == LABEL and subject.startswith("Q"):
            graph.names[subject] = _plain(term)
    for line in read_lines(sample / SAMEAS):
        mid, _, qid = line.split(b"\t")[:3]
        graph.twins[freebase_id(mid)] = wikidata_id(qid)
    return graph


def _plain(term: bytes) -> str:
    """A literal's text (one pass over the escapes), an IRI as it stands."""
    text = term.decode()
    if not text.startswith('"'):
        return text
    body = text[1 : text.rindex('"')]
    return body.replace('\\"', '"') if "\\" in body else body


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def check_passages(sample: Path, graph: Graph) -> list[str]:
    """What is wrong with ``passages.jsonl``: unknown or mismatched ids, missing fields, too short or too long."""
    wrong = []
    for number, row in enumerate(read_jsonl(sample / PASSAGES), start=1):
        where = f"{PASSAGES}:{number}"
        if missing := {"title", "qid", "mid", "text", "source"} - row.keys():
            wrong.append(f"{where}: no {', '.join(sorted(missing))}")
            continue
        if row["mid"] not in graph.names or row["qid"] not in graph.names:
            wrong.append(f"{where}: {row['mid']} or {row['qid']} is not in the sample")
        if graph.twins.get(row["mid"]) != row["qid"]:
            wrong.append(f"{where}: {row['mid']} is not {row['qid']}")
        if not 100 <= len(row["text"]) <= 700:
            wrong.append(f"{where}: {len(row['text'])} characters")
    return wrong


def check_question(row: dict[str, Any], graph: Graph) -> list[str]:
    """What is wrong with one question: ids and names unknown, or its chains do not end in exactly its answers.

    ``chains`` are relation chains from a topic entity. Two topics: the answers are what all chains share. Both
    sources: each source's chain ends in the same things, compared through the same-as links. Unanswerable: every
    chain ends nowhere.
    """
    wrong = []
    for entity in row["topic_entities"] + [answer for answer in row["answers"] if answer["id"]]:
        if graph.names.get(entity["id"]) != entity["name"]:
            wrong.append(f"{entity['id']} is called {graph.names.get(entity['id'])!r}, not {entity['name']!r}")
    if row["kind"] not in KINDS:
        wrong.append(f"kind {row['kind']!r}")
    topics = {graph.twins.get(entity["id"], entity["id"]) for entity in row["topic_entities"]}
    ends: dict[str, list[set[str]]] = {"freebase": [], "wikidata": []}
    for chain in row["chains"]:
        if graph.twins.get(chain["from"], chain["from"]) not in topics:
            wrong.append(f"chain from {chain['from']}, which is no topic entity")
        reached = graph.follow(chain["from"], chain["hops"])
        ends[chain["source"]].append({graph.twins.get(end, end) for end in reached})
    found = {source: set.intersection(*sets) for source, sets in ends.items() if sets}

    if row["kind"] == "value":
        values = {answer["name"] for answer in row["answers"]}
        # a date-time at midnight is a day in Wikidata, and a number carries its sign
        shown = {end.removesuffix("T00:00:00Z").lstrip("+") for reached in found.values() for end in reached}
        missing = values - shown
        if missing or any(answer["id"] for answer in row["answers"]):
            wrong.append(f"values {sorted(missing)} are not among {sorted(shown)[:8]}")
    else:
        gold = {graph.twins.get(answer["id"], answer["id"]) for answer in row["answers"]}
        for source, reached in found.items():
            if reached != gold:
                wrong.append(f"{source}: chain ends in {_names(reached, graph)}, gold is {_names(gold, graph)}")
    hops = {len(chain["hops"]) for chain in row["chains"]}
    if not found or (row["kind"] == "unanswerable") != (not row["answers"]):
        wrong.append("no chain, or answers that do not fit the kind")
    if row["kind"] == "both-sources" and len(found) < 2:
        wrong.append("both-sources needs a chain in each source")
    if row["kind"] == "two-topic" and len(row["topic_entities"]) != 2:
        wrong.append("two-topic needs two topic entities")
    if {"one-hop": {1}, "two-hop": {2}}.get(row["kind"], hops) != hops:
        wrong.append(f"{row['kind']} with chains of {sorted(hops)} hops")
    return wrong


def _names(keys: Iterable[str], graph: Graph) -> list[str]:
    names = dict(graph.names)
    return sorted(f"{names.get(key, '?')} ({key})" for key in keys)[:12]


def check(sample: Path) -> dict[str, int]:
    """Checks the hand-written files of a sample folder against its facts; returns their sizes.

    Raises ``SampleError`` with every passage and question that does not agree.
    """
    graph = load_graph(sample)
    wrong = check_passages(sample, graph)
    questions = list(read_jsonl(sample / QUESTIONS))
    for row in questions:
        wrong += [f"{row['id']} {row['question']!r}: {problem}" for problem in check_question(row, graph)]
    if len({row["id"] for row in questions}) != len(questions):
        wrong.append(f"{QUESTIONS}: an id twice")
    if absent := set(KINDS) - {row["kind"] for row in questions if row.get("demo")}:
        wrong.append(f"{QUESTIONS}: no demo question of kind {', '.join(sorted(absent))}")
    if wrong:
        raise SampleError(f"{len(wrong)} problems:\n  " + "\n  ".join(wrong))
    return {PASSAGES: sum(1 for _ in read_jsonl(sample / PASSAGES)), QUESTIONS: len(questions)}


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; exit status 1 where the hand-written files do not agree with the facts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, metavar="DATA_DIR", help="the data pack")
    parser.add_argument("out", type=Path, metavar="OUT_DIR", help="the sample folder, with its hand-written files")
    options = parser.parse_args(argv)
    try:
        counts = build(options.data, options.out)
        denser = build(options.data, options.out / CORNER, entities=DEMO_ENTITIES, dense=True)
        counts |= {f"{CORNER}/{name}": lines for name, lines in denser.items()}
        print("\n".join(f"{options.out / name}: {lines} lines" for name, lines in counts.items()))
        print("checked:", ", ".join(f"{rows} rows of {name}" for name, rows in check(options.out).items()))
    except (SampleError, OSError) as error:
        print(f"build_sample: {error}", file=sys.stderr)
        return 1
    size = sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file())
    print(f"{size:,} bytes in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
