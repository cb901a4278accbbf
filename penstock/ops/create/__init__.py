"""Ops that make tensors: constants, placeholders, filled tensors, sequences, and what a shape says."""
