"""Operations on whole loads: backup, comparison, loads that wait to take effect."""
