"""Values in one spelling, so that equal claims compare equal: dates, codes, names, places."""
