"""What the operations of a stage cost: seconds on one core, and the bytes of what they give, from the sizes of a run.

Operations and bytes are those of `graph.declare.op_cost`. A machine's `Speed` makes seconds of them. A size that only
the run finds is guessed: as large as the largest operand; how many were guessed is told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ...graph.declare.op_cost import Known, cost_of_use, sized
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import bodies_of
from ...graph.shapes.dimension import Symbol, read_sizes
from ...runtime.execution.tiny_chains import MOST
from ...runtime.ir.stage import Stage
from ...runtime.sharding.shard_inputs import shard_inputs

_ITERATIONS = 10
"""How often the graph of a loop is taken to run, where nothing says it."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast one core is.

    Attributes:
        step_s: seconds of a step on a few elements.
        flops_per_s: operations a second inside one step.
        bytes_per_s: bytes a second that a step reads and writes.
        products_per_s: operations a second of a matrix product.
        chained_s: seconds of a step in a chain of steps on a few numbers: see `runtime.execution.tiny_chains`.
    """

    step_s: float = 0.6e-6
    flops_per_s: float = 4e9
    bytes_per_s: float = 8e9
    products_per_s: float = 4e10
    chained_s: float = 12e-9

    def seconds(self, flops: int, size: int, is_product: bool, in_chain: bool = False) -> float:
        """The time of one step that moves `size` bytes."""
        computed = flops / (self.products_per_s if is_product else self.flops_per_s)
        return (self.chained_s if in_chain else self.step_s) + max(size / self.bytes_per_s, computed)


@dataclass(frozen=True, slots=True)
class StageCosts:
    """What the operations of a stage cost in a run of given sizes.

    Attributes:
        seconds: by operation; constants cost nothing.
        sizes: the bytes of each tensor, feeds included.
        guessed: how many tensors have a size that is guessed.
    """

    seconds: Mapping[Operation, float]
    sizes: Mapping[Tensor, int]
    guessed: int = 0

    @property
    def total(self) -> float:
        """Seconds of all operations, one after the other."""
        return sum(self.seconds.values())


def stage_costs(stage: Stage, feed_shapes: Sequence[Known], speed: Speed) -> StageCosts:
    """The costs of a run whose feeds have these shapes; None for a shape that is not known."""
    sizes: dict[Symbol, int] = {}
    known: dict[Tensor, Known] = {}
    for tensor, shape in zip(stage.feeds, feed_shapes, strict=True):
        if shape is not None and tensor.shape.raw is not None and len(shape) == len(tensor.shape.raw):
            read_sizes(tensor.shape.raw, shape, sizes)
        known[tensor] = shape
    for cut in shard_inputs(stage):
        whole = known[cut.feed]
        if whole is None:
            continue
        for part, index in zip(cut.parts, cut.workers, strict=True):
            count = part.op.args[3]
            rows = whole[cut.axis] // count + (index < whole[cut.axis] % count)
            read_sizes(part.shape.raw, (*whole[: cut.axis], rows, *whole[cut.axis + 1 :]), sizes)
    return _costs(stage.operations, known, sizes, speed)


def with_state(stage: Stage, shapes: Sequence[Known]) -> list[Known]:
    """The shapes of all feeds of a stage whose caller feeds values of these; () and None for one that is not known."""
    return [*[shape or None for shape in shapes], *[sized(t.shape.raw, {}) for t in stage.feeds[len(shapes) :]]]


def _costs(
    operations: Sequence[Operation], known: dict[Tensor, Known], symbols: Mapping[Symbol, int], speed: Speed
) -> StageCosts:
    seconds: dict[Operation, float] = {}
    sizes: dict[Tensor, int] = {}
    guessed = 0
    fused = _inside_groups(operations)
    for tensor, shape in known.items():
        if shape is None:
            shape = known[tensor] = _static(tensor, symbols)
        sizes[tensor] = 0 if shape is None else prod(shape) * tensor.dtype.size
    for op in operations:
        largest: Known = None
        for tensor in op.inputs:
            shape = known.get(tensor)
            if shape is not None and (largest is None or prod(shape) > prod(largest)):
                largest = shape
        for tensor in op.outputs:
            shape = _static(tensor, symbols)
            if shape is None:
                guessed += 1
                shape = _guess(tensor, symbols, largest)
            known[tensor] = shape
            sizes[tensor] = prod(shape) * tensor.dtype.size
        if not op.opdef.facts.is_constant:
            seconds[op] = _seconds(op, known, symbols, speed, fused)
    return StageCosts(seconds, sizes, guessed)


def _inside_groups(operations: Sequence[Operation]) -> set[Tensor]:
    """Results of elementwise operations that only these and reductions read: they stay in registers."""
    found = {t for op in operations if op.opdef.facts.elementwise for t in op.outputs}
    for op in operations:
        if not op.opdef.facts.elementwise and op.opdef.reduction is None:
            found.difference_update(op.inputs)
    return found.intersection([t for op in operations for t in op.inputs])


def _seconds(
    op: Operation,
    known: dict[Tensor, Known],
    symbols: Mapping[Symbol, int],
    speed: Speed,
    fused: Collection[Tensor],
) -> float:
    if op.opdef.bodies and op.opdef.lower_rule is None:
        inside = 0.0
        for body in bodies_of(op):
            shapes: dict[Tensor, Known] = {t: _static(t, symbols) for t in body.inputs}
            inside += _costs(body.operations, shapes, symbols, speed).total
        return inside * (_ITERATIONS if op.opdef.facts.repeats else 1)
    inputs = {t: (t.dtype, known.get(t)) for t in op.inputs}
    outputs = [(t.dtype, known[t]) for t in op.outputs]
    flops, read, written = cost_of_use(op.opdef, op.args, inputs, outputs)
    is_product = op.opdef.flops_rule is not None
    moved = (read or 0) + (written or 0)
    for tensor in (*dict.fromkeys(op.inputs), *op.outputs):
        shape = known.get(tensor)
        if tensor in fused and shape is not None:
            moved -= prod(shape) * tensor.dtype.size
    return speed.seconds(flops or 0, max(0, moved), is_product, _is_chained(op, known))


def _is_chained(op: Operation, known: Mapping[Tensor, Known]) -> bool:
    """Whether an operation is, in later runs, an instruction of a chain or of a compiled group on a few numbers."""
    shapes = [known.get(t) for t in (*op.inputs, *op.outputs)]
    return op.opdef.facts.elementwise and all(shape is not None and prod(shape) <= MOST for shape in shapes)


def _guess(tensor: Tensor, symbols: Mapping[Symbol, int], like: Known) -> tuple[int, ...]:
    """A shape of the rank of the tensor: that of `like` if it has this rank, else with 1 for each size not known."""
    dims = tensor.shape.raw
    if dims is None or (like is not None and len(like) == len(dims)):
        return like or ()
    return tuple([dim if isinstance(dim, int) else dim.at(symbols) or 1 for dim in dims])


def _static(tensor: Tensor, symbols: Mapping[Symbol, int]) -> Known:
    try:
        return sized(tensor.shape.raw, symbols)
    except ValueError:  # the run will refuse these sizes
        return None
