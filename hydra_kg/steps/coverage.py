"""Which conditions of a question an answer was not checked against: what no operator, value or relation on its paths
accounts for."""

from __future__ import annotations

from collections.abc import Iterable

from hydra_kg.domain import Analysis, Evidence
from hydra_kg.steps.conclude import Conclusion
from hydra_kg.text import fold, tokens


def unchecked(analysis: Analysis, conclusion: Conclusion) -> tuple[str, ...]:
    """Conditions of the question, in its words, that the conclusion does not meet.

    An order is met where something was computed; a number or a word where every answer's path holds it, in a value, a
    relation or a name ("first lady", "release date 1994").
    """
    if not conclusion.answers:
        return ()
    computed = bool(conclusion.computation)
    paths = [_words(e) for e in conclusion.evidence if e.answers]
    return tuple(c for c in analysis.conditions if not (computed or _met(c, paths)))


def _met(condition: str, paths: Iterable[frozenset[str]]) -> bool:
    wanted = set(tokens(fold(condition)))
    said = list(paths)
    return bool(said) and all(wanted <= words for words in said)


def _words(evidence: Evidence) -> frozenset[str]:
    """The words of a path: of its relations, its names and values, and of the sentence that states it."""
    path = evidence.path
    texts = [t for h in path.hops for t in (h.text, h.object.name)]
    if path.passage is not None:
        texts.append(path.passage.text)
    return frozenset(w for t in texts for w in tokens(fold(t)))
