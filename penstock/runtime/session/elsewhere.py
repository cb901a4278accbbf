"""What a session needs of a cluster that runs its plans. `penstock.cluster`, a layer above, has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..execution.executor import Program
from ..ir.stage import Stage
from .variable_store import VariableStore


class RunsElsewhere(Protocol):
    """The cluster of a session."""

    variables: VariableStore

    def program(self, stage: Stage, names: Sequence[str]) -> Program:
        """The program of a stage without variables, whose feeds have these names."""

    def close(self) -> None:
        """Free what the workers have of the session."""
