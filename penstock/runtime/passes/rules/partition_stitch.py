"""A dynamic_partition whose parts are changed elementwise and stitched back in place becomes a select.

    parts = dynamic_partition(x, p, 2)
    rows = dynamic_partition(range(n), p, 2)
    dynamic_stitch(rows, [f(parts[0]), g(parts[1])])        row i is g(x[i]) where p[i] = 1, else f(x[i])

If f and g are elementwise, this is one select. It reads x once, instead of copying rows out and in. In gradients the
parts are `gather(x, rows[k])`, which are the same rows.

Rows that were stitched and are taken apart again by the same labels: the parts are the data that was stitched.

    rows = dynamic_partition(range(n), p, K)
    y = dynamic_stitch(rows, data)
    dynamic_partition(y, p, K)[k]   and   gather(y, rows[k])        data[k]

The second form is the gradient of a stitch, read by the gradient of a partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ....graph.building.may_fail import broadcast_of
from ....graph.common.quick_dataclass import dataclass
from ....graph.declare.effects import effects_of
from ....graph.model.nodes import Operation, Tensor
from ....graph.shapes.dimension import Dim
from ....ops.elementwise.casting import cast
from ....ops.elementwise.comparison import equal
from ....ops.elementwise.select_where import select
from ....ops.index.dynamic_partition import (
    counts_to,
    dynamic_partition,
    dynamic_stitch,
    parallel_dynamic_stitch,
    rows_divided,
)
from ....ops.index.gathering import gather
from .proofs import constant
from .residual_checks import check_partitions
from .rule import Emitter, Rule, node, parts, reads

MOST = 8
"""The most parts; every f_k is computed for every row."""
LARGEST = 200
"""The most operations of one f_k."""
_ROWS = -1
"""The number of rows in shapes that are compared; no real size is negative."""

Shape = tuple[Dim, ...]


@dataclass(slots=True)
class _Function:
    """One f_k.

    Args:
        result: its result.
        operations: what computes it, in order.
        partitions: the partitions whose part k it reads, or by whose part k it gathers.
        whole: each part that it reads -> the tensor of all rows.
        shape: the shape of the result.
    """

    result: Tensor
    operations: list[Operation] = field(default_factory=list)
    partitions: list[Operation] = field(default_factory=list)
    whole: dict[Tensor, Tensor] = field(default_factory=dict)
    shape: Shape = ()


class StitchOfPartitions(Rule):
    """dynamic_stitch(dynamic_partition(range(n), p, K), [f_k(dynamic_partition(x, p, K)[k])]) -> select on p. Exact.

    If x has n rows and each f_k is elementwise and cannot fail, row i is f_p[i](x[i]), computed with the same
    operations on the same values. A check of p remains if its labels are not known to be valid. It ends because each
    use removes one stitch."""

    pattern = node(
        (dynamic_stitch, parallel_dynamic_stitch),
        parts(node(dynamic_partition, "numbers", "p", "count"), "indices"),
        "data",
    )

    def check(
        self, indices: Sequence[Tensor], numbers: Tensor, p: Tensor, count: int, data: Sequence[Tensor]
    ) -> str | None:
        if tuple(indices) != indices[0].op.outputs:
            return "the indices are not all parts of one partition, in order"
        if not 2 <= count <= MOST:
            return f"there are {count} parts; the rule applies to 2 to {MOST}"
        if p.shape.ndims != 1:
            return f"the rank of {p.name} is not known to be 1"
        functions = [_function(k, tensor, p, count) for k, tensor in enumerate(data)]
        for found in functions:
            if isinstance(found, str):
                return found
        shapes = [f.shape for f in functions if isinstance(f, _Function)]
        if any(s != shapes[0] for s in shapes):
            return "whether the functions give rows of one shape is not known before the run"
        return _rows_refusal(numbers, p, functions)

    def rewrite(
        self,
        make: Emitter,
        indices: Sequence[Tensor],
        numbers: Tensor,
        p: Tensor,
        count: int,
        data: Sequence[Tensor],
    ) -> Tensor:
        functions = [f for f in (_function(k, t, p, count) for k, t in enumerate(data)) if isinstance(f, _Function)]
        partitions = list(dict.fromkeys(op for f in functions for op in f.partitions))
        make.cover(op for f in functions for op in f.operations)
        make.cover([*partitions, *(part.op for f in functions for part in f.whole)])
        labels = _checked(make, p, count, partitions)
        results = [_of_all_rows(make, f) for f in functions]
        if labels is p and all(each is results[0] for each in results):
            return results[0]
        if labels is p and _is_truth(p):
            return make.result(select, p.op.args[0], results[1], results[0])
        chosen = results[-1]
        for k in reversed(range(count - 1)):
            here = make.make(equal, labels, make.constant(np.array(k, np.int32)), hint="is")
            if k == 0:
                chosen = make.result(select, here, results[k], chosen)
            else:
                chosen = make.make(select, here, results[k], chosen)
        return chosen


def _function(k: int, result: Tensor, p: Tensor, count: int) -> _Function | str:
    """data[k] as a function of the k-th parts, or the reason why it may not be applied to all rows."""
    function = _Function(result)
    shapes: dict[Tensor, Shape] = {}
    ordered, reads_part = _ancestors(result, p, count)
    if result.op not in reads_part:
        return f"data[{k}] is not computed from part {k} of a partition by {p.name}"
    rank = _rank(op.args[0] for op in ordered if _divides(op, p, count) is not None)
    if isinstance(rank, str):
        return rank
    for op in ordered:
        if op not in reads_part:
            continue
        divides = _divides(op, p, count)
        if divides is not None:
            function.partitions.append(divides)
            rows: Shape = (_ROWS, *(op.args[0].shape.raw or ())[1:])
            shapes.update(dict.fromkeys(op.outputs, rows))
            function.whole.update(dict.fromkeys(op.outputs, op.args[0]))
            continue
        refused = _refusal(op, k, p, count, reads_part, rank)
        if refused is not None:
            return refused
        shape = broadcast_of([shapes.get(t, t.shape.raw or ()) for t in op.inputs])
        if shape is None:
            return f"whether the operands of {op.name} broadcast is not known before the run"
        shapes[op.outputs[0]] = shape
        function.operations.append(op)
    part = _part(result, p, count)
    if part is not None and part != k:
        return f"data[{k}] is part {part}; the indices have another order"
    function.shape = shapes[result]
    return function


def _ancestors(result: Tensor, p: Tensor, count: int) -> tuple[list[Operation], set[Operation]]:
    """The operations that `result` depends on, up to the partitions by p, in order; and those that read a part."""
    ordered: list[Operation] = []
    seen: set[Operation] = set()
    reads_part: set[Operation] = set()
    stack: list[tuple[Operation, bool]] = [(result.op, False)]
    while stack and len(seen) <= LARGEST:
        op, ready = stack.pop()
        if ready:
            ordered.append(op)
            if _divides(op, p, count) is not None or any(t.op in reads_part for t in op.inputs):
                reads_part.add(op)
        elif op not in seen:
            seen.add(op)
            stack.append((op, True))
            if _divides(op, p, count) is None:
                stack += [(t.op, False) for t in op.inputs]
    return ordered, reads_part


def is_partition(op: Operation, p: Tensor, count: int) -> bool:
    """Whether `op` divides a tensor by the labels p into `count` parts."""
    return op.opdef is dynamic_partition and op.args[1] is p and op.args[2] == count


def reads_a_part(result: Tensor, p: Tensor, count: int) -> bool:
    """Whether `result` is computed from a part by p, in at most `LARGEST` operations."""
    return result.op in _ancestors(result, p, count)[1]


def _divides(op: Operation, p: Tensor, count: int) -> Operation | None:
    """The partition by p that decides which rows the results of `op` are: itself, or that of the rows it gathers."""
    if is_partition(op, p, count):
        return op
    if op.opdef is not gather:
        return None
    rows = op.args[1].op
    if not is_partition(rows, p, count) or op.control_inputs:
        return None
    length = counts_to(rows.args[0])
    return rows if length is not None and length == _first(op.args[0]) else None


def _part(tensor: Tensor, p: Tensor, count: int) -> int | None:
    """k if `tensor` is the k-th part of a tensor, else None."""
    if _divides(tensor.op, p, count) is None:
        return None
    return tensor.op.args[1].value_index if tensor.op.opdef is gather else tensor.value_index


def _rank(divided: Iterator[Tensor]) -> int | str:
    """The common rank of the partitioned tensors, or the reason why there is none."""
    ranks = {tensor.shape.ndims for tensor in divided}
    if None in ranks or len(ranks) > 1:
        return "the partitioned tensors are not known to have one rank"
    return ranks.pop() or 0


def _refusal(op: Operation, k: int, p: Tensor, count: int, reads_part: set[Operation], rank: int) -> str | None:
    """Why `op`, which reads part k, may not be applied to all rows."""
    opdef = op.opdef
    by_element = opdef.facts.elementwise if opdef.fuse_rule is None else opdef.fuse_rule(*op.args) is None
    if not (by_element and effects_of(op).may_rewrite and opdef.is_tensorwise and len(op.outputs) == 1):
        return f"{op.name} ({op.type}) is not elementwise"
    if opdef.facts.can_fail & op.inputs[0].dtype.bit:
        return f"{op.name} ({op.type}) may fail on the rows of other parts"
    if op.control_inputs:
        return f"{op.name} waits for other operations"
    for tensor in op.inputs:
        if tensor.op not in reads_part:
            if tensor.shape.ndims is None or tensor.shape.ndims >= rank:
                return f"{op.name} reads {tensor.name}, which may have a row for each row of the part"
        else:
            part = _part(tensor, p, count)
            if part is not None and part != k:
                return f"{op.name} reads part {part} for data[{k}]"
    return None


def _rows_refusal(numbers: Tensor, p: Tensor, functions: Sequence[_Function | str]) -> str | None:
    """Why the indices may not cover all rows in order, or None."""
    length = counts_to(numbers)
    if length is None:
        return f"{numbers.name} is not known to be range(n)"
    taken = [op.args[0] for f in functions if isinstance(f, _Function) for op in f.partitions]
    if any(_first(t) == length for t in (p, *taken)):
        return None  # the partition, or the check that replaces it, verifies that p has the same length
    return f"{numbers.name} is not known to have a number for each row of {taken[0].name}"


def _first(tensor: Tensor) -> Dim | None:
    dims = tensor.shape.raw
    return dims[0] if dims else None


def _is_truth(p: Tensor) -> bool:
    return p.op.opdef is cast and p.op.args[0].dtype.is_bool and not p.op.control_inputs


def _checked(make: Emitter, p: Tensor, count: int, partitions: Sequence[Operation]) -> Tensor:
    """The labels, behind those checks of the partitions that are not proven to pass."""
    value = constant(p)
    sure = _is_truth(p) or (value is not None and bool(((value >= 0) & (value < count)).all()))
    unlike = [op for op in partitions if _first(op.args[0]) != _first(p)]
    labels = p
    for op in unlike or ([] if sure else partitions[:1]):
        labels = make.instead_of(op, "check", check_partitions, op.args[0], labels, count)
    return labels


def _of_all_rows(make: Emitter, function: _Function) -> Tensor:
    """f_k applied to whole tensors instead of their k-th parts."""
    whole: dict[Any, Any] = dict(function.whole)
    for op in function.operations:
        args = [whole.get(a, a) if isinstance(a, Tensor) else a for a in op.args]
        whole[op.outputs[0]] = make.instead_of(op, "all", op.opdef, *args)
    found: Tensor = whole[function.result]
    return found


_STITCHES = (dynamic_stitch, parallel_dynamic_stitch)


def _why_not_the_data(stitch: Operation, p: Tensor, count: int) -> str | None:
    """Why the parts of the result of `stitch` by p may not be the data that it stitches; None if they are."""
    indices, data = stitch.args[0], stitch.args[1]
    if stitch.control_inputs:
        return f"{stitch.name} waits for other operations"
    divided = rows_divided(indices)
    if divided is None or not is_partition(divided, p, count):
        return f"the rows were not stitched by {p.name}"
    dims = [t.shape.raw for t in data]
    sizes = [t.shape.raw for t in indices]
    if any(d is None or s is None or d[:1] != s for d, s in zip(dims, sizes, strict=True)):
        return "whether each data has a row for each index is not known before the run"
    if any(d is not None and dims[0] is not None and d[1:] != dims[0][1:] for d in dims):
        return "whether the rows have one shape is not known before the run"
    if not any(reads_a_part(t, p, count) for t in data):
        return "the check of the labels would be lost"
    return None


class PartitionOfStitch(Rule):
    """dynamic_partition(dynamic_stitch(dynamic_partition(range(n), p, K), data), p, K) -> data. Exact.

    It ends because each use removes one partition."""

    pattern = node(dynamic_partition, node(_STITCHES, bind="stitch"), "p", "count",
                   prefilter=lambda op: op.inputs[0].op.opdef in _STITCHES)  # fmt: skip

    def check(self, stitch: Operation, p: Tensor, count: int) -> str | None:
        return _why_not_the_data(stitch, p, count)

    def rewrite(self, make: Emitter, stitch: Operation, p: Tensor, count: int) -> Sequence[Tensor]:
        found: Sequence[Tensor] = stitch.args[1]
        return found


class GatherOfStitch(Rule):
    """gather(dynamic_stitch(rows, data), rows[k]) -> data[k], where rows = dynamic_partition(range(n), p, K). Exact.

    It ends because each use removes one gather."""

    pattern = node(gather, node(_STITCHES, bind="stitch"), "rows", prefilter=reads(dynamic_partition))

    def check(self, stitch: Operation, rows: Tensor) -> str | None:
        if rows.op.opdef is not dynamic_partition:
            return ""
        _, p, count = rows.op.args
        length = counts_to(rows.op.args[0])
        if length is None or length != (stitch.outputs[0].shape.raw or (None,))[0]:
            return f"{rows.op.args[0].name} is not known to be range(n)"
        return _why_not_the_data(stitch, p, count)

    def rewrite(self, make: Emitter, stitch: Operation, rows: Tensor) -> Tensor:
        found: Tensor = stitch.args[1][rows.value_index]
        return found
