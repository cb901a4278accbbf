"""`FormulaOptimizer`: an optimizer that is one formula, for whole variables and for rows alike.

A class lists its arguments and its slots, and has one method, `_step`, which says how a gradient changes a variable and
its slots: a formula of `ops/state/update_formulas.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.common.tracebacks import hides_frames_of_init
from ...graph.model.default_graph import get_default_graph
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType
from ...variables.latest_values import LatestValues
from ...variables.variable import Variable
from .optimizer import Optimizer, check_number
from .update_target import UpdatedRows


class FormulaOptimizer(Optimizer):
    """An optimizer whose update is one formula.

    Args:
        arguments: the numbers of the formula by name, as the user gave them.
        use_locking, name: as of `Optimizer`.
    """

    def __init_subclass__(cls) -> None:
        if "__init__" in vars(cls):
            hides_frames_of_init(cls)

    def __init__(self, arguments: Mapping[str, Any], use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        for label, given in arguments.items():
            check_number(type(self).__name__, "learning_rate" if label == "lr" else label, given)
        self._arguments = dict(arguments)
        self._tensors: dict[str, Tensor] = {}
        self._as_dtype: dict[tuple[str, DType, Any], Tensor] = {}
        self._latest: LatestValues

    def _starts(self) -> Sequence[tuple[str, Any, str | None]]:
        """The slots: name, number they begin with, and what they are called if not after the optimizer."""
        return ()

    def _step(self, g: Tensor, w: UpdatedRows, *slots: UpdatedRows) -> None:
        """Write the variable and its slots, in the order of `_starts`."""
        raise NotImplementedError

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            for slot_name, number, op_name in self._starts():
                self._filled_slot(variable, number, slot_name, op_name or self._name)

    def _prepare(self) -> None:
        self._latest = LatestValues(get_default_graph())
        self._as_dtype = {}
        self._tensors = {
            label: ops.convert_to_tensor(_number(self._call_if_callable(given)), name=label)
            for label, given in self._arguments.items()
        }

    def _apply_dense(self, grad: Tensor, var: Variable) -> Operation:
        return self._apply_to(var, grad, None)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        return self._apply_to(var, grad.values, grad.indices)

    def _apply_to(self, var: Variable, g: Tensor, indices: Tensor | None) -> Operation:
        writes: list[Tensor] = []
        slots = [self._rows(self._slots[name][var.op], indices, writes) for name, _, _ in self._starts()]
        self._step(g, self._rows(var, indices, writes), *slots)
        return writes[0].op if len(writes) == 1 else ops.group(*writes)

    def _rows(self, variable: Variable, indices: Tensor | None, writes: list[Tensor]) -> UpdatedRows:
        return UpdatedRows(variable, indices, writes, self._latest)

    def _numbers(self, like: Tensor) -> list[Tensor]:
        """The arguments in the dtype of a gradient."""
        return [self._scalar(label, like) for label in self._arguments]

    def _key(self, label: str, like: Tensor) -> tuple[str, DType, Any]:
        """Which node of a number an update uses: each device has its own, so that no device waits for another."""
        return label, like.dtype, get_default_graph().surroundings.device

    def _scalar(self, label: str, like: Tensor) -> Tensor:
        """An argument in the dtype of a gradient."""
        key = self._key(label, like)
        if key not in self._as_dtype:
            self._as_dtype[key] = ops.cast(self._tensors[label], like.dtype)
        return self._as_dtype[key]


def _number(given: Any) -> Any:
    """An argument; an int of Python counts as a float."""
    return float(given) if isinstance(given, int) else given
