"""Ops of variables, checkpoints and summaries."""
