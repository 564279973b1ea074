"""Split texts into BERT's word pieces, as Hugging Face's tokenizer of uncased BERT models does (Devlin et al. 2019).

A test compares both. They differ in some characters that Unicode has had since version 9, which that package takes for
letters, and which the vocabulary does not have.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final

_LONGEST_WORD = 100
_WORDS_IN_MEMORY = 20_000
_BLANKS: Final = frozenset("\t\n\r")
_CHINESE: Final = (
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0002a6df"),
    ("\U0002a700", "\U0002b81f"),
    ("\U0002b920", "\U0002ceaf"),
    ("\U0002f800", "\U0002fa1f"),
)
"""Characters that are words of their own, as ranges."""

_ASCII_PUNCTUATION: Final = frozenset(string.punctuation)


class WordPieces:
    """Token ids of texts: cleaned, without accents, in lower case, in the longest known pieces of each word.

    - ``vocabulary``: the id of each piece; pieces inside a word begin with ``##``.
    - ``special``: the ids of tokens that are matched as they are, such as ``[SEP]``.
    - ``most``: the number of tokens to which a text is cut, its first and last token included.
    """

    def __init__(self, vocabulary: Mapping[str, int], special: Mapping[str, int], *, most: int) -> None:
        self._vocabulary = vocabulary
        self._special = special
        self._most = most - 2
        self._unknown = special["[UNK]"]
        self._pieces = lru_cache(_WORDS_IN_MEMORY)(self._word)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, between those of ``[CLS]`` and ``[SEP]``."""
        found: list[int] = []
        for part in self._parts(text):
            if part in self._special:
                found.append(self._special[part])
            else:
                found += chain.from_iterable(map(self._pieces, words(part)))
        return [self._special["[CLS]"], *found[: self._most], self._special["[SEP]"]]

    def _parts(self, text: str) -> list[str]:
        """Return the special tokens of a text and what is between them."""
        parts = [text]
        for token in self._special:
            if token in text:
                parts = [piece for part in parts for piece in self._around(part, token)]
        return parts

    def _around(self, part: str, token: str) -> list[str]:
        """Return a part cut at a special token, with that token between the pieces."""
        pieces = [part] if part in self._special else part.split(token)
        return [piece for one in pieces for piece in (token, one)][1:]

    def _word(self, word: str) -> tuple[int, ...]:
        """Return the ids of the longest pieces of a word from its start, or the unknown token's."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._vocabulary), 0)
            if not end:
                return (self._unknown,)
            found.append(self._vocabulary[mark + word[start:end]])
            start = end
        return tuple(found)


def read_word_pieces(document: Mapping[str, Any], *, most: int) -> WordPieces | None:
    """Return the tokenizer that a ``tokenizer.json`` describes, None if it is of another kind."""
    model = document.get("model") or {}
    template = (document.get("post_processor") or {}).get("single") or []
    shape = [part["id"] for one in template for part in one.values()]
    normalizer = document.get("normalizer") or {}
    same = (
        model.get("type") == "WordPiece"
        and (model.get("unk_token"), model.get("continuing_subword_prefix")) == ("[UNK]", "##")
        and model.get("max_input_chars_per_word") == _LONGEST_WORD
        and (document.get("pre_tokenizer") or {}).get("type") == "BertPreTokenizer"
        and normalizer.get("type") == "BertNormalizer"
        and all(normalizer.get(name) for name in ("clean_text", "handle_chinese_chars", "lowercase"))
        and normalizer.get("strip_accents") in {None, True}
        and shape == ["[CLS]", "A", "[SEP]"]
    )
    if not same:
        return None
    special = {one["content"]: int(one["id"]) for one in document.get("added_tokens") or () if one.get("special")}
    return WordPieces(model["vocab"], special, most=most) if {"[UNK]", "[CLS]", "[SEP]"} <= set(special) else None


def words(text: str) -> list[str]:
    """Return the words and marks of a text, without accents and in lower case."""
    text = "".join(map(_clean, text))
    if text.isascii():
        text = text.lower()
    else:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
        text = "".join(c.lower() for c in text)
    return "".join(f" {c} " if _is_mark(c) else c for c in text).split()


@lru_cache(4096)
def _clean(c: str) -> str:
    if c in _BLANKS:
        return " "
    if c == "\ufffd" or unicodedata.category(c) in {"Cc", "Cf", "Co"}:
        return ""
    if any(first <= c <= last for first, last in _CHINESE):
        return f" {c} "
    return " " if c.isspace() else c


@lru_cache(4096)
def _is_mark(c: str) -> bool:
    return c in _ASCII_PUNCTUATION or unicodedata.category(c)[0] == "P"
