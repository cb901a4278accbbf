"""Random convolutions with their first and second derivatives. The same text builds them in TensorFlow, whose side this
module is, too:

    python -m tests.fuzz.convolution_programs 0 300 out.npz

TensorFlow's kernels for CPUs lack channels first, dilations backwards and depthwise strides that differ; there
`_plainly` says the same with transposes, zeros around the input, holes with stride 1 and every n-th position.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

Results = dict[str, Any]
DTYPES = ("float32", "float32", "float64", "float16", "bfloat16")
KINDS = ("plain", "plain", "plain", "depthwise", "separable", "transposed", "by input", "by filter", "holes", "general")


@dataclass(frozen=True)
class Program:
    """A convolution.

    Attributes:
        kind: one of `KINDS`.
        dtype: of its arrays.
        sizes: spatial sizes of the input.
        window, strides, dilations: by spatial axis.
        padding: "SAME", "VALID", or [before, after] by spatial axis.
        is_first: whether the channels are first.
        batch, channels, filters: sizes.
        known: how much of the shapes placeholders have: "all", "rank", "none" or "batch", which leaves out the first.
    """

    kind: str
    dtype: str
    sizes: tuple[int, ...]
    window: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: Any
    is_first: bool
    batch: int
    channels: int
    filters: int
    known: str

    @property
    def rank(self) -> int:
        """The number of spatial axes."""
        return len(self.sizes)

    @property
    def is_depthwise(self) -> bool:
        """Whether its first filter is depthwise."""
        return self.kind in ("depthwise", "separable")


def program_of(seed: int) -> Program:
    """The program of a seed."""
    rng = np.random.RandomState(seed)
    kind = KINDS[rng.randint(len(KINDS))]
    rank = int(rng.choice([2, 2, 2, 1, 3])) if kind in ("plain", "transposed", "general") else 2
    ints = lambda low, high: tuple(int(n) for n in rng.randint(low, high, rank))  # noqa: E731  # one draw for each axis
    strides, dilations = ints(1, 4), ints(1, 4)
    if kind in ("depthwise", "separable", "general") and rng.rand() < 0.8 and max(dilations) > 1:
        strides = (1,) * rank
    if kind == "holes":
        strides, dilations = (1,) * rank, (dilations[0],) * rank
    if rng.rand() < 0.4:
        dilations = (1,) * rank
    padding: Any = ("SAME", "VALID", "VALID")[rng.randint(3)]
    if rank == 2 and kind in ("plain", "depthwise", "by input", "by filter") and rng.rand() < 0.3:
        padding = [[int(n) for n in rng.randint(0, 3, 2)] for _ in range(rank)]
    made = Program(
        kind, DTYPES[rng.randint(len(DTYPES))], ints(1, 10 - 2 * (rank == 3)), ints(1, 5 - (rank == 3)), strides,
        dilations, padding, bool(rng.rand() < 0.35) and kind != "holes", int(rng.choice([1, 2, 3, 0])),
        int(rng.randint(1, 5)), int(rng.randint(1, 5)), ("all", "rank", "none", "batch")[rng.randint(4)],
    )  # fmt: skip
    if rank == 3 and padding == "SAME" and any(
        taps + (-(-size // step) - 1) * step < size
        for size, taps, step in zip(made.sizes, made.window, made.strides, strict=True)
    ):
        # TensorFlow's conv3d then reads other positions than its own gradient takes it to read.
        made = replace(made, padding="VALID")
    if rank == 3 and output_sizes(made) is None:
        made = replace(made, dilations=(1, 1, 1))  # TensorFlow's static shapes of conv3d leave them out
    if output_sizes(made) is None and needs_help(made):
        # An error of the build; TensorFlow's kernels refuse the run for other reasons.
        return replace(made, known="all")
    return replace(made, known="rank") if made.known == "none" and kind in ("general", "holes") else made


def needs_help(p: Program) -> bool:
    """Whether TensorFlow has no kernel for it on a CPU, or none for its gradients."""
    return p.is_first or max(p.dilations) > 1 or (p.is_depthwise and len(set(p.strides)) > 1)


def results(tf: Any, seed: int, is_theirs: bool) -> Results:
    """What a program gives: its values, first and second derivatives, or the word "error".

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`, in a graph of its own.
        seed: the program.
        is_theirs: whether it is TensorFlow's.
    """
    p = program_of(seed)
    arrays = operands(p, seed)
    if isinstance(arrays, str):
        arrays = operands(p, seed, anyway=True)
    dtype = tf.as_dtype(p.dtype)
    fed = [tf.placeholder(tf.float64, static_shape(p, a)) for a in arrays]
    feeds = dict(zip(fed, arrays, strict=True))
    try:
        xs = [tf.cast(x, dtype) for x in fed]
        y = called(tf, p, [a.shape for a in arrays], xs, is_theirs)
        with tf.Session() as session:
            value = session.run(tf.cast(y, tf.float64), feeds)
            found = {f"{seed}/y": value}
            if has_gradients(p):
                weights = np.cos(np.arange(value.size)).reshape(value.shape)
                first = tf.gradients(y, xs, tf.cast(tf.constant(weights), dtype))
                squares = [g * g for g in first if g is not None]
                second = tf.gradients(squares, xs, [tf.ones_like(g) * 0.5 for g in squares]) if squares else []
                for name, slopes in (("first", first), ("second", second)):
                    for i, slope in enumerate(slopes):
                        if slope is not None:
                            found[f"{seed}/{name}/{i}"] = session.run(tf.cast(slope, tf.float64), feeds)
    except (ValueError, TypeError, tf.errors.InvalidArgumentError):
        return {f"{seed}/y": np.array("error")}
    return found


def has_gradients(p: Program) -> bool:
    """Where nothing is convolved TensorFlow's gradient of the filter is uninitialised memory."""
    return p.batch > 0 and output_sizes(p) is not None


def static_shape(p: Program, array: Any) -> Any:
    """What a placeholder knows."""
    if p.known == "none":
        return None
    if p.known == "rank":
        return [None] * array.ndim
    return [None, *array.shape[1:]] if p.known == "batch" else array.shape


def operands(p: Program, seed: int, anyway: bool = False) -> Any:
    """The arrays of a program; "error" where a window does not fit, unless it is to be tried anyway."""
    rng = np.random.RandomState(seed + 7)
    normal = lambda *shape: rng.standard_normal(shape).round(2) / 2  # noqa: E731
    x = (p.batch, p.channels, *p.sizes) if p.is_first else (p.batch, *p.sizes, p.channels)
    outputs = output_sizes(p)
    if outputs is None:
        if not anyway:
            return "error"
        outputs = p.sizes
    y = (p.batch, p.filters, *outputs) if p.is_first else (p.batch, *outputs, p.filters)
    w = (*p.window, p.channels, p.filters)
    if p.kind == "separable":
        return normal(*x), normal(*w), normal(1, 1, p.channels * p.filters, 3)
    if p.kind in ("transposed", "by input"):
        return normal(*y), normal(*w)
    if p.kind == "by filter":
        return normal(*x), normal(*y)
    return normal(*x), normal(*w)


def output_sizes(p: Program) -> tuple[int, ...] | None:
    """The positions along each axis; None where there are none along one."""
    found = []
    for i, (size, taps, step, rate) in enumerate(zip(p.sizes, p.window, p.strides, p.dilations, strict=True)):
        if p.padding == "SAME":
            found.append(-(-size // step))
        else:
            more = 0 if p.padding == "VALID" else sum(p.padding[i])
            found.append((size + more - (taps - 1) * rate - 1) // step + 1)
    return None if min(found) < 1 else tuple(found)


# ---- calls --------------------------------------------------------------------------------------


def called(tf: Any, p: Program, shapes: list[Any], xs: list[Any], is_theirs: bool) -> Any:
    """The result of a program."""
    if is_theirs and needs_help(p) and output_sizes(p) is not None:
        return _plainly(tf, p, shapes, xs)
    return _directly(tf, p, xs)


def _directly(tf: Any, p: Program, xs: list[Any]) -> Any:
    form = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}[p.rank][p.is_first]
    spread = lambda values, rest: [rest, rest, *values] if p.is_first else [rest, *values, rest]  # noqa: E731
    steps, rates = spread(p.strides, 1), spread(p.dilations, 1)
    padding = p.padding if isinstance(p.padding, str) else spread(p.padding, [0, 0])
    x, w = xs[:2]
    nn = tf.nn
    sizes = [p.batch, p.channels, *p.sizes] if p.is_first else [p.batch, *p.sizes, p.channels]
    more = {"data_format": form, "dilations": rates}
    if p.kind == "plain":
        if p.rank == 1:
            return nn.conv1d(x, w, p.strides[0], padding, data_format=form, dilations=rates)
        return (nn.conv2d if p.rank == 2 else nn.conv3d)(x, w, steps, padding, **more)
    if p.kind == "depthwise":
        if max(p.strides) == 1:
            return nn.depthwise_conv2d(x, w, steps, padding, rate=list(p.dilations), data_format=form)
        return nn.depthwise_conv2d_native(x, w, steps, padding, form, rates)
    if p.kind == "separable":
        return nn.separable_conv2d(x, w, xs[2], steps, padding, list(p.dilations), data_format=form)
    if p.kind == "transposed":
        function = {1: nn.conv1d_transpose, 2: nn.conv2d_transpose, 3: nn.conv3d_transpose}[p.rank]
        return function(x, w, sizes, steps, padding, **more)
    if p.kind == "by input":
        return nn.conv2d_backprop_input(sizes, w, x, steps, padding, **more)
    if p.kind == "by filter":
        return nn.conv2d_backprop_filter(x, [*p.window, p.channels, p.filters], w, steps, padding, **more)
    if p.kind == "holes":
        return nn.atrous_conv2d(x, w, p.dilations[0], padding)
    return nn.convolution(x, w, padding, list(p.strides), list(p.dilations), data_format=form)


def _plainly(tf: Any, p: Program, shapes: list[Any], xs: list[Any]) -> Any:
    if p.kind in ("separable", "general") and max(p.dilations) > 1 and max(p.strides) > 1:
        raise ValueError("not both")
    if p.kind in ("transposed", "by input", "by filter"):
        # The gradient of the forward convolution by one operand, which does not matter.
        other = [p.batch, p.channels, *p.sizes] if p.is_first else [p.batch, *p.sizes, p.channels]
        free = tf.zeros([*p.window, p.channels, p.filters] if p.kind == "by filter" else other, xs[0].dtype)
        pair = (xs[0], free) if p.kind == "by filter" else (free, xs[1])
        shape = [np.zeros(other), np.zeros([*p.window, p.channels, p.filters])]
        y = _forward(tf, p, [a.shape for a in shape], *pair)
        dy = xs[1] if p.kind == "by filter" else xs[0]
        return tf.gradients(y, free, dy)[0]
    y = _forward(tf, p, shapes, *xs[:2])
    if p.kind == "separable":
        if p.is_first:
            y = tf.transpose(y, [0, 2, 3, 1])
        y = tf.nn.conv2d(y, xs[2], [1, 1, 1, 1], "VALID")
        return tf.transpose(y, [0, 3, 1, 2]) if p.is_first else y
    return y


def _forward(tf: Any, p: Program, shapes: list[Any], x: Any, w: Any) -> Any:
    x.set_shape(shapes[0])
    w.set_shape(shapes[1])
    if p.is_first:
        x = tf.transpose(x, [0, *range(2, p.rank + 2), 1])
    pads = []
    for i, (size, taps, step, rate) in enumerate(zip(p.sizes, p.window, p.strides, p.dilations, strict=True)):
        needed = max(0, (-(-size // step) - 1) * step + (taps - 1) * rate + 1 - size) if p.padding == "SAME" else 0
        pads.append([needed // 2, needed - needed // 2] if isinstance(p.padding, str) else p.padding[i])
    x = tf.pad(x, [[0, 0], *pads, [0, 0]])
    if p.is_depthwise:
        y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID", rate=list(p.dilations))
    else:
        y = tf.nn.convolution(x, w, "VALID", dilation_rate=list(p.dilations))
    y = y[(slice(None), *[slice(None, None, step) for step in p.strides])]
    return tf.transpose(y, [0, p.rank + 1, *range(1, p.rank + 1)]) if p.is_first else y


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tensorflow = import_module("tensorflow")
    first, count, path = sys.argv[1:]
    found: Results = {}
    for seed in range(int(first), int(first) + int(count)):
        with tensorflow.Graph().as_default():
            found |= results(tensorflow.compat.v1, seed, is_theirs=True)
    np.savez(path, **found)


if __name__ == "__main__":
    main()
