"""Read the choices in a reply, leaving out those that were not on offer."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.text.folding import fold


def chosen(names: Sequence[str], kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds that the reply names, in its order."""
    folded_names = {fold(n) for n in names}
    return tuple(k for k in kinds if fold(k) in folded_names)


def places(numbers: Sequence[int], count: int) -> tuple[int, ...]:
    """Return numbers from 1 as places from 0, each once, without those that are too large."""
    return tuple(dict.fromkeys(n - 1 for n in numbers if 1 <= n <= count))


def missed(missing: str) -> str:
    """Return the model's words for what is missing, a few words or a sentence, as a clause."""
    return f"the model misses “{missing.strip().rstrip('.')}”" if missing.strip(" .") else ""
