"""Parse lines of N-Triples 1.1 strictly, if the bulk reader refuses them, and report reasons and positions.

Raw control characters and pairs of surrogate escapes, which published dumps contain, are repaired.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass

REASONS: Final[Mapping[str, str]] = {
    "encoding": "the line is not valid UTF-8",
    "nul": "the line holds a NUL character",
    "too-long": "the line is longer than the limit",
    "subject": "the line does not start with an IRI or a blank node",
    "predicate": "the second term is not an IRI",
    "object": "the third term is not an IRI, a blank node or a literal",
    "iri": "an IRI holds a character that IRIs must not hold, or is not absolute",
    "literal": "a literal has no closing quote",
    "escape": "an escape sequence is unknown, incomplete, or no character",
    "tag": "what follows a literal is neither a language nor a datatype",
    "end": "the line does not end with a dot after three terms",
    "collision": "the hashed id of its value is that of another value",
    "unsupported": "the line is legal, but not what this format may hold",
    "syntax": "the statement does not follow the grammar of its format",
}
"""Every reason for which a line of triples can be rejected."""

_GAP: Final = re.compile(r"[ \t]*")
_IRI: Final = re.compile(r"<((?:[^\x00-\x20<>\"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*)>")
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LETTER: Final = (  # PN_CHARS_U and digits of the standard, without the colon that an erratum takes out
    "A-Za-z0-9_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_MORE: Final = f"{_LETTER}\\-\u00b7\u0300-\u036f\u203f\u2040"
BLANK: Final = f"_:[{_LETTER}](?:[{_MORE}.]*[{_MORE}])?"
"""A blank node, as a regular expression for Python and for DuckDB."""

_BLANK: Final = re.compile(BLANK)
_BODY: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_LANGUAGE: Final = re.compile(r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*")
_END: Final = re.compile(r"[ \t]*\.[ \t]*(?:#.*)?", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf\"'\\])|)")
_PAIR: Final = re.compile(r"\\u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_TWICE: Final = re.compile(r"(?:\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})+")
_SINGLE: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_RAW: Final = re.compile(r"[\x00-\x1f]")
_RAW_NAMES: Final = {"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f"}


class LineError(ValueError):
    """A line that is not a triple. ``reason`` is a key of :data:`REASONS`, ``position`` a character of the line."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{REASONS[reason]} (character {position})")
        self.reason = reason
        self.position = position


@dataclass(frozen=True, slots=True)
class Triple:
    """Three terms in N-Triples form: ``<iri>`` (escapes resolved), ``_:label``, ``"text"@en`` (escapes unchanged)."""

    subject: str
    predicate: str
    object: str
    repaired: bool = False

    def line(self, separator: str = "\t") -> str:
        """Return the triple as one line without its end, in the form that the bulk reader accepts as clean."""
        return separator.join((self.subject, self.predicate, self.object, "."))


def parse_line(line: str) -> Triple | None:
    """Return the triple of a line (no line feed), or None if it is empty or a comment. Raises LineError."""
    line = line.removesuffix("\r")
    parsed = _terms(line)
    if parsed is None:
        return None
    triple, at = parsed
    if _END.fullmatch(line, at) is None:
        raise LineError("end", at)
    return triple


def parse_quad(line: str) -> tuple[Triple, str] | None:
    """Return the triple and graph ("" for the default) of an N-Quads line, or None. Raises LineError."""
    line = line.removesuffix("\r")
    parsed = _terms(line)
    if parsed is None:
        return None
    triple, at = parsed
    graph, start = "", _skip(line, at)
    if line[start : start + 1] in {"<", "_"}:
        graph, at = _node(line, start, "end")
    if _END.fullmatch(line, at) is None:
        raise LineError("end", at)
    return triple, graph


def _terms(line: str) -> tuple[Triple, int] | None:
    """Return the first three terms of a line and where they end, None for an empty line or a comment."""
    at = _skip(line, 0)
    if at == len(line) or line[at] == "#":
        return None
    subject, at = _node(line, at, "subject")
    at = _skip(line, at)
    if line[at : at + 1] != "<":
        raise LineError("predicate", at)
    predicate, at = _iri(line, at)
    at = _skip(line, at)
    repaired = False
    if line[at : at + 1] == '"':
        obj, at, repaired = _literal(line, at)
    else:
        obj, at = _node(line, at, "object")
    return Triple(subject, predicate, obj, repaired), at


def unescape(text: str) -> str:
    """Resolve the escapes of a literal or IRI in one pass. Raises LineError for unknown escapes."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_resolve, _PAIR.sub(_join, text))


def literal_text(literal: str) -> str:
    """Return the characters of a literal in N-Triples form, without quotes, language and datatype."""
    return unescape(literal[1 : literal.rindex('"')])


def undo_doubled_escapes(text: str) -> str:
    r"""Undo doubled escapes (``K\\u00F6ppen``) of printable characters."""
    return _TWICE.sub(_meant, text) if "\\" in text else text


def _meant(match: re.Match[str]) -> str:
    try:
        found = unescape(match[0])
    except LineError:
        return match[0]
    return found if found.isprintable() else match[0]


def _resolve(match: re.Match[str]) -> str:
    if match[3]:
        return _SINGLE[match[3]]
    code = int(match[1] or match[2] or "D800", 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise LineError("escape", match.start())
    return chr(code)


def _join(match: re.Match[str]) -> str:
    code = 0x10000 + ((int(match[1], 16) - 0xD800) << 10) + int(match[2], 16) - 0xDC00
    return f"\\U{code:08X}"


def _skip(line: str, at: int) -> int:
    gap = _GAP.match(line, at)
    return gap.end() if gap else at


def _node(line: str, at: int, reason: str) -> tuple[str, int]:
    if line[at : at + 1] == "<":
        return _iri(line, at)
    blank = _BLANK.match(line, at)
    if blank is None:
        raise LineError(reason, at)
    return blank[0], blank.end()


def _iri(line: str, at: int) -> tuple[str, int]:
    """Return the IRI that begins at ``at``, and the place after it."""
    match = _IRI.match(line, at)
    if match is None:
        raise LineError("iri", at)
    iri = match[1]
    if "\\" in iri:
        try:
            iri = unescape(iri)
        except LineError as e:
            raise LineError("escape", at) from e
        if re.search(r"[\x00-\x20<>\"{}|^`\\]", iri):
            raise LineError("iri", at)
    if not _ABSOLUTE.match(iri):
        raise LineError("iri", at)
    return f"<{iri}>", match.end()


def _literal(line: str, at: int) -> tuple[str, int, bool]:
    """Return the literal that begins at ``at``, the place after it, and whether it was corrected."""
    match = _BODY.match(line, at)
    if match is None:
        raise LineError("literal", at)
    body, end, repaired = match[1], match.end(), False
    if "\\" in body:
        whole = _PAIR.sub(_join, body)
        repaired = whole != body
        body = whole
        try:
            unescape(body)
        except LineError as e:
            raise LineError("escape", at + 1 + e.position) from e
    if _RAW.search(body):
        body = _RAW.sub(lambda m: _RAW_NAMES.get(m[0], f"\\u{ord(m[0]):04X}"), body)
        repaired = True
    tail = ""
    gap = _skip(line, end)
    if line[gap : gap + 1] in {"@", "^"}:  # a gap is legal there
        end = gap
    if line[end : end + 1] == "@":
        language = _LANGUAGE.match(line, end)
        if language is None:
            raise LineError("tag", end)
        tail, end = language[0], language.end()
    elif line[end : end + 2] == "^^":
        start = _skip(line, end + 2)
        if line[start : start + 1] != "<":
            raise LineError("tag", end)
        datatype, end = _iri(line, start)
        tail = f"^^{datatype}"
    return f'"{body}"{tail}', end, repaired
