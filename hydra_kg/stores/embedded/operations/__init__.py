"""Operations on whole loads: backup, comparison, and pending loads."""
