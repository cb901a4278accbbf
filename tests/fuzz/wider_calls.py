"""Random calls of assertions, initializers, partial runs, bfloat16, counted segments, images of any rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from .array_calls import ANY
from .call_operands import Operands
from .elementwise_calls import function, with_gradients

COMPARISONS = ("assert_equal", "assert_none_equal", "assert_less", "assert_less_equal", "assert_greater",
               "assert_greater_equal", "assert_near")  # fmt: skip
SIGNS = ("assert_negative", "assert_positive", "assert_non_negative", "assert_non_positive")
OF_BRAIN_FLOATS = ("abs", "exp", "log", "negative", "nn.relu", "reciprocal", "rsqrt", "sigmoid", "sign", "sqrt",
                   "square", "tanh", "floor", "ceil", "cos", "sin", "erf", "log1p", "expm1", "zeros_like")  # fmt: skip
OF_TWO_BRAIN_FLOATS = ("add", "subtract", "multiply", "maximum", "minimum", "divide", "less", "equal", "floordiv",
                       "truncatediv", "truncatemod", "squared_difference", "pow", "floormod")  # fmt: skip


def partial_runs(o: Operands) -> list[Any]:
    """A run in parts: values of a chain of steps, each fetched once what it needs is fed."""
    tf, rng = o.tf, o.rng
    dtype = o.pick("float32", "float64", "int32", "complex64")
    sizes = o.sizes(0, 2, zero=0.1)
    count = int(rng.randint(1, 4))
    places = [tf.placeholder(dtype, o.pick(None, sizes, [None] * len(sizes))) for _ in range(count)]
    value, steps = tf.constant(np.asarray(2, dtype)), []
    for place in places:
        value = o.pick(tf.add, tf.multiply, tf.subtract)(value, place)
        steps.append(o.pick(tf.identity, tf.square, tf.negative)(value))
    session = tf.get_default_session()
    handle = session.partial_run_setup(steps, places)
    values: list[Any] = []
    waiting: list[Any] = []
    for place, step in zip(places, steps, strict=True):
        waiting.append(step)
        fetched = waiting if place is places[-1] or o.chance(0.6) else []
        values += session.partial_run(handle, fetched, {place: o.array(sizes, dtype)})
        waiting = [] if fetched else waiting
    return [tf.constant(each) for each in values]


def assertions(o: Operands) -> list[Any]:
    """Assertions of elements, ranks, shapes and dtypes: whether they hold."""
    tf, rng = o.tf, o.rng
    d = tf.debugging
    dtype = o.pick("float32", "float64", "int32", "int64")
    sizes = o.sizes(0, 2)
    x = o.draw(sizes, dtype, unusual=0.1)
    kind = rng.randint(7)
    if kind in (0, 1):
        other = x if o.chance(0.3) else o.draw(o.pick(sizes, [], [2]), dtype)
        name, args = o.pick(*COMPARISONS[: 7 if "float" in dtype else 6]), [x, other]
    elif kind == 2:
        name, args = o.pick(*SIGNS), [o.draw(sizes, dtype, *o.pick((1, 3), (-3, -1), (0, 3), (-3, 0)))]
    elif kind == 3:
        rank = int(rng.randint(0, 3))
        name = o.pick("assert_rank", "assert_rank_at_least", "assert_rank_in")
        args = [x, [rank, rank + 1] if name == "assert_rank_in" else rank]
    elif kind == 4:
        name, args = "check_numerics", [o.draw(sizes, o.pick("float32", "float64"), unusual=0.5), "m"]
    else:
        numeric = tf.constant(bool(d.is_numeric_tensor(tf.convert_to_tensor(x))))
        return [o.pick(d.is_non_decreasing, d.is_strictly_increasing)(x), numeric]
    try:
        check = getattr(d, name)(*args)
        tf.get_default_session().run(check, o.feeds)
    except (ValueError, tf.errors.InvalidArgumentError):
        return [tf.constant(False)]
    return [tf.constant(True)]


def initial_values(o: Operands) -> list[Any]:
    """Values of initializers with a seed, of constants and of identity matrices; sizes and dtypes of all."""
    tf, rng = o.tf, o.rng
    sizes = [int(size) for size in rng.randint(1, 5, o.pick(1, 2, 2, 3, 4))]
    seed = int(rng.randint(999))
    dtype = o.pick(tf.float32, tf.float64, tf.float16)
    i = tf.initializers
    square = sizes[:2] if len(sizes) > 1 else [3, 2]
    return [o.pick(
        lambda: i.zeros()(sizes, o.pick(tf.int32, tf.bool, dtype)),
        lambda: i.ones()(sizes, o.pick(tf.int32, dtype)),
        lambda: i.constant(o.pick(2, 0.5, True))(sizes, dtype),
        lambda: i.constant(np.arange(float(np.prod(sizes))).tolist())(sizes, dtype),
        lambda: i.identity(o.pick(1.0, 0.3))(square, tf.float32),
        lambda: i.random_uniform(-2.0, o.pick(0.0, 3.0), seed)(sizes, tf.float32),
        lambda: i.random_normal(0.5, 2.0, seed)(sizes, tf.float32),
        lambda: i.truncated_normal(0.5, 2.0, seed)(sizes, tf.float32),
        lambda: i.variance_scaling(
            2.0, o.pick("fan_in", "fan_out", "fan_avg"), o.pick("truncated_normal", "uniform", "untruncated_normal"),
            seed)(sizes, tf.float32),
        lambda: o.pick(i.glorot_uniform, i.glorot_normal, i.he_normal, i.he_uniform, i.lecun_normal, i.lecun_uniform)(
            seed)(sizes, tf.float32),
        lambda: i.uniform_unit_scaling(1.5, seed)(sizes, tf.float32),
    )()]  # fmt: skip


def brain_floats(o: Operands) -> list[Any]:
    """Functions of bfloat16 numbers, and what is cast from them and to them."""
    tf, rng = o.tf, o.rng
    sizes = o.sizes()
    x, y = (tf.cast(o.draw(sizes, "float32", known=True), tf.bfloat16) for _ in range(2))
    kind = rng.randint(4)
    if kind == 0:
        result = function(tf, o.pick(*OF_BRAIN_FLOATS))(x)
    elif kind == 1:
        result = function(tf, o.pick(*OF_TWO_BRAIN_FLOATS))(x, y)
    elif kind == 2:
        result = o.pick(tf.reduce_max, tf.reduce_min)(x, o.pick(None, [o.axis(len(sizes))]))
    else:
        result = o.pick(
            lambda: tf.concat([x, y], o.axis(len(sizes))), lambda: tf.where(x > y, x, y), lambda: tf.reshape(x, [-1]),
            lambda: tf.cast(x, o.pick(tf.float64, tf.int32, tf.float16, tf.bool)), lambda: tf.stack([x, y]),
            lambda: tf.transpose(x), lambda: tf.cast(o.draw(sizes, o.pick("int32", "float64")), tf.bfloat16),
        )()  # fmt: skip
    return [result]


def counted_segments(o: Operands) -> list[Any]:
    """Sums of chosen rows by segment with a number of segments, and their derivatives."""
    tf, rng = o.tf, o.rng
    rows, count = int(rng.randint(1, 5)), int(rng.randint(1, 5))  # without ids TensorFlow gives what its memory held
    ids = np.sort(rng.randint(0, 4, count)).astype(o.pick("i4", "i8"))
    x = o.draw([rows, *o.sizes(0, 2, zero=0.0)], o.pick("float32", "float64"))
    indices = o.operand(rng.randint(0, rows, count).astype(o.pick("i4", "i8")))
    many = np.asarray(int(ids[-1]) + rng.randint(0 if o.chance(0.2) else 1, 4), o.pick("i4", "i8"))
    name = o.pick("sparse_segment_sum", "sparse_segment_mean", "sparse_segment_sqrt_n")
    segments = tf.sparse if o.chance(0.3) else tf
    call = getattr(segments, name.removeprefix("sparse_") if segments is tf.sparse else name)
    return with_gradients(o, call(x, indices, o.operand(ids), num_segments=o.operand(many)), [x])


def images_of_any_rank(o: Operands) -> list[Any]:
    """Turns, flips, frames and colours of images whose rank only the run knows."""
    tf, rng = o.tf, o.rng
    i = tf.image
    height, width = (int(size) for size in rng.randint(1, 6, 2))
    name = o.pick("rot90", "flip_left_right", "flip_up_down", "transpose", "frame", "pad", "crop", "resize", "grey")
    # TensorFlow's rot90 turns several images of unknown rank about another axis; its frames are of one image.
    batch = o.pick([], [2]) if name in ("flip_left_right", "flip_up_down", "transpose", "grey") else []
    array = o.array([*batch, height, width, 1 if name == "grey" else 3], o.pick("float32", "uint8"), 0, 9)
    x = tf.placeholder(array.dtype, None)
    o.feeds[x] = array
    if name == "rot90":
        return with_gradients(o, i.rot90(x, int(rng.randint(-5, 6))), [x])
    if name == "frame":
        return [i.resize_image_with_crop_or_pad(x, *rng.randint(1, 8, 2).tolist())]
    if name == "resize":
        return [i.resize_image_with_pad(x, *rng.randint(1, 8, 2).tolist(), method=o.pick(0, 1))]
    if name == "pad":
        return [i.pad_to_bounding_box(x, 1, int(rng.randint(0, 2)), height + 2, width + 2)]
    if name == "crop":
        return [i.crop_to_bounding_box(x, 0, width - 1, int(rng.randint(1, height + 1)), 1)]
    return with_gradients(o, i.grayscale_to_rgb(x) if name == "grey" else function(i, name)(x), [x])


def deep_pictures(o: Operands) -> list[Any]:
    """PNG files of 16 bits, written and read with any number of channels, as 8 bits and as 16."""
    tf, rng = o.tf, o.rng
    height, width, depth = rng.randint(1, 7), rng.randint(1, 7), rng.randint(1, 5)
    pixels = rng.randint(0, 65536, (height, width, depth)).astype("u2")
    if o.chance(0.5):
        pixels = np.sort(pixels.reshape(-1)).reshape(pixels.shape)
    coded = tf.image.encode_png(o.operand(pixels, False), compression=int(rng.randint(-1, 10)))
    return [tf.image.decode_png(coded, o.pick(0, 1, 3, 4), o.pick(tf.uint8, tf.uint16))]


def truncated_floats(o: Operands) -> list[Any]:
    """Divisions of floats that round towards zero, and what is left; derivatives of what is left."""
    dtype = o.pick("float16", "float32", "float64")
    sizes = o.sizes()
    x = o.draw(sizes, dtype, unusual=0.2)
    most = o.pick(3.0, 0.1)  # a large quotient of 16-bit floats is rounded to a whole number first
    y = o.draw(o.pick(sizes, []), dtype, -most, most, unusual=0.2)
    if o.chance(0.5):
        return [o.tf.truncatediv(x, y)]
    return [o.tf.truncatemod(x, y)]


def borders_of_any_rank(o: Operands) -> list[Any]:
    """Mirrored borders and slices in batches where only the run knows the rank, and their derivatives."""
    tf, rng = o.tf, o.rng
    sizes = [int(size) for size in rng.randint(2, 5, rng.randint(1, 4))]
    array = o.array(sizes, o.pick(*ANY[:4]))
    x = tf.placeholder(array.dtype, o.pick(None, None, [None] * array.ndim))
    o.feeds[x] = array
    if o.chance(0.5):
        pads = rng.randint(0, 2, (len(sizes), 2)).astype("i4")
        return with_gradients(o, tf.pad(x, o.operand(pads, known=True), o.pick("REFLECT", "SYMMETRIC")), [x])
    batch = int(rng.randint(1, len(sizes))) if len(sizes) > 1 else 0
    axis = o.pick(None, int(rng.randint(batch, len(sizes))))
    places = rng.randint(0, sizes[batch if axis is None else axis], [*sizes[:batch], *o.sizes(0, 2)])
    kept: Any = tf.placeholder(tf.int32, None)
    o.feeds[kept] = places
    return with_gradients(o, tf.gather(x, kept, axis=axis, batch_dims=batch), [x])


def triangles(o: Operands) -> list[Any]:
    """Triangular equations, some with a zero in the diagonal: which numbers are finite, and these."""
    tf, rng = o.tf, o.rng
    n, batch = int(rng.randint(1, 5)), o.pick([], [2])
    dtype = o.pick("float32", "float64")
    matrix = np.round(rng.uniform(-3, 3, [*batch, n, n])).astype(dtype)
    matrix[..., range(n), range(n)] = rng.choice([-2.0, 1.0, 2.0, 0.0], n, p=[0.3, 0.3, 0.3, 0.1])
    rhs = np.round(rng.uniform(-3, 3, [*batch, n, rng.randint(1, 3)])).astype(dtype)
    return [tf.linalg.triangular_solve(o.operand(matrix), o.operand(rhs), o.chance(0.5), o.chance(0.5))]
