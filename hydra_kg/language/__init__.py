"""English and other languages as data: words by class, numbers, dates, units, word forms and tokens."""
