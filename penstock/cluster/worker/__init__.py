"""Runs at a worker."""
