"""Sets of claims in their published syntax, with rows made up for these tests, read, fused and scored."""

from __future__ import annotations

import gzip
import json

import pytest

from hydra_kg.errors import FormatError, NotFoundError
from hydra_kg.evaluate.fusion.claim_sets import files_of
from hydra_kg.evaluate.fusion.curves import curve, mixes
from hydra_kg.evaluate.fusion.method_runs import judge_set, prepare_set
from hydra_kg.evaluate.fusion.score import MatchRule, key
from hydra_kg.evaluate.public_claims.claim_formats import CLAIM_SETS
from hydra_kg.evaluate.public_claims.claims_layout import convert
from hydra_kg.fusion.truth_discovery.methods import method


def put(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding)
    return path


def film_graphs(folder):
    """Three sources, the third of which is wrong, and two queries, one of them with a second triple."""
    for n, people in enumerate((("Ada Torn", "Bo Vell"), ("Ada Torn", "Bo Vell"), ("Ada Torn", "Nobody")), 1):
        put(folder, f"data2kg/ent_ids_{n}", f"0\tLow Water\n1\tHigh Water\n2\t{people[0]}\n3\t{people[1]}\n")
        put(folder, f"data2kg/rel_ids_{n}", "0\tdirector\n")
        put(folder, f"data2kg/triples_{n}", "0\t0\t2\n1\t0\t3\n")
    queries = [
        {
            "queryGraph": {
                "ent_ids": {"0": "High Water", "1": "who", "2": "1999"},
                "rel_ids": {"0": "directors", "1": "year"},
                "triples": ["0-1-2", "0-0-1"],
            },
            "answers": ["Bo Vell"],
        },
        {"queryGraph": {"ent_ids": {"0": "A", "1": "B"}, "rel_ids": {"0": "r"}, "triples": ["0-0-1"]}, "answers": []},
    ]
    put(folder, "query.json", json.dumps(queries))
    return folder


def test_movies_of_fusion_query(tmp_path):
    done = convert(CLAIM_SETS["movies"], [film_graphs(tmp_path / "movie")], tmp_path / "movies")
    assert done == {"claims": 6, "queries": 1}
    with gzip.open(tmp_path / "movies" / "claims.tsv.gz", "rt") as file:
        assert file.read().splitlines()[:2] == [
            "source\tentity\tattribute\tvalue",
            "source_1\tLow Water\tdirector\tAda Torn",
        ]
    (query,) = (tmp_path / "movies" / "queries.jsonl").read_text().splitlines()
    assert json.loads(query) == {"id": "movie-0", "entity": "High Water", "attribute": "directors", "gold": ["Bo Vell"]}
    data, queries, _ = prepare_set(str(tmp_path / "movies"))
    assert judge_set(data, method("vote"), queries).summary["f1"] == 1.0


def test_a_graph_with_an_unknown_id_is_refused_with_its_line(tmp_path):
    folder = film_graphs(tmp_path / "movie")
    put(folder, "data2kg/triples_2", "0\t0\t2\n0\t0\t9\n")
    with pytest.raises(FormatError, match="triples_2, line 2: there is no id '9'"):
        convert(CLAIM_SETS["books"], [folder], tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    with pytest.raises(NotFoundError, match="no folder data2kg"):
        convert(CLAIM_SETS["movies"], [tmp_path], tmp_path / "out")
    put(folder, "data2kg/triples_2", "0\t0\t2\n")
    put(folder, "query.json", '[\n{"queryGraph": {}}]')
    with pytest.raises(FormatError, match=r"query\.json, line 2: it is not a query graph"):
        convert(CLAIM_SETS["movies"], [folder], tmp_path / "out")


def share(source, symbol, *, last, volume="1,000"):
    cells = {2: "+0.5%", 3: last, 6: volume}
    return "\t".join([source, symbol, *(cells.get(n, "") for n in range(2, 18))]) + "\n"


def stock_files(folder):
    rows = [share(s, "ORL", last="$12.50") for s in ("a", "b")] + [share("c", "ORL", last="99", volume="2.5M")]
    claims = put(folder, "clean_stock/stock-2011-07-01.txt", "".join(rows), "iso-8859-1")
    gold = put(
        folder, "nasdaq_truth/stock-2011-07-01-nasdaq-com.txt", share("nasdaq", "ORL", last="12.5"), "iso-8859-1"
    )
    return [claims, gold]


def test_stocks_are_compared_as_numbers(tmp_path):
    done = convert(CLAIM_SETS["stocks"], stock_files(tmp_path), tmp_path / "stocks")
    assert done == {"claims": 3, "queries": 3}
    docs = [json.loads(line) for line in (tmp_path / "stocks" / "queries.jsonl").read_text().splitlines()]
    assert docs[1]["id"] == "stock-20110701-ORL-last_trading_price"
    data, queries, _ = prepare_set(str(tmp_path / "stocks"))
    found = judge_set(data, method("vote"), queries)
    assert data.rule is MatchRule.NUMBERS
    assert found.summary["f1"] == 1.0


@pytest.mark.parametrize(
    "one, other",
    [("$1,234.50", "1234.5"), ("2.5M", "2,500,000"), ("2.5 mil", "2500000"), ("(0.40)", "-0.4"), ("+0.5%", ".5")],
)
def test_the_same_number_in_two_hands(one, other):
    assert key(one, MatchRule.NUMBERS) == key(other, MatchRule.NUMBERS)


def test_what_says_no_number_says_nothing():
    assert {key(text, MatchRule.NUMBERS) for text in ("N/A", "--", " ", "-")} == {""}
    assert key("12", MatchRule.NUMBERS) != key("-12", MatchRule.NUMBERS)
    assert key("0", MatchRule.NUMBERS) == key("-0.00", MatchRule.NUMBERS)


def test_flights_keep_their_days_and_their_gold_apart(tmp_path):
    row = "x\tAA-1-TPA-MIA\t12/01/2011 01:55 PM\t\tF78\t\t\tD5\n"
    files = [
        put(tmp_path, "clean_flight/2011-12-01-data.txt", row + row.replace("x\t", "aa\t", 1).replace("D5", "D9")),
        put(tmp_path, "flight_truth/2011-12-01-truth.txt", "AA-1-TPA-MIA\t01:55 PM\t\t\t\t\tD5\n"),
    ]
    assert convert(CLAIM_SETS["flights"], files, tmp_path / "flights") == {"claims": 2, "queries": 2}
    data, queries, _ = prepare_set(str(tmp_path / "flights"))
    assert data.reading.claims.sources == ("x",)
    assert judge_set(data, method("vote"), queries).summary["f1"] == 1.0
    with pytest.raises(FormatError, match="contains no date"):
        convert(CLAIM_SETS["flights"], [put(tmp_path, "data.txt", row)], tmp_path / "other")
    with pytest.raises(FormatError, match="line 1: it has 20 columns instead of 8"):
        convert(CLAIM_SETS["flights"], [put(tmp_path, "2011-12-02-data.txt", "a\t" * 19 + "b")], tmp_path / "other")
    with pytest.raises(FormatError, match="2 claims and 0 queries"):
        convert(CLAIM_SETS["flights"], files[:1], tmp_path / "other")


def test_places_bring_their_hierarchy(tmp_path):
    folder = tmp_path / "birthplaces"
    put(folder, "claims.csv", 'object,source,value\n"Torn, Ada",s1,Orle\n"Torn, Ada",s2,Norl\n"Torn, Ada",s3,Orle\n')
    put(folder, "groundtruths.csv", 'object,value\n"Torn, Ada","Orle,Norl"\n')
    put(folder, "hierarchy.csv", "ID,name,parentID\n0,Root,-1\n1,Norl,0\n2,Orle,1\n")
    assert convert(CLAIM_SETS["birthplaces"], [folder], tmp_path / "out") == {"claims": 3, "queries": 1}
    assert (
        files_of("birthplaces", claims=tmp_path / "out" / "claims.tsv.gz").hierarchy
        == tmp_path / "out" / "hierarchy.csv.gz"
    )
    put(folder, "claims.csv", "object,source,value\nA,s\n")
    with pytest.raises(FormatError, match=r"claims\.csv, line 2: 2 columns instead of 3"):
        convert(CLAIM_SETS["heritages"], [folder], tmp_path / "out")
    with pytest.raises(NotFoundError, match=r"no claims\.csv"):
        convert(CLAIM_SETS["heritages"], [tmp_path], tmp_path / "out")


def test_a_set_of_ones_own_says_its_rules_itself(tmp_path):
    folder = tmp_path / "prices"
    rows = ["source\tentity\tattribute\tvalue"]
    for n in range(6):
        rows += [
            f"{s}\tThing {n}\tprice\t{v}" for s, v in (("a", f"{n}.50"), ("b", f"{n}.5"), ("gold", "7"), ("c", "9"))
        ]
    folder.mkdir()
    with gzip.open(folder / "claims.tsv.gz", "wt") as file:
        file.write("\n".join(rows) + "\n")
    asked = [{"id": str(n), "entity": f"Thing {n}", "attribute": "price", "gold": [f"${n}.50"]} for n in range(6)]
    put(folder, "queries.jsonl", "".join(json.dumps(q) + "\n" for q in asked))
    with pytest.raises(NotFoundError, match=r"how its values are compared in set\.toml"):
        prepare_set(str(folder))
    put(folder, "set.toml", 'rule = "numbers"\nleft_out = ["gold"]\n[formats]\nJSON = ["a", "c"]\nCSV = ["b"]\n')
    data, queries, seconds = prepare_set(str(folder))
    assert (data.name, data.reading.claims.sources) == ("prices", ("a", "b", "c"))
    assert seconds > 0
    assert judge_set(data, method("vote"), queries).summary["answered"] == 1
    assert [(r["formats"], r["claims"], "ltm" in r) for r in mixes(data.files, ["ltm"])] == [("JSON + CSV", 18, True)]
    assert {point.corruption.split()[0] for point in curve(data.files, methods=["mcc"], seeds=1)} == {
        "as",
        "replace",
        "mask",
        "add",
    }
    for text, said in (("rule = 1", "is not a valid"), ("rule = [", "Invalid|Unclosed"), ("", "'rule' is missing")):
        put(folder, "set.toml", text)
        with pytest.raises(FormatError, match=said):
            prepare_set(str(folder))
    put(folder, "set.toml", 'rule = "names"\nother = 1\n')
    with pytest.raises(FormatError, match="unknown: other"):
        prepare_set(str(folder))
