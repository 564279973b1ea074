"""The web: search engines behind one port, and pages fetched safely behind another."""
