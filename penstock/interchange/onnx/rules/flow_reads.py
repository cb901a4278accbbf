"""If, Loop, Scan, sequences and optional values.

How many values a sequence has, and whether an optional value is there, is known when the graph is built: a sequence is
a list of tensors. A loop whose number of iterations is known and that carries sequences is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ....control_flow.cond import cond
from ....derivatives import rule_namespace as ops
from ....errors import GraphFormatError
from ....graph.building.capturing import subgraph
from ....graph.building.constant_evaluation import known_value
from ....graph.model.default_graph import get_default_graph
from ....graph.model.nodes import Tensor
from ....graph.model.subgraph import SubGraph
from ....graph.shapes.dtypes import bool_, int64
from ....graph.shapes.shape import TensorShape
from ....ops.control.while_op import keeps_shape, while_op
from ....ops.declare.held_graphs import outer_symbols
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import MISSING, NoValue, OnnxNode, RunSequence, SequenceValue, Value, items_of
from ..wire.onnx_messages import OnnxGraphProto
from ..wire.onnx_types import NarrowTensor, NarrowType
from .onnx_row import OnnxOp
from .run_sequences import in_runs, inserted, length_of, of_tensors, tensor_at
from .shape_reads import cut
from .values import axis_of, constant, permuted, rank_of, sizes, wrapped

_MOST_TRACES = 6
_MOST_WRITTEN_OUT = 10_000


def plain(values: Sequence[Value], what: str) -> tuple[list[Tensor], list[NarrowType | None]]:
    """Values as tensors, and which of them are codes.

    Raises:
        UnsupportedOnnx: one is a sequence or an optional value.
    """
    tensors: list[Tensor] = []
    types: list[NarrowType | None] = []
    for value in values:
        if isinstance(value, NarrowTensor):
            tensors.append(value.codes)
            types.append(value.type)
        elif isinstance(value, Tensor):
            tensors.append(value)
            types.append(None)
        else:
            raise UnsupportedOnnx(f"{what} is a sequence or an optional value")
    return tensors, types


def _typed(tensors: Sequence[Tensor], types: Sequence[NarrowType | None]) -> list[Value]:
    return [t if kind is None else NarrowTensor(t, kind) for t, kind in zip(tensors, types, strict=True)]


# ---- If ----------------------------------------------------------------------------------------


def _if(n: OnnxNode) -> list[Value]:
    pred = ops.reshape(n.tensor(0), [])
    branches = {True: n.graph("then_branch"), False: n.graph("else_branch")}
    known = known_value(pred)
    if known is None and _gives_sequences(branches[True]):
        known = n.known(0).reshape(())
    if known is not None:
        return n.scope.inside().read_graph(branches[bool(known)], [])
    kinds: list[list[NarrowType | None]] = []

    def branch(graph: OnnxGraphProto) -> Callable[[], list[Tensor]]:
        def build() -> list[Tensor]:
            tensors, types = plain(n.scope.inside().read_graph(graph, []), "a result of a branch")
            kinds.append(types)
            return [ops.identity(t) for t in tensors]

        return build

    made = cond(pred, branch(branches[True]), branch(branches[False]), strict=True)
    return _typed(made, kinds[0])


# ---- Loop --------------------------------------------------------------------------------------


def _loop(n: OnnxNode) -> list[Value]:
    """inputs: most iterations, whether to begin, loop variables; the body gives: whether to go on, variables, rows."""
    body = n.graph("body")
    most = ops.reshape(n.tensor(0), []) if n.has(0) else None
    begin = ops.reshape(n.tensor(1), []) if n.has(1) else None
    given = [n.value(i) for i in range(2, len(n.inputs))]
    if any(isinstance(v, SequenceValue | NoValue) for v in given) or _gives_sequences(body):
        known = None if most is None else known_value(n.tensor(0))
        if known is not None:
            times = int(known.reshape(()))
            return _written_out(n, body, times, begin is None or bool(n.known(1).all()), given)
    limit = "" if most is None else n.scope.root_of(n.tensor(0), n.proto.inputs[0])
    given = in_runs(given, body, limit)
    places = {k: value for k, value in enumerate(given) if isinstance(value, RunSequence)}
    tensors, types = plain([places[k].array if k in places else v for k, v in enumerate(given)], "a loop variable")
    first: list[Tensor] = [constant(0), constant(True, bool_) if begin is None else begin, *tensors]

    def sequences(values: Sequence[Value]) -> list[Value]:
        return [replace(places[k], array=v) if k in places and isinstance(v, Tensor) else v
                for k, v in enumerate(values)]  # fmt: skip

    def step(*inputs: Tensor) -> list[Tensor]:
        i, _, *variables = inputs
        values: list[Value] = [i, inputs[1], *sequences(_typed(variables, types))]
        made = [v.array if isinstance(v, RunSequence) else v for v in n.scope.inside().read_graph(body, values)]
        goes_on, *rest = plain(made, "a result of the body")[0]
        return [i + constant(1), ops.reshape(goes_on, []), *[ops.identity(t) for t in rest]]

    outputs = looped(first, step, most, lambda *inputs: inputs[1])
    variables = sequences(_typed(outputs[2 : 2 + len(tensors)], types))
    return [*variables, *outputs[2 + len(tensors) : -1]]


def _gives_sequences(body: OnnxGraphProto) -> bool:
    return any(info.type is not None and (info.type.sequence is not None or info.type.optional is not None)
               for info in body.outputs)  # fmt: skip


def _written_out(n: OnnxNode, body: OnnxGraphProto, count: int, goes: bool, initial: Sequence[Value]) -> list[Value]:
    """The iterations one after the other: as many as are known."""
    if count > _MOST_WRITTEN_OUT:
        raise UnsupportedOnnx(f"it carries sequences and runs {count} times; at most {_MOST_WRITTEN_OUT} are possible")
    values = list(initial)
    rows: list[list[Value]] = [[] for _ in body.outputs[1 + len(initial) :]]
    for i in range(count if goes else 0):
        results = n.scope.inside().read_graph(body, [constant(i), constant(True, bool_), *values])
        goes_on = known_value(results[0]) if isinstance(results[0], Tensor) else None
        if goes_on is None:
            raise UnsupportedOnnx("it carries sequences, and whether it goes on is not known before a run")
        values = results[1 : 1 + len(initial)]
        for row, result in zip(rows, results[1 + len(initial) :], strict=True):
            row.append(result)
        if not goes_on:
            break
    return [*values, *[ops.pack(plain(row, "a row")[0]) for row in rows]]


def looped(
    first: Sequence[Tensor],
    step: Callable[..., list[Tensor]],
    most: Tensor | None,
    condition: Callable[..., Tensor],
    rows: Sequence[Tensor] = (),
    reverse: bool = False,
) -> list[Tensor]:
    """A loop: last values of the variables, stacked rows, and the number of iterations.

    The body is built again, with open sizes, for variables whose shapes change from one iteration to the next.
    """
    graph = get_default_graph()
    shapes = [t.shape for t in first]
    for _ in range(_MOST_TRACES):
        found = graph.journal.all_around_or_nothing(_attempt, first, step, most, condition, rows, shapes)
        if isinstance(found, list):
            shapes = found
            continue
        body, goes_on = found
        return while_op(None if most is None else ops.cast(most, int64), [*first, *rows], goes_on, body, len(first),
                        len(rows), reverse)  # fmt: skip
    raise UnsupportedOnnx("the shapes of its loop variables do not settle")


def _attempt(
    first: Sequence[Tensor], step: Callable[..., list[Tensor]], most: Tensor | None, condition: Callable[..., Tensor],
    rows: Sequence[Tensor], shapes: Sequence[TensorShape],
) -> tuple[SubGraph, SubGraph] | list[TensorShape]:  # fmt: skip
    """The body and the condition; or wider shapes, if the body gives others than it takes."""
    row_shapes = [TensorShape(None) if r.shape.raw is None else TensorShape(r.shape.raw[1:]) for r in rows]
    wanted = [*shapes, *row_shapes]
    operands = [*first, *rows]
    body = subgraph(step, operands, "body", wanted)
    same = outer_symbols(operands, body.inputs[: len(operands)])
    wider = [before if keeps_shape(taken.shape, made.shape, same) else _wider(before, made.shape)
             for before, taken, made in zip(shapes, body.inputs, body.outputs, strict=False)]  # fmt: skip
    if any(a.raw != b.raw for a, b in zip(wider, shapes, strict=True)):
        return wider
    return body, subgraph(condition, operands, "cond", wanted)


def _wider(before: TensorShape, after: TensorShape) -> TensorShape:
    """A shape that allows both: sizes that are the same number stay, others are open."""
    if before.raw is None or after.raw is None or len(after.raw) != len(before.raw):
        return TensorShape(None)
    return TensorShape([b if isinstance(b, int) and b == a else None
                        for b, a in zip(before.raw, after.raw, strict=True)])  # fmt: skip


# ---- Scan --------------------------------------------------------------------------------------


def _scan(n: OnnxNode) -> list[Value]:
    """State variables, then inputs that are given row by row along an axis."""
    body, count = n.graph("body"), n.int("num_scan_inputs")
    if n.opset < 9:
        return _scan_of_batches(n, body, count)
    states, types = plain([n.value(i) for i in range(len(n.inputs) - count)], "a state")
    rows, _ = plain([n.value(i) for i in range(len(n.inputs) - count, len(n.inputs))], "a scanned input")
    axes = n.ints("scan_input_axes", None) or [0] * count
    back = n.ints("scan_input_directions", None) or [0] * count
    turned = []
    for row, axis, direction in zip(rows, axes, back, strict=True):
        rank = rank_of(row)
        axis = axis_of(axis, rank)
        moved = permuted(row, [axis, *[i for i in range(rank) if i != axis]])
        turned.append(ops.reverse(moved, [True, *[False] * (rank - 1)]) if direction else moved)
    made = _scanned(n, body, states, turned)
    last, stacks = made[: len(states)], made[len(states) :]
    out_axes = n.ints("scan_output_axes", None) or [0] * len(stacks)
    out_back = n.ints("scan_output_directions", None) or [0] * len(stacks)
    results: list[Tensor] = []
    for stack, axis, direction in zip(stacks, out_axes, out_back, strict=True):
        rank = rank_of(stack)
        found = ops.reverse(stack, [True, *[False] * (rank - 1)]) if direction else stack
        axis = axis_of(axis, rank)
        results.append(permuted(found, [*range(1, axis + 1), 0, *range(axis + 1, rank)]))
    return [*_typed(last, types), *results]


def _scanned(n: OnnxNode, body: OnnxGraphProto, states: Sequence[Tensor], rows: Sequence[Tensor]) -> list[Tensor]:
    def step(*inputs: Tensor) -> list[Tensor]:
        results, _ = plain(n.scope.inside().read_graph(body, list(inputs)), "a result of the body")
        return [ops.identity(t) for t in results]

    return looped(states, step, None, lambda *inputs: constant(True, bool_), rows)[:-1]


def _scan_of_batches(n: OnnxNode, body: OnnxGraphProto, count: int) -> list[Value]:
    """Opset 8: everything has a batch in front, and each element of it is scanned for itself."""
    if n.has(0):
        raise UnsupportedOnnx("it scans batches of different lengths")
    given, _ = plain([n.value(i) for i in range(1, len(n.inputs))], "an input")
    states = len(given) - count
    batch = known_size(sizes(given[0])[0], "the number of batches that it scans is")
    made = [_scanned(n, body, [t[b] for t in given[:states]], [t[b] for t in given[states:]]) for b in range(batch)]
    return [ops.pack(list(column)) for column in zip(*made, strict=True)]


# ---- sequences and optional values -------------------------------------------------------------


def _position(n: OnnxNode, place: int, length: int) -> int:
    position = int(n.known(place).reshape(-1)[0])
    if not -length <= position < length:
        raise GraphFormatError(f"it wants value {position} of a sequence of {length}")
    return position % length


def _sequence_insert(n: OnnxNode) -> SequenceValue | RunSequence:
    sequence = n.value(0)
    if isinstance(sequence, RunSequence):
        return inserted(n, sequence)
    items = list(items_of(n.value(0)))
    place = len(items)
    if n.has(2):
        place = int(n.known(2).reshape(-1)[0])
        place = place + len(items) if place < 0 else place
    items.insert(place, n.value(1))
    return SequenceValue(tuple(items))


def _sequence_erase(n: OnnxNode) -> SequenceValue:
    items = list(items_of(n.value(0)))
    del items[_position(n, 1, len(items)) if n.has(1) else -1]
    return SequenceValue(tuple(items))


def _sequence_at(n: OnnxNode) -> Value:
    sequence = n.value(0)
    if isinstance(sequence, RunSequence):
        return tensor_at(n, sequence)
    items = items_of(n.value(0))
    if known_value(n.tensor(1)) is None:
        return _sequence_at_run(n, items)
    return items[_position(n, 1, len(items))]


def _sequence_at_run(n: OnnxNode, items: Sequence[Value]) -> Value:
    """A place that only the run knows: the values are stacked, if they have one shape, or are a TensorArray."""
    tensors, _ = plain(items, "a value of the sequence")
    raw = tensors[0].shape.raw if tensors else None
    if raw is None or not all(isinstance(size, int) for size in raw) or any(t.shape.raw != raw for t in tensors):
        return tensor_at(n, of_tensors(tensors))
    return ops.gather(ops.pack(tensors), wrapped(ops.reshape(n.tensor(1), []), len(tensors)))


def _sequence_length(n: OnnxNode) -> Tensor:
    sequence = n.value(0)
    return length_of(sequence) if isinstance(sequence, RunSequence) else constant(len(items_of(sequence)))


def _concat_from_sequence(n: OnnxNode) -> Tensor:
    tensors, _ = plain(items_of(n.value(0)), "a value of the sequence")
    axis = n.int("axis")
    if n.int("new_axis", 0):
        return ops.stack(tensors, axis=axis_of(axis, rank_of(tensors[0]) + 1))
    return ops.concat(axis, tensors) if len(tensors) > 1 else ops.identity(tensors[0])


def _split_to_sequence(n: OnnxNode) -> SequenceValue:
    x = n.tensor(0)
    axis = axis_of(n.int("axis", 0), rank_of(x))
    whole = known_size(sizes(x)[axis], "the size that it splits is")
    keep = True
    if not n.has(1):
        lengths, keep = [1] * whole, bool(n.int("keepdims", 1))
    elif n.rank(1) == 0:
        part = n.known_ints(1)[0]
        lengths = [min(part, whole - start) for start in range(0, whole, part)]
    else:
        lengths = n.known_ints(1)
    parts = cut(x, axis, lengths)
    return SequenceValue(tuple(parts if keep else [ops.squeeze(part, [axis]) for part in parts]))


def _sequence_map(n: OnnxNode) -> list[Value]:
    """The body for each value of the first sequence; other sequences give theirs, tensors are the same each time."""
    first = items_of(n.value(0))
    body = n.graph("body")
    columns: list[list[Value]] = [[] for _ in body.outputs]
    for i in range(len(first)):
        given = [v.items[i] if isinstance(v, SequenceValue) else v for v in (n.value(k) for k in range(len(n.inputs)))]
        for column, result in zip(columns, n.scope.inside().read_graph(body, given), strict=True):
            column.append(result)
    return [SequenceValue(tuple(column)) for column in columns]


def _optional(n: OnnxNode) -> Value:
    return n.value(0) if n.has(0) else MISSING


def _get_element(n: OnnxNode) -> Value:
    value = n.value(0)
    if isinstance(value, NoValue):
        raise GraphFormatError("it takes the value of an optional that has none")
    return ops.identity(value) if isinstance(value, Tensor) else value


def _has_element(n: OnnxNode) -> Tensor:
    return constant(n.has(0) and not isinstance(n.value(0), NoValue), bool_)


FLOW = (
    OnnxOp("ConcatFromSequence", _concat_from_sequence, 11),
    OnnxOp("If", _if),
    OnnxOp("Loop", _loop),
    OnnxOp("Optional", _optional, 15),
    OnnxOp("OptionalGetElement", _get_element, 15),
    OnnxOp("OptionalHasElement", _has_element, 15),
    OnnxOp("Scan", _scan, 8),
    OnnxOp("SequenceAt", _sequence_at, 11),
    OnnxOp("SequenceConstruct", lambda n: SequenceValue(tuple([n.value(i) for i in range(len(n.inputs))])), 11),
    OnnxOp("SequenceEmpty", lambda n: SequenceValue(()), 11),
    OnnxOp("SequenceErase", _sequence_erase, 11),
    OnnxOp("SequenceInsert", _sequence_insert, 11),
    OnnxOp("SequenceLength", _sequence_length, 11),
    OnnxOp("SequenceMap", _sequence_map, 17),
    OnnxOp("SplitToSequence", _split_to_sequence, 11),
)

