"""Savers, checkpoints and meta graphs."""
