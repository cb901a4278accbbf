"""Ops on strings, and values as text."""
