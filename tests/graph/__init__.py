"""Tests of the graph layer: what is known before anything runs."""
