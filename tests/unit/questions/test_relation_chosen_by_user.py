"""The relation that a person chose answers, whatever the words of the question are."""

from __future__ import annotations

import pytest

from hydra_kg import Answer, Hydra
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.serialise import answer_json
from hydra_kg.serving.web.readable import readable

TITANIC, STEVE = "m.0dr_4", "m.06y3r"


def followed(sample: Hydra, topic: str, relation: str, **options: object) -> Answer:
    return sample.ask("Titanic: where was it filmed?", topics=[topic], relation=relation, keep=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "topic, relation, names",
    [
        (TITANIC, "P577", {"1998-01-07", "1998-01-08", "1997-12-19", "1998-01-16", "1997-11-01"}),
        (TITANIC, "film.film.production_companies", {"Paramount Pictures", "20th Century Fox"}),
        (TITANIC, "film.film.initial_release_date", {"1997-11"}),  # not the medium of a release, worded the same
        (STEVE, "^organization.organization.founders", {"Apple Inc.", "Pixar"}),
        (STEVE, "^people.marriage.spouse./people.marriage.type_of_union", {"Marriage", "Domestic partnership"}),
    ],
)
def test_the_chosen_relation_answers_and_no_word_is_read(sample: Hydra, topic: str, relation: str, names: set[str]):
    answer = followed(sample, topic, relation)
    assert {value.name for value in answer.answers} == names
    assert all(hop.facts for e in answer.evidence for hop in e.path.hops)
    assert answer.unchecked == ()
    assert answer.manifest["relation"] == relation


def test_like_relations_of_other_sources_answer_too(sample: Hydra):
    answer = followed(sample, f"Titanic={TITANIC}", "P57")
    assert (answer.answer_text, answer.verdict) == ("James Cameron", "supported")
    said = readable(answer_json(answer))
    assert (said["asked"], said["relation"]) == ("directed by", "P57")
    assert [(name["text"], name["chosen"]["id"]) for name in said["names"]] == [("Titanic", TITANIC)]


def test_only_named_sources_answer(sample: Hydra):
    answer = followed(sample, TITANIC, "P57", sources=["wikidata"])
    assert (answer.answer_text, answer.verdict) == ("James Cameron", "single-source")


def test_the_more_exact_date_comes_first(sample: Hydra):
    assert [value.name for value in followed(sample, STEVE, "P569").answers] == ["1955-02-24", "1955-02"]


def test_a_thing_without_the_relation_gives_silence(sample: Hydra):
    answer = followed(sample, STEVE, "P577")
    assert answer.abstained
    assert answer.missing == "no value is stated for “published on” of Steve Jobs"


def test_a_relation_needs_one_topic_and_a_load_that_has_it(sample: Hydra):
    with pytest.raises(UsageError, match="one topic"):
        sample.ask("Titanic", relation="P57", keep=False)
    with pytest.raises(NotFoundError, match="P99999999"):
        followed(sample, TITANIC, "P99999999")
