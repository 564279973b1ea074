"""A store published to a folder or an object store, and the local copies from which readers answer."""
