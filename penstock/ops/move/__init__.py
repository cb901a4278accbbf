"""Ops that move elements: joins, cuts, new shapes, other orders, repetition."""
