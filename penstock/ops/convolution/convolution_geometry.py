"""The geometry of a convolution: sizes, paddings and bands, computed from shapes and attributes.

All kernels of a convolution and of its derivatives ask here, plain and compiled ones. They see one layout: the spatial
axes are listed by themselves, whatever `data_format` says.

Output position o of an axis reads, with tap k of the window, input position

    i = o * stride + k * dilation - before

and nothing where that lies outside of the input. SAME gives ceil(size / stride) positions and puts the odd element of
padding behind; VALID has no padding; EXPLICIT has the paddings that are listed.

Grouped convolutions: group j of the input's channels gives group j of the output's. A depthwise convolution has a group
for each channel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod

from ...errors import InvalidArgumentError
from ...graph.common.quick_dataclass import dataclass
from ..declare.shape_checks import listed

BAND = 448
"""Output positions of a band, at most. BLAS of AVX-512 sums up to 448 products in one loop, so the filter gradient of a
compiled kernel that keeps its sums over a band has the bits of the plain one."""

KEPT = 1 << 10
"""Geometries that are remembered: a run of known shapes computes none."""

Slices = tuple[slice, ...]


@dataclass(frozen=True, slots=True)
class Geometry:
    """A convolution whose sizes are all known. Tuples have an entry for each spatial axis.

    Attributes:
        batch: the number of images.
        channels: of the input.
        filters: channels of the output.
        groups: the groups of channels; 1 for an ordinary convolution.
        inputs: the sizes of the input.
        window: the sizes of the filter.
        outputs: the sizes of the output.
        strides, dilations: the steps of the window, and of the taps in it.
        before, after: the zeros around the input.
        is_channels_first: whether arrays are NC..., not N...C.
    """

    batch: int
    channels: int
    filters: int
    groups: int
    inputs: tuple[int, ...]
    window: tuple[int, ...]
    outputs: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    is_channels_first: bool

    @property
    def taps(self) -> int:
        """The products of which an element of the output is the sum."""
        return prod(self.window) * (self.channels // self.groups)

    @property
    def is_pointwise(self) -> bool:
        """Whether it is the product of a matrix with a row for each position and the filter: 1x1, stride 1."""
        plain = all(size == 1 for size in (*self.window, *self.strides))
        return plain and self.groups == 1 and not any((*self.before, *self.after))

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The shape of the input array, in its layout."""
        return self._laid_out(self.inputs, self.channels)

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the output array, in its layout."""
        return self._laid_out(self.outputs, self.filters)

    def _laid_out(self, sizes: tuple[int, ...], channels: int) -> tuple[int, ...]:
        return (self.batch, channels, *sizes) if self.is_channels_first else (self.batch, *sizes, channels)

    def bands(self) -> Iterator[Slices]:
        """The bands of the output, in order: see `bands_of`."""
        return bands_of((self.batch, *self.outputs))


def bands_of(sizes: Sequence[int], most: int = BAND) -> Iterator[Slices]:
    """Parts of an array of positions, in order, of at most `most` positions each.

    A part has whole last axes, a range of the axis before these, and one index of each axis before that: rows of one
    image, or several whole images, or a piece of one row.
    """
    if not prod(sizes):
        return
    whole = len(sizes)
    inner = 1
    while whole > 0 and inner * sizes[whole - 1] <= most:
        whole -= 1
        inner *= sizes[whole]
    ends = tuple([slice(0, size) for size in sizes[whole:]])
    if whole == 0:
        yield ends
        return
    step = max(1, most // inner)
    cut = sizes[whole - 1]
    pieces = [slice(first, min(first + step, cut)) for first in range(0, cut, step)]
    for index in _indices(sizes[: whole - 1]):
        ones = tuple([slice(i, i + 1) for i in index])
        for piece in pieces:
            yield (*ones, piece, *ends)


def _indices(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        yield ()
        return
    for first in range(sizes[0]):
        for rest in _indices(sizes[1:]):
            yield (first, *rest)


# ---- from shapes and attributes -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Steps:
    """The attributes of a convolution by spatial axis.

    Attributes:
        strides, dilations, before, after: as in `Geometry`; the paddings are 0 unless they are explicit.
        padding: "SAME", "VALID" or "EXPLICIT".
        is_channels_first: whether arrays are NC..., not N...C.
        others: strides and dilations along the batch and the channels, which have to be 1.
    """

    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    is_channels_first: bool
    others: tuple[int, ...] = ()

    @property
    def first_axis(self) -> int:
        """The first spatial axis of the arrays."""
        return 2 if self.is_channels_first else 1

    @property
    def channel_axis(self) -> int:
        """The axis of the channels."""
        return 1 if self.is_channels_first else 1 + len(self.strides)


def is_channels_first(data_format: str) -> bool:
    """Whether the channels come before the spatial axes: "NCHW"."""
    return data_format.startswith("NC")


@lru_cache(maxsize=KEPT)
def steps_of(
    strides: tuple[int, ...], padding: str, explicit_paddings: tuple[int, ...], data_format: str,
    dilations: tuple[int, ...],
) -> Steps:  # fmt: skip
    """The attributes of an op, of which lists have an entry for each axis of the arrays, by spatial axis."""
    first = is_channels_first(data_format)
    spatial = slice(2, None) if first else slice(1, -1)
    others = slice(0, 2) if first else slice(0, None, len(strides) - 1)
    pairs = explicit_paddings if padding == "EXPLICIT" else (0,) * (2 * len(strides))
    return Steps(
        tuple(strides[spatial]), tuple(dilations[spatial]), padding, tuple(pairs[0::2][spatial]),
        tuple(pairs[1::2][spatial]), first, (*strides[others], *dilations[others]),
    )  # fmt: skip


def reach(size: int, dilation: int) -> int:
    """How many positions a window of `size` taps spans."""
    return (size - 1) * dilation + 1 if size else 0


def same_paddings(size: int, window: int, stride: int, dilation: int) -> tuple[int, int]:
    """The zeros before and after an axis that SAME adds."""
    count = -(-size // stride)
    needed = max(0, (count - 1) * stride + reach(window, dilation) - size)
    return needed // 2, needed - needed // 2


def output_size(size: int, window: int, stride: int, dilation: int, before: int, after: int) -> int:
    """The positions of a window along an axis; negative where the window is longer than the axis by a stride or more.

    The quotient is rounded towards zero, as in TensorFlow: a window that is a little too long has no position.
    """
    rest = size + before + after - reach(window, dilation) + stride
    return rest // stride if rest >= 0 else -(-rest // stride)


@lru_cache(maxsize=KEPT)
def geometry_of(
    input_shape: tuple[int, ...], filter_shape: tuple[int, ...], steps: Steps, is_depthwise: bool = False
) -> Geometry:
    """The geometry of a run.

    Args:
        input_shape, filter_shape: the sizes of both; a filter has its spatial axes first, then input channels (of a
            group) and output channels (of a depthwise convolution, for each input channel).
        steps: the attributes.
        is_depthwise: whether the filter is one of a depthwise convolution.

    Raises:
        InvalidArgumentError: the sizes do not fit.
    """
    if any(step != 1 for step in steps.others):
        raise InvalidArgumentError(message="Current implementation does not yet support strides or dilations in the "
                                           f"batch and depth dimensions: {listed(steps.others)}")  # fmt: skip
    count = len(steps.strides)
    _require_rank("input", input_shape, count + 2)
    _require_rank("filter", filter_shape, count + 2)
    window = tuple(filter_shape[:count])
    sizes = tuple(input_shape[steps.first_axis : steps.first_axis + count])
    channels = input_shape[steps.channel_axis]
    depth, filters = filter_shape[count], filter_shape[count + 1]
    if 0 in window:
        raise InvalidArgumentError(message=f"filter must have at least one tap along each axis: {listed(filter_shape)}")
    if is_depthwise:
        if channels != depth:
            raise InvalidArgumentError(message=f"input and filter must have the same depth: {channels} vs {depth}")
        groups, filters = channels, channels * filters
    else:
        groups = groups_of(channels, depth, filters)
    if steps.padding == "SAME":
        pads = [
            same_paddings(*each) for each in zip(sizes, window, steps.strides, steps.dilations, strict=True)
        ]  # fmt: skip
    else:
        pads = list(zip(steps.before, steps.after, strict=True))
    outputs = []
    for axis, (size, taps, stride, dilation, (before, after)) in enumerate(
        zip(sizes, window, steps.strides, steps.dilations, pads, strict=True)
    ):
        positions = -(-size // stride) if steps.padding == "SAME" else output_size(size, taps, stride, dilation, before,
                                                                              after)  # fmt: skip
        if positions < 0:
            raise InvalidArgumentError(
                message=f"Computed output size would be negative: {positions} [input_size: {size}, "
                f"effective_filter_size: {reach(taps, dilation)}, stride: {stride}] along spatial axis {axis}"
            )
        outputs.append(positions)
    return Geometry(
        input_shape[0], channels, filters, groups, sizes, window, tuple(outputs), steps.strides, steps.dilations,
        tuple([before for before, _ in pads]), tuple([after for _, after in pads]), steps.is_channels_first,
    )  # fmt: skip


def groups_of(channels: int, depth: int, filters: int) -> int:
    """How many groups the channels have; InvalidArgumentError where they do not fit."""
    if not depth:
        raise InvalidArgumentError(message="Depth of filter must not be 0")
    if channels % depth:
        raise InvalidArgumentError(
            message=f"input depth must be evenly divisible by filter depth: {channels} vs {depth}"
        )
    groups = channels // depth
    if groups and filters % groups:
        raise InvalidArgumentError(
            message=f"output depth must be evenly divisible by number of groups: {filters} vs {groups}"
        )
    return max(groups, 1)


def _require_rank(what: str, shape: Sequence[int], rank: int) -> None:
    if len(shape) != rank:
        raise InvalidArgumentError(message=f"{what} must be {rank}-dimensional: {listed(shape)}")
