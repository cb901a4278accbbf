"""Which templates are there? Those of the modules listed here."""

from __future__ import annotations

from . import adding, casts, halving, interleave, labels, merging, numbers, places, rows, sequences, transposes
from .table import TEMPLATES

__all__ = [
    "TEMPLATES",
    "adding",
    "casts",
    "halving",
    "interleave",
    "labels",
    "merging",
    "numbers",
    "places",
    "rows",
    "sequences",
    "transposes",
]
