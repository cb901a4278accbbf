"""Declarations of ops: signatures, facts, costs, effects, distribution."""
