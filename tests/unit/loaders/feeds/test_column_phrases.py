"""Names of tables and columns as English words."""

from __future__ import annotations

import pytest

from hydra_kg_loaders.feeds import column_phrases


@pytest.mark.parametrize(
    "table, noun",
    [
        ("Ref_Document_Types", "document type"),
        ("customers", "customer"),
        ("TV_Channel", "TV channel"),
        ("MoMADirectors", "moma director"),
        ("eMailLists", "email list"),
        ("idStation", "id station"),
        ("AREA_CODES", "area code"),
        ("people", "person"),
        ("countries", "country"),
        ("airBoxes", "air box"),
        ("cars_data", "car"),
        ("statuses", "status"),
        ("__", "row"),
    ],
)
def test_a_table_is_called_by_the_noun_of_its_rows(table, noun):
    assert column_phrases.noun(table) == noun


@pytest.mark.parametrize(
    "column, stem", [("city_id", "city"), ("CountryCode", "country"), ("customerid", "customer"), ("id", "")]
)
def test_what_an_identifier_identifies(column, stem):
    assert column_phrases.is_id_like(column)
    assert " ".join(column_phrases.stem(column)) == stem


@pytest.mark.parametrize("column", ["paid", "said", "name", "grid size"])
def test_words_that_end_like_identifiers(column):
    assert column_phrases.stem(column) == tuple(
        column_phrases.normalise_words(column)
    ) or not column_phrases.is_id_like(column)


@pytest.mark.parametrize(
    "relation, back",
    [("city", "is the city of"), ("has pet", "is pet of"), ("directed by", "directed for")],
)
def test_a_relation_from_its_other_end(relation, back):
    assert column_phrases.inverse_phrase(relation) == back
