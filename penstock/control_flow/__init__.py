"""Branches and loops: the functions that turn Python functions into the graphs of `If` and `While`."""
