"""Single ops that compute rows, such as softmax, argmax and cross entropies: compiled later, as groups of their row
instructions (`ir.row_bodies`).

Until there is code, and where there can be none, the op's own kernel runs. It words every error, too: code runs only
for sizes and values with which the op does not fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from time import perf_counter
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OpDef
from ..base.shape_cache import ShapeCache
from ..ir.kernel_protocol import Kernel, KernelTier
from ..ir.op_rows import OpRows, rows_of_op
from ..llvm import tier
from ..llvm.native_calls import NativeCall, NativeMemory
from .row_group import RowGroup

LAUNCH: Final = 5e-6
"""Seconds that a call of code takes beside the code; no code is called instead of a kernel that takes less."""


@dataclass(slots=True, eq=False)
class _ShapedOp:
    """One combination of operand shapes.

    Attributes:
        group: the group that computes the op.
        constants: its last inputs.
        rows: how the op computes rows.
        succeeds: whether the op does not fail for the values of the operand that it checks; None if it never does.
        row_entry: what the group knows of these shapes, from the first run on.
        fastest: the fewest seconds that the op's own kernel took.
    """

    group: RowGroup
    constants: tuple[Any, ...]
    rows: OpRows
    succeeds: Callable[[Any], bool] | None
    row_entry: Any = None
    fastest: float = inf

    @property
    def is_slower(self) -> bool:
        """True if calling code takes longer than the op's own kernel."""
        return self.fastest < LAUNCH and not tier.at_once()


class RowOp:
    """Runs one op. Thread-safe."""

    def __init__(self, opdef: OpDef[Any, Any], attributes: Sequence[Any], own: Kernel) -> None:
        """attributes: the arguments in the order of the signature, anything for an operand."""
        assert opdef.row_rule is not None  # the caller asked
        self._opdef = opdef
        self._rule = opdef.row_rule
        self._attributes = tuple(attributes)
        self._own = own.call
        self._places = [place for place, _, _ in opdef.operands]
        self._checked = self._places.index(self._rule.checked) if self._rule.succeeds is not None else 0
        self._host = tuple([k for k, (_, _, operand) in enumerate(opdef.operands) if operand.host])
        self._groups: dict[Any, RowGroup] = {}
        self._entries: ShapeCache[_ShapedOp | None] = ShapeCache()
        self._is_single = opdef.returns == "tensor"
        self._last: RowGroup | None = None

    @property
    def kernel(self) -> Kernel:
        """The kernel of the step."""
        return Kernel(self, tier=self._tier, native=self.native)

    def _tier(self) -> KernelTier:
        group = self._last
        if group is None:
            return KernelTier("", "interpreted")
        return KernelTier("compiled" if group.tier == "compiled" else "", group.promotion)

    def __call__(self, *arrays: Any) -> Any:
        """The result, or the results as a list."""
        entry = self._entry_for(arrays)
        if entry is None or entry.is_slower:
            return self._own(*arrays)
        if entry.succeeds is not None and not entry.succeeds(arrays[self._checked]):
            return self._own(*arrays)
        operands = [*self._operands(entry, arrays), *entry.constants]
        group, row_entry = entry.group, entry.row_entry
        if row_entry is None:
            row_entry = entry.row_entry = group.entry(operands)
        results = group.by_code(row_entry, operands)
        if results is not None:
            return results[0] if self._is_single else results
        start = perf_counter()
        results = self._own(*arrays)
        seconds = perf_counter() - start
        group.note(row_entry, seconds)
        if seconds < entry.fastest:
            entry.fastest = seconds
        return results

    def native(
        self, inputs: Sequence[Any], results: Sequence[Any], memory: NativeMemory
    ) -> list[NativeCall] | None:
        """See `llvm.native_calls`."""
        entry = self._entry_for(inputs)
        if entry is None:
            return None
        if entry.succeeds is not None and not memory.may_require(inputs[self._checked], entry.succeeds):
            return None
        operands = [*self._operands(entry, inputs), *[memory.constant(x) for x in entry.constants]]
        return entry.group.native(operands, results, memory)

    def _entry_for(self, arrays: Sequence[Any]) -> _ShapedOp | None:
        """What is known about operands of these shapes."""
        key: Any = tuple([x.shape for x in arrays])
        if self._host:
            key = key, *[arrays[k].tobytes() for k in self._host]
        try:
            return self._entries[key]
        except KeyError:
            return self._entries.keep(key, self._entry(arrays))

    def _operands(self, entry: _ShapedOp, arrays: Sequence[Any]) -> list[Any]:
        """The operands on the device, each with as many axes as the widest one."""
        return entry.rows.lift([x for k, x in enumerate(arrays) if k not in self._host] if self._host else arrays)

    def _entry(self, arrays: Sequence[Any]) -> _ShapedOp | None:
        rows = rows_of_op(self._opdef, self._attributes, arrays)
        if rows is None:
            return None
        group = self._groups.get(rows.body)
        if group is None:
            group = self._groups.setdefault(rows.body, RowGroup(rows.body, True, rows.places))
        self._last = group
        first = next(x for k, x in enumerate(arrays) if k not in self._host)
        numbers = () if rows.places is None else (np.arange(first.shape[-1], dtype=np.int32),)
        return _ShapedOp(group, (*rows.constants, *numbers), rows, self._test(rows.sizes))

    def _test(self, sizes: Sequence[Any]) -> Callable[[Any], bool] | None:
        """The rule of the values of one operand, for these sizes."""
        succeeds, place = self._rule.succeeds, self._rule.checked
        if succeeds is None:
            return None
        before, after = sizes[:place], sizes[place + 1 :]
        return lambda x: succeeds(*before, x, *after)

