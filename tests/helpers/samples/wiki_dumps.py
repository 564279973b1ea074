"""What tests of Wikipedia dumps share: pages as XML, and files of one or several bz2 streams."""

from __future__ import annotations

import bz2
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <base>https://en.wikipedia.org/wiki/Main_Page</base>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">File</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL = "</mediawiki>\n"

MOZART = """{{Infobox person|name=Mozart|birth_place=[[Salzburg]]}}
'''Wolfgang Amadeus Mozart''' (27 January 1756 – 5 December 1791) was a composer of the \
[[Classical period (music)|Classical period]].<ref>x</ref> He was born in [[Salzburg]] and died in [[Vienna]].

== Family ==
Mozart married [[Constanze Weber]] in 1782. {{citation needed}}

== References ==
{{reflist}}
"""
SALZBURG = "'''Salzburg''' is a city in [[Austria]].\n\n* [[Mozart]] lived here\n"
VIENNA = "'''Vienna''' is the capital and largest city of [[Austria]].\n[[Category:Cities]]"


def page(title: str, text: str, *, number: int = 1, space: int = 0, redirect: str = "", model: str = "wikitext") -> str:
    """One page as the dump has it."""
    moved = f"    <redirect title={quoteattr(redirect)} />\n" if redirect else ""
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>{space}</ns>\n    <id>{number}</id>\n{moved}"
        f"    <revision>\n      <id>{number + 1000}</id>\n      <contributor><id>7</id></contributor>\n"
        f"      <model>{model}</model>\n"
        f'      <text bytes="{len(text)}" xml:space="preserve">{escape(text)}</text>\n'
        "    </revision>\n  </page>\n"
    )


PAGES = (
    page("Wolfgang Amadeus Mozart", MOZART, number=1),
    page("Mozart", "#REDIRECT [[Wolfgang Amadeus Mozart]]", number=2, redirect="Wolfgang Amadeus Mozart"),
    page("Salzburg", SALZBURG, number=3),
    page("Vienna", VIENNA, number=4),
    page("Talk:Vienna", "Some [[talk]].", number=5, space=1),
    page("Nowhere", "#REDIRECT [[Atlantis]]", number=6, redirect="Atlantis"),
    page("Wien", "#REDIRECT [[Vindobona]]", number=7, redirect="Vindobona"),
    page("Vindobona", "#REDIRECT [[Vienna]]", number=8, redirect="Vienna"),
    page("Empty", "{{only|a template}}", number=9),
    page("Mercury (planet)", "'''Mercury''' is a planet.", number=10),
    page("Common.css", "a {color: red}", number=11, model="css"),
)


def multistream(file: Path, pages: Sequence[str] = PAGES, *, each: int = 2) -> Path:
    """A file of one stream for the head, one for every ``each`` pages, one for the tail."""
    streams = [HEAD, *("".join(pages[n : n + each]) for n in range(0, len(pages), each)), TAIL]
    file.write_bytes(b"".join(bz2.compress(s.encode()) for s in streams))
    return file


def whole(pages: Sequence[str] = PAGES) -> bytes:
    """The same as plain XML."""
    return (HEAD + "".join(pages) + TAIL).encode()
