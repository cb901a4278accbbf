"""Convolutions: the ops and the functions that call them."""
