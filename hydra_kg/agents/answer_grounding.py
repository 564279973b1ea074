"""Check a model's answers against the paths that it was shown: an answer that is on no path has no evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from hydra_kg.agents.model_chains import within
from hydra_kg.domain import Analysis, Evidence
from hydra_kg.language.dates import month_number
from hydra_kg.text.folding import fold, tokens
from hydra_kg.util.fast_dataclass import dataclass

_DETAIL: Final = re.compile(r"\s*[,(;].*$", re.DOTALL)
_TRUTH: Final = frozenset({"yes", "no", "true", "false"})
_COUNT: Final = re.compile(r"\d{1,9}")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[ ,]\d{3})+")
_DAY: Final = re.compile(r"(?:(\d{1,2}) )?([a-z]{3})[a-z]* (?:(\d{1,2}) )?(\d{4})")
_YEAR: Final = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Shown:
    """Index of the names and texts that a prompt showed, to check that a model's answers occur in the evidence.

    names: pairs of folded name and name. Answers come before other entities, and each folded name occurs once.
    texts: the words of each piece of evidence that is a text without hops and without answers.
    """

    names: tuple[tuple[str, str], ...]
    texts: tuple[tuple[str, ...], ...]

    def find(self, answer: str) -> str | None:
        """Return the name on the paths that an answer means, the answer itself if a text contains it, or None.

        Names are compared folded. The part of an answer behind a comma, semicolon or opening bracket may be left out.
        An answer also matches the only longer name of which it is at least half ("Obama"). A date matches by its year,
        or when it is written in words.
        """
        for text in dict.fromkeys((answer, *_values(answer), _DETAIL.sub("", answer))):
            words = tokens(text)
            folded = fold(text)
            same = [name for other, name in self.names if folded and other == folded]
            if same:
                return same[0]
            part = [name for other, name in self.names if _most_of(words, other.split())]
            if len(part) == 1:
                return part[0]
            if part or any(within(words, shown_text) for shown_text in self.texts):
                return text
        return None


def shown(evidence: Sequence[Evidence]) -> Shown:
    """Build the index of the names and texts in these paths."""
    names: dict[str, str] = {}
    for nodes in ([n for e in evidence for n in e.answers], [n for e in evidence for n in e.path.entities]):
        for node in nodes:
            names.setdefault(fold(node.name), node.name)
    names.pop("", None)
    texts = dict.fromkeys(e.path.text for e in evidence if not e.path.hops and not e.answers)
    return Shown(tuple(names.items()), tuple(tuple(tokens(t)) for t in texts))


def on_paths(answers: Sequence[str], analysis: Analysis, evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """Return the answers that are on the evidence paths, spelled as there, and computed ones (yes or no, counts).

    A name that the question itself contains is dropped, because it only leads to the answer. It stays if a single hop
    states it of another name, or if the question offers names to choose from ("… or …").
    """
    if analysis.kind == "boolean":
        return tuple(dict.fromkeys(a for a in answers if is_computed_answer(a, analysis.kind)))
    known = shown(evidence)
    ends = {n.name for e in evidence for n in e.answers}
    asked = tokens(analysis.question)
    meant = () if "or" in asked else analysis.topics
    stated = {n.id for e in evidence for n in e.answers if len(e.path.hops) == 1}
    nodes = (n for e in evidence for n in (*e.answers, *e.path.entities))
    topics = {n.name for n in nodes if n.id in meant and n.id not in stated}
    found = [a if is_computed_answer(a, analysis.kind) else known.find(a) for a in answers]
    grounded = dict.fromkeys(a for a in found if a and a not in topics and (a in ends or not within(tokens(a), asked)))
    return tuple(dict.fromkeys((*grounded, *(name for e in evidence for name in _unshown(e, grounded)))))


def _unshown(evidence: Evidence, named: Collection[str]) -> Sequence[str]:
    """Return the ends of a path that its line leaves out, if the model named enough of the shown ends.

    Enough is at least half of the shown ends, and at least four. The left-out ends then count as answers too.
    """
    ends = [n.name for n in evidence.answers]
    seen = [name for name in ends if name in evidence.line]
    mentioned = sum(name in named for name in seen)
    return [name for name in ends if name not in evidence.line] if mentioned >= max(4, len(seen) / 2) else []


def without_names(question: str, evidence: Sequence[Evidence]) -> str:
    """Return a question without the names of entities on the paths.

    Masking the topics helps the offline agent more than any other change of the question.
    """
    words = question.split()
    folded = [fold(w) for w in words]
    names = {fold(n.name) for e in evidence for n in e.path.entities}
    for name in sorted(names, key=lambda n: (-len(n), n)):
        part = name.split()
        for i in range(len(words) - len(part) + 1):
            if part and folded[i : i + len(part)] == part:
                words[i : i + len(part)] = [""] * len(part)
    return " ".join(w for w in words if w) or question


def is_computed_answer(answer: str, kind: str) -> bool:
    """Return True if an answer is not a name but computed by the question: yes or no, or a count."""
    folded = fold(answer)
    return (kind == "boolean" and folded in _TRUTH) or (kind == "count" and _COUNT.fullmatch(folded) is not None)


def _most_of(words: Sequence[str], name: Sequence[str]) -> bool:
    if len(words) == 1 and _YEAR.fullmatch(words[0]):
        return len(name) <= 3 and list(name[:1]) == list(words)
    return 2 * len(words) >= len(name) and within(words, name)


def _values(answer: str) -> list[str]:
    """Return other spellings of a value: a number without its group separators, a date as sources write it."""
    if _GROUPED.fullmatch(answer.strip()):
        return [re.sub(r"\D", "", answer)]
    m = _DAY.fullmatch(fold(answer))
    if m is None or not (month := month_number(m[2])):
        return []
    day = m[1] or m[3]
    return [f"{m[4]}-{month:02}-{int(day):02}" if day else f"{m[4]}-{month:02}"]
