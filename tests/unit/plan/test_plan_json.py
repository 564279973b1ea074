"""Plans as JSON: they come back as they were, and what is no plan is refused with the reason."""

from __future__ import annotations

import json

import pytest

from hydra_kg.ids import encode
from hydra_kg.plan.model import Both, Condition, Count, Named, Plan, Related, Where
from hydra_kg.plan.serialise import MOST_DEEP, MOST_OPERATORS, PlanError, plan_from_json, plan_json

JC = Named("James Cameron", encode("m.03_gd"), (encode("Q42574"), encode("a text that only a store knows")))
PLAN = Plan(
    Count(Where(Related(JC, "directed by _", "films"), "release date", Condition("in", "date", 1986, 1987))),
    noun="films",
    answer_type="number",
    unused=("again",),
)


def test_a_plan_comes_back_from_its_json_as_it_was():
    text = json.dumps(plan_json(PLAN))
    assert plan_from_json(json.loads(text)) == PLAN


def test_json_names_each_operator_and_leaves_out_what_is_not_said():
    assert plan_json(Plan(Related(JC, "directed by _"))) == {
        "root": {
            "operator": "Related",
            "of": {
                "operator": "Named",
                "text": "James Cameron",
                "node": "m.03_gd",
                "others": ["Q42574", str(JC.others[1])],
            },
            "phrase": "directed by _",
        }
    }


def test_names_are_those_of_the_question_where_it_says_which():
    document = {"root": {"operator": "Related", "of": {"operator": "Named", "text": "james cameron"}, "phrase": "_"}}
    assert plan_from_json(document, names={"james cameron": JC}).root == Related(JC, "_")
    document["root"]["of"]["text"] = "Somebody"
    with pytest.raises(PlanError, match="does not name 'Somebody'"):
        plan_from_json(document, names={"james cameron": JC})


NAMED = {"operator": "Named", "text": "x", "node": 1}
WHERE = {"operator": "Where", "of": NAMED, "attribute": "a"}


@pytest.mark.parametrize(
    "document,message",
    [
        ([], "A plan is an object"),
        ({}, "has a root"),
        ({"root": NAMED, "colour": 1}, "no field 'colour'"),
        ({"root": {"operator": "Delete"}}, "no operator 'Delete'"),
        ({"root": "x"}, "An operator is an object"),
        ({"root": {**NAMED, "size": 1}}, "Named has no field 'size'"),
        ({"root": {**NAMED, "node": 1.5}}, "Named: .*integer"),
        ({"root": {"operator": "Related", "of": NAMED}}, "Related: .*phrase"),
        ({"root": {"operator": "Count", "of": {"operator": "Count", "of": NAMED}}}, "Count: "),
        ({"root": {**WHERE, "condition": {"op": "~", "kind": "date"}}}, "Condition: "),
        ({"root": {"operator": "Both", "parts": [NAMED] * (MOST_OPERATORS + 1)}}, "at most"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_reason(document, message):
    with pytest.raises(PlanError, match=message):
        plan_from_json(document)


def test_a_plan_too_deep_is_refused():
    document: dict[str, object] = dict(NAMED)
    for _ in range(MOST_DEEP):
        document = {"operator": "Related", "of": document, "phrase": "_"}
    with pytest.raises(PlanError, match="inside one another"):
        plan_from_json({"root": document})


def test_conditions_and_lists_of_operators_come_back():
    plan = Plan(Both((Related(JC, "a _"), Related(JC, "b _", during=Condition("<", "date", 1990, 1990)))))
    assert plan_from_json(plan_json(plan)) == plan
