"""The Freebase loader: its rules, its schema, its neighbourhoods."""
