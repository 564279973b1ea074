"""Whatever stands in data, a terminal shows it as plain text."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.cli.terminal import json_text, table
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean, clean_lines

HOSTILE = {
    "plain": "plain",
    "\x1b[31mred\x1b[0m": "red",
    "\x1b[2J\x1b[Hwiped": "wiped",
    "\x1b]0;title\x07after": "after",
    "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\": "link",
    "\x9b31mred": "red",
    "\x9d0;title\x9cafter": "after",
    "\x1bPq#0;2;0;0;0\x1b\\sixel": "sixel",
    "\x1bcreset": "reset",
    "\x1b(0line drawing": "line drawing",
    "cut off \x1b[": "cut off",
    "cut off \x1b": "cut off",
    "over\rwritten": "over written",
    "back\x08\x08space": "backspace",
    "bell\x07": "bell",
    "null\x00": "null",
    "two\nlines\tand a tab": "two lines and a tab",
    "separators\u2028here\u2029there\x85end": "separators here there end",
    "user\u202etxt.exe": "usertxt.exe",
    "iso\u2066late\u2069": "isolate",
    "zero\u200bwidth\ufeff": "zerowidth",
    "tag\U000e0041s": "tags",
    "half \ud83d": "half \ufffd",
    "Łódź — 東京 🎻": "Łódź — 東京 🎻",
    "नमस्ते": "नमस्ते",
    "שלום": "שלום",
    "\x1b[31": "",
}


@pytest.mark.parametrize("text, shown", HOSTILE.items())
def test_hostile_names_are_plain_text(text, shown):
    assert clean(text) == shown


@given(st.text(st.characters(codec=None)) | st.text(st.sampled_from("\x1b\x9b[]0;m\x07\\A \n\u202e\ud800P^_c(")))
def test_nothing_that_moves_a_cursor_survives(text):
    shown = clean(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert clean(shown) == shown
    shown.encode("utf-8")


def test_lines_of_our_own_messages_stay():
    assert clean_lines("first \x1b[1mbold\nsecond") == "first bold\nsecond"


@given(
    st.recursive(
        st.text(st.characters(codec=None)) | st.integers() | st.none(),
        lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    )
)
def test_json_is_safe_to_print_and_means_the_same(doc):
    text = json_text(doc)
    assert json.loads(text) == doc
    assert not [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set(text) & set("\u202e\u2066\u200f\U000e0041")


def test_table_lines_up_and_cleans():
    assert table([("a", "n"), ("long\x1b[1m name", "12")], right=(1,)) == ["a           n", "long name  12"]


@pytest.mark.parametrize("value, text", [(12, "12 B"), (1234, "1.2 kB"), (5_600_000, "5.6 MB"), (7.1e12, "7.1 TB")])
def test_bytes(value, text):
    assert bytes_text(value) == text


def test_a_terminal_with_few_characters_gets_question_marks_instead_of_an_error():
    code = "from hydra_kg.cli.terminal import out, tolerate_any_encoding as t; t(); out('A — b → 東京')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env={"PYTHONIOENCODING": "latin-1"}, check=True
    )
    assert done.stdout == b"A ? b ? ??\n"
