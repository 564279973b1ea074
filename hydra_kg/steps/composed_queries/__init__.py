"""Questions that are answered by several queries over tables: differences, times between events, statements."""
