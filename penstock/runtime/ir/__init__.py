"""Intermediate forms between the graph and the plan: stages, fused groups, scalar programs."""
