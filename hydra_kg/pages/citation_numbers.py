"""Number printed citations ``[n]`` without gaps, in order of appearance, the same for text, page and ``--cite``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hydra_kg.phrases import arrow, relation_of
from hydra_kg.text.plain_text import clean, shorten

Doc = Mapping[str, Any]

MARKED: Final = 6
"""Most sources of one hop that get a number; this many are enough to open."""

_MARK: Final = re.compile(r"\[(\d{1,6})\]")
_SAYS: Final = re.compile(r"(.+?) (?:also says|says|say) (.+)")


class Numbers:
    """Assigns citation numbers to places in order of first use. ``match`` has what is stated, in words, by number."""

    def __init__(self, citations: Sequence[Doc]) -> None:
        self._known = {_place(c): c for c in citations}
        self._by_number = {int(c["n"]): c for c in citations}
        self._used: dict[tuple[str, str], dict[str, Any]] = {}
        self.statements: dict[int, list[str]] = {}

    def of(self, source: Doc, says: str = "") -> int:
        """Return the number of a hop's source or of a passage."""
        place = _place(source)
        if place not in self._used:
            self._used[place] = {**source, **self._known.get(place, {}), "n": len(self._used) + 1}
        n = int(self._used[place]["n"])
        if says and says not in self.statements.setdefault(n, []):
            self.statements[n].append(says)
        return n

    def of_hop(self, hop: Doc) -> list[int]:
        """Return the numbers of a hop's sources, ascending: at most ``MARKED``, those that the answer cites first."""
        places = {_place(s): s for s in sorted(hop["sources"], key=lambda s: s.get("n", 10**9))}
        says = f"{name_of(hop['subject'])} {arrow(clean(relation_of(hop)))} {name_of(hop['object'])}"
        return sorted(self.of(s, says) for s in list(places.values())[:MARKED])

    def of_dissent(self, doc: Doc, text: str) -> list[int]:
        """Return the numbers of the places at which dissenting sources say so: ``wikidata says Vienna``."""
        if (match := _SAYS.fullmatch(text)) is None:
            return []
        who, what = match[1].split(", "), match[2]
        found: dict[int, None] = {}
        explored = (p for x in doc["explorations"] for p in x["paths"])
        for hop in (p["hops"][-1] for p in (*doc["paths"], *explored) if p["hops"]):
            if hop["object"]["name"] and re.search(rf"(?<!\w){re.escape(hop['object']['name'])}(?!\w)", what):
                sources = [s for s in hop["sources"] if s["source"] in who]
                found |= dict.fromkeys(self.of_hop({**hop, "sources": sources}))
        for finding in doc.get("findings", ()):
            passage = finding["passage"]
            if finding["value"] and finding["value"] in what and passage["source"] in who:
                found[self.of(passage, clean(passage["text"]))] = None
        return list(found)[:MARKED]

    def in_text(self, text: str) -> str:
        """Return the answer's own text with its citation numbers as they are shown here."""
        return _MARK.sub(self._as_shown, text)

    def _as_shown(self, mark: re.Match[str]) -> str:
        known = self._by_number.get(int(mark[1]))
        return f"[{self.of(known)}]" if known is not None else mark[0]

    def used(self) -> list[Doc]:
        """Return the citations to list, by number."""
        return list(self._used.values())


def name_of(node: Doc) -> str:
    """Return a node's name for people, or its id if it has none."""
    return clean(node["name"] or node["id"])


def marks(numbers: Iterable[int]) -> str:
    """Return numbers as marks: ``[1][2]``."""
    return "".join(f"[{n}]" for n in numbers)


def is_bare_list(text: str, names: Sequence[str]) -> bool:
    """Return whether an answer's text consists of its names only: ``A, B and C``."""
    for name in names:
        text = text.replace(name, "", 1)
    return not text.replace(" and ", "").strip(" ,;.")


def _place(source: Doc) -> tuple[str, str]:
    return str(source["source"]), str(source["locator"])


def format_marked_path(path: Doc, numbers: Numbers | None) -> str:
    """Return a path in one line with citation numbers: ``A — relation → B [1][2] — relation → C [3]``.

    Return the quoted sentence for a path without hops. Without ``numbers``, none are shown.
    """
    hops = path["hops"]
    if not hops:
        quoted_text, passage = f"“{shorten(path.get('sentence') or path['text'])}”", path.get("passage")
        return f"{quoted_text} [{numbers.of(passage, quoted_text)}]" if passage and numbers is not None else quoted_text
    text = name_of(hops[0]["subject"])
    for hop in hops:
        found = marks(numbers.of_hop(hop)) if numbers is not None else ""
        text += f" {arrow(clean(relation_of(hop)))} {name_of(hop['object'])}{' ' + found if found else ''}"
    return text
