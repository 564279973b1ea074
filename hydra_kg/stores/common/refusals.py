"""Error messages that all stores share."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.errors import LoadedAlreadyError, NotFoundError, StoreBusyError, UsageError


def already_loaded_error(name: str) -> LoadedAlreadyError:
    """Return the error for a name that is already loaded when the new load is not to replace it."""
    remedy = "Replace it with --replace, or give the new one another name with --source."
    return LoadedAlreadyError(f"{name} is loaded already.", remedy=remedy)


def no_answers(key: str) -> NotFoundError:
    """Return the error for an id that matches no stored answer; for "", the error that none is stored."""
    if key:
        message = f"No stored answer has an id that begins with {key!r}."
        return NotFoundError(message, remedy="hydra-kg show lists the stored answers.")
    return NotFoundError("No answer is stored yet.", remedy='Ask something first: hydra-kg ask "…".')


def several_answers(key: str, found: Sequence[str]) -> NotFoundError:
    """Return the error for an id prefix that matches several stored answers."""
    message = f"{key!r} is the beginning of several ids: {', '.join(found)}."
    return NotFoundError(message, remedy="Give more of the id.")


def foreign_handle() -> UsageError:
    """Return the error for a fact handle that another snapshot gave."""
    return UsageError(
        "A fact handle does not belong to this snapshot.", remedy="Use handles only with the snapshot that gave them."
    )


def replaced_meanwhile_error(name: str) -> StoreBusyError:
    """Return the error for a load that another process replaced first."""
    return StoreBusyError(f"Another process has replaced {name} meanwhile.", remedy="Run the command again.")
