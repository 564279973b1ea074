"""Questions asked in bulk: workers, records of answers, outcomes, spending, variants."""
