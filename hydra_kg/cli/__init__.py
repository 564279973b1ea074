"""The command line: one thin module per verb over the library."""

from __future__ import annotations
