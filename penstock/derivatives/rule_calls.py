"""Calls of gradient rules: which rule an operation has, what it is given, and whether its results fit."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ..errors import DTypeError, GraphError, ShapeError, ValueRuleError
from ..graph.declare.gradient_registry import REGISTERED, RegisteredGradient
from ..graph.model.default_graph import get_default_graph
from ..graph.model.indexed_slices import IndexedSlices
from ..graph.model.nodes import Operation, Tensor
from . import rule_functions as rule_functions  # puts its functions into the namespace of rules
from . import rule_namespace as ops
from .gradient_paths import is_differentiable, own_gradient
from .gradient_sums import Gradient, dense


def input_gradients(
    op: Operation, incoming: Sequence[Gradient | None], wanted: Collection[Tensor]
) -> list[tuple[Tensor, Gradient]]:
    """The gradients of those inputs of `op` that are in `wanted` and have one, from those of its outputs.

    Raises:
        LookupError: the op says nothing about its derivative.
        BuildError: the rule gives something that does not fit the inputs.
    """
    results, rule = _called(op, incoming, wanted)
    if not isinstance(results, (list, tuple)):
        results = [results]
    if len(results) != len(op.inputs):
        raise ValueRuleError(f"{_about(op, rule)} gives {len(results)} gradients for {len(op.inputs)} inputs; a "
                             "rule returns one for each input, None where there is none")  # fmt: skip
    found: list[tuple[Tensor, Gradient]] = []
    for place, (tensor, result) in enumerate(zip(op.inputs, results, strict=True)):
        if tensor not in wanted or result is None:
            continue
        if callable(result):
            result = result()
        if result is not None:
            found.append((tensor, _checked(op, rule, place, tensor, result)))
    return found


def _called(
    op: Operation, incoming: Sequence[Gradient | None], wanted: Collection[Tensor]
) -> tuple[Any, Callable[..., Any]]:
    own = own_gradient(op)
    if isinstance(own, str):
        if own not in REGISTERED:
            raise LookupError(f"gradients: no gradient is registered under {own!r}, which gradient_override_map "
                              f"asks for at {op.name!r} ({op.origin.place}); write "
                              f"@tf.RegisterGradient({own!r})")  # fmt: skip
        own = REGISTERED[own] or _nothing
    if own is None and op.opdef.gradient_rule is not None:
        rule = op.opdef.gradient_rule
        given = [each if each is None or op.opdef.takes_slices else dense(each) for each in incoming]
        if op.opdef.takes_wanted:
            rule = functools.partial(rule, wanted=wanted)
        return _of_rule(op, rule, (ops, op, *given), "(ops, op, *gradients)"), rule
    registered: RegisteredGradient | None = own if own is not None else REGISTERED.get(op.type)
    if registered is None:
        raise LookupError(f"gradients: No gradient defined for operation {op.name!r} (op type: {op.type}), "
                          f"{op.origin.made}; declare one with @{op.opdef.__name__}.gradient(...) beside the op, or "
                          f"write @tf.RegisterGradient({op.type!r})")  # fmt: skip
    # Functions of TensorFlow 1 expect a tensor for each output.
    dense_ones = [_or_zeros(out, each) for out, each in zip(op.outputs, incoming, strict=True)]
    return _of_rule(op, registered, (op, *dense_ones), "(op, *gradients)"), registered


def _of_rule(op: Operation, rule: Callable[..., Any], arguments: Sequence[Any], written: str) -> Any:
    try:
        return rule(*arguments)
    except TypeError as error:
        if not is_refusal(error):
            raise
        raise TypeError(f"{_about(op, rule)} does not take the arguments {written}, with a gradient for each of the "
                        f"{len(op.outputs)} outputs: {error}") from None  # fmt: skip


def is_refusal(error: TypeError) -> bool:
    """Whether a function that was just called refused its arguments: no frame of its own is in the traceback."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is None


def _nothing(op: Operation, *gradients: Any) -> list[None]:
    return [None] * len(op.inputs)


def _or_zeros(output: Tensor, gradient: Gradient | None) -> Gradient:
    return ops.zeros_like(output) if gradient is None and is_differentiable(output.dtype) else gradient  # type: ignore[return-value]  # None of an output without one


def _checked(op: Operation, rule: Callable[..., Any], place: int, tensor: Tensor, result: Any) -> Gradient:
    """`result` as a gradient of input number `place`, with the static shape that this has."""
    if (result.__class__ is Tensor and result.dtype is tensor.dtype and result.op.graph is tensor.op.graph
            and result.shape.raw == tensor.shape.raw is not None):  # fmt: skip
        return result  # nearly always
    if not isinstance(result, (Tensor, IndexedSlices)):
        try:
            result = ops.convert_to_tensor(result, tensor.dtype)
        except (TypeError, ValueError) as error:
            raise DTypeError(f"{_about(op, rule)} gives {result!r} for input {place}, {tensor.name!r}; a rule returns "
                             "a tensor, an IndexedSlices or None for each input") from error  # fmt: skip
    if result.graph is not tensor.graph and result.graph is not get_default_graph():  # a call in a body goes outwards
        raise GraphError(f"{_about(op, rule)} gives a tensor of {result.graph} for input {place}, {tensor.name!r}, of "
                         f"{tensor.graph}; a gradient belongs to the graph of what it is the gradient of. Build it in "
                         "the rule from op and the gradients that it gets")  # fmt: skip
    if result.dtype is not tensor.dtype:
        raise DTypeError(f"{_about(op, rule)} gives {result.dtype} for input {place}, {tensor.name!r}, which is "
                         f"{tensor.dtype}; a gradient has the dtype of what it is the gradient of. Write tf.cast(..., "
                         f"op.inputs[{place}].dtype) in the rule")  # fmt: skip
    if not result.shape.is_compatible_with(tensor.shape):
        raise ShapeError(f"{_about(op, rule)} gives shape {result.shape} for input {place}, {tensor.name!r}, of "
                         f"shape {tensor.shape}; a gradient has the shape of what it is the gradient of. Sum over the "
                         "axes along which the input was repeated")  # fmt: skip
    gradient: Gradient = result
    if isinstance(gradient, Tensor) and gradient is not tensor:
        gradient.set_shape(tensor.shape)
    return gradient


def _about(op: Operation, rule: Callable[..., Any]) -> str:
    code = getattr(getattr(rule, "__wrapped__", rule), "__code__", None)
    place = f" ({code.co_filename.rpartition('/')[2]}:{code.co_firstlineno})" if code is not None else ""
    return f"the gradient{place} of {op.name!r}, {op.type} {op.origin.made},"
