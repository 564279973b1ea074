"""SQL of a model as a tree: what is nested too deep is refused, whatever the parser or the interpreter makes of it."""

from __future__ import annotations

import pytest

from hydra_kg.steps.sql.sql_parsing import LONGEST, SqlError, parsed


@pytest.mark.parametrize(
    "query",
    [
        "SELECT " + "+".join("a" * 900),
        "SELECT\n" + "\n".join("a+" * 190 for _ in range(5)) + "a",
        "SELECT " + "- " * 900 + "a",
        "SELECT " + "NOT " * 480 + "a",
        "SELECT * FROM " + "(SELECT * FROM " * 120 + "a" + ")" * 120,
        "SELECT " + "abs(" * 390 + "a" + ")" * 390,
    ],
    ids=["sum", "five lines", "signs", "not", "subqueries", "functions"],
)
def test_deep_queries_are_refused_in_one_line(query: str) -> None:
    assert len(query) <= LONGEST
    with pytest.raises(SqlError) as refused:
        parsed(query)
    assert "\n" not in str(refused.value)


def test_parentheses_alone_make_nothing_deep() -> None:
    assert parsed("SELECT " + "(" * 300 + "a" + ")" * 300 + " FROM t")["type"] == "SELECT_NODE"


def test_half_a_character_is_refused() -> None:
    with pytest.raises(SqlError, match="it is no query"):
        parsed("SELECT '\ud800'")
