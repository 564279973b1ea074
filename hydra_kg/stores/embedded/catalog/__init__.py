"""The record of which loads a store has: catalog, generations, locks, same-as classes."""
