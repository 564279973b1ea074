"""Questions over data with a schema of their own: its classes, relations and names are the words to ask with."""
