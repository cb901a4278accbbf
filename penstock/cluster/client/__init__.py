"""Runs at the client: programs, feeds and results, records."""
