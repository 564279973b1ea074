"""What all workers of a service share, in SQLite files: keys with their limits, budgets of a day, jobs."""
