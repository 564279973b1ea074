"""Classes of words: unions, references between classes, and tables without mistakes."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from hydra_kg.language.lexicon import TABLES, lexicon_table, list_phrases, list_words, match_phrase

ROOT = Path(__file__).resolve().parents[3]
SEPARATORS = {"function_words": None, "content_words": None, "phrases": ", "}
ROWS = [(name, text.split(SEPARATORS[file])) for file in TABLES for name, text in lexicon_table(file)]


def test_a_list_is_the_union_of_its_classes():
    assert list_words("article have") == {"the", "a", "an", "has", "have", "had"}


def test_a_class_includes_the_classes_that_it_refers_to():
    assert list_words("article preposition question_word") < list_words("function_word")
    assert not any(word.startswith("@") for word in list_words("function_word"))


def test_phrases_are_matched_longest_first():
    phrases = list_phrases("within_time")
    assert phrases.index(("in", "the", "year")) < phrases.index(("in",))
    assert match_phrase(("born", "in", "the", "year", "1984"), 1, phrases) == 3
    assert match_phrase(("born", "in"), 0, phrases) == 0


def test_an_unknown_class_is_an_error():
    with pytest.raises(KeyError):
        list_words("article no_such_class")


def test_each_class_has_one_row_and_each_word_stands_once_in_it():
    assert [name for name, count in Counter(name for name, _ in ROWS).items() if count > 1] == []
    repeated = {name: [w for w, n in Counter(items).items() if n > 1] for name, items in ROWS}
    assert {name: words for name, words in repeated.items() if words} == {}


def test_every_class_is_used():
    sources = [p.read_text("utf-8") for folder in ("hydra_kg", "loaders") for p in (ROOT / folder).rglob("*.py")]
    readers = [text for text in sources if "language.lexicon import" in text]
    asked = {name for text in readers for quoted in re.findall(r"\"([\w ]+)\"", text) for name in quoted.split()}
    referred = {item[1:] for _, items in ROWS for item in items if item.startswith("@")}
    assert {name for name, _ in ROWS} - asked - referred == set()


def test_the_tables_are_in_the_package():
    assert all(files("hydra_kg.language").joinpath(f"lexicon/en/{name}.tsv").is_file() for name in TABLES)
