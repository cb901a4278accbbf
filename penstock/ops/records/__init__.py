"""Ops of records: examples as tensors, bytes as numbers, files."""
