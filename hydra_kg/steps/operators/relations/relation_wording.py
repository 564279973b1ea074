"""Wording of a relation of a plan, in an answer's steps and claims."""

from __future__ import annotations

from hydra_kg.extract.word_classes import BE, HAVE
from hydra_kg.plan.model import Related


def relation_words(op: Related, below: str) -> str:
    """Return the relation in words: "films directed by James Cameron"."""
    phrase = (op.said or op.phrase).replace("_ s ", "_'s ").removeprefix(_auxiliary(op))
    text = phrase.replace("_", below) if "_" in phrase else f"{phrase} {below}"
    noun = op.noun if op.noun and op.noun not in phrase else ""
    if not noun:
        return text.strip()
    joint = " that" if phrase.startswith("_ ") else ""
    return f"{noun}{joint} {text}".strip()


def being(op: Related) -> str:
    """Return the auxiliary with which a claim states a relation: "was" of "was born in _"; else "among"."""
    return _auxiliary(op).strip() if op.said and not op.said.startswith("_") else "among"


def _auxiliary(op: Related) -> str:
    """Return the auxiliary before a phrase, with a space after it, or ""."""
    first = op.said.split(" ", 1)[0]
    return f"{first} " if first in BE | HAVE else ""
