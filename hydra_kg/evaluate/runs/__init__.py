"""Questions asked in bulk: workers, records of answers, outcomes, spending, variants."""

from __future__ import annotations
