"""Declarations of reductions, one statement each: `reduce_sum = reduction("reduce_sum", "Sum", ...)`.

All reductions share the signature (with older and newer names of parameters), the rule for axes and the shape rule.
They differ by a function that combines the elements along a set of axes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.building.builder import build
from ...graph.building.constant_evaluation import Entry, known_entries, known_vector
from ...graph.common.tracebacks import cut
from ...graph.declare.axis_labels import by_labels, cut_of_unknown_rank, is_share, size_along
from ...graph.declare.distribution import Along, Distributed, How, Refused, State
from ...graph.declare.op_declaration import OpDef, Samples, register, sample
from ...graph.declare.op_facts import ReductionRule
from ...graph.declare.parameter_names import keyword_hint
from ...graph.declare.parameters import bare
from ...graph.declare.signature import BOOL, INT32_64, Attr, Operand, TensorLike, as_bool
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import DType, bfloat16, bool_, complex64, dtypes_in, float32, int32
from ...graph.shapes.shape import TensorShape, scalar_shape, shape_of, unknown_dims, unknown_rank
from .reduction_order import is_trailing, reduce_blocks

Combine = Callable[..., Any]
Axis = Annotated[TensorLike | None, Operand("Tidx", INT32_64, host=True, prefer=int32, optional=True)]
KeepDims = Annotated[bool | None, Attr(lambda value: value is not None and as_bool(value))]
RESULT_LIMIT = 1 << 31


class RenamedOp(OpDef[..., Tensor]):
    """An op whose call has parameters that its node has not: older names of the same thing."""

    public: Callable[..., tuple[Any, ...]]
    """From the arguments of a call to those of the node, `name` last; its signature is the op's."""

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        try:
            return build(self, self.bind(*args, **kwargs))
        except BaseException as error:
            cut(error)
            raise

    def bind(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The arguments of the node, `name` last."""
        try:
            return self.public(*args, **kwargs)
        except ValueRuleError as error:
            raise ValueRuleError(error.message, attempt=self.__name__, code=error.code) from None
        except TypeError:
            try:
                inspect.signature(self.public).bind(*args, **kwargs)
            except TypeError as error:
                hint = keyword_hint(self.__name__, list(self.signature.parameters), kwargs, self.facts.hint)
                raise TypeError(f"{self.__name__}{bare(self.signature)}: {error}{hint}") from None
            raise


class ReductionOp(RenamedOp):
    """An op that combines the elements along some axes."""

    if TYPE_CHECKING:

        def __call__(
            self,
            input_tensor: TensorLike,
            axis: TensorLike | None = None,
            keepdims: bool | None = None,
            name: str | None = None,
            reduction_indices: TensorLike | None = None,
            keep_dims: bool | None = None,
        ) -> Tensor: ...


def either(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The argument given under one of its two names; ValueError if both are given."""
    if old is None:
        return new
    if new is not None:
        raise ValueRuleError(
            f"Cannot specify both '{old_name}' and '{new_name}': they name one argument; give '{new_name}'"
        )
    return old


def renamed(made: RenamedOp, public: Callable[..., tuple[Any, ...]]) -> None:
    """Give `made` the signature of `public`."""
    made.public = public
    made.signature = inspect.signature(public).replace(return_annotation=Tensor)


def reduction(
    name: str,
    type: str,
    allowed: int,
    doc: str,
    combine: Combine,
    *,
    ufunc: Any,
    wide: Callable[[DType], DType] | None = None,
    finish: Callable[[Any, int, DType], Any] | None = None,
    numpy: Any = (),
    fold: Callable[[Dim, Dim], Dim] | None = None,
    how: How,
) -> ReductionOp:
    """Declare a reduction.

    Args:
        name: the function's name. type: the node's. allowed: dtypes of `input_tensor`. doc: the docstring.
        combine: (array module, array, axes, keepdims) -> array; `axes` is a non-empty sorted tuple. On the CPU it
            serves what `ops.declare.reduction_order` does not: axes that are not the last ones, and nothing at all.
        ufunc, wide, finish: as in `graph.declare.op_facts.ReductionRule`, for the last axes on the CPU.
        how: how results for parts are combined.
        numpy: as in `graph.declare.op_declaration.op`. fold: combines two sizes, if reducing sizes gives a size.
    """

    def function(
        input_tensor: TensorLike,
        axis: TensorLike | None = None,
        keepdims: bool | None = None,
        name: str | None = None,
    ) -> Tensor: ...

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    operand = Annotated[TensorLike, Operand("T", allowed)]
    function.__annotations__ = {"input_tensor": operand, "axis": Axis, "keepdims": KeepDims, "return": Tensor}
    of_dtypes = "" if allowed == BOOL else " T=input_tensor"
    opdef = ReductionOp(type, function, "T", {"graphdef": f"keep_dims=keepdims/False Tidx=axis{of_dtypes}"})
    renamed(opdef, _reduction_arguments)
    opdef.shape(reduced_shape)

    rule = ReductionRule(ufunc, lambda rank, axis, keepdims: axes_of(axis, rank), lambda rank, axis, keepdims: keepdims,
                     how, widened if wide is None else wide, finish)  # fmt: skip

    def kernel(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        axes = axes_of(axis, x.ndim)
        if not axes:  # nothing to combine, so nothing may be rounded
            return x.copy()
        if isinstance(x, np.ndarray) and x.size and is_trailing(axes, x.ndim):
            return reduce_blocks(rule, x, axes, keepdims)
        return combine(xp, x, axes, keepdims)

    opdef.fails(_why_axes_may_not_fit)
    opdef.reduction = rule
    opdef.distributes(partial(_in_shards, how))
    opdef.kernel(kernel)
    if fold is not None:
        opdef.partial(_folding(fold))
    opdef.samples(lambda rng: _samples(rng, allowed))
    return register(opdef, numpy=numpy)


def _reduction_arguments(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> tuple[Any, ...]:
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return input_tensor, axis, either("keepdims", keepdims, "keep_dims", keep_dims), name


# ---- axes ---------------------------------------------------------------------------------------


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes of a run (None: all of them), counted from the front and sorted."""
    if axis is None:
        return tuple(range(rank))
    if axis.ndim > 1:
        raise InvalidArgumentError(message=f"axis must be a scalar or a vector, not {list(axis.shape)}")
    axes: list[int] = []
    for given in axis.reshape(-1).tolist():
        if not -rank <= given < rank:
            raise InvalidArgumentError(
                message=f"Invalid reduction dimension ({given} for input with {rank} dimension(s)); "
                f"axes must be in [{-rank}, {rank})"
            )
        counted = given % rank
        if counted in axes:
            raise InvalidArgumentError(
                message=f"Invalid reduction arguments: Axes contains duplicate dimension: {counted}; "
                "each axis may be given once"
            )
        axes.append(counted)
    return tuple(sorted(axes))


def reduced_shape(x: Tensor, axis: Tensor | None, keepdims: bool) -> TensorShape:
    """The shape rule of all reductions."""
    dims = x.shape.raw
    if axis is not None and axis.shape.ndims is not None and axis.shape.ndims > 1:
        raise ValueRuleError(
            f"Shape must be at most rank 1 but is rank {axis.shape.ndims}: axis is one axis or a list",
            operand=1,
        )
    axes = _known_axes(axis, None if dims is None else len(dims))
    if dims is None:
        if axis is None and not keepdims:
            return scalar_shape()
        return x.shape if axes == frozenset() else unknown_rank("the rank of the operand is not known", x)
    if axes is None:
        return _any_axes(x, dims, axis, keepdims)
    if keepdims:
        return shape_of(1 if i in axes else d for i, d in enumerate(dims))
    return shape_of(d for i, d in enumerate(dims) if i not in axes)


def _known_axes(axis: Tensor | None, rank: int | None) -> frozenset[int] | None:
    """The axes counted from the front, None where they are not known."""
    if axis is None:
        return None if rank is None else frozenset(range(rank))
    entries = known_entries(axis)
    flat = entries if isinstance(entries, tuple) else (entries,)
    if rank is None:
        return frozenset() if flat == () else None
    known = [e for e in flat if isinstance(e, int)]
    for each in known:
        if not -rank <= each < rank:
            raise ValueRuleError(
                f"Invalid reduction dimension {each} for input with {rank} dimensions; "
                f"axes must be in [{-rank}, {rank})",
                operand=1,
            )
    return frozenset(e % rank for e in known) if len(known) == len(flat) else None


def _why_axes_may_not_fit(x: Tensor, axis: Tensor | None, keepdims: bool) -> str | None:
    if axis is None:
        return None
    entries = known_entries(axis)
    axes = _known_axes(axis, x.shape.ndims)
    count = len(entries) if isinstance(entries, tuple) else 1
    known = x.shape.ndims is not None and axes is not None and len(axes) == count
    return None if known else "which axes are reduced is not known before the run"


def _in_shards(how: How, operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
    x, axis, keepdims = operation.args
    axes = _known_axes(axis, x.shape.ndims)
    if axes is None or x.shape.ndims is None:
        return cut_of_unknown_rank(operation, states, name)
    state = states[0]
    if how == "mean" and isinstance(state, Along) and state.axis in axes:
        if x.dtype.is_integer:
            return Refused("the mean of ints is rounded, so means of shards do not give it")
        if not is_share(size_along(operation, 0, state.axis), name):
            return Refused(f"how many elements each shard has along axis {state.axis} is not known before a run")
    every = range(x.shape.ndims)
    kept = [None if i in axes else i for i in every] if keepdims else [i for i in every if i not in axes]
    return by_labels(operation, states, name, [every, *[None] * (len(states) - 1)], [kept], how)


def _any_axes(x: Tensor, dims: tuple[Dim, ...], axis: Tensor | None, keepdims: bool) -> TensorShape:
    """The shape if only the run knows the axes; each axis is reduced at most once."""
    reason = "which axes are reduced is not known"
    if keepdims:
        return shape_of(d if d == 1 else unknown(reason, axis) for d in dims)
    counts = None if axis is None else axis.shape.raw
    count = 1 if counts == () else counts[0] if counts else None
    if not isinstance(count, int) or count > len(dims):
        return unknown_rank(reason, axis)
    return unknown_dims(len(dims) - count, reason, axis)


def _folding(fold: Callable[[Dim, Dim], Dim]) -> Callable[..., Entry]:
    """The partial rule of a reduction over a vector of sizes, such as `reduce_prod(shape(x))`."""

    def rule(x: Tensor, axis: Tensor | None, keepdims: bool) -> Any:
        entries = known_vector(x) if x.shape.ndims == 1 else None
        if not entries or _known_axes(axis, 1) != frozenset((0,)):
            return None
        total: Dim = 1
        for i, entry in enumerate(entries):
            if entry is None:
                return None
            if isinstance(entry, int) and entry < 0 and len(entries) > 1:
                return None  # with a symbol the result need not be a size
            total = entry if i == 0 else fold(total, entry)
            if isinstance(total, int) and total >= RESULT_LIMIT:
                return None  # the run's ints wrap; sizes do not
        return (total,) if keepdims else total

    return rule


def widened(dtype: DType) -> DType:
    """The dtype of the accumulator: float32 for 16-bit floats, otherwise the dtype of the elements."""
    return float32 if dtype.is_floating and dtype.size == 2 else dtype


# ---- arrays -------------------------------------------------------------------------------------

_SHORT_FLOATS = (np.dtype(np.float16), bfloat16.np)


def is_short(dtype: Any) -> bool:
    """True for 16-bit floats: they are combined in float32 and rounded once."""
    return dtype in _SHORT_FLOATS


def row_major(x: Any) -> Any:
    """`x` row-major, in the dtype of the accumulator: the bits of sums depend on the order in memory."""
    if is_short(x.dtype):
        return x.astype(np.float32, order="C")
    return x if x.flags.c_contiguous else x.copy(order="C")


def _samples(rng: np.random.Generator, allowed: int) -> Samples:
    few = [d for d in (float32, int32, bool_, bfloat16, complex64) if d in dtypes_in(allowed)]
    for dtype in few:
        x = _values(rng, (2, 3, 2), dtype)
        yield sample(x)
        yield sample(x, np.array([0, -1], np.int32), True)
        yield sample(x, np.array(1, np.int64))
    first = few[0]
    yield sample(_values(rng, (2, 3), first), np.array([], np.int32))
    yield sample(_values(rng, (), first))
    yield sample(_values(rng, (0, 3), first), np.array([0], np.int32))
    yield sample(_values(rng, (2, 0), first), np.array(0, np.int32), True)
    yield sample(_values(rng, (1, 5), first), np.array([1], np.int32), fixed=("axis",))


def _values(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Any:
    return rng.integers(-3, 4, shape).astype(dtype.np)
