"""The plain tier: fused groups interpreted with NumPy alone."""
