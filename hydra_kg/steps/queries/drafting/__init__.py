"""Build a query over tables from the pieces of a question: conditions, orders, amounts, and what is shown."""
