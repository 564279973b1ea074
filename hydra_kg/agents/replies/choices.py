"""What a reply chooses, as far as it could be chosen."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.text.folding import fold


def chosen(names: Sequence[str], kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds that are named, in their order."""
    folded_names = {fold(n) for n in names}
    return tuple(k for k in kinds if fold(k) in folded_names)


def places(numbers: Sequence[int], count: int) -> tuple[int, ...]:
    """Numbers from 1 as places from 0, each once, as far as there are so many."""
    return tuple(dict.fromkeys(n - 1 for n in numbers if 1 <= n <= count))


def missed(missing: str) -> str:
    """Return what the model says is missing, a few words or a sentence, as a clause."""
    return f"the model misses “{missing.strip().rstrip('.')}”" if missing.strip(" .") else ""
