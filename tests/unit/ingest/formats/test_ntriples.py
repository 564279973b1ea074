"""The strict line parser: it reads what rdflib reads from valid N-Triples, and refuses the rest in the right place."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.term import Node

from hydra_kg.ingest.formats.ntriples import (
    REASONS,
    LineError,
    literal_text,
    parse_line,
    undo_doubled_escapes,
    unescape,
)

# XML 1.0 has no say here, but rdflib's own terms refuse surrogates, and so does the standard.
characters = st.characters(exclude_categories=("Cs",))
iri_tail = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), exclude_characters='<>"{}|^`\\ '))
iris = iri_tail.map(lambda tail: f"http://example.org/{tail}")
labels = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,8}", fullmatch=True)
languages = st.sampled_from(["en", "de", "en-GB", "zh-Hans"])

Case = tuple[str, tuple[Node, Node, Node]]


@st.composite
def escaped(draw: st.DrawFn, text: str) -> str:
    """One of the ways to write a text inside quotes."""
    out = []
    short = {"\t": "\\t", "\b": "\\b", "\n": "\\n", "\r": "\\r", "\f": "\\f", '"': '\\"', "'": "\\'", "\\": "\\\\"}
    for c in text:
        ways = [f"\\U{ord(c):08X}"]
        if ord(c) < 0x10000:
            ways.append(f"\\u{ord(c):04x}")
        if c in short:
            ways.append(short[c])
        elif c >= " ":
            ways += [c, c]
        out.append(draw(st.sampled_from(ways)))
    return "".join(out)


@st.composite
def triples(draw: st.DrawFn) -> Case:
    """A valid line and the terms that it states."""
    subject, text_s = draw(nodes())
    iri = draw(iris)
    if draw(st.booleans()):
        obj, text_o = draw(nodes())
    else:
        text = draw(st.text(characters, max_size=12))
        text_o = f'"{draw(escaped(text))}"'
        kind = draw(st.sampled_from(["plain", "language", "typed"]))
        if kind == "language":
            language = draw(languages)
            obj, text_o = Literal(text, lang=language), f"{text_o}@{language}"
        elif kind == "typed":
            datatype = draw(iris)
            obj, text_o = Literal(text, datatype=URIRef(datatype)), f"{text_o}^^<{datatype}>"
        else:
            obj = Literal(text)
    gap = st.sampled_from([" ", "\t", "  ", " \t"])
    end = draw(st.sampled_from([".", " .", "\t.", " . ", "\t. # why"]))
    return f"{text_s}{draw(gap)}<{iri}>{draw(gap)}{text_o}{end}", (subject, URIRef(iri), obj)


@st.composite
def nodes(draw: st.DrawFn) -> tuple[Node, str]:
    """An IRI or blank node, and how it is written."""
    if draw(st.booleans()):
        label = draw(labels)
        return BNode(label), f"_:{label}"
    iri = draw(iris)
    return URIRef(iri), f"<{iri}>"


def term(text: str) -> Node:
    """A parsed term as rdflib has it."""
    if text.startswith("<"):
        return URIRef(text[1:-1])
    if text.startswith("_:"):
        return BNode(text[2:])
    tail = text[text.rindex('"') + 1 :]
    if tail.startswith("@"):
        return Literal(literal_text(text), lang=tail[1:])
    return Literal(literal_text(text), datatype=URIRef(tail[3:-1]) if tail else None)


@given(triples())
def test_reads_what_was_written(case: Case) -> None:
    line, (s, p, o) = case
    found = parse_line(line)
    assert found is not None
    assert (term(found.subject), term(found.predicate), term(found.object)) == (s, p, o)


@given(triples())
def test_agrees_with_rdflib(case: Case) -> None:
    line, _ = case
    found = parse_line(line)
    assert found is not None
    graph = Graph()
    graph.parse(io.BytesIO(line.encode() + b"\n"), format="nt")
    ((s, p, o),) = graph
    mine = [term(t) for t in (found.subject, found.predicate, found.object)]
    theirs = [s, p, o]
    for a, b in zip(mine, theirs, strict=True):
        assert isinstance(b, BNode) or a == b  # rdflib names blank nodes anew


@given(triples())
def test_its_own_line_reads_the_same(case: Case) -> None:
    found = parse_line(case[0])
    assert found is not None
    again = parse_line(found.line())
    assert again is not None
    assert (again.subject, again.predicate, again.object) == (found.subject, found.predicate, found.object)
    assert not again.repaired
    assert len(found.line().split("\t")) == 4


@given(st.text(characters))
def test_any_text_is_a_triple_a_blank_or_an_error_with_a_reason(text: str) -> None:
    error = None
    try:
        parse_line(text)
    except LineError as e:
        error = e
    assert error is None or (error.reason in REASONS and 0 <= error.position <= len(text))


@given(triples(), st.data())
def test_a_cut_line_is_never_taken_for_a_whole_one(
    case: tuple[str, tuple[Node, Node, Node]], data: st.DataObject
) -> None:
    line = case[0].split(" #")[0].rstrip()
    cut = data.draw(st.integers(0, len(line) - 1))
    try:
        found = parse_line(line[:cut])
    except LineError:
        return
    assert found is None or line[cut:].strip(" \t.") == ""


S, P = "<http://a/s>", "<http://a/p>"


@pytest.mark.parametrize(
    "line,reason,position",
    [
        ("junk", "subject", 0),
        ('"literal" <http://a/p> <http://a/o> .', "subject", 0),
        (f"{S} nonsense {P} .", "predicate", 13),
        (f"{S} _:b {P} .", "predicate", 13),
        (f"{S}\t{P}\t.", "object", 26),
        (f"{S}\t{P}\tplain\t.", "object", 26),
        (f"{S}\t{P}\t<http://a/ o>\t.", "iri", 26),
        (f'{S}\t{P}\t<http://a/"o">\t.', "iri", 26),
        (f"{S}\t{P}\t<relative>\t.", "iri", 26),
        (f"{S}\t{P}\t<http://a/\\u0020>\t.", "iri", 26),
        (f'{S}\t{P}\t"open\t.', "literal", 26),
        (f'{S}\t{P}\t"a\\x"\t.', "escape", 28),
        (f'{S}\t{P}\t"a\\u12"\t.', "escape", 28),
        (f'{S}\t{P}\t"\\uD83D"\t.', "escape", 27),
        (f'{S}\t{P}\t"\\U00110000"\t.', "escape", 27),
        (f'{S}\t{P}\t"a"@\t.', "tag", 29),
        (f'{S}\t{P}\t"a"^^xsd:int\t.', "tag", 29),
        (f'{S}\t{P}\t"a" "b"\t.', "end", 29),
        (f"{S}\t{P}\t<http://a/o>", "end", 38),
        (f"{S}\t{P}\t<http://a/o>\t<http://a/g>\t.", "end", 38),
        (f"{S}\t{P}\t<http://a/o>\t. more", "end", 38),
    ],
)
def test_refuses_with_reason_and_position(line: str, reason: str, position: int) -> None:
    with pytest.raises(LineError) as caught:
        parse_line(line)
    assert (caught.value.reason, caught.value.position) == (reason, position)


@pytest.mark.parametrize("line", ["", "   ", "\t", "# a comment", "  # a comment", "\r"])
def test_blank_lines_and_comments_say_nothing(line: str) -> None:
    assert parse_line(line) is None


def test_a_raw_tab_in_a_literal_is_repaired() -> None:
    found = parse_line(f'{S}\t{P}\t"one\ttwo"@en\t.')
    assert found is not None
    assert (found.object, found.repaired) == ('"one\\ttwo"@en', True)
    assert literal_text(found.object) == "one\ttwo"


def test_a_pair_of_surrogates_is_one_character() -> None:
    found = parse_line(f'{S}\t{P}\t"\\uD83D\\uDE00"\t.')
    assert found is not None
    assert found.repaired
    assert literal_text(found.object) == "😀"


def test_escapes_are_resolved_in_one_pass() -> None:
    assert unescape(r"a\\tb\t") == "a\\tb\t"
    assert unescape(r"\\u0041\u0041") == "\\u0041A"


def test_what_was_escaped_twice_is_read_as_it_was_meant() -> None:
    assert undo_doubled_escapes("K\\u00F6ppen \\uD83D\\uDE00\\U0001F600 plain") == "Köppen 😀😀 plain"
    for text in ("no escape", r"C:\new", r"\u00F", r"\u0007", r"\uD83D alone", r"a\u000Ab", "ö"):
        assert undo_doubled_escapes(text) == text


def test_windows_line_ends_and_missing_gaps_are_legal() -> None:
    found = parse_line(f"{S}{P}<http://a/o>.\r")
    assert found is not None
    assert found.object == "<http://a/o>"
