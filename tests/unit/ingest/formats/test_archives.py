"""Compressed inputs: every kind, several members, damaged and hostile ones, and standard input."""

from __future__ import annotations

import bz2
import gzip
import io
import random
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.errors import FormatError, LoadError, NotFoundError, UsageError
from hydra_kg.ingest.contract.feed import Feed
from hydra_kg.ingest.formats.archives import BLOCK, chunks, compression
from hydra_kg.ingest.staging.spool import STDIN, spool_stdin

try:
    from backports import zstd
except ImportError:  # Python 3.14
    from compression import zstd  # type: ignore[no-redef]

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "zstd": zstd.compress,
    "": bytes,
}
LINES = b"".join(b"line %d %s\n" % (n, random.Random(n).randbytes(20).hex().encode()) for n in range(20_000))


def put(folder: Path, data: bytes) -> Path:
    """A file whose name says nothing."""
    path = folder / "input"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("kind", PACKERS)
def test_told_by_content(kind: str, tmp_path: Path) -> None:
    """What comes out is what went in, in pieces; the count is of bytes read and unpacked."""
    path = put(tmp_path, PACKERS[kind](LINES))
    read = plain = 0

    def count(more_read: int, more_plain: int) -> None:
        nonlocal read, plain
        read, plain = read + more_read, plain + more_plain

    pieces = list(chunks(path, count))
    assert b"".join(pieces) == LINES
    assert max(map(len, pieces)) <= BLOCK
    assert (read, plain) == (path.stat().st_size, len(LINES))
    assert compression(path.read_bytes()[:16]) == kind


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "zstd"])
def test_members_and_zeros(kind: str, tmp_path: Path) -> None:
    """All members count, empty ones too, and zeros at the end are padding."""
    pack = PACKERS[kind]
    path = put(tmp_path, pack(b"a\n") + pack(b"") + b"".join(pack(b"%d\n" % n) for n in range(300)) + b"\0" * 1000)
    assert b"".join(chunks(path)) == b"a\n" + b"".join(b"%d\n" % n for n in range(300))


@cache
def noise(lines: int) -> bytes:
    """Lines of 121 bytes that hardly get smaller."""
    return b"".join(random.Random(n).randbytes(60).hex().encode() + b"\n" for n in range(lines))


@cache
def packed(kind: str, lines: int) -> bytes:
    return PACKERS[kind](noise(lines))


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "zstd"])
@pytest.mark.parametrize("keep", [0.5, 0.999])
def test_truncated(kind: str, keep: float, tmp_path: Path) -> None:
    """An archive that ends early says so, and how far it got; a limit before that place loads what is whole."""
    whole = packed(kind, 20_000)
    path = put(tmp_path, whole[: int(len(whole) * keep)])
    feed = Feed([path], tmp_path / "aside")
    with pytest.raises(LoadError, match=r"ends in the middle.*bytes of it were read") as caught:
        list(feed.blocks())
    assert "last whole line is number " in str(caught.value)
    if "--limit" in str(caught.value):
        lines = int(str(caught.value).rsplit("--limit ", 1)[1].rstrip("."))
        assert b"".join(Feed([path], tmp_path / "aside", limit=lines).blocks()) == noise(20_000)[: 121 * lines]


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "zstd"])
@examples(30)
@given(at=st.integers(-10, 3000), byte=st.integers(0, 255))
def test_damaged(kind: str, at: int, byte: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Any changed byte is either harmless or an error of ours; what has a checksum never gives another text."""
    whole = bytearray(PACKERS[kind](LINES[:30_000]))
    if 0 <= at < 10:  # by which the kind is told
        at += 10
    whole[at % len(whole)] = byte
    path = put(tmp_path_factory.mktemp("damaged"), bytes(whole))
    text = b""
    with suppress(LoadError, FormatError):
        for piece in chunks(path):
            assert len(piece) <= BLOCK
            text += piece
        if kind != "zstd":
            assert text == LINES[:30_000]


@pytest.mark.parametrize(
    "header", [b"\x1f\x8b\x08\xff" + bytes(6), b"\x1f\x8b\x07\x00" + bytes(6), b"\x1f\x8b", b"no gzip"]
)
def test_what_follows_a_member_is_one(header: bytes, tmp_path: Path) -> None:
    """Other bytes behind a whole member, or a header that nobody writes, are damage, and the reader does not hang."""
    path = put(tmp_path, gzip.compress(LINES) + header + random.Random(1).randbytes(100_000 * (len(header) > 2)))
    with pytest.raises(LoadError, match="is damaged"):
        list(chunks(path))


def test_headers_with_names(tmp_path: Path) -> None:
    """A name, a comment and extra fields in the header belong to no line, however the file is cut into reads."""
    extra = b"\x1f\x8b\x08\x1c" + bytes(6) + (70_000 % 65_536).to_bytes(2, "little") + b"x" * (70_000 % 65_536)
    head = extra + b"name.nt\0" + b"c" * 100_000 + b"\0"
    assert b"".join(chunks(put(tmp_path, head + gzip.compress(LINES)[10:]))) == LINES


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gzip", "bzip2", "zstd"])
def test_a_bomb_comes_out_in_pieces(kind: str, tmp_path: Path) -> None:
    """A small file that claims 128 megabytes takes no memory, and one long line is cut off."""
    path = tmp_path / "bomb"
    block = PACKERS[kind](b"\0" * (64 << 20))
    path.write_bytes(block * 2)
    tracemalloc.start()
    feed = Feed([path], tmp_path / "aside", max_line=1 << 16)
    assert [len(block) for block in feed.blocks()] == [2]
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()
    assert [(a.line, a.reason) for a in feed.set_aside()] == [(1, "too-long")]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gzip", "bzip2", "zstd"])
def test_empty_lines_without_end_are_not_read_on(kind: str, tmp_path: Path) -> None:
    """A packed file of 200 MB of line feeds is 0.2 MB; every line of it would take its place in the scratch."""
    path = tmp_path / "dump.nt.gz"
    path.write_bytes(PACKERS[kind](LINES + b"\n" * (20 << 20)))
    read: list[int] = []
    with pytest.raises(LoadError, match="nothing but empty lines"):
        read.extend(map(len, chunks(path)))
    assert sum(read) < len(LINES) + (2 << 20)
    path.write_bytes(PACKERS[kind](LINES + b"\n" * (1 << 19) + LINES))
    assert b"".join(chunks(path)).endswith(LINES)


@pytest.mark.parametrize("magic", [b"PK\x03\x04", b"\xfd7zXZ\x00", b"7z\xbc\xaf"])
def test_other_archives_are_named(magic: bytes, tmp_path: Path) -> None:
    """They are not read as text."""
    with pytest.raises(FormatError, match="archive"):
        list(chunks(put(tmp_path, magic + b"\0" * 100)))


def test_text_that_begins_like_an_archive(tmp_path: Path) -> None:
    """BZh is also how a word may begin."""
    for text in (b"BZhello\n", b"BZh9 is a magic number\n", b"", b"\x28\n"):
        assert b"".join(chunks(put(tmp_path, text))) == text


@pytest.mark.parametrize("kind", PACKERS)
def test_standard_input(kind: str, tmp_path: Path) -> None:
    """A pipe, packed or not, becomes a file called stdin that is gone afterwards."""
    other = put(tmp_path, b"other")
    with spool_stdin([other, STDIN], near=tmp_path, stdin=io.BytesIO(PACKERS[kind](LINES))) as files:
        assert [f.name for f in files] == ["input", "stdin"]
        assert b"".join(chunks(files[1])) == LINES
        assert files[1].parent.parent == tmp_path
        assert kind or files[1].stat().st_size < len(LINES)
    assert not files[1].exists()


def test_no_standard_input(tmp_path: Path) -> None:
    """Nothing piped, and - twice, are said with their remedy."""
    with pytest.raises(NotFoundError, match="Nothing came"), spool_stdin([STDIN], stdin=io.BytesIO()):
        pass
    with pytest.raises(UsageError, match="twice"), spool_stdin([STDIN, STDIN], stdin=io.BytesIO()):
        pass
    with spool_stdin([put(tmp_path, b"")], stdin=io.BytesIO(b"x")) as files:
        assert [f.name for f in files] == ["input"]


def test_spaces_between_terms_are_marked(tmp_path: Path) -> None:
    """The first two and the one before the dot; a line without those, and every space of a literal, stays."""
    lines = [
        "<s> <p> <o> .",
        "<s> <p> \"a > <b . 'c' .\"@en .",
        "<s> <p> <o>.",
        "<s> <p> .",
        "",
        "no",
        "   .",
        "<s> <p> <o> . ",
        "<s>\t<p>\t<o> .",
        "# a b c .",
        'é ü "ß x" .',
    ]
    path = put(tmp_path, "\n".join(lines).encode() + b"\nits \x03 is odd .\n")
    feed = Feed([path], tmp_path / "aside", marked=True)
    assert b"".join(feed.blocks()).decode().split("\n") == [
        "<s>\x03<p>\x03<o>\x03.",
        "<s>\x03<p>\x03\"a > <b . 'c' .\"@en\x03.",
        *lines[2:4],
        "\x02",
        "no",
        "\x03\x03\x03.",
        *lines[7:9],
        "#\x03a\x03b c\x03.",
        'é\x03ü\x03"ß x"\x03.',
        "\x02",
        "",
    ]
    assert [(a.line, a.data) for a in feed.set_aside()] == [(5, b""), (12, b"its \x03 is odd .")]


def test_lines_that_are_no_utf8_are_found_wherever_they_stand(tmp_path: Path) -> None:
    """Blocks are decoded in stretches of whole lines."""
    lines = [b"%d " % n + ("é" * (n % 700)).encode() for n in range(2000)]
    wrong = [0, 1, 37, 38, 500, 1998, 1999]
    for n in wrong:
        lines[n] += b"\xc3"
    feed = Feed([put(tmp_path, b"\n".join(lines))], tmp_path / "aside")
    expected = [b"\x02" if n in wrong else line for n, line in enumerate(lines)]
    assert b"".join(feed.blocks()) == b"\n".join(expected) + b"\n"
    assert [(a.line, a.reason) for a in feed.set_aside()] == [(n + 1, "encoding") for n in wrong]
