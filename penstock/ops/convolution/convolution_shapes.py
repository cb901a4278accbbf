"""Rules of convolutions that look at static shapes: shapes of results, what may fail, what is a mistake, shards.

A rule gets the attributes as `Steps`, by spatial axis. Sizes are ints or Dimensions: an axis (2*h) with stride 2 and
SAME gives h, and stride 1 with VALID gives h - 2 for a window of 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import Entry, known_vector
from ...graph.declare.axis_labels import Labels, by_labels, needs_all, without_cut
from ...graph.declare.distribution import SIZES, Along, Distributed, Refused, State
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_dims
from ...graph.shapes.size_quotient import floor_quotient
from ..declare.shape_checks import dims_of, least, listed, minus, plus, require_rank, same_size, times
from ..sharding.fill_tile_sharding import sized_axis
from .convolution_geometry import Steps, geometry_of

Dims = Sequence[Dim | None]
_FITS = "whether the sizes of the convolution fit is not known before the run"


# ---- shapes -------------------------------------------------------------------------------------


def output_shape(x: Tensor, w: Tensor, steps: Steps, is_depthwise: bool) -> TensorShape:
    """The shape of a convolution of x with w."""
    rank = len(steps.strides) + 2
    more = "; tf.expand_dims adds one" if x.shape.ndims == rank - 1 else ""
    require_rank(x, rank, 0, f"The input has the batch, {rank - 2} spatial dimensions and the channels{more}.")
    require_rank(w, rank, 1, f"A filter has {rank - 2} spatial dimensions, input channels and output channels.")
    return shape_of(output_dims(dims_of(x, rank), dims_of(w, rank), steps, is_depthwise, x))


def output_dims(x: Dims, w: Dims, steps: Steps, is_depthwise: bool, operand: Any) -> list[Dim]:
    """The sizes of a convolution of an array of sizes x with a filter of sizes w.

    operand: the tensor whose sizes are x.
    """
    count = len(steps.strides)
    spatial = [
        _positions(axis, x[steps.first_axis + axis], w[axis], steps, operand) for axis in range(count)
    ]  # fmt: skip
    channels = _output_channels(x[steps.channel_axis], w[count], w[count + 1], steps, is_depthwise, operand)
    batch = x[0] if x[0] is not None else unknown("the shape of the input is not known", operand)
    return [batch, channels, *spatial] if steps.is_channels_first else [batch, *spatial, channels]


def _positions(axis: int, size: Dim | None, window: Dim | None, steps: Steps, operand: Any) -> Dim:
    stride, dilation = steps.strides[axis], steps.dilations[axis]
    if size is None:
        return unknown("the shape of the input is not known", operand)
    if steps.padding == "SAME":
        return floor_quotient(plus(size, stride - 1), stride, f"{size} / {stride} is rounded up", operand)
    if window is None:
        return unknown("the size of the filter is not known", operand)
    padded = plus(size, steps.before[axis] + steps.after[axis])
    span = plus(times(minus(window, 1), dilation, "", operand), 1)
    if isinstance(padded, int) and isinstance(span, int) and padded < span:
        raise ShapeError(
            f"Negative dimension size caused by subtracting {span} from {padded}", operand=0,
            dim=steps.first_axis + axis,
            cure='The window must not be longer than the padded input; padding="SAME" adds zeros.',
        )  # fmt: skip
    reason = f"the positions of a window of {span} on {padded} with stride {stride} are rounded"
    return plus(floor_quotient(minus(padded, span), stride, reason, operand), 1)


def _output_channels(
    channels: Dim | None, depth: Dim | None, filters: Dim | None, steps: Steps, is_depthwise: bool, operand: Any
) -> Dim:
    if is_depthwise:
        if channels is not None and depth is not None:
            channels = same_size(channels, depth, 0, steps.channel_axis,
                                 "A depthwise filter has an entry for each channel of the input.")  # fmt: skip
        return times(channels if channels is not None else depth, filters, "the channels are not known", operand)
    if depth == 0:
        raise ShapeError("Depth of filter must not be 0", operand=1)
    if isinstance(channels, int) and isinstance(depth, int):
        if channels % depth:
            raise ShapeError(
                f"Depth of input ({channels}) is not a multiple of input depth of filter ({depth})", operand=0,
                dim=steps.channel_axis, cure="A filter has as many input channels as the input has channels.",
            )  # fmt: skip
        groups = channels // depth
        if groups and isinstance(filters, int) and filters % groups:
            raise ShapeError(
                f"Depth of output ({filters}) is not a multiple of the number of groups ({groups})", operand=1,
                cure=f"The filter reads {depth} of the {channels} channels of the input at a time, which makes "
                f"{groups} groups; one that reads all has {channels} input channels.",
            )  # fmt: skip
    return unknown("the shape of the filter is not known", operand) if filters is None else filters


def input_gradient_shape(sizes: Tensor, w: Tensor, dy: Tensor, steps: Steps, is_depthwise: bool) -> TensorShape:
    """The shape that `input_sizes` lists, with the batch of dy."""
    count = len(steps.strides)
    rank = count + 2
    require_rank(sizes, 1, 0, "input_sizes is a vector: the shape of the input.")
    require_rank(w, rank, 1)
    require_rank(dy, rank, 2)
    entries = listed_sizes(sizes, w, dy, steps)
    filters, channels = dims_of(w, rank)[count + 1], dims_of(dy, rank)[steps.channel_axis]
    if not is_depthwise and filters is not None and channels is not None:
        same_size(filters, channels, 2, steps.channel_axis, "Both are the channels of the output.")
    batch = dims_of(dy, rank)[0]
    if entries[0] is not None and batch is not None:
        entries[0] = same_size(entries[0], batch, 2, 0, "input_sizes and out_backprop have one batch.")
    return shape_of(
        [unknown(f"input_sizes[{i}] is not known before the run", sizes) if e is None else e
         for i, e in enumerate(entries)]
    )  # fmt: skip


def listed_sizes(sizes: Tensor, w: Tensor, dy: Tensor, steps: Steps) -> list[Entry]:
    """What is known of each size of the input; input_sizes may list the two spatial sizes of images only."""
    count = len(steps.strides)
    rank = count + 2
    entries = known_vector(sizes)
    if entries is None:
        return [None] * rank
    known = [None if isinstance(entry, int) and entry < 0 else entry for entry in entries]
    if len(known) == rank:
        return known
    if len(known) == count == 2:
        batch, channels = dims_of(dy, rank)[0], dims_of(w, rank)[count]
        return [batch, channels, *known] if steps.is_channels_first else [batch, *known, channels]
    raise ShapeError(f"input_sizes must contain {rank} values, but got {len(known)}", operand=0)


def filter_gradient_shape(x: Tensor, sizes: Tensor, dy: Tensor, steps: Steps) -> TensorShape:
    """The shape that `filter_sizes` lists."""
    rank = len(steps.strides) + 2
    require_rank(x, rank, 0)
    require_rank(sizes, 1, 1, "filter_sizes is a vector: the shape of the filter.")
    require_rank(dy, rank, 2)
    entries = known_vector(sizes)
    if entries is None:
        return shape_of(unknown_dims(rank, "filter_sizes is not known before the run", sizes))
    if len(entries) != rank:
        raise ShapeError(f"filter_sizes must contain {rank} values, but got {len(entries)}", operand=1)
    return shape_of(
        [unknown(f"filter_sizes[{i}] is not known before the run", sizes)
         if e is None or (isinstance(e, int) and e < 0) else e for i, e in enumerate(entries)]
    )  # fmt: skip


# ---- what may fail ------------------------------------------------------------------------------


def why_sizes_may_not_fit(
    x: Dims | None, w: Dims | None, dy: Dims | None, steps: Steps, is_depthwise: bool, needs_dy: bool
) -> str | None:
    """None where every run accepts arrays of these sizes; else why one may not.

    needs_dy: whether the output's gradient is an operand, of sizes dy.
    """
    if x is None or w is None or (needs_dy and dy is None) or any(not isinstance(size, int) for size in w):
        return _FITS
    if any(size is None for size in x) or not isinstance(x[steps.channel_axis], int):
        return _FITS
    smallest = tuple([least(size) for size in x if size is not None])
    try:
        geometry_of(smallest, tuple([least(size) for size in w if size is not None]), steps, is_depthwise)
    except InvalidArgumentError as error:
        return f"a run may end in: {error.message}"
    if not needs_dy:
        return None
    try:
        return None if output_dims(x, w, steps, is_depthwise, None) == list(dy or ()) else _FITS
    except ShapeError:
        return _FITS


def gradient_mistake(x: Dims | None, w: Dims | None, dy: Dims | None, steps: Steps, is_depthwise: bool) -> str | None:
    """The error of every run, where the sizes of the output's gradient are known not to be those of the output."""
    if x is None or w is None or dy is None:
        return None
    try:
        wanted = output_dims(x, w, steps, is_depthwise, None)
    except ShapeError:
        return None  # a window that is a little too long has no positions in a run, and gradients of that size fit
    pairs = zip(wanted, dy, strict=True)
    if all(not isinstance(a, int) or not isinstance(b, int) or a == b for a, b in pairs):
        return None
    shown = [["?" if size is None else str(size) for size in sizes] for sizes in (dy, wanted)]
    return f"Size of out_backprop doesn't match computed: actual = {listed(shown[0])}, computed = {listed(shown[1])}"


# ---- shards -------------------------------------------------------------------------------------


def output_parts(
    operation: Operation, states: tuple[State, ...], name: str, steps: Steps, is_depthwise: bool
) -> Distributed | Refused:
    """Shards of the batch, or of the filters where channels have no groups, give those of the output."""
    rank = len(steps.strides) + 2
    x, w = (dims_of(tensor, rank) for tensor in operation.inputs)
    is_one_group = not is_depthwise and x[steps.channel_axis] is not None and x[steps.channel_axis] == w[-2]
    filters = "filters" if is_one_group else None
    inputs = [_labels(steps, "batch", None), [*[None] * (rank - 1), filters]]
    return by_labels(operation, states, name, inputs, [_labels(steps, "batch", filters)])


def input_gradient_parts(operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
    """Shards of the batch give those of the result, if `input_sizes` is known to have the size of the shard."""
    sizes, w, dy = states
    for place, state in ((0, sizes), (1, w)):
        if isinstance(state, Along):
            return needs_all(operation, place, state.axis)
    if not isinstance(dy, Along):
        return without_cut(operation, states, name)
    if dy.axis != 0:
        return needs_all(operation, 2, dy.axis)
    axis = sized_axis(operation, 0, name) if sizes is SIZES else None
    if isinstance(axis, Refused):
        return axis
    if axis != 0:
        return Refused("`input_sizes` does not have the size of the shard")
    return Distributed((Along(0),), frozenset({0}))


def filter_gradient_parts(
    operation: Operation, states: tuple[State, ...], name: str, steps: Steps
) -> Distributed | Refused:
    """The gradient is a sum over the batch."""
    labels = _labels(steps, "batch", None)
    whole: Labels = [None] * len(labels)
    return by_labels(operation, states, name, [labels, None, labels], [whole], "sum")


def _labels(steps: Steps, batch: str, channels: str | None) -> Labels:
    labels: list[str | None] = [batch, *[None] * (len(steps.strides) + 1)]
    labels[steps.channel_axis] = channels
    return labels
