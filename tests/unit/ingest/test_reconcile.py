"""Every line is accounted for: bad ones of every kind among good ones, with exact counts, reasons and positions."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.samples.loading import fact, stage, stage_files

from hydra_kg.errors import LoadError
from hydra_kg.ingest.contract import feed
from hydra_kg.ingest.formats import sql

LIMIT = 4096
ALIAS = fact("m.0jcx", "common.topic.alias", '"@"@en').encode()

REJECTED: dict[str, tuple[bytes, str, int]] = {
    "no tab": (b"<http://rdf.freebase.com/ns/m.0a1>", "predicate", 34),
    "three fields": (fact("m.0a1", "a.b.c", "m.0a2").encode()[:-2], "end", 104),
    "five fields": (fact("m.0a1", "a.b.c", "m.0a2").encode()[:-1] + b"<http://g>\t.", "end", 104),
    "cut": (ALIAS[:-6], "literal", 84),
    "space in IRI": (fact("m.0a1", "a.b.page", "http://a/b c").encode(), "iri", 73),
    "quote in IRI": (fact("m.0a1", "a.b.page", 'http://a/"b"').encode(), "iri", 73),
    "space in predicate": (fact("m.0a1", "a.b c", "m.0a2").encode(), "iri", 0),
    "relative IRI": (b"<a>\t<http://b>\t<http://c>\t.", "iri", 0),
    "escape": (fact("m.0a1", "a.b.c", '"\\x41"').encode(), "escape", 71),
    "half a pair": (fact("m.0a1", "a.b.c", '"\\uD83D"').encode(), "escape", 71),
    "no language": (fact("m.0a1", "a.b.c", '"a"@').encode(), "tag", 73),
    "NUL": (ALIAS.replace(b"@", b"a\0b", 1), "nul", 0),
    "Latin-1": (ALIAS.replace(b"@", b"caf\xe9", 1), "encoding", 0),
    "surrogate bytes": (ALIAS.replace(b"@", b"\xed\xa0\x80", 1), "encoding", 0),
    "too long": (ALIAS.replace(b"@", b"x" * LIMIT, 1), "too-long", 0),
    "the reader's mark": (b"\x02", "subject", 0),
}
REPAIRED: dict[str, tuple[bytes, str]] = {
    "tab": (b"one\ttwo", "one\ttwo"),
    "carriage return": (b"one\rtwo", "one\rtwo"),
    "control": (b"one\x01\x02two", "one\x01\x02two"),
    "pair": (b"\\uD83D\\uDE00", "😀"),
}
BLANK = [b"", b"  ", b"# a comment", b"\t"]


def bad_lines(rng: random.Random, total: int) -> tuple[list[bytes], list[tuple[int, str, int]], Counter[str], set[str]]:
    """Lines, 2 % of them odd in some way; what must be rejected; how many of the rest; the repaired names."""
    lines: list[bytes] = []
    rejected: list[tuple[int, str, int]] = []
    counts: Counter[str] = Counter()
    repaired: set[str] = set()
    kinds = [*REJECTED, *REPAIRED, *map(str, range(len(BLANK)))]
    for n in range(1, total + 1):
        if rng.random() >= 0.02:
            lines.append(fact(f"m.0{n}", "a.b.c", f"m.0{rng.randrange(1, total)}").encode())
            counts["links"] += 1
            continue
        kind = rng.choice(kinds)
        if kind in REJECTED:
            line, reason, place = REJECTED[kind]
            lines.append(line)
            rejected.append((n, reason, place))
        elif kind in REPAIRED:
            raw, text = REPAIRED[kind]
            lines.append(ALIAS.replace(b"@", raw, 1))
            counts["names"] += 1
            repaired.add(text)
        else:
            lines.append(BLANK[int(kind)])
            counts["blank"] += 1
    return lines, rejected, counts, repaired


@pytest.mark.slow
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_two_percent_of_bad_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: bytes) -> None:
    monkeypatch.setattr(feed, "PIECE", 100_000)  # several pieces, as of a large file
    lines, rejected, counts, repaired = bad_lines(random.Random(5), 12_000)
    assert {reason for _, reason, _ in rejected} >= {"nul", "encoding", "too-long", "literal", "iri", "escape", "end"}
    file = tmp_path / "bad.nt.gz"
    file.write_bytes(gzip.compress(ends.join(lines) + ends))
    found = stage_files([file], tmp_path / "stage", "freebase", max_line=LIMIT)
    assert found.read == 12_000
    assert found.balanced()
    assert found.rejects == rejected
    assert found.rejected == Counter(reason for _, reason, _ in rejected)
    assert found.kept["links"] == counts["links"]
    assert found.dropped["blank"] == counts["blank"]
    assert found.kept["aliases"] + found.duplicates["names"] == counts["names"] == found.notes["repaired"]
    assert {text for _, _, text in found.names} == repaired
    # the subject of line n is m.0<n>: no line number is off by one anywhere
    assert all(s == f"m.0{line}" for s, _, _, line in found.links)


@pytest.mark.slow
@pytest.mark.parametrize("kind", REJECTED)
def test_a_bad_line_alone(tmp_path: Path, kind: str) -> None:
    line, reason, place = REJECTED[kind]
    good = fact("m.0a1", "a.b.c", "m.0a2").encode()
    found = stage([good, line, good], tmp_path, "freebase", max_line=LIMIT)
    assert found.rejects == [(2, reason, place)]
    assert (found.read, found.kept["links"], found.duplicates["links"]) == (3, 1, 1)


def test_no_line_feed_at_the_end_and_a_mark_at_the_beginning(tmp_path: Path) -> None:
    good = fact("m.0a1", "a.b.c", "m.0a2").encode()
    file = tmp_path / "a.nt"
    file.write_bytes(b"\xef\xbb\xbf" + good + b"\n" + good.replace(b"0a2", b"0a3"))
    found = stage_files([file], tmp_path / "stage", "freebase")
    assert (found.read, found.kept["links"], found.rejects) == (2, 2, [])


@pytest.mark.parametrize("data", [b"\n", b"\n\n\n"])
def test_a_file_without_facts(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "a.nt"
    file.write_bytes(data)
    found = stage_files([file], tmp_path / "stage", "freebase")
    assert (found.read, found.dropped["blank"], found.links) == (len(data), len(data), [])


def test_a_file_without_lines_is_no_load(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_bytes(b"")
    with pytest.raises(LoadError, match=r"Nothing of a\.nt was read"):
        stage_files([tmp_path / "a.nt"], tmp_path / "stage", "freebase")


def test_several_files_are_numbered_on(tmp_path: Path) -> None:
    for name, objects in (("a.nt", ["m.0a2", "m.0a3"]), ("b.nt", ["m.0a4", "m.0a2"])):
        (tmp_path / name).write_text("".join(fact("m.0a1", "a.b.c", o) + "\n" for o in objects))
    found = stage_files([tmp_path / "a.nt", tmp_path / "b.nt"], tmp_path / "stage", "freebase")
    assert sorted((o, line) for _, _, o, line in found.links) == [("m.0a2", 1), ("m.0a3", 2), ("m.0a4", 3)]
    assert found.duplicates["links"] == 1


def test_the_limit_is_exact(tmp_path: Path) -> None:
    lines = [fact(f"m.0{n}", "a.b.c", "m.0a2") for n in range(1, 100)]
    found = stage(lines, tmp_path, "freebase", limit=10)
    assert (found.read, max(line for *_, line in found.links)) == (10, 10)


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: data[:500] + b"\0" * 40 + data[540:]])
def test_a_damaged_gzip_file_is_an_error_not_a_short_load(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    lines = [fact(f"m.0{n}", "a.b.c", f"m.0{n * 7 % 9973 + 1}") for n in range(1, 3000)]
    file = tmp_path / "a.nt.gz"
    file.write_bytes(damage(gzip.compress("\n".join(lines).encode())))
    with pytest.raises(LoadError, match="damaged"):
        stage_files([file], tmp_path / "stage", "freebase")


@pytest.mark.slow
def test_a_line_of_a_hundred_megabytes(tmp_path: Path) -> None:
    good = fact("m.0b1", "a.b.c", "m.0b2").encode() + b"\n"
    file = tmp_path / "a.nt.gz"
    with gzip.open(file, "wb", compresslevel=1) as out:
        out.write(good)
        for _ in range(100):
            out.write(b"x" * 1_000_000)
        out.write(b"\n" + good.replace(b"0b2", b"0b3"))
    found = stage_files([file], tmp_path / "stage", "freebase")
    assert (found.read, found.kept["links"], found.rejects) == (3, 2, [(2, "too-long", 0)])


def test_members_of_a_gzip_file_are_one_file(tmp_path: Path) -> None:
    text = ("\n".join(fact(f"m.0{n}", "a.b.c", "m.0a2") for n in range(1, 1001)) + "\n").encode()
    file = tmp_path / "a.nt.gz"
    file.write_bytes(gzip.compress(text[:7777]) + gzip.compress(b"") + gzip.compress(text[7777:]) + b"\0" * 512)
    found = stage_files([file], tmp_path / "stage", "freebase")
    assert (found.read, found.kept["links"]) == (1000, 1000)


def test_values_that_share_an_id_are_rejected_never_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "HASH_DIGITS", 2)  # 256 ids for a thousand values
    found = stage([fact(f"m.0{n}", "a.b.c", f'"value {n}"') for n in range(1, 1001)], tmp_path, "freebase")
    assert found.balanced()
    assert found.rejected["collision"] == 1000 - len(found.values)
    assert len(found.values) <= 256
    assert all(o == f'"value {line}"' for _, _, o, line in found.values)
