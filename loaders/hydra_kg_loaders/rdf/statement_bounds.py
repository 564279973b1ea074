"""Find where reading Turtle or TriG can continue after a faulty statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hydra_kg.util.fast_dataclass import dataclass

_NAME: Final = rb"[^\s<>\"'\[\](){};,.#\\]"
_TOKEN: Final = re.compile(
    rb"#[^\n]*"  # comment
    rb"|<[^>\n]*>"
    rb'|"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\''
    rb'|"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?'  # one that is not closed ends with its line
    rb"|[\[\](){};.,]"
    rb"|(?:" + _NAME + rb"|\\.|\.+(?=" + _NAME + rb"|\\))+"
    rb"|\S",
    re.DOTALL,
)
_DIRECTIVES: Final = {b"prefix": 2, b"base": 1}
"""Number of terms after a SPARQL directive, which does not end with a dot."""


@dataclass(frozen=True, slots=True)
class StatementPlace:
    """An offset at which reading can begin, with the text to read before it: the open graph and the subject."""

    offset: int
    graph: bytes = b""
    subject: bytes = b""


def find_next_place(data: bytes, start: StatementPlace, fault: int) -> StatementPlace | None:
    """Return where the next statement, or predicate of its subject, begins after a ``fault``.

    Reading begins at ``start``. In ``ex:a ex:p <bad iri> ; ex:q 1 .`` the place is ``ex:q``. Returns None if there is
    none.
    """
    graph, subject, depth, begin, skip = start.graph, start.subject, 0, -1, 0
    tokens = _tokens(data, start.offset)
    for token in tokens:
        word, end = token[0], token.end()
        if skip:
            skip -= 1
            continue
        closed = word in {b".", b"}", b"{"}
        if word == b"{":
            graph = (data[begin : token.start()].strip() if begin >= 0 else b"") + b" {"
        elif word == b"}":
            graph = b""
        if closed:
            subject, depth, begin = b"", 0, -1
            if end > fault:
                return StatementPlace(end, graph)
            continue
        if begin < 0:
            begin = token.start()
            if not start.subject or subject != start.subject:
                subject = word if word[:1] == b"<" or (b":" in word and word[:1] not in b"\"'@") else b""
            skip = _DIRECTIVES.get(word.lower(), 0)
            if skip:
                begin = -1
                continue
        if word in b"[(":
            depth += 1
        elif word in b"])":
            depth = max(0, depth - 1)
        elif word == b";" and not depth and subject and end > fault:
            following = next(_tokens(data, end), None)
            if following is not None and following[0] not in {b".", b";", b"}"}:
                return StatementPlace(end, graph, subject)
    return None


def _tokens(data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    return (token for token in _TOKEN.finditer(data, start) if token[0][:1] != b"#")
