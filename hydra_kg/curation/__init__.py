"""Store what people add: meanings that they teach, and questions that they save to be asked again."""
