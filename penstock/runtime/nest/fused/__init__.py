"""Kernels of ops together with what is computed for each element before and behind them."""
