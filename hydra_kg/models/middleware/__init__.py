"""Around the client, outermost first: record, cache, retry, dialect, spending, rate; each a request in, a reply out."""
