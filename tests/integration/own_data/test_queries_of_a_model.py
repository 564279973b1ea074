"""Queries in SQL that a model writes over tables: what the reading of questions leaves open, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.samples.scripted import asked
from helpers.small_country import cached_embedder  # noqa: F401  fixtures

from hydra_kg.ingest.load import load_files
from hydra_kg.settings import Settings
from hydra_kg.steps.own_graphs.graph_reading import read_own_graphs
from hydra_kg.steps.queries.table_execution import run_query
from hydra_kg.steps.sql.schema_names import SqlNames
from hydra_kg.steps.sql.sql_checks import unlike
from hydra_kg.steps.sql.sql_parsing import SqlError, parsed
from hydra_kg.steps.sql.sql_translation import SqlTranslation
from hydra_kg.steps.tables.graph_tables import view_of
from hydra_kg.stores.embedded.store import EmbeddedStore

SHOP = Path(__file__).resolve().parents[3] / "hydra_kg" / "sample" / "shop"
JOINED = "product JOIN supplier ON product.supplier_id = supplier.supplier_id"
DEAR = "How dear is everything that Kestrel Glassworks lets us sell, in the mean?"
MEAN = f"SELECT avg(price) FROM {JOINED} WHERE supplier.name = 'Kestrel Glassworks'"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with EmbeddedStore(tmp_path_factory.mktemp("shop")) as made:
        load_files(made, [SHOP])
        yield made


@pytest.fixture(scope="module")
def view(store):
    with store.snapshot() as snapshot:
        yield view_of(read_own_graphs(snapshot)[0])


def ask(store, embedder, question, *queries, settings=None):
    says = {"compose_sql": [{"lines": [query]} for query in queries]}
    return asked(store, embedder, "hydra", says, question=question, settings=settings, graph_first=0.6)


def test_what_the_columns_answer_is_asked_of_no_model(store, embedder):
    answer, script = ask(store, embedder, "Which products cost more than 100?", "SELECT 1")
    assert {a.name for a in answer.answers} == {"Heron Stool", "Fathom Rug", "Otter Chair"}
    assert (script.steps, answer.usage.calls) == ([], 0)


def test_what_they_leave_open_is_a_query_with_its_facts(store, embedder):
    answer, script = ask(store, embedder, DEAR, MEAN)
    assert [a.name for a in answer.answers] == ["60.75"]
    assert answer.computation == "mean of price over 2 products"
    assert {f.source.name for e in answer.evidence for h in e.path.hops for f in h.facts} == {"shop"}
    assert [s.operator for s in answer.steps] == ["Where", "Columns"]
    assert script.steps == ["compose_sql"]
    assert "product_id REFERENCES product(code)" in script.prompts[0]
    assert "country ('Ireland' | 'Finland' | 'Norway')" in script.prompts[0]


def test_a_refused_query_is_written_once_more_and_then_nothing_is_said(store, embedder):
    answer, script = ask(store, embedder, DEAR, "DROP TABLE product", MEAN)
    assert [a.name for a in answer.answers] == ["60.75"]
    assert "An earlier query was refused: it is no query" in script.prompts[1]
    silent, script = ask(store, embedder, DEAR, "SELECT avg(weight) FROM product")
    assert (silent.answers, script.steps) == ((), ["compose_sql", "compose_sql"]), "nothing else is asked of a model"


@pytest.mark.parametrize("odd", ["SELECT name FROM product WHERE name LIKE 'a' ESCAPE 'b'", "SELECT", "VALUES (1)"])
def test_whatever_a_model_writes_is_refused_or_read(store, embedder, odd):
    answer, script = ask(store, embedder, DEAR, odd)
    assert (answer.answers, len(script.steps)) == ((), 2)


def test_it_can_be_switched_off(store, embedder):
    _, script = ask(store, embedder, DEAR, MEAN, settings=Settings().changed(answering={"sql": False}))
    assert "compose_sql" not in script.steps


def found(view, sql):
    """What a query finds, as names or a number."""
    result = run_query(view, SqlTranslation(SqlNames(view)).query(parsed(sql))).result
    return result.number if result.number is not None else sorted(map(view.graph.name, result.values))


@pytest.mark.parametrize(
    "sql, answers",
    [
        ("SELECT name FROM supplier WHERE country = 'norway'", ["Holm Weavers", "Kestrel Glassworks"]),
        ("SELECT DISTINCT s.town FROM product p, supplier s WHERE p.supplier_id = s.supplier_id", 3),
        ("SELECT T2.town FROM product AS T1 JOIN supplier AS T2 ON T1.supplier_id = T2.id WHERE T1.price > 200", 2),
        ("SELECT name FROM products WHERE price BETWEEN 30 AND 70", ["Dusk Lamp", "Tide Bowl"]),
        ("SELECT name FROM product WHERE price > (SELECT avg(price) FROM product)", 3),
        ("SELECT name FROM product WHERE price = (SELECT max(price) FROM product)", ["Fathom Rug"]),
        ("SELECT name FROM product ORDER BY price LIMIT 1", ["Cairn Tray"]),
        ("SELECT name FROM product WHERE name LIKE '%lamp%'", ["Dusk Lamp", "Harbour Lamp"]),
        ('SELECT name FROM product WHERE material != "steel" AND price < 100', ["Harbour Lamp", "Tide Bowl"]),
        ("SELECT name FROM product WHERE code NOT IN (SELECT product_id FROM delivery)", ["Dusk Lamp", "Tide Bowl"]),
        ("SELECT name FROM product EXCEPT SELECT name FROM product WHERE material = 'glass'", 5),
        (f"SELECT supplier.name FROM {JOINED} GROUP BY supplier.supplier_id HAVING count(*) > 1", 3),
        ("SELECT material FROM product GROUP BY material ORDER BY count(*) DESC LIMIT 1", ["birch", "glass", "steel"]),
        ("SELECT count(*) FROM delivery WHERE shop IN ('North Gate')", 3.0),
        ("SELECT count(DISTINCT material) FROM product", 4.0),
        ("SELECT sum(pieces) FROM delivery JOIN product ON delivery.product_id = product.code WHERE price < 50", 60.0),
        ("SELECT max(price) FROM product WHERE founded > '2005-01-01'", ["310"]),
    ],
)
def test_queries_are_read_as_columns_and_conditions(view, sql, answers):
    some = found(view, sql)
    assert (len(some) if isinstance(answers, int) else some) == answers


@pytest.mark.parametrize(
    "sql, why",
    [
        ("DELETE FROM product", "no query"),
        ("SELECT name FROM product; SELECT 1", "more than one query"),
        ("SELECT name FROM product WHERE price >", "no query"),
        ("SELECT * FROM read_csv('/etc/passwd')", "something else than tables"),
        ("SELECT name FROM '/etc/passwd'", "no table"),
        ("SELECT getenv('HOME') FROM product", "something else than columns"),
        ("SELECT name FROM product WHERE getenv('HOME') = 'x'", "computes with columns"),
        ("SELECT price * 2 FROM product", "something else than columns"),
        ("SELECT weight FROM product", "no column weight"),
        ("SELECT name FROM product WHERE material = 'gold'", "never 'gold'; it is such as"),
        ("SELECT name FROM product UNION SELECT name FROM supplier", "different things"),
        ("WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t", "no plain query"),
        ("SELECT name FROM product WHERE " + "NOT (" * 60 + "price > 1" + ")" * 60, "nested too deep"),
        ("SELECT name FROM product WHERE name = '" + "x" * 2_000 + "'", "too long"),
    ],
)
def test_what_is_no_query_over_the_tables_is_refused(view, sql, why):
    with pytest.raises(SqlError, match=why):
        found(view, sql)


@pytest.mark.parametrize(
    "question, sql, why",
    [
        ("Which products are made of wood?", "SELECT name FROM product WHERE material = 'glass'", "not say 'glass'"),
        ("Which products cost over 100?", "SELECT name FROM product", "leaves out '100'"),
        ("Which goods come from Norway?", "SELECT name FROM product", "leaves out 'Norway'"),
        ("Which products are not of glass?", "SELECT name FROM product WHERE material = 'glass'", "does not deny"),
        ("Which products are of glass?", "SELECT name FROM product WHERE material != 'glass'", "denies what"),
        ("How many products are of glass?", "SELECT name FROM product WHERE material = 'glass'", "counts nothing"),
        ("Which products are of glass?", "SELECT count(*) FROM product WHERE material = 'glass'", "how many"),
        ("What is the dearest product?", "SELECT name FROM product", "leaves out the order"),
        ("What is a product?", "SELECT name FROM product ORDER BY price LIMIT 1", "first of an order"),
        ("What is the average price?", "SELECT sum(price) FROM product", "another mean"),
        ("In which town are most products?", "SELECT town FROM supplier ORDER BY founded LIMIT 1", "how many there"),
        (
            "What are both of glass and of wool?",
            "SELECT name FROM product WHERE material IN ('glass', 'wool')",
            "one or the other",
        ),
    ],
)
def test_a_query_has_to_say_what_the_question_says(view, question, sql, why):
    translation = SqlTranslation(SqlNames(view))
    query, said = translation.query(parsed(sql)), translation.conditions
    assert why in unlike(view, question, query, said.said, denies=said.denies)
