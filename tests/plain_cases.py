"""Questions in the plain layout with answers of every kind, and the grade that each deserves, worked out by hand."""

from __future__ import annotations

from typing import Any

Doc = dict[str, Any]

ETHIOPIA = {"name": "Ethiopia", "aliases": ["Federal Democratic Republic of Ethiopia"], "ids": ["Q115", "m.019pcs"]}
KENYA = {"name": "Kenya", "aliases": ["KE"], "ids": ["Q114"]}
SUDAN = {"name": "Sudan", "aliases": [], "ids": ["Q1049"]}
SWAHILI = {"name": "Swahili", "aliases": ["Kiswahili"], "ids": ["Q7838"]}
HOBBIT = {"name": "The Hobbit", "aliases": ["There and Back Again"], "ids": ["Q74287"]}
BORN = {"name": "1867-11-07", "aliases": [], "date": True}
MOONS = {"name": "27", "aliases": ["28"], "value": 27}
HEIGHT = {"name": "5895.4", "aliases": [], "value": 5895.4}


def asked(expect: str, *answers: Doc, kind: str = "lookup", **more: Any) -> Doc:
    """A line of a question file, but for its id."""
    return {
        "question": "What is it?",
        "kind": kind,
        "expect": expect,
        "answers": list(answers),
        "partial_ok": False,
        "evidence": "",
        **more,
    }


def said(*names: str | Doc, **more: Any) -> Doc:
    """An answer document."""
    answers = [n if isinstance(n, dict) else {"id": None, "ids": [], "name": n} for n in names]
    return {"answers": answers, "abstained": False, "verdict": "supported", "confidence": 0.9, **more}


ABSTAINED: Doc = {"answers": [], "abstained": True, "verdict": "unsupported", "confidence": 0.1}
BORDER = asked("answer", KENYA, ETHIOPIA, kind="list", partial_ok=True, also=[SUDAN])
WHOLE = asked("answer", KENYA, ETHIOPIA, kind="intersection")

CASES: list[tuple[str, Doc, Doc, str]] = [
    ("the name", asked("answer", ETHIOPIA), said("Ethiopia"), "right"),
    ("case, accents, punctuation", asked("answer", ETHIOPIA), said("  éthiopia. "), "right"),
    ("an alias", asked("answer", ETHIOPIA), said("Federal Democratic Republic of Ethiopia"), "right"),
    ("an id of its class", asked("answer", ETHIOPIA), said({"id": "m.019pcs", "name": "Abyssinia"}), "right"),
    ("one of several ids", asked("answer", ETHIOPIA), said({"ids": ["m.1", "Q115"], "name": "?"}), "right"),
    ("an article", asked("answer", HOBBIT), said("Hobbit"), "right"),
    ("a bracketed suffix", asked("answer", HOBBIT), said("The Hobbit (novel)"), "right"),
    ("the word language", asked("answer", SWAHILI), said("Swahili language"), "right"),
    ("a dialect", asked("answer", SWAHILI), said("Swahili-GB"), "right"),
    ("another name", asked("answer", ETHIOPIA), said("Eritrea"), "wrong"),
    ("one right, one wrong", asked("answer", ETHIOPIA), said("Ethiopia", "Eritrea"), "wrong"),
    ("nothing", asked("answer", ETHIOPIA), ABSTAINED, "silent"),
    ("no answers, though not abstained", asked("answer", ETHIOPIA), said(), "silent"),
    ("offered apart only", asked("answer", ETHIOPIA), {**ABSTAINED, "perhaps": [{"name": "Eritrea"}]}, "silent"),
    ("abstained, but with names", asked("answer", ETHIOPIA), said("Eritrea", abstained=True), "silent"),
    ("all of a list", BORDER, said("Kenya", "Ethiopia"), "right"),
    ("all of a list and what is stated too", BORDER, said("Sudan", "Kenya", "Ethiopia"), "right"),
    ("some of a list", BORDER, said("Kenya"), "partly"),
    ("only what is stated too", BORDER, said("Sudan"), "partly"),
    ("some of a list and a wrong one", BORDER, said("Kenya", "Chad"), "wrong"),
    ("some where all are asked for", WHOLE, said("Kenya"), "wrong"),
    ("the day", asked("answer", BORN), said("1867-11-07"), "right"),
    ("the day as a literal", asked("answer", BORN), said({"name": "x", "value": '"1867-11-07"^^xsd:date'}), "right"),
    ("the day in words", asked("answer", BORN), said("7 November 1867"), "right"),
    ("the day, month first", asked("answer", BORN), said("Nov. 7, 1867"), "right"),
    ("less exact: the month", asked("answer", BORN), said("1867-11"), "right"),
    ("less exact: the year", asked("answer", BORN), said("1867"), "right"),
    ("more exact than gold", asked("answer", {**BORN, "name": "1867-11"}), said("1867-11-07T00:00:00Z"), "right"),
    ("another day", asked("answer", BORN), said("1867-11-08"), "wrong"),
    ("another month", asked("answer", BORN), said("October 1867"), "wrong"),
    ("another year", asked("answer", BORN), said("1868"), "wrong"),
    ("before Christ", asked("answer", {**BORN, "name": "-0044-03-15"}), said("-0044"), "right"),
    ("after Christ", asked("answer", {**BORN, "name": "-0044-03-15"}), said("0044"), "wrong"),
    ("no date", asked("answer", BORN), said("Warsaw"), "wrong"),
    ("a whole number", asked("answer", MOONS), said("27"), "right"),
    ("its alias with a unit", asked("answer", MOONS), said("28 moons"), "right"),
    ("a whole number a little off", asked("answer", MOONS), said("27.1"), "wrong"),
    ("a number within a text", asked("answer", MOONS), said("Apollo 27 of 30 flights"), "wrong"),
    ("measured, within 0.5 %", asked("answer", HEIGHT), said("5,890 m"), "right"),
    ("measured, as a literal", asked("answer", HEIGHT), said({"value": '"+5895"^^xsd:decimal'}), "right"),
    ("measured, too far off", asked("answer", HEIGHT), said("5800 m"), "wrong"),
    ("yes by its claim", asked("yes", kind="yesno"), said("yes", claim="true"), "right"),
    ("yes by name alone", asked("yes", kind="yesno"), said("Yes."), "right"),
    ("no instead of yes", asked("yes", kind="yesno"), said("no", claim="false"), "wrong"),
    ("a name instead of yes", asked("yes", kind="yesno"), said("Kenya"), "wrong"),
    ("yes and a name", asked("yes", kind="yesno"), said("yes", "Kenya"), "wrong"),
    ("a false statement", asked("false", kind="claim"), said("no", claim="false"), "right"),
    ("a true statement not known", asked("true", kind="claim"), {**ABSTAINED, "claim": "unknown"}, "silent"),
    ("unknown as it should be", asked("unknown", kind="claim"), {**ABSTAINED, "claim": "unknown"}, "right"),
    ("false for unknown", asked("unknown", kind="claim"), said("no", claim="false"), "wrong"),
    ("silence as it should be", asked("silent", kind="nonsense"), ABSTAINED, "right"),
    ("an answer to nonsense", asked("silent", kind="nonsense"), said("Kenya"), "wrong"),
    ("more than could be expected", asked("silent", kind="language", also=[KENYA]), said("Kenya"), "right"),
    ("that and something wrong", asked("silent", kind="language", also=[KENYA]), said("Kenya", "Chad"), "wrong"),
    ("nobody, to a negation", asked("silent", kind="negation"), said("Nobody"), "right"),
    ("nobody, to a lookup", asked("silent"), said("Nobody"), "wrong"),
    ("says what it left out", asked("silent", kind="condition"), said("X", notes=["Not used: in 1930"]), "right"),
    ("the same as what is missing", asked("silent"), said("X", missing="the year was ignored"), "right"),
    ("a remark about something else", asked("silent"), said("X", notes=["Two sources agree."]), "wrong"),
]
"""(what the case is, question, answer, grade)."""

UNCHECKED = (asked("silent", kind="condition"), said("X", verdict="partial", unchecked=["in 1930"]))
"""Silence is expected, and the answer says in a field of its own which condition it did not check."""
