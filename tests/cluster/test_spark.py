"""What Spark stages of every format on two workers is what DuckDB stages alone, also where an executor is killed.

Skipped where pyspark is not installed. ``.ci/integrations spark`` installs it in an environment of its own, with the
folder of the tests' helpers on the path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.ranges import DUMPS, Killing, packed, staged

from hydra_kg.errors import LoadError, NetworkError, UsageError
from hydra_kg.ingest.contract import splits

if not os.environ.get("HYDRA_FRAMEWORK"):
    pytest.importorskip("pyspark", reason="pyspark is not installed: .ci/integrations spark tries it")

from hydra_kg.ingest.spark import SparkEngine


@pytest.fixture(scope="module")
def cluster() -> Iterator[SparkEngine]:
    with SparkEngine("local-cluster[2,1,1024]", no_network=True) as engine:
        yield engine


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "PLAIN", 33_001)
    monkeypatch.setattr(splits, "PACKED", 4_001)


@pytest.mark.parametrize("form", DUMPS)
def test_the_stage_is_that_of_duckdb(form: str, cluster: SparkEngine, tmp_path: Path) -> None:
    file = DUMPS[form](tmp_path)
    assert staged(file, tmp_path / "spark", form, cluster) == staged(file, tmp_path / "duckdb", form)


@pytest.mark.parametrize("form, bzip2", [("freebase", True), ("wikidata_json", False)])
def test_so_it_is_when_an_executor_is_killed(form: str, bzip2: bool, cluster: SparkEngine, tmp_path: Path) -> None:
    file = packed(DUMPS[form](tmp_path)) if bzip2 else DUMPS[form](tmp_path)
    assert len(splits.splits([file])) > 2
    killing = Killing(cluster, tmp_path / "killed")
    assert staged(file, tmp_path / "spark", form, killing) == staged(file, tmp_path / "duckdb", form)
    assert (tmp_path / "killed").exists()


def test_what_executors_cannot_read_is_said_with_its_remedy(cluster: SparkEngine, tmp_path: Path) -> None:
    file = packed(DUMPS["freebase"](tmp_path))
    data = bytearray(file.read_bytes())
    data[3 * len(data) // 4] ^= 4
    file.write_bytes(data)
    with pytest.raises(LoadError, match="is damaged near byte") as refused:
        staged(file, tmp_path / "spark", "freebase", cluster)
    assert refused.value.remedy.startswith("Get the file again")


def test_no_cluster_elsewhere_is_spoken_to_without_leave() -> None:
    with pytest.raises(NetworkError, match=r"spark://192\.0\.2\.1:7077 needs the network"):
        SparkEngine("spark://192.0.2.1:7077", no_network=True)


def test_a_second_engine_of_one_process_is_refused(cluster: SparkEngine) -> None:
    with pytest.raises((LoadError, UsageError), match="Spark does not start"):
        SparkEngine("local[1]")
