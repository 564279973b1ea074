"""Thresholds of operators. Surety, fit and share run from 0 to 1."""

from __future__ import annotations

from typing import Final

VALUED: Final = 3  # readings of a set whose values are looked at
AREA_PLACES: Final = 50  # places whose area is looked for
PROPERTY_WORDING: Final = 0.04  # cost of each further wording of an attribute
STATED_NUMBER: Final = 0.75  # fit from which a stated number is taken in place of a count
HOLDS_NEAR: Final = 0.7  # score that a relation may lack to the best and still say yes
HOLDS_RELEVANCE: Final = 0.4  # surety that it must have for that, 0 to 1
DENIES_RELEVANCE: Final = 0.5  # surety from which a relation may say no, 0 to 1
DENIES_PLAINLY: Final = 0.97  # surety from which it may say no in other words, 0 to 1
TIMES_FIT: Final = 0.7  # fit that a date must have to say when something was there
SINGLE: Final = 0.8  # share of subjects with one object from which a relation has one
SINGLE_SUBJECTS: Final = 3  # subjects of which that share is taken, at least
TERM_FIT: Final = 0.75  # fit of a date from which it orders things whose order the question does not name
EXTREME_KNOWN: Final = 0.6  # share of a set whose value must be known before one is its first or greatest
EXTREME_SURE: Final = 0.8  # the same from which it is surely so
