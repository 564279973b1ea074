"""The analysis of a question, and the gathering of evidence for one exploration."""
