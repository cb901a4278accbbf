"""Ops that order others, choose, repeat, or call Python."""
