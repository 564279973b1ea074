"""What operators give: sets with their evidence, literals as spans, and what was done, in words."""

from __future__ import annotations
