"""Replies are read as generously as models write them, never beyond their bounds, and refused where nothing is left."""

from __future__ import annotations

import json
from typing import get_args

import jsonschema
import pytest
from helpers.samples.agent_samples import GOOD, ODD, odd_replies
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.agents.replies import schemas as replies
from hydra_kg.agents.replies.lenient_json import LONGEST, parse_reply, parse_yes_no
from hydra_kg.agents.replies.schemas import (
    AnalyseReply,
    AnswerReply,
    JudgeReply,
    KeepReply,
    ModelReply,
    PredictReply,
    SelectReply,
    TopicsReply,
    WriteReply,
    schema_of,
)
from hydra_kg.errors import ModelError
from hydra_kg.ports import Composed

KINDS = [
    kind
    for kind in vars(replies).values()
    if isinstance(kind, type)
    and issubclass(kind, ModelReply)
    and kind.__name__.endswith("Reply")
    and kind is not ModelReply
]
VALIDATORS = {kind: jsonschema.Draft202012Validator(dict(schema_of(kind))) for kind in KINDS}


def selected(text: str) -> list[tuple[int, int]]:
    return [(s.n, s.score) for s in parse_reply(text, SelectReply).best]


@pytest.mark.parametrize(
    "text",
    [
        '{"best": [{"n": 2, "score": 9}]}',
        '```json\n{"best": [{"n": 2, "score": 9}]}\n```',
        'Sure! Here is the JSON:\n{"best": [{"n": 2, "score": 9}]}\nLet me know if you need more {help}.',
        '<think>Path {1}? No, path 2.</think>{"best": [{"n": 2, "score": 9}]}',
        '{"best": [{"n": 2, "score": 9,},],}',
        "{'best': [{'n': 2, 'score': 9}]}",
        '{"BEST": [{"N": 2, "Score": 9}]}',
        '{"best": [{"n": "2", "score": "9"}]}',
        '{"best": [{"n": "path 2", "score": "9/10"}]}',
        '{"best": [{"n": 2.0, "score": 0.9}]}',
        '{"best": [{"n": 2, "score": 90}]}',
        '{"best": [{"n": 2, "score": 9}',
        '{"best": [{"n": 2, "score": 9}, {"n": 3, "sc',
        '[{"n": 2, "score": 9}]',
        '{"reply": {"best": [{"n": 2, "score": 9}]}}',
        '{"best": {"n": 2, "score": 9}}',
        "\ufeff\n{“best”: [{“n”: 2, “score”: 9}]}",
        '{"best": [{"n": 2, "score": 9}, {"score": 3}, {"n": null}, "none"]}',
    ],
)
def test_habits_of_models_are_mended(text):
    assert selected(text)[0] == (2, 9)


def test_numbers_alone_are_choices_without_a_score():
    assert selected('{"best": [3, "1"]}') == [(3, 5), (1, 5)]
    assert selected("[3, 1]") == [(3, 5), (1, 5)]


def test_literals_of_python_are_read():
    reply = parse_reply("{'enough': True, 'answers': ('Salzburg', None), 'missing': None}", JudgeReply)
    assert (reply.enough, reply.answers, reply.missing) == ("yes", ["Salzburg"], "")


@pytest.mark.parametrize("word, enough", [("Yes.", "yes"), ("NO, not stated", "no"), ("true", "yes"), ("**no**", "no")])
def test_words_for_yes_and_no(word, enough):
    assert parse_reply(json.dumps({"enough": word}), JudgeReply).enough == enough


@pytest.mark.parametrize("value", ["maybe", "", None, 2, ["yes"], {}])
def test_what_is_neither_yes_nor_no_is_refused(value):
    with pytest.raises(ModelError, match="enough"):
        parse_reply(json.dumps({"enough": value}), JudgeReply)


@pytest.mark.parametrize(
    "text",
    ["", "  \n", "I'm sorry, but I can't.", "yes", "42", '"best"', "{}", '{"other": 1}', "{" * 500, '{"n": 2}', "null"],
)
def test_a_reply_without_what_was_asked_for_is_refused(text):
    for kind in KINDS:
        with pytest.raises(ModelError):
            parse_reply(text, kind)


def test_nothing_known_is_no_name():
    text = '{"answers": ["unknown", "None", "Salzburg", "N/A", "salzburg", "Salzburg", ""]}'
    assert parse_reply(text, AnswerReply).answers == ["Salzburg", "salzburg"]
    assert parse_reply('{"answer": "Salzburg"}', AnswerReply).answers == ["Salzburg"]
    assert parse_reply('{"answers": []}', AnswerReply).answers == []


def test_a_chain_may_be_a_text_and_ends_with_an_entity():
    paths = '{"paths": [{"n": 1, "chain": "[A - born in -> B — part of — C - and]"}, ["A", "r", "B", "s"], 7]}'
    chains = [(c.n, c.chain) for c in parse_reply(paths, WriteReply).paths]
    assert chains[:2] == [(1, ["A", "born in", "B", "part of", "C"]), (0, ["A", "r", "B"])]


def test_what_is_too_long_is_cut_and_not_refused():
    reply = parse_reply(
        json.dumps({"parts": ["x" * 200] * 9, "skyline": "y" * 999, "sources": ["kg"] * 99}), AnalyseReply
    )
    assert len(reply.parts) == 4
    assert max(map(len, [*reply.parts, reply.skyline])) <= 320
    assert parse_reply('{"names": ["' + "x" * 9 * LONGEST, TopicsReply).names


def test_texts_are_one_visible_line():
    name = "A\u202e\nB\u0000\u001b[31m<b>\ud800"
    (found,) = parse_reply(json.dumps({"predictions": [name]}), PredictReply).predictions
    assert found.name == "A B [31m‹b›"


@pytest.mark.parametrize(
    "text, said", [("yes", True), (" No.", False), ("**Yes**, it does", True), ("</think>no", False)]
)
def test_yes_and_no_by_the_first_word(text, said):
    assert parse_yes_no(text) is said


@pytest.mark.parametrize("text", ["", "The path…", "yesterday", "nothing", "1"])
def test_another_first_word_is_refused(text):
    with pytest.raises(ModelError, match="neither yes nor no"):
        parse_yes_no(text)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_schemas_bound_every_string_and_list_and_want_every_key(kind):
    schema = json.loads(json.dumps(schema_of(kind)))
    jsonschema.Draft202012Validator.check_schema(schema)
    parts = [schema, *schema.get("$defs", {}).values()]
    for part in parts:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
    for value in (v for part in parts for v in part["properties"].values()):
        bounded(value)


def bounded(value: dict[str, object]) -> None:
    if value.get("type") == "string":
        assert "maxLength" in value or "enum" in value
    if value.get("type") == "array":
        assert "maxItems" in value
        items = value["items"]
        assert isinstance(items, dict)
        bounded(items)


@pytest.mark.parametrize("name, text", [(name, text) for name, text in GOOD.items() if text.startswith("{")])
def test_usable_replies_fit_their_schema(name, text):
    kind = {
        **{f"compose_{what}": replies.ComposeReply for what in get_args(Composed)},
        "topics": TopicsReply,
        "summarise": KeepReply,
        "select_paths": SelectReply,
        "predict": PredictReply,
        "answer": AnswerReply,
        "analyse": AnalyseReply,
        "judge": replies.JudgeJoinedReply,
        "refine": replies.RefineReply,
        "follow_up": replies.FollowUpReply,
        "write_paths": WriteReply,
        "select_pages": replies.PagesReply,
        "select_sources": replies.SourcesReply,
        **dict.fromkeys(
            ("prune_topics", "prune_relations", "prune_entities", "prune_chunks", "prune_authority"), SelectReply
        ),
        "read_statements": replies.StatementsReply,
        "know": replies.KnowReply,
    }[name]
    jsonschema.validate(json.loads(text), dict(schema_of(kind)))
    assert parse_reply(text, kind).model_dump() == json.loads(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.sampled_from(["3", "yes"]),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(
            st.sampled_from(
                "names parts skyline sources pages paths n chain keep best score facts enough answers missing question "
                "predictions name why".split()
            )
            | st.text(max_size=5),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@examples(80)
@given(VALUES, st.sampled_from(KINDS))
def test_any_json_is_a_reply_within_bounds_or_refused(value, kind):
    within_bounds(json.dumps(value), kind)


@examples(80)
@given(st.text(max_size=200) | st.sampled_from(ODD), st.sampled_from(KINDS))
def test_any_text_is_a_reply_within_bounds_or_refused(text, kind):
    within_bounds(text, kind)


def test_spoilt_replies_are_replies_within_bounds_or_refused():
    for n, text in enumerate(odd_replies(1_000, seed=1)):
        within_bounds(text, KINDS[n % len(KINDS)])


def within_bounds(text: str, kind: type[ModelReply]) -> None:
    """Nothing but ModelError is raised, and what is read fits the schema."""
    try:
        reply = parse_reply(text, kind)
    except ModelError:
        return
    VALIDATORS[kind].validate(reply.model_dump())
