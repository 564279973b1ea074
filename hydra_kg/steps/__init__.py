"""Steps of question answering: pure functions, and askers that go through a port they are handed."""
