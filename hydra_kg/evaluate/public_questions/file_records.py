"""Reading of published files piece by piece: JSON records and lines of text, each with the line where it begins."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, TextIO

from hydra_kg.errors import FormatError, NotFoundError

MOST_CHARACTERS: Final = 1 << 25
"""Largest number of characters of one record. The longest of the sets that are read has about a million."""
MOST_LINE: Final = 1 << 20
_CHUNK: Final = 1 << 16
_NEAR: Final = 16  # what stands so close to the end of what was read may only be cut off there
_DECODER: Final = json.JSONDecoder()


class Row(NamedTuple):
    """A record: the line where it begins, counted from 1, its index in the file, counted from 0, and its content."""

    line: int
    number: int
    value: Any


def json_records(path: Path, *, key: str = "") -> Iterator[Row]:
    """Yield the records of an array, of the array under ``key``, or of JSON lines, one by one. Raises FormatError."""
    with _open_text(path) as file:
        reader = _Reader(path.name, file)
        first = reader.peek()
        if key and first == "{":
            reader.enter(key)
            first = "["
        elif first == "[":
            reader.skip()
        number = 0
        while (char := reader.peek()) and not (first == "[" and char == "]"):
            if char == "," and number and first == "[":
                reader.skip()
            line, value = reader.value()
            yield Row(line, number, value)
            number += 1
        if first == "[" and reader.peek() != "]":
            reader.fail("the array has no end")


def text_lines(path: Path, *, encoding: str = "utf-8") -> Iterator[Row]:
    """Yield the lines that are not empty, without their ends. Raises FormatError with the line, or NotFoundError."""
    with _open_text(path, encoding) as file:
        line = number = 0
        while text := file.readline(MOST_LINE + 1):
            line += 1
            if len(text) > MOST_LINE:
                raise wrong(path.name, line, f"it is longer than {MOST_LINE:,} characters")
            if text.strip():
                yield Row(line, number, text.rstrip("\r\n"))
                number += 1


def cells(path: Path, *, width: int, encoding: str = "utf-8") -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and ``width`` tab-separated cells; missing cells are empty.

    Raises FormatError or NotFoundError.
    """
    for line, _, text in text_lines(path, encoding=encoding):
        row = [cell.strip() for cell in text.split("\t")]
        if any(row[width:]):
            raise wrong(path.name, line, f"it has {len(row)} columns instead of {width}")
        yield line, [*row[:width], *[""] * (width - len(row))]


def wrong(file: str, line: int, why: str) -> FormatError:
    """Return the error for a line that cannot be read."""
    return FormatError(f"{file}, line {line:,}: {why}.", remedy="Get the file again, as it is published.")


class _Reader:
    """Reader of JSON values that reads the text only as far as needed, and knows the current line."""

    def __init__(self, name: str, file: TextIO) -> None:
        self._name, self._file = name, file
        self._text, self._at, self._line, self._ended = "", 0, 1, False

    def peek(self) -> str:
        """Return the next character that is no white space, or "" at the end."""
        while True:
            while self._at < len(self._text):
                char = self._text[self._at]
                if not char.isspace() and char != "\ufeff":
                    return char
                self._line += char == "\n"
                self._at += 1
            if self._ended:
                return ""
            self._more(_CHUNK)

    def skip(self) -> None:
        """Move past the current character."""
        self._at += 1

    def enter(self, key: str) -> None:
        """Move to the first value of the array under ``key`` in the object that begins here."""
        self.skip()
        while self.peek() == '"':
            _, name = self.value()
            if self.peek() != ":":
                break
            self.skip()
            if name == key and self.peek() == "[":
                self.skip()
                return
            self.value()
            if self.peek() == ",":
                self.skip()
        self.fail(f"there is no list {key!r} in it")

    def value(self) -> tuple[int, Any]:
        """Return the line where the next value begins, and the value."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                self.fail("the record is nested too deeply")
            except json.JSONDecodeError as e:
                final = e.pos < len(self._text) - _NEAR and not e.msg.startswith("Unterminated string")
                if self._ended or final:
                    self._line += self._text.count("\n", self._at, e.pos)
                    self.fail(f"it is no JSON ({e.msg})")
            except ValueError as e:  # a number of thousands of digits
                self.fail(f"it is no JSON ({e})")
            else:
                if end < len(self._text) or self._ended:
                    line = self._line
                    self._line += self._text.count("\n", self._at, end)
                    self._at = end
                    return line, value
            if len(self._text) - self._at > MOST_CHARACTERS:
                self.fail(f"the record is longer than {MOST_CHARACTERS:,} characters")
            self._more(max(_CHUNK, len(self._text) - self._at))

    def fail(self, why: str) -> NoReturn:
        raise wrong(self._name, self._line, why)

    def _more(self, size: int) -> None:
        read = self._file.read(size)
        self._ended = not read
        self._text, self._at = self._text[self._at :] + read, 0


@contextmanager
def _open_text(path: Path, encoding: str = "utf-8-sig") -> Iterator[TextIO]:
    """Open a text file, plain or gzipped. Raises NotFoundError or FormatError."""
    try:
        with path.open("rb") as head:
            zipped = head.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rt", encoding=encoding) if zipped else path.open(encoding=encoding) as file:
            yield file
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}.", remedy="Check the path.") from None
    except (OSError, EOFError, UnicodeDecodeError) as e:
        raise FormatError(f"{path.name} cannot be read: {e}.", remedy="Get the file again.") from e
