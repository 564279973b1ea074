"""Read chains that a model writes, ``A - relation - B``: depth and order of a skyline, paths of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.agents.replies.lenient_parsing import split_chain
from hydra_kg.domain import Excerpt, Mention, WrittenPath
from hydra_kg.extract.mentions import plain_title
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import tokens

_PRONOUNS: Final = frozenset({"he", "she", "it", "they"})


def within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Return True if ``part`` is a contiguous subsequence of ``whole``."""
    n = len(part)
    return n > 0 and any(list(whole[i : i + n]) == list(part) for i in range(len(whole) - n + 1))


def order_and_depth(
    skyline: str, mentions: Sequence[Mention], topics: Sequence[int]
) -> tuple[tuple[int, ...], int | None]:
    """Return the topics in the order of the skyline, and the predicted depth D_predict (§4.1).

    Topics that the skyline lacks come last. The depth is None if the skyline is not a chain.
    """
    nodes = [tokens(link) for link in split_chain(skyline)[::2]]
    place: dict[int, int] = {}
    for m in mentions:
        if m.chosen is None:
            continue
        names = [tokens(m.text), tokens(m.chosen.node.name)]
        at = next((i for i, node in enumerate(nodes) if any(within(n, node) or within(node, n) for n in names)), None)
        if at is not None:
            place.setdefault(m.chosen.node.id, at)
    order = tuple(sorted(topics, key=lambda t: place.get(t, len(nodes))))
    if len(nodes) < 2:
        return order, None
    answer = next((i for i, node in enumerate(nodes) if "answer" in node), len(nodes) - 1)
    starts = [at for at in place.values() if at != answer] or [0 if answer else len(nodes) - 1]
    return order, max(abs(answer - at) for at in starts)


def relation_words(skyline: str) -> str:
    """Return the relations of a chain without its entities, which would draw vectors to names instead of relations."""
    return ", ".join(split_chain(skyline)[1::2])


def chain_paths(n: int, chain: Sequence[str], excerpts: Sequence[Excerpt]) -> list[WrittenPath]:
    """Return the unbroken runs of a chain whose ends are words of excerpt ``n``.

    Excerpts are numbered from 1. :mod:`hydra_kg.steps.text.text_paths` checks the relations later.
    """
    return _runs(n - 1, chain, excerpts[n - 1]) if 1 <= n <= len(excerpts) else []


def _runs(at: int, chain: Sequence[str], excerpt: Excerpt) -> list[WrittenPath]:
    places = _places(excerpt)
    words = tokens(excerpt.text)
    ends = [_linked(entity, words, places) for entity in chain[::2]]
    found: list[WrittenPath] = []
    run: list[int] = []
    for i, end in enumerate(ends):
        if end is not None:
            run.append(end)
        stops = i + 1 == len(ends) or end is None or ends[i + 1] is None
        if stops or (end and end == ends[i + 1]) or not tokens(chain[2 * i + 1]):
            if len(run) > 1:
                first = i + 1 - len(run) if end is not None else i - len(run)
                found.append(WrittenPath(at, tuple(chain[2 * first : 2 * (first + len(run)) - 1]), tuple(run)))
            run = []
    return found


def _places(excerpt: Excerpt) -> list[tuple[list[str], int, bool]]:
    """Return (words, class, whether they are in the sentence) for each mention of an excerpt.

    The page's subject can also be named by the words of the page's title.
    """
    title = tokens(plain_title(excerpt.passage.title))
    places = [
        (tokens(excerpt.text[start:end]), node, True) if start < end else (title, node, False)
        for start, end, node in excerpt.mentions
    ]
    about = [place for place in places if place[1] == excerpt.passage.node and place[2]]
    return [*places, *((title, node, True) for _, node, _ in about[:1])]


def _linked(entity: str, words: Sequence[str], places: Sequence[tuple[list[str], int, bool]]) -> int | None:
    """Return the class of a chain's entity, 0 if the entity is other words of the sentence, else None."""
    name = tokens(entity)
    bare = name[1:] if len(name) > 1 and name[0] in ARTICLES else name
    for text, node, in_passage in places:
        if text and (text in (name, bare) or (not in_passage and entity.casefold() in _PRONOUNS)):
            return node
    if not within(bare, words) or FUNCTION.issuperset(bare):
        return None
    partly = {node for text, node, in_passage in places if in_passage and within(bare, text)}
    return partly.pop() if len(partly) == 1 else 0
