"""What a name means by the words beside it: a part that somebody played, a series, and never who is whose."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hydra_kg.domain import Candidate, Mention, Node
from hydra_kg.steps.linking import noun_hints

KINDS = {1: {"film"}, 2: {"character"}, 3: {"franchise"}, 4: {"city"}, 5: {"person"}}


@pytest.mark.parametrize(
    "question, name, candidates, meant, text",
    [
        ("Which actors played Batman?", "Batman", (1, 2), 2, "Batman"),
        ("Who played the role of Batman?", "Batman", (1, 2), 2, "Batman"),
        ("Who directed Batman?", "Batman", (1, 2), 1, "Batman"),
        ("Who played Rocky?", "Rocky", (1,), 1, "Rocky"),
        ("Which films are in the Star Wars series?", "Star Wars", (1, 3), 3, "Star Wars series"),
        ("Who made the Star Wars film series?", "Star Wars", (1, 3), 3, "Star Wars film series"),
        ("Which Star Wars film came out first?", "Star Wars", (1, 3), 1, "Star Wars"),
        ("Who is the oldest brother of Lincoln?", "Lincoln", (4, 5), 4, "Lincoln"),
        ("How large is the old city of Lincoln?", "Lincoln", (5, 4), 4, "city of Lincoln"),
        ("Where was the composer Lincoln born?", "Lincoln", (4, 5), 5, "composer Lincoln"),
    ],
)
def test_the_words_beside_a_name_say_what_is_meant(monkeypatch, question, name, candidates, meant, text):
    monkeypatch.setattr(noun_hints, "kinds_of", lambda context, ids: {n: frozenset(KINDS[n]) for n in ids.tolist()})
    context: Any = SimpleNamespace(question=question)
    found = tuple(Candidate(Node(n, f"Q{n}", name), 1.0, "name") for n in candidates)
    start = question.index(name)
    (mention,) = noun_hints.as_called(context, [Mention(name, start, start + len(name), found, found[0])])
    assert mention.chosen is not None
    assert mention.chosen.node.id == meant
    assert question[mention.start : mention.end] == text
