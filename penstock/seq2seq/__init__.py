"""Decoders of sequences: helpers, attention, losses, and the functions of TensorFlow 0.x."""
