"""Sessions that initialise, save and stop by themselves, and their hooks."""
