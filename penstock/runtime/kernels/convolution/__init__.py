"""Compiled kernels of 2-D convolutions and pooling."""
