"""Changes each formula of `equations.toml` once, in memory, and says whether its test notices.

    python bench/conformance/flips.py [--only NUMBER,...]

It prints a line for each equation; a change that no test notices ends with status 1.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def equations() -> Sequence[Mapping[str, Any]]:
    """Return the rows of `equations.toml`."""
    text = (ROOT / "bench/conformance/equations.toml").read_text("utf-8")
    rows: list[Mapping[str, Any]] = tomllib.loads(text)["equation"]
    return rows


def flipped(row: Mapping[str, Any], source: str) -> str:
    """Return the source with the change of an equation. Raises ValueError where it does not fit."""
    if row["old"] not in source:
        raise ValueError(f"{row['file']} does not hold {row['old']!r}: correct equations.toml.")
    return source.replace(row["old"], row["new"], 1)


@contextlib.contextmanager
def changed(row: Mapping[str, Any]) -> Iterator[None]:
    """Give the functions, classes and constants of a loaded module the changed code, and the old code back."""
    path = ROOT / row["file"]
    source = path.read_text("utf-8")
    module = importlib.import_module(row["file"].removesuffix(".py").replace("/", "."))
    try:
        _become(module, flipped(row, source))
        yield
    finally:
        _become(module, source)


def _become(module: ModuleType, source: str) -> None:
    other = ModuleType(module.__name__)
    other.__file__ = module.__file__
    other.__package__ = module.__package__
    loaded = sys.modules[module.__name__]
    sys.modules[module.__name__] = other  # dataclasses look their module up
    try:
        exec(compile(source, str(module.__file__), "exec"), other.__dict__)
    finally:
        sys.modules[module.__name__] = loaded
    for name, new in vars(other).items():
        old = vars(module).get(name)
        if inspect.isclass(old) and old.__module__ == module.__name__:
            for key, method in vars(new).items():
                _take(vars(old).get(key), method)
                if isinstance(method, int | float | str) and not key.startswith("__"):
                    setattr(old, key, method)  # a default of a dataclass
        elif not _take(old, new) and isinstance(new, int | float | str | tuple | dict) and not name.startswith("__"):
            vars(module)[name] = new


def _take(old: Any, new: Any) -> bool:
    """Give one function the code of another; True if both are functions. A cache is emptied."""
    if hasattr(old, "cache_clear"):
        old.cache_clear()
    old, new = (inspect.unwrap(f) if callable(f) and not inspect.isclass(f) else f for f in (old, new))
    if not isinstance(old, FunctionType) or not isinstance(new, FunctionType):
        return False
    if len(old.__code__.co_freevars) == len(new.__code__.co_freevars):
        old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
    return True


def fails(row: Mapping[str, Any]) -> bool:
    """Return True if the test of an equation fails. Raises ValueError where it selects none."""
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    name, *chosen = shlex.split(row["test"])
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.chdir(ROOT):
        status = pytest.main([*options, name, *chosen])
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        raise ValueError(f"{row['test']} could not be run ({status!r}): {said.getvalue()[-600:]}")
    return status == pytest.ExitCode.TESTS_FAILED


def main() -> None:
    """Try every change, or the given ones: the test must pass before, and fail with it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="numbers of equations, from 1, with commas")
    wanted = {int(n) for n in parser.parse_args().only.split(",") if n}
    missed = 0
    for number, row in enumerate(equations(), 1):
        if wanted and number not in wanted:
            continue
        before = fails(row)
        with changed(row):
            noticed = fails(row) and not before
        missed += not noticed
        said = "noticed" if noticed else "FAILS BEFORE" if before else "MISSED"
        print(f"{number:2} {said} {row['paper']} {row['where']}", flush=True)
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
