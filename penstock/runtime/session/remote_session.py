"""What a session needs of a cluster that runs its plans. `penstock.cluster`, a layer above, has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ...graph.model.nodes import Tensor
from ..arguments.feeds_without_values import Shapes
from ..base.session_config import SessionConfig
from ..execution.executor import Program
from ..ir.stage import Stage
from .variable_store import VariableStore

if TYPE_CHECKING:
    from ..observe.explain import Explanation
    from ..observe.placement_report import PlacementReport


class RunsElsewhere(Protocol):
    """The cluster of a session."""

    variables: VariableStore

    @property
    def config(self) -> SessionConfig:
        """The choices of the session, as far as the cluster decides them: which worker takes a shard."""

    def program(
        self, stage: Stage, names: Sequence[str], stays: bool = False, handed: Sequence[int] = ()
    ) -> Program:
        """The program of a stage without variables, whose feeds have these names.

        stays: results in shards stay there; handed: places of fetches that stay there, for another run of the session.
        """

    def fed(self, tensors: Sequence[Tensor], values: Sequence[Any]) -> Sequence[Any]:
        """The values of feeds; those that come in parts may stay in parts."""

    def explained(self, found: Explanation, program: Program, shapes: Shapes) -> Explanation:
        """An explanation, with what a run of `program` with feeds of these shapes is expected to take."""

    def placed_report(self, report: PlacementReport, program: Program, shapes: Shapes) -> PlacementReport:
        """The places of the nodes of a run of `program` with feeds of these shapes; `report` is that of one machine."""

    def close(self) -> None:
        """Free what the workers have of the session."""
