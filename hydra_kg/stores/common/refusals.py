"""What stores refuse, in the same words."""

from __future__ import annotations

from hydra_kg.errors import NotFoundError, StoreError


def loaded_already(name: str) -> StoreError:
    """A load of that name is ready, and the new one is not to replace it."""
    remedy = "Replace it with --replace, or give the new one another name with --source."
    return StoreError(f"{name} is loaded already.", remedy=remedy)


def no_answers(key: str) -> NotFoundError:
    """That there is no such kept answer, or none at all for ""."""
    if key:
        said = f"No kept answer has an id that begins with {key!r}."
        return NotFoundError(said, remedy="hydra-kg show lists the kept answers.")
    return NotFoundError("No answer has been kept yet.", remedy='Ask something first: hydra-kg ask "…".')
