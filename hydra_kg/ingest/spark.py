"""Engine that reads ranges of files with Apache Spark, which chooses where and repeats what an executor lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from hydra_kg.errors import LoadError, NetworkError, UsageError
from hydra_kg.util.source_code import source_hash

try:
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext, StorageLevel
except ImportError as e:
    raise UsageError("Spark is not installed.", remedy="pip install 'hydra-kg[spark]', and Java 17 or later.") from e

Item = TypeVar("Item")
Result = TypeVar("Result")

_MOST_TASKS: Final = 2_000
"""Largest number of tasks of one run. The result of each task is fetched by a separate request."""

_USUAL: Final = {
    "spark.app.name": "hydra-kg load",
    "spark.driver.memory": "2g",
    "spark.driver.maxResultSize": "0",  # what a range amounts to is bounded by its size
    "spark.task.maxFailures": "8",
    "spark.ui.showConsoleProgress": "false",
}
"""Settings that are used unless Spark is configured otherwise."""

_HERE: Final = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false"}
"""Settings for a cluster on this machine alone, where no port is open to other machines."""


class SparkEngine:
    """An engine on a Spark cluster, to be used as a context manager.

    ``master`` is an address in Spark's form, "" for that of Spark's configuration. Executors need this release and the
    same paths. Raises UsageError, LoadError.
    """

    def __init__(self, master: str = "", *, no_network: bool = False) -> None:
        conf = SparkConf().setIfMissing("spark.master", "local[*]")
        if master:
            conf.setMaster(master)
        here = str(conf.get("spark.master")).startswith("local")
        if no_network and not here:
            raise NetworkError(
                f"Spark at {conf.get('spark.master')} needs the network, which --no-network forbids.",
                remedy="Take --engine spark=local[*], or leave it out.",
            )
        for name, value in {**_USUAL, **(_HERE if here else {})}.items():
            conf.setIfMissing(name, value)
        if here:
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            conf.setExecutorEnv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        try:
            self._context = SparkContext(conf=conf)
        except (Py4JError, RuntimeError, ValueError, OSError) as e:
            raise LoadError(
                f"Spark does not start: {_first_line(e)}", remedy="It needs Java 17 or later; see what it printed."
            ) from e
        self._context.setLogLevel("ERROR")

    def __enter__(self) -> SparkEngine:
        return self

    def __exit__(self, *error: object) -> None:
        self._context.stop()

    def run(self, do: Callable[[Item], Iterable[Result]], items: Sequence[Item]) -> Iterator[Result]:
        """Return the results after all work is done. See :class:`hydra_kg.ingest.contract.choices.Engine`."""
        if not items:
            return
        tasks = self._context.parallelize(items, min(len(items), _MOST_TASKS))
        done = tasks.mapPartitions(partial(_results, do=do, code=source_hash())).persist(StorageLevel.DISK_ONLY)
        try:
            done.count()
            yield from done.toLocalIterator()
        except Py4JError as e:
            raise LoadError(
                f"Spark could not read the files: {_first_line(e)}",
                remedy="Its log says more. Run the same command again; nothing was loaded.",
            ) from e
        finally:
            done.unpersist()


def _results(items: Iterable[Any], *, do: Callable[[Any], Iterable[Any]], code: str) -> Iterator[Any]:
    """Yield the results of an executor's items."""
    if (own := source_hash()) != code:
        raise RuntimeError(f"an executor has another hydra-kg ({own}) than this machine ({code})")
    for item in items:
        yield from do(item)


def _first_line(error: BaseException) -> str:
    """Return Spark's own message of an error that it wraps in pages of Java."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith(("RuntimeError:", "ModuleNotFoundError:", "Caused by:"))]
    return (wrong or lines or [type(error).__name__])[0][:300]
