"""Scores of fused values, matched one to one with gold after normalisation; unanswered queries count."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.util.fast_dataclass import dataclass

_LETTERS: Final = str.maketrans(
    {
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ß": "ss",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "ı": "i",
        "þ": "th",
        "ð": "d",
    }
)
_TITLES: Final = frozenset("jr sr dr prof phd ii iii iv edt con ed eds editor author".split())
_TIME: Final = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d\d)(?!\d)\s*(?:([ap])\.?\s?m?\b|([ap])\.?m?(?=[A-Z]))?", re.IGNORECASE
)
_NO_GATE: Final = re.compile("NOT|CONTACT|N/A|UNKNOWN")
_AROUND_GATE: Final = re.compile(
    r"\b(GATE|TERMINAL|TERM|MAIN|CONCOURSE|NORTH|SOUTH|EAST|WEST|INTL|INTERNATIONAL|DOMESTIC)\b"
)
_NUMBER: Final = re.compile(r"([(+\-−$€£ ]*)(\d[\d,]*\.?\d*|\.\d+)\s*([kmbt]?)(?:il|ln|illion|n)?[)% ]*", re.IGNORECASE)
_SCALES: Final = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
_NO_NUMBER: Final = frozenset({"", "n a", "na", "none", "nan"})
NOTHING: Final = ""
NO_TIME: Final = "no time"

Key = str | int


class MatchRule(Enum):
    """How values of a set are compared: as names, flight board times, first parts of place paths, or numbers."""

    NAMES = "names"
    FLIGHTS = "flights"
    PLACE = "place"
    NUMBERS = "numbers"


@dataclass(frozen=True, slots=True)
class QueryScore:
    """Score of one query.

    It has the number of right and wrong values, of missed gold values, F1, and whether there was an answer. ``marks``
    has the confidence of each value and whether it is right. ``lenient_f1`` also counts a value as right that contains
    a gold value or is contained in one, word by word.
    """

    id: str
    right: int
    wrong: int
    missed: int
    f1: float
    answered: bool
    marks: tuple[tuple[float, bool], ...] = ()
    lenient_f1: float = 0.0


def fold_text(text: str) -> str:
    """Return the text in lower case, without accents and punctuation.

    HTML entities are resolved, apostrophes are removed, and other punctuation becomes one space.
    """
    text = html.unescape(text).replace("andapos;", "'").translate(_LETTERS)
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()
    return " ".join(re.sub(r"[^\w]+|_", " ", re.sub("['’`´]", "", text)).split())


def key(value: str, rule: MatchRule, attribute: str = "") -> Key:
    """Return the form in which equal values are equal, or ``NOTHING`` or ``NO_TIME`` for an empty value.

    - Names: words in any order, without titles.
    - Times: minutes.
    - Gates: the last code.
    - Places: the first component.
    - Numbers: four digits.
    """
    if rule is MatchRule.NAMES:
        words = [w for w in fold_text(value).split() if w not in _TITLES]
        long = [w for w in words if len(w) > 1]
        return " ".join(sorted(long if len(long) > 1 else words))
    if rule is MatchRule.PLACE:
        return fold_text(value.split(",", maxsplit=1)[0])
    if rule is MatchRule.NUMBERS:
        return _number(value)
    return _gate(value) if "gate" in attribute else _minutes(value)


def _number(value: str) -> Key:
    text = value.strip()
    match = _NUMBER.fullmatch(text)
    if not match:
        return NOTHING if fold_text(text) in _NO_NUMBER else fold_text(text)
    number = float(match[2].replace(",", "")) * _SCALES[match[3].lower()]
    negative = match[1].strip().startswith(("-", "−", "(")) and number
    return f"{-number if negative else number:.4g}"


def _minutes(value: str) -> Key:
    match = _TIME.search(value)
    if not match or int(match[1]) > 23 or int(match[2]) > 59:
        return NO_TIME
    half = (match[3] or match[4] or "").lower()
    hour = int(match[1])
    return (hour % 12 + (12 if half == "p" else 0) if half else hour) * 60 + int(match[2])


def _gate(value: str) -> str:
    text = re.sub(r"[?*]", "", value.upper())
    if _NO_GATE.search(text):
        return NOTHING
    text = re.sub(r"(?<![A-Z0-9])([A-Z])-(\d)", r"\1\2", _AROUND_GATE.sub(" ", text).strip())
    codes = re.findall("[A-Z0-9]+", text.partition("/")[0])
    return re.sub(r"^([A-Z]*)0+(?=\d)", r"\1", codes[-1]) if codes else NOTHING


def usable(gold: Sequence[str], rule: MatchRule, attribute: str) -> list[Key]:
    """Return the keys of gold values that are not empty, each once."""
    keys = (key(g, rule, attribute) for g in gold)
    return list(dict.fromkeys(k for k in keys if k not in (NOTHING, NO_TIME)))


def score_query(
    query: str,
    values: Sequence[str],
    gold: Sequence[Key],
    rule: MatchRule,
    *,
    attribute: str = "",
    tolerance: int = 0,
    confidence: Sequence[float] = (),
) -> QueryScore:
    """Return the score of one query, in which equal values count once.

    ``tolerance`` is the number of minutes by which times may differ.
    """
    free, seen, marks = list(gold), set(), []
    for i, value in enumerate(values):
        own = key(value, rule, attribute)
        if not value.strip() or own in seen:
            continue
        seen.add(own)
        hit = next((g for g in free if g == own or _near(g, own, tolerance)), None)
        if hit is not None:
            free.remove(hit)
        if confidence:
            marks.append((confidence[i], hit is not None))
    right = len(gold) - len(free)
    wrong = len(seen) - right
    f1 = 2 * right / (right + wrong + len(gold))
    return QueryScore(query, right, wrong, len(free), f1, bool(seen), tuple(marks), _lenient_f1(seen, gold))


def _lenient_f1(values: Collection[Key], gold: Sequence[Key]) -> float:
    """Return F1 where a value and a gold value agree if one has all words of the other."""
    words = [frozenset(str(v).split()) for v in values]
    wanted = [frozenset(str(g).split()) for g in gold]
    precise = sum(any(v <= g or g <= v for g in wanted) for v in words)
    found = sum(any(v <= g or g <= v for v in words) for g in wanted)
    if not precise or not found:
        return 0.0
    precision, recall = precise / len(words), found / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _near(a: Key, b: Key, tolerance: int) -> bool:
    if not tolerance or not isinstance(a, int) or not isinstance(b, int):
        return False
    return min((a - b) % 1440, (b - a) % 1440) <= tolerance


def summary(rows: Sequence[QueryScore]) -> dict[str, float]:
    """Return the figures of all queries.

    They are the number of queries, the share answered, micro precision, recall and F1, macro F1 strict and lenient, the
    share with all values right, and the AUROC of the confidences.
    """
    n = max(1, len(rows))
    precision, recall, f1 = micro(
        [float(sum(column)) for column in zip(*((r.right, r.wrong, r.missed) for r in rows), strict=True)]
    )
    found = {
        "queries": len(rows),
        "answered": sum(r.answered for r in rows) / n,
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "macro_f1": sum(r.f1 for r in rows) / n,
        "lenient_f1": sum(r.lenient_f1 for r in rows) / n,
        "all_right": sum(r.wrong == r.missed == 0 for r in rows) / n,
    }
    if (area := auroc([m for r in rows for m in r.marks])) is not None:
        found["auroc"] = area
    return found


def micro(counts: Sequence[float]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of counts of right, wrong and missed values.

    A share is 0 if nothing was answered or nothing was wanted.
    """
    right, wrong, missed = map(float, counts or (0, 0, 0))
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def auroc(marks: Sequence[tuple[float, bool]]) -> float | None:
    """Return the probability that a right value has a higher confidence than a wrong one; ties count half.

    The result is None without right or without wrong values.
    """
    right = np.sort([c for c, ok in marks if ok])
    wrong = np.sort([c for c, ok in marks if not ok])
    if not len(right) or not len(wrong):
        return None
    below = np.searchsorted(wrong, right, "left") + np.searchsorted(wrong, right, "right")
    return float(below.sum() / 2 / (len(right) * len(wrong)))


def compare_paired(
    first: Sequence[QueryScore], second: Sequence[QueryScore], *, seed: int = 0, resamples: int = 2000
) -> Mapping[str, float]:
    """Return micro F1 of the first minus the second, with a 95 % interval and p, by paired bootstrap over queries."""
    a, b = (
        np.array([(r.right, r.wrong, r.missed) for r in rows], np.float64).reshape(-1, 3) for rows in (first, second)
    )
    random = np.random.default_rng(seed)

    def f1(rows: npt.NDArray[np.float64]) -> float:
        return micro(rows.sum(0).tolist())[2]

    drawn = []
    for _ in range(resamples if len(a) else 0):
        at = random.integers(0, len(a), len(a))
        drawn.append(f1(a[at]) - f1(b[at]))
    low, high = np.percentile(drawn, (2.5, 97.5)) if drawn else (0.0, 0.0)
    tail = min(np.mean(np.array(drawn) <= 0), np.mean(np.array(drawn) >= 0)) if drawn else 0.5
    return {
        "difference": f1(a) - f1(b),
        "low": float(low),
        "high": float(high),
        "p": min(1.0, max(2 * float(tail), 1 / resamples)),
    }
