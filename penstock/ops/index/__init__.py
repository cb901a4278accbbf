"""Ops that read, write or order elements by indices and labels."""
