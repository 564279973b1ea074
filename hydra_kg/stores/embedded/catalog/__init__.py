"""Which loads a store holds: catalog, generations, locks, same-as classes."""
