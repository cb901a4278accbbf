"""Does a fed value fit its tensor, and how large are the named dimensions in this run?

A feed is converted to the tensor's dtype (`feed_numbers`; an array that has it already is used as it is, and never
written), its shape is compared with the static shape, and each named dimension is bound to one size; two feeds that
give one name two sizes are refused before anything runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import FeedError, FeedTypeError, ResourceExhaustedError, UseError, ValueRuleError
from ...graph.dimension import Dimension, Symbol
from ...graph.literal import Array, normal_bools, refuse_masked
from ...graph.nodes import Tensor
from ..backends import on_device
from ..kernels.bytes_layout import layout_of_bytes
from ..kernels.native_loops import find
from ..planning.fixed_width_strings import is_packed
from ..planning.plan import Plan
from .feed_numbers import number_array

Bindings = dict[Symbol, tuple[int, Tensor]]


def feed_array(tensor: Tensor, value: Any) -> Array:
    """`value` as an array of the tensor's dtype.

    Raises:
        FeedError (a ValueError): it cannot be converted; FeedTypeError (a TypeError too): it is of a wrong kind.
        UseError (a TypeError): it is a tensor.
    """
    dtype = tensor.dtype
    if value.__class__ is not np.ndarray:
        try:
            refuse_masked(value)
        except ValueRuleError as error:
            raise FeedError(f"Cannot feed Tensor {tensor.name}: {error.message}\n{_declared(tensor)}") from None
    if isinstance(value, np.ndarray) and value.dtype == dtype.np and dtype.kind != "s":
        return normal_bools(np.asarray(value)) if dtype.kind == "b" else np.asarray(value)
    if isinstance(value, Tensor):
        raise UseError(
            f"The value of a feed cannot be a tensor: {tensor.name} was fed {value!r}. Feed numbers, lists or arrays; "
            "to use one tensor in place of another, build the graph with it"
        )
    there = on_device(value)
    if there is not None:
        array: Array = _device_array(tensor, there)
        return array
    try:
        if value is None:
            raise TypeError("None values not supported; feed a number, a list or an array")  # NumPy would make a NaN
        if dtype.kind == "s":
            return _strings(tensor, value)
        return number_array(tensor, value)
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error)
        if "inhomogeneous" in reason:
            reason = "lists side by side have different lengths, and an array is a full block"
        elif isinstance(error, OverflowError) and dtype.is_integer:
            limits = np.iinfo(dtype.np)
            reason = f"a number is out of bounds; {dtype.name} holds {limits.min} to {limits.max}"
        kind = FeedError if isinstance(error, ValueError) else FeedTypeError
        raise kind(
            f"Cannot feed {_short(value)} for Tensor {tensor.name}, which has dtype {dtype.name}: {reason}\n"
            f"{_declared(tensor)}"
        ) from None
    except MemoryError as error:
        raise ResourceExhaustedError(
            message=f"Cannot feed a {type(value).__name__} for Tensor {tensor.name}: there is no memory to convert it "
            f"to {dtype.name}: {error}. An array of the tensor's dtype is taken as it is; feed one, or feed less"
        ) from None


def _device_array(tensor: Tensor, array: Any) -> Any:
    """An array of a device, as it is."""
    if array.dtype != tensor.dtype.np:
        raise FeedError(
            f"Cannot feed an array of {array.dtype} on a device for Tensor {tensor.name}, which has dtype "
            f"{tensor.dtype.name}: what lies on a device is not converted. Convert it there, or feed it from the host"
        )
    return array.view("u1") != 0 if tensor.dtype.is_bool else array  # as `normal_bools`, without waiting for an answer


def _strings(tensor: Tensor, value: Any) -> Array:
    array = np.asarray(value, object) if not isinstance(value, np.ndarray) else value
    if array.dtype.kind == "S":
        return array.astype(object)
    if array.dtype.kind == "U":
        array = array.astype(object)
    if array.dtype.kind != "O":
        raise TypeError(f"an array of {array.dtype} holds no strings")
    if _holds_bytes_only(array):
        return array
    flat = array.reshape(-1).tolist()
    converted = np.empty(array.shape, object)
    converted.reshape(-1)[:] = [_bytes(v) for v in flat]
    return converted


def _holds_bytes_only(array: Array) -> bool:
    """Whether each element of an object array is bytes, and of no subclass: 1e6 take 38 ms, 2 by a compiled loop."""
    layout = layout_of_bytes() if array.flags.c_contiguous and array.flags.aligned else None
    loop = None if layout is None else find("bytes_only", layout, work=8 * array.size)
    if loop is not None:
        return loop(array, array.size, id(bytes)) == array.size
    return all(type(v) is bytes for v in array.reshape(-1).tolist())


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise TypeError(f"{value!r} is no string")


def check_shape(tensor: Tensor, array: Array) -> bool:
    """Raise FeedError unless the array fits the static shape; True if the shape has named dimensions to bind."""
    dims = tensor.shape.raw
    if dims is None:
        return False
    shape = array.shape
    named = False
    fits = len(dims) == len(shape)
    if fits:
        for dim, size in zip(dims, shape, strict=True):
            if dim.__class__ is int:
                if dim != size:
                    fits = False
                    break
            elif dim.is_named:  # type: ignore[union-attr]  # what is no int is a Dimension
                named = True
    if not fits:
        raise FeedError(
            f"Cannot feed value of shape {shape} for Tensor {tensor.name}, which has shape {tensor.shape}\n"
            f"{_declared(tensor)}\n"
            f"  {_shape_cure(shape, dims)}"
        )
    return named


def _declared(tensor: Tensor) -> str:
    """The line that made what is fed."""
    return f"  {tensor.name}  {tensor.op.origin.place}  {tensor.op.origin.code}"


def _shape_cure(shape: tuple[int, ...], dims: tuple[int | Dimension, ...]) -> str:
    if len(shape) != len(dims):
        wanted = f"an array of {len(dims)} dimension{'' if len(dims) == 1 else 's'}" if dims else "a single value"
        return f"Feed {wanted}; this has {len(shape)} dimension{'' if len(shape) == 1 else 's'}."
    wrong = [i for i, (d, size) in enumerate(zip(dims, shape, strict=True)) if isinstance(d, int) and d != size]
    return "; ".join(f"dimension {i} must be {dims[i]}, not {shape[i]}" for i in wrong).capitalize() + "."


def bind(tensor: Tensor, array: Array, bindings: Bindings, waiting: list[tuple[Dimension, int, Tensor]]) -> None:
    """Bind the names in the tensor's shape to sizes; what has several unbound names is left in `waiting`."""
    for dim, size in zip(tensor.shape.raw or (), array.shape, strict=True):
        if isinstance(dim, Dimension) and dim.is_named and not _bind_one(dim, size, tensor, bindings):
            waiting.append((dim, size, tensor))


def settle(bindings: Bindings, waiting: list[tuple[Dimension, int, Tensor]]) -> None:
    """Bind what was waiting for other names, as long as that makes progress."""
    while waiting:
        left = [item for item in waiting if not _bind_one(*item, bindings)]
        if len(left) == len(waiting):
            return
        waiting = left


def _bind_one(dim: Dimension, size: int, tensor: Tensor, bindings: Bindings) -> bool:
    rest = size - dim.const
    open_terms = []
    others: list[tuple[Symbol, Tensor]] = []
    for symbol, count in dim.terms:
        bound = bindings.get(symbol)
        if bound is None:
            open_terms.append((symbol, count))
        else:
            rest -= count * bound[0]
            others.append((symbol, bound[1]))
    if len(open_terms) > 1:
        return False
    if open_terms:
        symbol, count = open_terms[0]
        if rest % count or rest // count < 0:
            raise FeedError(
                f"Cannot feed {size} elements in dimension {dim} of Tensor {tensor.name} {tensor.shape}: "
                f"no size of {symbol} gives {size}"
            )
        bindings[symbol] = (rest // count, tensor)
        return True
    if rest:
        raise FeedError(_two_sizes(dim, size, tensor, bindings, others))
    return True


def _two_sizes(
    dim: Dimension, size: int, tensor: Tensor, bindings: Bindings, others: list[tuple[Symbol, Tensor]]
) -> str:
    wanted = evaluate(dim, bindings)
    lines = [
        f"Dimension {dim} cannot have two sizes in one run: Tensor {tensor.name} is fed {size}, but {dim} is {wanted}",
        _line(tensor),
    ]
    for symbol, other in others:
        lines.append(_line(other) + f"   bound {symbol} to {bindings[symbol][0]}")
    lines.append("  Feed arrays of one size, or give the placeholders' dimensions different names.")
    return "\n".join(lines)


def _line(tensor: Tensor) -> str:
    return f"  {tensor.name}  {tensor.shape}  {tensor.op.origin.place}  {tensor.op.origin.code}"


def evaluate(dim: Dimension, bindings: Bindings) -> int | None:
    """The size of `dim`, or None if a name in it is not bound."""
    total = dim.const
    for symbol, count in dim.terms:
        bound = bindings.get(symbol)
        if bound is None:
            return None
        total += count * bound[0]
    return total


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def check_feeds(
    tensors: Sequence[Tensor], values: Sequence[Any], packed: frozenset[int] = frozenset()
) -> tuple[list[Any], Bindings]:
    """The values as arrays that fit their tensors, and the sizes they give to named dimensions.

    packed: positions where an array of strings of fixed width stays what it is.
    """
    arrays: list[Any] = []
    named: list[int] = []
    for i, (tensor, value) in enumerate(zip(tensors, values, strict=True)):
        # An array of the very dtype and shape is the usual case: 0.4 us instead of 1.4.
        dtype = tensor.dtype
        usual = value.__class__ is np.ndarray and value.dtype is dtype.np and dtype.kind not in "sb"
        stays = usual or (i in packed and is_packed(value))
        array = value if stays else feed_array(tensor, value)
        if tensor.shape.raw != array.shape and check_shape(tensor, array):
            named.append(i)
        arrays.append(array)
    bindings: Bindings = {}
    if named:
        waiting: list[Any] = []
        for i in named:
            bind(tensors[i], arrays[i], bindings, waiting)
        if waiting:
            settle(bindings, waiting)
    return arrays, bindings


def check_equations(plan: Plan, bindings: Bindings) -> None:
    """Claims such as `batch = 3`, made where a named dimension met a number, hold for this run's sizes."""
    for dim, size, node in plan.equations:
        bound = evaluate(dim, bindings)
        wanted = evaluate(size, bindings) if isinstance(size, Dimension) else size
        if bound is None or wanted is None or bound == wanted:
            continue
        found = f"Dimension {dim} is {bound} in this run by the feed of {_feed_of(dim, bindings)}, but the shapes at "
        if isinstance(size, Dimension):
            raise FeedError(
                f"{found}the node {node!r} hold only if it is {size}, which is {wanted} by the feed of "
                f"{_feed_of(size, bindings)}; feed equal sizes, or leave out the set_shape that says they are"
            )
        raise FeedError(
            f"{found}the node {node!r} hold only for size {size}; feed {size}, or build the graph without the number"
        )


def _feed_of(dim: Dimension, bindings: Bindings) -> str:
    return next(bindings[symbol][1].name for symbol, _ in dim.terms)
