"""Simplify: rules, each with its law."""

from __future__ import annotations

from ..stage import Notes, Stage


class Simplify:
    """Apply the rules."""

    name = "simplify"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage with every rule applied that fires."""
        return stage
