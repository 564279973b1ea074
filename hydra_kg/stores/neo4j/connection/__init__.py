"""The connection to a server: credentials, queries, migrations, the layout of chunks."""
