"""Operations on whole loads: backup, comparison, loads that wait to take effect."""

from __future__ import annotations
