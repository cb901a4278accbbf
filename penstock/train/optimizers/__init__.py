"""Optimizers, their slots, learning rates, averages."""
