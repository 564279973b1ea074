"""Dumps as bytes: streams of bz2 found and read alone, pages cut out and parsed strictly."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest
from helpers.samples.wiki_dumps import HEAD, PAGES, TAIL, multistream, page, whole
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.errors import LoadError
from hydra_kg_loaders.wikipedia.dump import (
    PageError,
    Piece,
    cut_pages,
    decompress_piece,
    is_multistream,
    read_page,
    site,
    stream_pieces,
    unpack_pieces,
)


def test_pieces_are_whole_streams_and_miss_nothing(tmp_path: Path) -> None:
    file = multistream(tmp_path / "dump.xml.bz2")
    assert is_multistream(file)
    for size in (1, 700, 1 << 20):
        pieces = list(stream_pieces(file, size=size))
        assert b"".join(b"".join(decompress_piece(p)) for p in pieces) == whole()
        assert sum(p.length for p in pieces) == file.stat().st_size
    assert len(list(stream_pieces(file, size=1))) == len(PAGES) // 2 + 3


def test_streams_that_cut_pages_are_no_multistream(tmp_path: Path) -> None:
    data = whole()
    cut = data.index(b"composer")
    file = tmp_path / "parallel.xml.bz2"
    file.write_bytes(bz2.compress(data[:cut]) + bz2.compress(data[cut:]))
    assert not is_multistream(file)
    file.write_bytes(bz2.compress(data))
    assert not is_multistream(file)
    file.write_bytes(data)
    assert not is_multistream(file)


@pytest.mark.parametrize("broken", ["cut", "garbage", "flipped"])
def test_damaged_streams_are_named(tmp_path: Path, broken: str) -> None:
    file = multistream(tmp_path / "dump.xml.bz2")
    data = bytearray(file.read_bytes())
    if broken == "cut":
        del data[-20:]
    elif broken == "garbage":
        data += b"no stream"
    else:
        data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(LoadError, match=r"dump\.xml\.bz2 is damaged near byte"):
        _ = [list(decompress_piece(piece)) for piece in stream_pieces(file, size=500)]


@pytest.mark.slow
def test_a_bomb_comes_out_in_bounded_chunks(tmp_path: Path) -> None:
    file = tmp_path / "bomb.bz2"
    file.write_bytes(bz2.compress(b"<page>" + bytes(64 << 20)))
    chunks = [len(c) for c in decompress_piece(Piece(str(file), True, 0, file.stat().st_size))]
    assert max(chunks) <= 1 << 20
    with pytest.raises(EOFError):
        list(cut_pages(decompress_piece(Piece(str(file), True, 0, file.stat().st_size))))


@given(st.integers(1, 400), st.integers(0, 3))
def test_pages_are_cut_out_wherever_chunks_end(size: int, skip: int) -> None:
    data = whole()[skip:]
    found = list(cut_pages(iter([data[n : n + size] for n in range(0, len(data), size)])))
    assert [p.decode() for p in found] == [p.strip() for p in PAGES]


def test_pages_that_are_too_long_are_marked_and_those_after_them_found(tmp_path: Path) -> None:
    data = "".join([page("A", "a"), page("Long", "x" * 5000), page("B", "b")]).encode()
    for size in (10, 100_000):
        found = list(cut_pages(iter([data[n : n + size] for n in range(0, len(data), size)]), most=2000))
        assert [b"Long" in p for p in found] == [False, True, False]
        assert len(found[1]) < 5000
        with pytest.raises(PageError) as e:
            read_page(found[1])
        assert e.value.reason == "too-long"
        # written to scratch files and cut again, it stays what it is
        again = [
            p for piece in unpack_pieces(iter([b"".join(found)]), tmp_path) for p in cut_pages(decompress_piece(piece))
        ]
        assert again == found


def test_a_page() -> None:
    found = read_page(page("A & B", "x < y && [[z]]", number=3, redirect='C "D"').strip().encode())
    assert (found.title, found.space, found.id, found.revision) == ("A & B", 0, "3", "1003")
    assert (found.text, found.redirect, found.model) == ("x < y && [[z]]", 'C "D"', "wikitext")


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"<page><title>A</title></page>", "page"),
        (b"<page><title>A</page>", "xml"),
        (b"<page><page></page>", "xml"),
        (b"<page><title>&lol;</title><revision><text>x</text></revision></page>", "xml"),
        (b"<page><!DOCTYPE x [<!ENTITY lol 'lol'>]><title>A</title></page>", "xml"),
        (b"<page><title>A\x00</title><revision><text>x</text></revision></page>", "xml"),
        (b"<page><title>\xff</title><revision><text>x</text></revision></page>", "xml"),
        (b"<page><title>A</title><ns>x</ns><revision><text>x</text></revision></page>", "page"),
        (b"<page>" + b"<a>" * 1000 + b"</page>", "xml"),
    ],
)
def test_what_is_no_page_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(PageError) as e:
        read_page(data)
    assert e.value.reason == reason


@given(st.binary(max_size=200))
def test_any_bytes_are_a_page_or_refused(data: bytes) -> None:
    try:
        read_page(b"<page>" + data + b"</page>")
    except PageError:
        return
    assert b"<title" in data


def test_the_site_of_a_dump() -> None:
    found = site(HEAD.replace("en.wikipedia.org", "de.wikipedia.org").replace(">File<", ">Datei<").encode())
    assert found.base == "https://de.wikipedia.org/wiki/"
    assert found.spaces == {"talk", "datei"}
    assert found.hidden == {"datei"}
    assert site(b"").base == "https://en.wikipedia.org/wiki/"
    assert site(TAIL.encode()).spaces == frozenset()
