"""The generator of lines in dump syntax: its counts are the file's, its graph is whole, its bad lines are bad."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("HYDRA_DATA", ROOT.parent / "shared" / "data"))
LINES = 60_000
NS = b"<http://rdf.freebase.com/ns/"
GOOD = re.compile(
    rb'<[^<>"\x00-\x20]+>\t<[^<>"\x00-\x20]+>\t'
    rb'(?:<[^<>"\x00-\x20]+>|"(?:[^"\\\x00-\x1f]|\\["\\nrt])*"(?:@[A-Za-z-]+|\^\^<[^<>"\x00-\x20]+>)?)\t\.\n'
)

pytestmark = pytest.mark.slow  # each waits for a graph of some ten thousand lines


def generate(out: Path, *, lines: int = LINES, seed: int = 1) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "bench" / "generate" / "freebase_dump.py")]
    arguments = ["--lines", str(lines), "--out", str(out), "--seed", str(seed)]
    return subprocess.run([*command, *arguments], check=False, capture_output=True, text=True)


@dataclass
class World:
    """A generated file and its sidecar."""

    lines: list[bytes]
    triples: list[tuple[bytes, str, bytes]]  # of good lines: subject as it stands, short predicate, object as it stands
    bad: list[bytes]
    report: dict[str, Any]


def short(term: bytes) -> str:
    text = term.decode()[1:-1]
    for start, name in (
        ("http://rdf.freebase.com/ns/", ""),
        ("http://rdf.freebase.com/key/", "key/"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"),
        ("http://www.w3.org/2000/01/rdf-schema#", "rdfs:"),
    ):
        text = text.replace(start, name)
    return text


def is_good(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return GOOD.fullmatch(line) is not None


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    out = tmp_path_factory.mktemp("generated") / "fb.nt.gz"
    done = generate(out)
    assert done.returncode == 0, done.stderr
    with gzip.open(out, "rb") as file:
        lines = file.read().split(b"\n")
    assert lines.pop() == b""
    lines = [line + b"\n" for line in lines]
    triples, bad = [], []
    for line in lines:
        if is_good(line):
            subject, predicate, rest = line.split(b"\t", 2)
            triples.append((subject, short(predicate), rest[:-3]))
        else:
            bad.append(line)
    return World(lines, triples, bad, json.loads(out.with_name("fb.json").read_text(encoding="utf-8")))


def test_sidecar_counts_what_is_in_the_file(world: World) -> None:
    report = world.report
    assert len(world.lines) == report["lines"] == LINES
    assert len(world.triples) == report["good"]
    assert len(world.bad) == report["bad"]["total"] == round(0.02 * LINES)
    assert Counter(predicate for _, predicate, _ in world.triples) == report["predicates"]
    tags = (re.search(rb'"@([A-Za-z-]+)$', term) for _, _, term in world.triples)
    assert Counter(tag[1].decode() for tag in tags if tag) == report["languages"]
    assert sum(report["kinds"].values()) == report["good"]
    nodes = {subject for subject, _, _ in world.triples if subject.startswith((NS + b"m.", NS + b"g."))}
    schema = {subject for subject, predicate, _ in world.triples if predicate == "type.object.id"}
    kinds = {kind: count for kind, count in report["nodes"].items() if kind not in ("total", "mediators", "schema")}
    assert len(nodes - schema) == sum(kinds.values())


def test_bad_lines_are_bad_each_in_its_own_way(world: World) -> None:
    def why(line: bytes) -> str:
        fields = line.rstrip(b"\n").split(b"\t")
        if line == b"\n":
            return "empty"
        if b"\x00" in line:
            return "nul"
        if not line.endswith(b"\t.\n"):
            return "truncated" if line.count(b'"') == 1 else "no_final_dot"
        if len(fields) != 4:
            return "missing_tab" if len(fields) < 4 else "extra_tab_in_literal"
        if fields[2].startswith(b"<"):
            return "quote_in_iri" if b'"' in fields[2] else "space_in_iri"
        return "invalid_utf8"

    counts = Counter(map(why, world.bad))
    assert counts == {kind: count for kind, count in world.report["bad"].items() if kind != "total"}
    assert max(counts.values()) - min(counts.values()) <= 1
    # they lie between good lines all over the file
    places = [place for place, line in enumerate(world.lines) if not is_good(line)]
    assert min(places) < LINES * 0.05
    assert max(places) > LINES * 0.95
    assert max(after - before for before, after in itertools.pairwise(places)) < LINES * 0.02


def test_lines_of_a_subject_are_together_and_none_is_there_twice(world: World) -> None:
    runs = [subject for place, (subject, _, _) in enumerate(world.triples) if world.triples[place - 1][0] != subject]
    assert len(runs) == len(set(runs))
    assert len(set(world.triples)) == len(world.triples)


def test_ids_are_legal(world: World) -> None:
    digits = b"0123456789bcdfghjklmnpqrstvwxyz_"
    mid = re.compile(rb"m\.0[1-9b-df-hj-np-tv-z_][0-9b-df-hj-np-tv-z_]{0,10}|g\.1[0-9b-df-hj-np-tv-z_]{1,11}")
    keys = {subject[len(NS) : -1] for subject, _, _ in world.triples}
    keys |= {term[len(NS) : -1] for _, _, term in world.triples if term.startswith((NS + b"m.", NS + b"g."))}
    for key in keys:
        if key.startswith((b"m.", b"g.")):
            assert mid.fullmatch(key), key
            value = 0
            for digit in key[3:]:
                value = value * 32 + digits.index(digit)
            assert 0 < value < 1 << 60


def test_a_property_and_its_reverse_say_the_same(world: World) -> None:
    declared = {
        (short(subject), short(term))
        for subject, predicate, term in world.triples
        if predicate == "type.property.reverse_property" and not subject.startswith(NS + b"m.")
    }
    assert len(declared) >= 25
    facts = defaultdict(set)
    for subject, predicate, term in world.triples:
        facts[predicate].add((subject, term))
    for forward, reverse in declared:
        assert facts[forward], forward
        mine = {pair for pair in declared if pair[1] == reverse}
        assert len(mine) == 1, reverse
        assert {(term, subject) for subject, term in facts[forward]} == facts[reverse], forward
    rows = sum(world.report["predicates"][reverse] for _, reverse in declared)
    assert rows == world.report["kinds"]["reverse_fact"]


def test_declarations_are_made_in_both_name_spaces(world: World) -> None:
    path = {subject: term for subject, predicate, term in world.triples if predicate == "type.object.id"}
    by_mid = {
        path[subject]: path[term]
        for subject, predicate, term in world.triples
        if predicate == "type.property.reverse_property" and subject in path
    }
    assert by_mid[b'"/people/marriage/spouse"'] == b'"/people/person/spouse_s"'
    hinted = {path[subject] for subject, predicate, _ in world.triples if predicate == "freebase.type_hints.mediator"}
    assert b'"/film/performance"' in hinted
    assert b'"/people/person"' not in hinted


def test_mediators_have_a_mediator_type_no_name_and_two_to_four_slots(world: World) -> None:
    named = {subject for subject, predicate, _ in world.triples if predicate == "type.object.name"}
    types = defaultdict(set)
    slots: Counter[bytes] = Counter()
    for subject, predicate, term in world.triples:
        if predicate == "type.object.type":
            types[subject].add(short(term))
        elif term.startswith(NS + b"m."):
            slots[subject] += 1
    mediators = [
        subject
        for subject, of in types.items()
        if of & {"film.performance", "people.marriage", "sports.sports_team_roster", "education.education"}
    ]
    assert not named & set(mediators)
    assert {slots[subject] for subject in mediators} == {2, 3, 4}
    share = world.report["nodes"]["mediators"] / world.report["nodes"]["total"]
    assert 0.15 < share < 0.27


def test_names_and_types_are_repeated_and_keys_escaped(world: World) -> None:
    facts = defaultdict(set)
    for subject, predicate, term in world.triples:
        facts[predicate].add((subject, term))
    assert facts["rdfs:label"] <= facts["type.object.name"]
    cut = {subject for subject, _ in facts["type.object.name"] - facts["rdfs:label"]}
    assert cut <= {world.triples[-1][0]}  # the last node ends where the number of lines is reached
    assert facts["rdf:type"] < facts["type.object.type"]  # schema rows have one only
    keys = [term for _, term in facts["key/wikipedia.en"]]
    assert any(b"$0028film$0029" in key for key in keys)
    assert all(re.fullmatch(rb'"(?:[A-Za-z0-9_-]|\$[0-9A-F]{4})+"', key) for key in keys)
    assert any(b'\\"' in term for _, term in facts["type.object.name"])
    assert {b'"true"', b'"false"'} == {term for _, term in facts["tv.tv_program.currently_in_production"]}
    assert all(re.fullmatch(rb'"[0-9.]+"', term) for _, term in facts["people.person.height_meters"])


def test_degrees_are_skewed(world: World) -> None:
    degree = Counter(term for _, predicate, term in world.triples if predicate == "music.recording.artist")
    most = [count for _, count in degree.most_common()]
    assert most[0] > 10 * most[len(most) // 2]


def test_same_seed_same_lines_another_seed_others_and_plain_text_too(world: World, tmp_path: Path) -> None:
    assert generate(tmp_path / "same.nt").returncode == 0
    assert (tmp_path / "same.nt").read_bytes() == b"".join(world.lines)
    assert generate(tmp_path / "other.nt", seed=2).returncode == 0
    other = set((tmp_path / "other.nt").read_bytes().splitlines(keepends=True))
    assert len(other & set(world.lines)) < 0.05 * LINES


def test_nodes_grow_with_lines(world: World, tmp_path: Path) -> None:
    assert generate(tmp_path / "more.nt.gz", lines=5 * LINES).returncode == 0
    more = json.loads((tmp_path / "more.json").read_text(encoding="utf-8"))
    assert more["lines"] == 5 * LINES
    assert more["nodes"]["total"] > 4 * world.report["nodes"]["total"]


def test_too_few_lines_are_refused_with_the_remedy(tmp_path: Path) -> None:
    done = generate(tmp_path / "few.nt.gz", lines=10)
    assert done.returncode == 2
    assert "at least 50000" in done.stderr
    assert not (tmp_path / "few.nt.gz").exists()


@pytest.mark.data
def test_reverse_properties_are_freebases_own(world: World) -> None:
    table = DATA / "freebase_schema" / "reverse_properties.gz"
    if not table.exists():
        pytest.skip(f"no data pack at {DATA}: set HYDRA_DATA to its folder")
    with gzip.open(table, "rt", encoding="utf-8") as file:
        known = {frozenset(line.split()) for line in file}
    for subject, predicate, term in world.triples:
        if predicate == "type.property.reverse_property" and not subject.startswith(NS + b"m."):
            assert frozenset((short(subject), short(term))) in known, short(subject)
