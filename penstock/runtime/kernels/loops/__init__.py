"""Compiled loops: their templates, and what finds and caches them."""
