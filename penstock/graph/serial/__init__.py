"""Graphs as data: Penstock's own JSON form."""

from .limits import Limits

__all__ = ["Limits"]
