"""Assertions, and checks of values in a run."""
