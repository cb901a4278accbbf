"""Explanations of errors, shapes and unknown dimensions."""
