"""What people add to a store: meanings that they teach it, and questions that they save to be asked again."""
