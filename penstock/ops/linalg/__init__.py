"""Ops of matrices: products, einsum, QR, diagonals."""
