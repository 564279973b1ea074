"""State that all workers of a service share, in SQLite files: keys with their limits, daily budgets, jobs."""
