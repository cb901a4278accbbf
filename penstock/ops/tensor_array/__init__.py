"""Ops behind TensorArrays and lists, and values of dtype `variant`."""
