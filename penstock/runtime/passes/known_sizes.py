"""A stage as if its feeds had known sizes, so that passes can use the shapes that the feeds of earlier runs had.

A placeholder without a shape leaves all that depends on its sizes to the run: a gradient computes shapes, the axes of
sums, and reshapes. Where the sizes are known, these are constants, and folding and simplifying remove them. The stage
holds only for feeds of these shapes, so who runs it compares them first. The same holds for variables whose static
shape leaves sizes open. A flag, such as whether a run trains, decides as much, and is treated so too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Symbol, read_sizes
from ...graph.shapes.shape import TensorShape, merge_shapes, shape_of
from ..base.session_config import SessionConfig
from ..ir.body_stages import inferred_again
from ..ir.stage import Rebuild, Stage

Shapes = tuple[tuple[int, ...], ...]
"""The shapes of the caller's feeds."""

Flags = tuple[bool | None, ...]
"""The values of some of the caller's feeds, `flags_of`; None for one that is no scalar in these runs."""
MOST_FLAGS: Final = 3
"""With more of them there are more combinations than plans that are kept."""

ShapeNow = Callable[[str], tuple[int, ...] | None]
"""The shape of the value that a variable has now; None if it has none."""


def may_specialise(config: SessionConfig) -> bool:
    """Whether a session with this config plans stages again for the shapes of their feeds."""
    return bool(config.specialise_after) and config.passes is None and config.shard is None


def opens_rows(feed: Tensor) -> bool:
    """Whether the static shape leaves at most the number of rows open."""
    sizes = feed.shape.raw
    return sizes is not None and all(isinstance(size, int) for size in sizes[1:])


def flags_of(stage: Stage) -> tuple[int, ...]:
    """The places of feeds that are, or may be, one bool each, and that operations read; none if they are many."""
    places = [i for i, t in enumerate(stage.feeds) if t.dtype.is_bool and t.shape.raw in (None, ())]
    if not 0 < len(places) <= MOST_FLAGS:
        return ()
    read = {tensor for op in stage.operations for tensor in op.inputs}
    return tuple([i for i in places if stage.feeds[i] in read])


def with_known_flags(stage: Stage, flags: Mapping[int, bool | None]) -> Stage:
    """The stage for runs in which feeds at these places are scalars with these values; None for one that is not."""
    known = {stage.feeds[i]: value for i, value in flags.items() if value is not None}
    if not known:
        return stage
    copy = Rebuild(stage)
    for tensor, value in known.items():
        number = np.array(value)
        number.flags.writeable = False
        (constant,) = copy.emit(OPS["Const"], (number,), (tensor.op,), f"{tensor.op.name}.{value}")
        copy.replace(tensor, constant)
    for op in stage.operations:
        copy.copy(op)
    return copy.finish()


def shapes_of_variables(stage: Stage, shape_now: ShapeNow) -> list[tuple[int, ...] | None]:
    """For each feed that the session gives: the shape of the variable's value, None where it is known or is not there.

    Args:
        stage: a stage without variables.
        shape_now: tells the shape of a variable.
    """
    feeds = stage.feeds[len(stage.feeds) - len(stage.state) :]
    return [
        shape_now(each.resource) if each.kind == "value" and not tensor.shape.is_known else None
        for each, tensor in zip(stage.state, feeds, strict=True)
    ]


def with_known_sizes(stage: Stage, shapes: Sequence[tuple[int, ...] | None]) -> Stage:
    """The stage for runs whose feeds have these shapes.

    What is known of a tensor without them, claims of `set_shape` included, stays known.

    Args:
        stage: a stage without variables; feeds that the session gives come last.
        shapes: the shapes of the feeds, which fit them; None, or nothing at the end, for one that keeps its own.

    Raises:
        ShapeError: these sizes contradict the static shape of some operation: it fails, or is in a branch that such
            runs do not take.
    """
    sizes: dict[Symbol, int] = {}
    for tensor, shape in zip(stage.feeds, shapes, strict=False):
        if shape is not None:
            read_sizes(tensor.shape.raw, shape, sizes)

    def settle(before: Tensor, shape: TensorShape) -> TensorShape:
        return merge_shapes(shape, _with_sizes(before.shape, sizes))

    copy = Rebuild(stage)
    feeds = list(stage.feeds)
    for i, (tensor, shape) in enumerate(zip(stage.feeds, shapes, strict=False)):
        if shape is not None and tensor.shape.raw != shape:
            feeds[i] = append_placeholder(copy.graph, tensor.dtype, shape_of(shape), tensor.op.name, tensor.op.origins)
            copy.replace(tensor, feeds[i], for_good=True)
            copy.drop(tensor.op)  # who waited for it need not wait
    for op in stage.operations:
        bodies = inferred_again(op, copy.new, settle) if op.opdef.bodies else None
        made = copy.copy(op, infer_again=True, bodies=bodies)
        if made is not op:
            for before, tensor in zip(op.outputs, made.outputs, strict=True):
                inferred = tensor._shape
                if op.opdef.facts.has_default:  # what is fed has become a placeholder
                    inferred = merge_shapes(made.inputs[0].shape, inferred)
                tensor._shape = settle(before, inferred)
    return replace(copy.finish(), feeds=tuple(feeds))


def _with_sizes(shape: TensorShape, sizes: Mapping[Symbol, int]) -> TensorShape:
    """The shape with the sizes of its symbols put in."""
    if shape.raw is None or shape.is_known:
        return shape
    found = [dim if isinstance(dim, int) else dim.at(sizes) for dim in shape.raw]
    return shape_of([d if n is None or n < 0 else n for d, n in zip(shape.raw, found, strict=True)])
