"""Word the replies of the service in the language that a client asks for."""
