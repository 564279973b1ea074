"""Explain scores and refusals in words for people who do not know the formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hydra_kg.text.plain_text import clean

Doc = Mapping[str, Any]

# Relevance is a share of the best there can be, not of what is usual: of 45 right paths of the sample's questions all
# have 0.3 or more and 16 less than 0.5, so that these are near, too.
_NEAR: Final = ((0.5, "very near to the question"), (0.3, "near to the question"))

MEANING: Final[Mapping[str, str]] = {
    "relevance": "how near the words of the path are to those of the question",
    "f1": "how far the kinds of source behind the path are trusted",
    "f2": "how many independent sources agree on it",
    "f3": "how much of it is close to what the question names",
    "verification": "f1, f2 and f3 together: how well sources back the path",
    "cross": "relevance and verification together: what paths are ranked by",
    "llm": "what the language model makes of it",
}
"""Each score of a path as a clause. All scores are from 0 (worst) to 1 (best)."""


def describe_scores(path: Doc) -> str:
    """Return relevance and sources in words: ``near to the question · stated by 2 independent sources``."""
    near = _word(path["scores"].get("relevance"), _NEAR, "loosely about the question")
    number = len(path.get("origins", ()))
    if not number:
        return near
    return f"{near} · stated by {'one source' if number == 1 else f'{number} independent sources'}"


def agreement_in_words(doc: Doc) -> str:
    """Return how far the sources of an answer agree, and the amount of evidence for and against it."""
    if not doc["amount"]:
        return ""
    how = "all one way" if doc["agreement"] >= 0.999 else "mostly one way" if doc["agreement"] >= 0.5 else "divided"
    amount = f"as much as {doc['amount']:.1f} sources that are trusted wholly"
    return f"what the sources say is {how}, and counts {amount}"


def verdict_sentence(doc: Doc) -> str:
    """Return what the verdict says about sources: ``freebase and wikidata agree.``; "" if the badge says it all."""
    places = [s for p in doc["paths"] for hop in p["hops"] for s in hop["sources"]]
    places += [p["passage"] for p in doc["paths"] if p.get("passage")]
    names = sorted({clean(place["source"]) for place in places})
    if not names or doc["abstained"]:
        return ""
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    if doc["verdict"] == "supported" and len(names) > 1:
        return f"{listed} agree."
    if doc["verdict"] == "single-source" and len(names) == 1:
        return f"Only {listed} states it."
    return ""


def missing_sentence(missing: object) -> str:
    """Return why there is no answer as one sentence with a capital at its beginning and one full stop at its end."""
    text = clean(missing).strip(" .:;,")
    if not text:
        return "Nothing was found that answers the question."
    sentence = text[0].upper() + text[1:]
    return sentence if sentence[-1] in "?!…" else f"{sentence}."


def _word(value: float | None, steps: tuple[tuple[float, str], ...], least: str) -> str:
    return next((word for step, word in steps if (value or 0) >= step), least)
