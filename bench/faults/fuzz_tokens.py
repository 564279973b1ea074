"""Words that the fuzzer puts into inputs, by kind of input."""

from __future__ import annotations

from typing import Final

TRIPLES: Final = (
    b"<http://rdf.freebase.com/ns/m.0", b"<http://rdf.freebase.com/ns/g.1", b"<http://rdf.freebase.com/ns/",
    b"<http://rdf.freebase.com/key/en>", b"type.object.name>", b"common.topic.alias>", b"type.object.type>",
    b"<http://www.wikidata.org/entity/Q", b"<http://www.wikidata.org/entity/P",
    b"<http://www.wikidata.org/prop/direct/P31>", b"<http://www.w3.org/2002/07/owl#sameAs>",
    b"<http://schema.org/about>", b"<https://en.wikipedia.org/wiki/", b"^^<http://www.w3.org/2001/XMLSchema#",
    b"integer>", b"gYear>", b"date>", b"dateTime>", b'"@en', b'"@en-GB', b'"@de', b'"', b"\\u0000", b"\\u0041",
    b"\\U0001F600", b"\\uD83D\\uDE00", b"\\uDC00", b"\\U00110000", b"\\x", b"\\\"", b"\\\\", b"\\n", b"\\t", b"_:b1",
    b"_:", b"\t", b" ", b" .", b".", b"<", b">", b"<>", b"<a:b>", b"#", b"%41", b"$0041", b"0000000000",
    b"zzzzzzzzzzzzz", b"99999999999999999999", b"Q0", b"Q42", b"{", b"|", b"`",
)  # fmt: skip
JSON: Final = (
    b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"-1", b"1e400", b'""', b"{}", b"[]", b"\\u0000",
    b"\\ud83d", b"\\udc00", b"\\ud83d\\ude00", b"\\", b"0", b"123456789012345678901234567890", b'"id"', b'"value"',
    b'"type"', b'"mainsnak"', b'"snaktype":"somevalue"', b'"novalue"', b'"datavalue"', b'"Q42"', b'"P31"',
    b'"rank":"deprecated"', b'"qualifiers"', b'"references"', b'"P143"', b'"P248"', b'"time"',
    b'"+1952-03-11T00:00:00Z"', b'"precision":14', b'"amount"', b'"+1.5"', b'"text"', b'"title"', b'"language"',
    b'"labels"', b'"aliases"', b'"sitelinks"', b'"enwiki"', b"[[[[[[[[[[", b'{"a":', b"\\t", b"\\n",
)  # fmt: skip
WIKI: Final = (
    b"[[", b"]]", b"{{", b"}}", b"{|", b"|}", b"|-", b"|", b"'''", b"''", b"==", b"===", b"<ref>", b"</ref>",
    b"<ref/>", b"<!--", b"-->", b"<nowiki>", b"</nowiki>", b"[[File:", b"[[Category:", b"[[:de:", b"[http://",
    b"http://", b"&nbsp;", b"&amp;", b"&#0;", b"&#xD800;", b"&lt;", b"*", b"#", b":", b"\n", b"\n\n", b"__TOC__",
    b"<br>", b"<math>", b"&#8206;", b"(", b")", b"<page>", b"</page>", b"<title>", b"</title>", b"<text>", b"</text>",
    b"<ns>", b"<redirect title=\"", b"<![CDATA[", b"]]>", b"<!DOCTYPE x [<!ENTITY a \"b\">]>", b"&a;", b"<revision>",
    b"</revision>", b"<id>", b"#REDIRECT", b"{{{{{{{{{{", b"[[[[[[[[[[", b"</", b"/>",
)  # fmt: skip
TABLE: Final = (
    b",", b"\t", b";", b"|", b'"', b'""', b"\n", b"\r\n", b"\r", b"\n\n", b"name", b"id", b"source", b"entity",
    b"value", b"attribute", b"Q42", b"/m/0282x", b"2011-12-01", b"1,234.5", b"<row>", b"</row>", b"<a b=\"c\">",
    b"</a>", b"<", b"&amp;", b"&#1;", b"<!DOCTYPE a>", b"<![CDATA[", b"{", b"}", b"[", b"]", b":", b"null",
    b"\\u0000", b"\\ud800", b"=1+1", b"@x", b"col=entity", b"#1", b"#2=value:x", b"map=", b"\xff\xfea\0", b"true",
    b"1e5",
)  # fmt: skip
RDF: Final = (
    b"@prefix", b"@base", b"PREFIX", b"GRAPH", b"<", b">", b".", b";", b",", b"[", b"]", b"(", b")", b"{", b"}", b"a",
    b'"""', b"'''", b'"@en', b"^^", b"xsd:integer", b"_:b", b":x", b"<http://a/b>", b"true", b"1.0e5", b"\\u0041",
    b"#", b"<rdf:RDF", b"rdf:about=", b"rdf:parseType=\"Collection\"", b"<!DOCTYPE", b"<!ENTITY x \"y\">", b"&x;",
    b"xml:lang=", b'"@context"', b'"@id"', b'"@type"', b'"@graph"', b'"@list"', b'"@value"', b'"@reverse"',
    b'"@import"', b"null", b"[]", b"..", b"%zz", b"\\U00110000", b"xmlns:", b"=>", b"is", b"of",
)  # fmt: skip
QUERY: Final = (
    b'"', b"'", b"*", b"-", b"+", b"(", b")", b"NEAR", b"OR", b"AND", b"NOT", b"^", b":", b"{", b"}", b"AT&T?",
    b"a-b", b"C++", b"o'neil", b"\\", b"/", b"~", b"[", b"%", b"_", b";--", b"column:", "é".encode(), "ﬁ".encode(),
    "ß".encode(), "İ".encode(), "ǰ".encode(), "東京".encode(), "क्ष".encode(), "\u0345".encode(), "\u1e9e".encode(),
    "½".encode(), b"Q42", b"m.0", b"/m/0282x", b"g.11", b"P0", b"http://www.wikidata.org/entity/Q1",
)  # fmt: skip
