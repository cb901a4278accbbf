"""Optimizers, learning rates, moving averages: `penstock.train`."""
