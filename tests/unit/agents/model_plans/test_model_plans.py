"""Plans that a model writes: read as operators, and refused where they are not of the question."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from helpers.samples.agent_samples import mention
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.agents.model_plans import model_plan
from hydra_kg.agents.offline import OfflineAgent
from hydra_kg.agents.replies.schemas import PlanStep
from hydra_kg.domain import Mention, Node
from hydra_kg.plan.model import Named, Plan
from hydra_kg.plan.query_wording import plan_words
from hydra_kg.plan.serialise import PlanError, plan_from_json, plan_json
from hydra_kg.plan.walk import parts

Steps = Sequence[tuple[str, list[str], str]]

BOOKS = "of the books astrid lindgren wrote before 1960 how many were not illustrated by ilon wikland"
BOOK_STEPS: Steps = [
    ("follow", ["astrid lindgren"], "books _ wrote"),
    ("keep", ["#1"], "before 1960"),
    ("follow", ["ilon wikland"], "illustrated by _"),
    ("not", ["#2", "#3"], ""),
    ("count", ["#4"], ""),
]
LINDGREN, WIKLAND = "astrid lindgren", "ilon wikland"


def mentions_of(question: str, names: Sequence[str]) -> list[Mention]:
    return [mention(question, name, Node(10 * (i + 1), f"Q{i}", name)) for i, name in enumerate(names)]


def planned(question: str, names: Sequence[str], steps: Steps) -> Plan:
    mentions = mentions_of(question, names)
    analysis = OfflineAgent().analyse(question, mentions, d_max=3)
    return model_plan([PlanStep(op=op, of=of, by=by) for op, of, by in steps], analysis, mentions)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "question, names, steps, words",
    [
        (
            BOOKS,
            [LINDGREN, WIKLAND],
            BOOK_STEPS,
            "the number of (books that astrid lindgren wrote whose release date is before 1960, but not illustrated by"
            " ilon wikland)",
        ),
        (
            "Which currency is used in the country whose capital is Ottawa?",
            ["Ottawa"],
            [("follow", ["Ottawa (city)"], "country whose capital is _"), ("follow", ["#1"], "currency used in _")],
            "currency used in country whose capital is Ottawa",
        ),
        (
            "By area, is it Lake Saimaa or Lake Vänern that is the larger one?",
            ["Lake Saimaa", "Lake Vänern"],
            [("largest", ["lake saimaa", "Lake Vänern"], "area")],
            "of Lake Saimaa and Lake Vänern, the one with the greatest area",
        ),
        (
            "How old was Mozart when he died?",
            ["Mozart"],
            [("value", ["Mozart"], "died"), ("value", ["Mozart"], "born"), ("minus", ["#1", "#2"], "")],
            "the date of death of Mozart less the date of birth of Mozart, in years",
        ),
        (
            "Was Mozart born before Beethoven?",
            ["Mozart", "Beethoven"],
            [("less", ["Mozart", "Beethoven"], "born")],
            "whether the date of birth of Mozart is before the date of birth of Beethoven",
        ),
        (
            "Is the population of Malta more than 400,000?",
            ["Malta"],
            [("value", ["Malta"], "population"), ("more", ["#1", "400,000"], "")],
            "whether the population of Malta is more than 400,000",
        ),
        (
            "Which film did Kubrick direct after Spartacus?",
            ["Kubrick", "Spartacus"],
            [("follow", ["Kubrick"], "film directed by _"), ("after", ["#1", "Spartacus"], "release date")],
            "film directed by Kubrick, the next after Spartacus by release date",
        ),
        (
            "What is Finland's second largest lake by area?",
            ["Finland"],
            [("follow", ["Finland"], "lake of _"), ("largest", ["#1"], "second area")],
            "lake of Finland, only the one with the 2nd greatest area",
        ),
        (
            "Which band has more members, Queen or Genesis?",
            ["Queen", "Genesis"],
            [("largest", ["Queen", "Genesis"], "number of members")],
            "of Queen and Genesis, the one with the most members",
        ),
        (
            "Which countries border both France and Switzerland?",
            ["France", "Switzerland"],
            [
                ("follow", ["France"], "countries border _"),
                ("follow", ["Switzerland"], "countries border _"),
                ("and", ["#1", "#2"], ""),
            ],
            "countries border France, also countries border Switzerland",
        ),
    ],
)
def test_steps_are_read_as_operators(question, names, steps, words):
    found = planned(question, names, steps)
    assert plan_words(found) == f"{words} (as the model reads it)"
    assert plan_from_json(plan_json(found)) == found


def test_keeping_of_one_name_what_stands_to_it_follows_the_relation():
    found = planned("Which films did Kubrick direct?", ["Kubrick"], [("keep", ["Kubrick"], "films directed by _")])
    assert plan_words(found) == "films directed by Kubrick (as the model reads it)"


def test_names_are_what_was_linked():
    found = planned(BOOKS, [LINDGREN, WIKLAND], BOOK_STEPS)
    assert {p for p in parts(found.root) if isinstance(p, Named)} == {Named(LINDGREN, 10), Named(WIKLAND, 20)}
    assert (found.by, found.answer_type) == ("model", "number")


def changed(at: int, op: str, of: list[str], by: str) -> Steps:
    return [*BOOK_STEPS[:at], (op, of, by), *BOOK_STEPS[at + 1 :]]


DEEP: Steps = [("follow", [LINDGREN], "books _ wrote"), *(("and", [f"#{n}", f"#{n}"], "") for n in range(1, 8))]


@pytest.mark.parametrize(
    "steps, reason",
    [
        ([], "it has no steps"),
        (changed(2, "follow", ["tove jansson"], "illustrated by _"), "does not name “tove jansson”"),
        (changed(2, "follow", [WIKLAND], "wife of _"), "does not say “wife”"),
        (changed(2, "follow", [WIKLAND], "end of _"), "does not say “end”"),
        (changed(1, "keep", ["#1"], "before 1970"), "does not say “1970”"),
        (changed(1, "keep", ["#1"], "before -1960"), "does not say “-1960”"),
        (changed(0, "follow", [LINDGREN], "first books _ wrote"), "does not say “first”"),
        (changed(1, "keep", ["#1"], "after 1960"), "does not say “after”"),
        (changed(1, "keep", ["#1"], "wrote before"), "no condition"),
        (changed(1, "keep", ["#0"], "before 1960"), "“#0” is no earlier step"),
        (changed(1, "keep", ["#2"], "before 1960"), "“#2” is no earlier step"),
        (changed(1, "keep", ["#-1"], "before 1960"), "does not name “#-1”"),
        (changed(3, "and", ["#2", "#3"], ""), "leaves out “not”"),
        (changed(3, "not", ["#1", "#3"], ""), "nothing uses its step 2"),
        (changed(4, "other", ["#4"], ""), "is no step"),
        (changed(4, "count", ["#4", "#3"], ""), "is no step"),
        (changed(4, "largest", ["#4"], ""), "says no value"),
        (BOOK_STEPS[:4], "leaves out “many”"),
        ([*BOOK_STEPS, ("count", ["#5"], "")], "Count"),
        ([*BOOK_STEPS[:1], ("count", ["#1"], "")], "leaves out"),
        ([("more", [LINDGREN], "")], "takes two values"),
        ([("more", [LINDGREN, WIKLAND], "books")], "yes or no"),
        (DEEP, "at most"),
        ([("follow", ["x" * 80], "\u202e" * 80)], "does not name"),
    ],
)
def test_a_plan_that_is_not_of_the_question_is_refused_with_the_reason(steps, reason):
    with pytest.raises(PlanError, match=reason):
        planned(BOOKS, [LINDGREN, WIKLAND], steps)


def test_how_many_is_answered_by_a_number_and_nothing_else_is():
    with pytest.raises(PlanError, match="gives no number"):
        planned("How many lakes are in Finland?", ["Finland"], [("follow", ["Finland"], "lakes in _")])
    with pytest.raises(PlanError, match="not to be counted"):
        planned(
            "Which lakes are in Finland?", ["Finland"], [("follow", ["Finland"], "lakes in _"), ("count", ["#1"], "")]
        )


@pytest.mark.parametrize(
    "question, names, steps, left",
    [
        ("Which films by Kubrick came out first?", ["Kubrick"], [("follow", ["Kubrick"], "films by _")], "came"),
        ("What is the largest lake of Finland?", ["Finland"], [("follow", ["Finland"], "lake of _")], "largest"),
        ("Which lakes of Finland did he cross in 1990?", ["Finland"], [("follow", ["Finland"], "lakes of _")], "cross"),
        ("Who was the wife of the brother of Mozart?", ["Mozart"], [("follow", ["Mozart"], "wife of _")], "brother"),
    ],
)
def test_what_the_question_says_must_be_in_its_plan(question, names, steps, left):
    with pytest.raises(PlanError, match=f"leaves out “{left}”"):
        planned(question, names, steps)


WORDS = ["#1", "#2", "#99", LINDGREN, WIKLAND, "books _ wrote", "before 1960", "", "_", "-5"]
OPERATORS = "follow keep and or not count earliest largest after before value minus more less other".split()
TEXTS = st.sampled_from(WORDS) | st.text(max_size=20)
STEP = st.builds(PlanStep, op=st.sampled_from(OPERATORS), of=st.lists(TEXTS, max_size=4), by=TEXTS)


@pytest.mark.slow
@examples(60)
@given(st.lists(STEP, max_size=8))
def test_any_steps_are_a_plan_of_the_question_or_refused(steps):
    mentions = mentions_of(BOOKS, [LINDGREN, WIKLAND])
    analysis = OfflineAgent().analyse(BOOKS, mentions, d_max=3)
    try:
        found = model_plan(steps, analysis, mentions)
    except PlanError:
        return
    assert {p.node for p in parts(found.root) if isinstance(p, Named)} <= {10, 20}
    assert plan_from_json(plan_json(found)) == found
