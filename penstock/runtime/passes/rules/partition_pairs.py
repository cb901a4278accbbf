"""Rows that were stitched and are taken apart again by the same labels: the parts are the data that was stitched.

    rows = dynamic_partition(range(n), p, K)
    y = dynamic_stitch(rows, data)
    dynamic_partition(y, p, K)[k]   and   gather(y, rows[k])        data[k]

The second form is the gradient of a stitch, read by the gradient of a partition.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....graph.model.nodes import Operation, Tensor
from ....ops.index.dynamic_partition import (
    counts_to,
    dynamic_partition,
    dynamic_stitch,
    parallel_dynamic_stitch,
    rows_divided,
)
from ....ops.index.gathering import gather
from .partition_stitch import is_partition, reads_a_part
from .rule import Emitter, Rule, node, reads

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
