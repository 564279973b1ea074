"""Read settings. Flags override the environment (``HYDRA_…``), which overrides ``hydra.toml`` and the defaults."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hydra_kg.errors import SettingsError
from hydra_kg.settings.folders import user_file
from hydra_kg.settings.former_names import explain_former_name
from hydra_kg.settings.settings import GROUPS, Settings, descriptions, full_names, project_rules

Warn = Callable[[str], None]


def load_settings(
    overrides: Mapping[str, Any] | None = None,
    *,
    folder: Path | None = None,
    base: Settings | None = None,
    warn: Warn | None = None,
) -> Settings:
    """Return the settings from all places.

    Each place overrides the ones before it: ``base`` (by default the built-in defaults), the user's file
    (:func:`user_file`), ``hydra.toml`` in ``folder`` (by default the working folder), the environment, and
    ``overrides`` (None means unset).

    ``hydra.toml`` in a folder may come from anywhere, so it may only do what :mod:`hydra_kg.settings.project_rules`
    allows. ``warn`` is called once if a file or variable uses names that no setting has any more; by default as a
    FutureWarning. Raise SettingsError for unknown names, for values that do not fit, and for what a folder's file may
    not set.
    """
    given = full_names({k: v for k, v in (overrides or {}).items() if v is not None}, groups=GROUPS)
    base = base or Settings()
    layers = [*_layers(folder or Path.cwd(), base=base, warn=warn or _warning).values(), given]
    return base.changed(**{name: value for layer in layers for name, value in layer.items()})


def places(*, folder: Path | None = None) -> dict[str, str]:
    """Return where each setting that is not a default comes from: a file or "environment". Raise SettingsError."""
    layers = _layers(folder or Path.cwd(), base=Settings(), warn=lambda text: None)
    return {name: place for place, values in layers.items() for name in values}


def _layers(folder: Path, *, base: Settings, warn: Warn) -> dict[str, dict[str, Any]]:
    """Return what the files and the environment set, by place, in the order of precedence. Raise SettingsError."""
    here = folder / "hydra.toml"
    files = {path: _read(path) for path in (user_file(), here)}
    own, found = map(_drop_unknown, files.values())
    _check_project_file(here, found, before=base.changed(**own))
    if ignored := _describe_ignored(files):
        warn(ignored)
    return {str(user_file()): own, here.name: found, "environment": _environment()}


def variable(name: str) -> str:
    """Return the variable of the environment that sets a setting."""
    return f"HYDRA_{name.replace('.', '_').upper()}"


def _environment() -> dict[str, Any]:
    return {name: os.environ[v] for name in descriptions() if (v := variable(name)) in os.environ}


def _read(path: Path) -> dict[str, Any]:
    """Return what a file sets, or {} if there is no file. Raise SettingsError."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise SettingsError(f"{path} is not valid TOML: {e}", remedy="Correct the file.") from e
    unknown = sorted(set(_all(values)) - set(descriptions()))
    if unknown := [name for name in unknown if not explain_former_name(name)]:
        raise SettingsError(
            f"{path} has unknown settings: {', '.join(unknown)}", remedy="hydra-kg settings lists all names."
        )
    return values


def _all(values: Mapping[str, Any]) -> dict[str, Any]:
    return full_names(values, groups=GROUPS)


def _drop_unknown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values under their full names, without settings that no longer exist."""
    return {name: value for name, value in _all(values).items() if name in descriptions()}


def _describe_ignored(files: Mapping[Path, Mapping[str, Any]]) -> str:
    """Return one text about names in files and variables of settings that no longer exist, or ""."""
    current = {variable(name) for name in descriptions()}
    variables = [v for v in sorted(os.environ) if v.startswith("HYDRA_") and v not in current]
    found = [
        *((f"{path}: {name}", explain_former_name(name)) for path, values in files.items() for name in _all(values)),
        *((v, explain_former_name(v.removeprefix("HYDRA_").lower(), spell=variable)) for v in variables),
    ]
    listed = "; ".join(f"{place} {text}" for place, text in found if text)
    return f"Settings without effect: {listed}." if listed else ""


def _warning(text: str) -> None:
    warnings.warn(text, FutureWarning, stacklevel=4)


def _check_project_file(path: Path, found: Mapping[str, Any], *, before: Settings) -> None:
    """Compare what a folder's file sets with the settings before it. Raise SettingsError for what it may not set."""
    rules, old, new = project_rules(), before.by_name(), before.changed(**found).by_name()
    refused = {
        name: rules[name].text
        for name in sorted(found)
        if new[name] != old[name] and not rules[name].allows(old[name], new[name], path.parent)
    }
    if refused:
        listed = ", ".join(f"{name} ({text})" for name, text in refused.items())
        raise SettingsError(
            f"{path} sets {listed}. A file in a working folder may make settings stricter, but not looser, and it may "
            "not name models, addresses or files.",
            remedy=f"Set it in {user_file()}, in the environment ({variable(next(iter(refused)))}), or as an "
            f"option; and remove it from {path}.",
        )
