"""What `padded_batch` pads to, and with what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.model.nodes import Tensor
from ..graph.shapes.dimension import Dimension
from ..graph.shapes.dtypes import int64
from ..graph.shapes.shape import TensorShape, as_shape, shape_of
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor
from .structure import Structure, TensorSpec, leaves, parts_of, rebuilt


def padding_of(structure: Structure, shapes: Any, values: Any) -> tuple[list[Tensor], list[Tensor], Structure]:
    """The shapes and values of each component, as tensors, and the structure of a padded element.

    Raises:
        TypeError: a component is sparse, or a value has another dtype.
        ValueError: a shape does not fit.
    """
    specs = list(leaves(structure))
    for spec in specs:
        if not isinstance(spec, TensorSpec):
            raise UseError("padded_batch: a part of the element is no tensor; only tensors are padded")
    if shapes is None:
        for spec in specs:
            if spec.shape.raw is None:
                raise ValueRuleError(f"You must provide `padded_shapes`: the rank of a component of dtype {spec.dtype} "
                                     "is not known")  # fmt: skip
        targets: list[Any] = [spec.shape for spec in specs]
    else:
        targets = _beside(structure, shapes)
    given = [None] * len(specs) if values is None else (
        [values] * len(specs) if parts_of(values) is None and parts_of(structure) is not None
        else _beside(structure, values))  # fmt: skip
    sizes, paddings, padded = [], [], []
    for spec, target, value in zip(specs, targets, given, strict=True):
        size, shape = _target(spec, target)
        sizes.append(size)
        padded.append(TensorSpec(spec.dtype, shape))
        paddings.append(_value(spec, value))
    return sizes, paddings, _packed(structure, iter(padded))


def _packed(structure: Structure, rest: Any) -> Structure:
    parts = parts_of(structure)
    return next(rest) if parts is None else rebuilt(structure, [_packed(part, rest) for part in parts])


def _beside(structure: Structure, values: Any) -> list[Any]:
    """The values at the leaves of a structure; a list or a shape is a value there."""
    parts = parts_of(structure)
    if parts is None:
        return [values]
    below = [values[key] for key in sorted(values)] if isinstance(values, dict) else list(values)
    if len(below) != len(parts):
        raise ValueRuleError(f"The two structures don't have the same sequence length: the element has {len(parts)} "
                             f"parts, padded_batch was given {len(below)}")  # fmt: skip
    return [leaf for part, value in zip(parts, below, strict=True) for leaf in _beside(part, value)]


def _target(spec: TensorSpec, target: Any) -> tuple[Tensor, TensorShape]:
    """The sizes that a component is padded to, -1 for the largest of a batch, and what is known of its shape then."""
    if isinstance(target, Tensor):
        rank = target.shape.raw[0] if target.shape.raw else None
        shape = TensorShape(None) if not isinstance(rank, int) else shape_of([Dimension(None)] * rank)
        return convert_to_tensor(target, int64), shape
    dims: Sequence[Any] | None = None
    if not isinstance(target, TensorShape):
        entries = list(target) if isinstance(target, (list, tuple)) else [target]
        target = as_shape([None if each in (None, -1) else each for each in entries])
    dims = target.raw
    if dims is None:
        raise ValueRuleError("padded_batch: a padded shape needs a known rank; None or -1 in it is the largest size")
    own = spec.shape.raw
    if own is not None:
        if len(own) != len(dims):
            raise ShapeError(f"The padded shape {target} is not compatible with the corresponding input component "
                             f"shape {spec.shape}.")  # fmt: skip
        for size, wanted in zip(own, dims, strict=True):
            if isinstance(size, int) and isinstance(wanted, int) and wanted < size:
                raise ShapeError(f"The padded shape {target} is not compatible with the corresponding input component "
                                 f"shape {spec.shape}.")  # fmt: skip
    sizes = [dim if isinstance(dim, int) else -1 for dim in dims]
    return constant(sizes, int64, shape=[len(sizes)]), shape_of([d if isinstance(d, int) else Dimension(None)
                                                                 for d in dims])  # fmt: skip


def _value(spec: TensorSpec, value: Any) -> Tensor:
    if value is None:
        value = "" if spec.dtype.is_string else 0
        return constant(value, spec.dtype)
    if isinstance(value, Tensor) and value.dtype is not spec.dtype:
        raise UseError(f"The padding value should be of type {spec.dtype}, but is {value.dtype}")
    padding = convert_to_tensor(value, spec.dtype)
    if padding.shape.ndims not in (0, None):
        raise ShapeError(f"The padding value should be a scalar, but has shape {padding.shape}")
    return padding
