"""`assert_shapes`: an assertion about the shapes of several tensors at once, with names for sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...errors import DTypeError, ShapeError
from ...graph.building.context_functions import control_dependencies
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Operation, Tensor
from ..control.control import group
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape as shape_of
from ..declare.composite import composite
from ..elementwise.comparison import equal
from ..move.concat_stack import concat
from .assert_kinds import assert_rank, assert_rank_at_least, assert_rank_in
from .assertion import Assert

PUBLIC_NAMES = {"debugging": "assert_shapes"}

_REST: Final = (Ellipsis, "*")

Data = Sequence[TensorLike] | None


@dataclass(frozen=True, slots=True)
class _GivenSize:
    """The size that a name stands for.

    Attributes:
        told: where it was given, in words.
        size: the size, an int, or a tensor if only the run knows it.
    """

    told: str
    size: Any


@dataclass(frozen=True, slots=True)
class _WantedShape:
    """The shape that one tensor shall have.

    Attributes:
        tensor: the tensor.
        entries: what is said of each dimension.
        is_end: whether they are the last dimensions of any number.
    """

    tensor: Tensor
    entries: tuple[Any, ...]
    is_end: bool


@composite("assert_shapes")
def assert_shapes(
    shapes: Mapping[Any, Any] | Iterable[tuple[TensorLike, Any]],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless tensors have given shapes, in which equal names stand for equal sizes.

    A shape is a tuple or a text. Each entry is a size, a name, or None or "." for any size. `...` or "*" as the
    first entry stands for any dimensions. A tensor of rank 0 also fits a shape of one size, which is then 1.

    Args:
        shapes: a dict from tensors to shapes, or a list of pairs (tensor, shape).
        data: a list of tensors that the error shows.
        summarize: how many elements of each it shows; None (the default) means 3, a negative number all.
        message: what it says first.

    Returns:
        The operation, for `tf.control_dependencies`; it has no output.

    Raises:
        TypeError: `shapes` is neither a dict nor a list of pairs.
        ValueError: a static shape does not fit, or a shape is not a tuple or text.
        InvalidArgumentError (when run): a shape does not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None, 3], name="x")
    ...     weights = tf.placeholder(tf.float32, [None], name="weights")
    ...     check = tf.debugging.assert_shapes([(x, ("rows", "columns")), (weights, ("columns",))])
    ...     session.run(check, {x: [[1, 2, 3]], weights: [1, 2, 3]})
    ...     try:
    ...         tf.debugging.assert_shapes({x: ("rows", 4)})
    ...     except ValueError as error:
    ...         print(str(error).partition(".  Received")[0])
    assert_shapes(shapes=<dict>): Specified explicitly.  Tensor x:0 dimension 1 must have size 4

    Source: TensorFlow 1.15, `tf.debugging.assert_shapes`.
    """
    if isinstance(shapes, Mapping):
        shapes = shapes.items()
    elif not isinstance(shapes, (list, tuple)) or not all(isinstance(e, (list, tuple)) and len(e) == 2 for e in shapes):
        raise DTypeError(f"shapes must be a dict from tensors to shapes or a list of pairs (tensor, shape), but got "
                         f"{shapes!r:.80}")  # fmt: skip
    about = "" if message is None else f"{message}.  "
    wanted = [_wanted(convert_to_tensor(tensor), shape, about) for tensor, shape in shapes if shape is not None]
    ranks = [_rank_check(each, data, summarize, message) for each in wanted]
    names: dict[Any, _GivenSize] = {}
    with control_dependencies(ranks):  # a size is only taken from a tensor that has the dimension
        sizes = [check for each in wanted for check in _size_checks(each, names, about, data, summarize)]
        return group(*sizes)


def _wanted(tensor: Tensor, shape: Any, about: str) -> _WantedShape:
    if not hasattr(shape, "__iter__"):
        raise ShapeError(f"{about}Tensor {tensor.name}.  Specified shape must be an iterable, such as (None, 3) or "
                         f"('rows', 'columns').  Received specified shape: {shape!r}")  # fmt: skip
    entries = tuple(shape)
    is_end = bool(entries) and entries[0] in _REST
    for i, entry in enumerate(entries[is_end:], is_end):
        if entry in _REST:
            raise ShapeError(
                f"{about}Tensor {tensor.name} specified shape index {i}.  Symbol `...` or `*` for a variable number of "
                "unspecified dimensions is only allowed as the first entry"
            )
    return _WantedShape(tensor, entries[is_end:] or (() if is_end else (1,)), is_end)


def _rank_check(wanted: _WantedShape, data: Data, summarize: int | None, message: str | None) -> Operation:
    rank = len(wanted.entries)
    if wanted.is_end:
        return assert_rank_at_least(wanted.tensor, rank if rank > 1 else 0, data, summarize, message)
    if rank <= 1:
        return assert_rank_in(wanted.tensor, (0, 1), data, summarize, message)
    return assert_rank(wanted.tensor, rank, data, summarize, message)


def _size_checks(
    wanted: _WantedShape, names: dict[Any, _GivenSize], about: str, data: Data, summarize: int | None
) -> list[Operation]:
    """The assertions about the sizes of one tensor that only the run can check; names get their sizes here."""
    tensor, checks = wanted.tensor, []
    for i, entry in enumerate(wanted.entries):
        if entry is None or entry == ".":
            continue
        dim = i - len(wanted.entries) if wanted.is_end else i
        size = _size_of(tensor, dim)
        if _is_size(entry):
            expected = _GivenSize("Specified explicitly", int(entry))
        elif entry in names:
            expected = names[entry]
        else:
            names[entry] = _GivenSize(f"Specified by tensor {tensor.name} dimension {dim}", size)
            continue
        if isinstance(size, int) and isinstance(expected.size, int):
            if size != expected.size:
                raise ShapeError(f"{about}{expected.told}.  Tensor {tensor.name} dimension {dim} must have size "
                                 f"{expected.size}.  Received size {size}, shape {tensor.shape}")  # fmt: skip
            continue
        details: Data = data
        if details is None:
            details = [about + expected.told, f"Tensor {tensor.name} dimension", dim, "must have size", expected.size,
                    "Received shape: ", shape_of(tensor)]  # fmt: skip
        checks.append(Assert(equal(size, expected.size), details, summarize))
    return checks


def _size_of(tensor: Tensor, dim: int) -> Any:
    """A size of a tensor, an int where it is known; a tensor of rank 0 counts as a vector of one element."""
    dims = tensor.shape.raw
    if dims is None:
        return concat(0, [[1], shape_of(tensor)])[dim] if dim < 0 else concat(0, [shape_of(tensor), [1]])[dim]
    if not dims:
        return 1
    size = dims[dim]
    return size if isinstance(size, int) else shape_of(tensor)[dim]


def _is_size(entry: Any) -> bool:
    """Whether an entry is a size: an int, or a text such as "3"."""
    try:
        int(entry)
    except (TypeError, ValueError):
        return False
    return True
