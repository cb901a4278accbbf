"""Loops of small bodies as machine code: one function runs many iterations without Python between them."""
