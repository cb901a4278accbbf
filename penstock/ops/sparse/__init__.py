"""Ops on sparse tensors, losses and decoders over them, and lookup tables."""
