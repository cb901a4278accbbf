"""Ops that combine elements: along axes, by segment, in running sums."""
