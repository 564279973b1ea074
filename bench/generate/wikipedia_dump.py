"""Writes a multistream Wikipedia dump of any size from the sentences of the data pack's passages, for speed runs.

    python bench/generate/wikipedia_dump.py --megabytes 500 --out out/wiki.xml.bz2 [--seed 1]

Beside it there are then ``wiki-index.txt.bz2`` (``offset:page id:title``, as Wikipedia has it) and ``wiki.json``:
pages by kind, plain bytes, bytes of prose. The same seed and size give the same files.

Pages look like articles: an infobox with nested templates, a lead with the title in bold, links where the sentences
name other pages, references as templates, tables, lists, files with linked captions, comments, categories, and a tail
of references and external links. A third of the file is prose, the rest markup; every fifth page is a redirect,
every twentieth a talk page. The text is that of the passages (CC BY-SA): not for publication.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import data

STREAM: Final = 100
"""Pages of a bz2 stream, as in the dump."""

HEAD: Final = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <dbname>enwiki</dbname>
    <base>https://en.wikipedia.org/wiki/Main_Page</base>
    <generator>hydra-kg bench</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="-1" case="first-letter">Special</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL: Final = "</mediawiki>\n"
_CAPITALS: Final = re.compile(r"\b[A-Z][\w.'-]+(?:(?: of| the| and| de)? [A-Z][\w.'-]+){0,4}")


def articles() -> list[tuple[str, list[str]]]:
    """(title, passages), those of one title together, in the order of the file."""
    found: dict[str, list[str]] = defaultdict(list)
    with gzip.open(data() / "wikipedia.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            doc = json.loads(line)
            if doc.get("title") and doc.get("text"):
                found[doc["title"]].append(" ".join(doc["text"].split()))
    return list(found.items())


def generate(out: Path, *, megabytes: float, seed: int = 1, stream: int = STREAM) -> dict[str, Any]:
    """Write the dump, its index and its counts."""
    rng = random.Random(seed)
    pages = articles()
    titles = {title for title, _ in pages}
    more = [passages[0] for _, passages in pages[7::3]]  # an article tells of other things too
    counts: dict[str, Any] = {"articles": 0, "redirects": 0, "others": 0, "plain_bytes": 0, "prose_bytes": 0}
    index: list[str] = []
    wanted, number = int(megabytes * 1e6), 0

    def made() -> Iterator[tuple[int, str, str]]:
        nonlocal number
        for turn in range(1_000_000):
            for place, (title, own) in enumerate(pages):
                number += 1
                passages = own + more[place % len(more) : place % len(more) + rng.randrange(2, 14)]
                name = title if not turn else f"{title} ({turn})"
                kind = number % 20
                if kind == 7:
                    counts["others"] += 1
                    yield number, f"Talk:{name}", _page(f"Talk:{name}", number, 1, "Some talk about [[this]].")
                elif kind % 5 == 3:
                    counts["redirects"] += 1
                    target = pages[number * 7 % len(pages)][0]
                    yield number, f"{name} again", _page(f"{name} again", number, 0, f"#REDIRECT [[{target}]]", target)
                else:
                    counts["articles"] += 1
                    counts["prose_bytes"] += sum(map(len, passages))
                    yield number, name, _page(name, number, 0, _article(title, passages, titles, rng))

    with out.open("wb") as file:
        file.write(bz2.compress(HEAD.encode()))
        counts["plain_bytes"] += len(HEAD)
        block: list[str] = []
        source = made()
        while counts["plain_bytes"] < wanted:
            at = file.tell()
            block = []
            for _ in range(stream):
                page, title, text = next(source)
                index.append(f"{at}:{page}:{title}\n")
                block.append(text)
            plain = "".join(block).encode()
            counts["plain_bytes"] += len(plain)
            file.write(bz2.compress(plain))
        file.write(bz2.compress(TAIL.encode()))
    name = out.name.removesuffix(".xml.bz2")
    out.with_name(f"{name}-index.txt.bz2").write_bytes(bz2.compress("".join(index).encode()))
    counts |= {"bytes": out.stat().st_size, "seed": seed, "streams": len(index) // stream + 2}
    out.with_name(f"{name}.json").write_text(json.dumps(counts, indent=1) + "\n", "utf-8")
    return counts


def _page(title: str, number: int, space: int, text: str, redirect: str = "") -> str:
    moved = f"    <redirect title={quoteattr(redirect)} />\n" if redirect else ""
    return (
        f"  <page>\n    <title>{escape(title)}</title>\n    <ns>{space}</ns>\n    <id>{number}</id>\n{moved}"
        f"    <revision>\n      <id>{number + 10_000_000}</id>\n      <timestamp>2024-05-01T00:00:00Z</timestamp>\n"
        "      <contributor><username>Someone</username><id>7</id></contributor>\n"
        "      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
        f'      <text bytes="{len(text)}" xml:space="preserve">{escape(text)}</text>\n'
        "      <sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>\n    </revision>\n  </page>\n"
    )


def _article(title: str, passages: list[str], titles: set[str], rng: random.Random) -> str:
    """The wikitext of one article."""
    plain = re.sub(r" \([^()]*\)$", "", title)
    out = ["{{Short description|A page}}\n{{Use dmy dates|date=May 2024}}\n", _infobox(plain, rng)]
    for n, passage in enumerate(passages):
        text = _linked(passage, title, titles)
        if not n:
            text = text.replace(plain, f"'''{plain}'''", 1)
        elif n % 2:
            out.append(
                f"\n== Part {n} ==\n[[File:Picture {n}.jpg|thumb|right|200px|A view of [[{plain}]] in {1900 + n}]]\n"
            )
        sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)
        out.append(" ".join(s + (_reference(rng) if rng.random() < 0.45 else "") for s in sentences) + "\n\n")
    if rng.random() < 0.4:
        out.append(_table(plain, rng))
    out.append(
        "\n== See also ==\n* [[Another page]]\n* [[A third page|third]]\n\n== References ==\n{{Reflist|30em}}\n"
        "\n== External links ==\n* {{Official website|https://example.org/x}}\n"
        "* [https://example.org/y A page]\n"
        "\n{{Navbox things}}\n{{Authority control}}\n\n"
        "[[Category:Things named so]]\n[[Category:Living things]]\n"
    )
    return "".join(out)


def _linked(text: str, own: str, titles: set[str]) -> str:
    """The text with the first naming of each other page as a link."""
    seen = {own}

    def link(m: re.Match[str]) -> str:
        if m[0] in titles and m[0] not in seen and len(m[0]) > 3:
            seen.add(m[0])
            return f"[[{m[0]}]]"
        return m[0]

    return _CAPITALS.sub(link, text)


def _infobox(name: str, rng: random.Random) -> str:
    lines = []
    for n in range(rng.randrange(4, 14)):
        if n % 4 == 1:
            items = f"* [[Value {rng.randrange(99)}]]\n* {{{{start date|{1900 + n}|1|{n + 1}}}}}\n"
            lines.append(f"| field_{n} = {{{{plainlist|\n{items}}}}}\n")
        else:
            lines.append(f"| field_{n} = A value of [[Thing {n}|thing]] {rng.randrange(10_000)}<!-- checked -->\n")
    return f"{{{{Infobox thing\n| name = {name}\n| image = Picture.jpg\n{''.join(lines)}}}}}\n"


def _reference(rng: random.Random) -> str:
    n = rng.randrange(10_000)
    if n % 3 == 0:
        return f'<ref name="r{n % 50}" />'
    return (
        f"<ref>{{{{cite web |url=https://example.org/{n} |title=On the matter {n} |last=Writer |first=A. "
        f"|date={n % 28 + 1} May 20{n % 24:02d} |publisher=[[Paper {n % 30}]]}}}}</ref>"
    )


def _table(name: str, rng: random.Random) -> str:
    rows = "".join(
        f'|-\n| {1990 + n} || [[Thing {n}]] || style="color:red" | {rng.randrange(1000)} {{{{yes}}}}\n'
        for n in range(rng.randrange(3, 30))
    )
    return f'\n== Table ==\n{{| class="wikitable sortable"\n! Year !! {name} !! Count\n{rows}|}}\n'


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=500, help="plain size (default %(default)s)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    json.dump(generate(args.out, megabytes=args.megabytes, seed=args.seed), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
