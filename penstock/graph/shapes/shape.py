"""Static shapes: what is known of a tensor's shape before a run.

A `TensorShape` is a frozen tuple of dimensions, or of unknown rank. Shape rules read `.raw` (a tuple in which known
dimensions are ints) and combine shapes with `merge_shapes` and `broadcast`; nothing here knows an op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex, TypeAlias, overload

from ...errors import DTypeError, ShapeError
from ..common.hooks import hooks
from ..common.tracebacks import cut, hides_frames
from ..model.operators import TensorOperators
from .dimension import Dim, Dimension, SizeClaim, as_dim, merge_dims, unknown
from .size_claims import claiming


class TensorShape:
    """What is known of the shape of a tensor.

    Args:
        dims: a list of ints, names, Nones and Dimensions; one int for a vector; None for unknown rank.

    Raises:
        TypeError: a dimension is none of these.
        ValueError: a size is negative.

    >>> import penstock as tf
    >>> shape = tf.TensorShape(["batch", 3, None])
    >>> print(shape, shape.ndims, shape.as_list(), shape[1:], shape + [2], shape.concatenate([2]))
    (batch, 3, ?) 3 [None, 3, None] (3, ?) (batch, 3, ?, 2) (batch, 3, ?, 2)
    >>> print(tf.TensorShape(None), shape.is_compatible_with([7, 3, 4]), shape.is_fully_defined())
    <unknown> True False
    >>> print(shape.merge_with([8, 3, None]), shape.with_rank(3), shape.with_rank_at_least(1), shape.num_elements())
    (8, 3, ?) (batch, 3, ?) (batch, 3, ?) None
    >>> shape.assert_is_compatible_with([7, 3, 4])
    """

    __slots__ = ("_dims", "why")
    _dims: tuple[Dim, ...] | None
    why: tuple[str, Any] | None
    """For an unknown rank: the reason and the operand (a Tensor) it lies with."""

    def __init__(self, dims: ShapeLike = None) -> None:
        try:
            self.why = None
            if dims is None:
                self._dims = None
            elif isinstance(dims, TensorShape):
                self._dims, self.why = dims._dims, dims.why
            elif isinstance(dims, TensorOperators):
                raise DTypeError(
                    f"{dims!r} holds no sizes before a run: a static shape is made of ints, names and None; "
                    "to use sizes that the graph computes, call an op such as tf.reshape or tf.fill"
                )
            elif hasattr(dims, "unknown_rank"):  # a TensorShapeProto
                message: Any = dims
                sizes = [each.size for each in message.dim]
                self._dims = None if message.unknown_rank else tuple([as_dim(None if s < 0 else s) for s in sizes])
            elif isinstance(dims, str) or not isinstance(dims, Iterable):
                self._dims = (as_dim(dims),)
            else:
                self._dims = tuple(map(as_dim, dims))
        except BaseException as error:
            cut(error)
            raise

    # ---- what is known ----------------------------------------------------------------------

    @property
    def raw(self) -> tuple[Dim, ...] | None:
        """The dimensions as shape rules use them: ints and Dimensions; None for unknown rank."""
        return self._dims

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list of `Dimension` objects; None for unknown rank."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def ndims(self) -> int | None:
        """The number of dimensions, or None where it is not known."""
        return None if self._dims is None else len(self._dims)

    rank = ndims

    @property
    def is_known(self) -> bool:
        """Whether every dimension is a known number."""
        return self._dims is not None and all(type(d) is int for d in self._dims)

    def is_fully_defined(self) -> bool:
        """Whether every dimension is a known number.

        Returns:
            True or False.
        """
        return self.is_known

    def num_elements(self) -> int | None:
        """The product of the dimensions.

        Returns:
            An int, or None where it is not known.
        """
        if self._dims is None:
            return None
        count = 1
        for dim in self._dims:
            if not isinstance(dim, int):
                return None
            count *= dim
        return count

    @hides_frames
    def as_list(self) -> list[int | None]:
        """The sizes as a list.

        Returns:
            A list with an int for each known size and None for the others.

        Raises:
            ShapeError (a ValueError): the rank is not known.
        """
        if self._dims is None:
            raise ShapeError("as_list() is not defined on an unknown TensorShape: its rank is not known")
        return [d if isinstance(d, int) else None for d in self._dims]

    # ---- combining --------------------------------------------------------------------------

    @hides_frames
    def with_rank(self, rank: int) -> TensorShape:
        """This shape, which must have the given rank; a shape of unknown rank becomes that many unknown dimensions.

        Args:
            rank: the number of dimensions.

        Returns:
            A TensorShape.

        Raises:
            ShapeError (a ValueError): it has another rank.
        """
        if self._dims is None:
            return TensorShape([None] * rank)
        if len(self._dims) != rank:
            raise ShapeError(f"Shape must be rank {rank} but is rank {len(self._dims)}")
        return self

    @hides_frames
    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape, which must not be known to have a smaller rank.

        Args:
            rank: the smallest number of dimensions.

        Returns:
            This TensorShape.

        Raises:
            ShapeError (a ValueError): the rank is smaller.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ShapeError(f"Shape must be at least rank {rank} but is rank {len(self._dims)}")
        return self

    @hides_frames
    def merge_with(self, other: ShapeLike) -> TensorShape:
        """What is known of a tensor that has both shapes.

        Args:
            other: a TensorShape, or what `TensorShape` takes.

        Returns:
            A TensorShape.

        Raises:
            ShapeError (a ValueError): the shapes contradict each other.
            TypeError: `other` is not a shape.
        """
        return merge_shapes(self, as_shape(other))

    @hides_frames
    def concatenate(self, other: ShapeLike) -> TensorShape:
        """The dimensions of this shape, followed by those of `other`.

        Args:
            other: a TensorShape, or what `TensorShape` takes.

        Returns:
            A TensorShape; its rank is unknown if one of the two ranks is.

        Raises:
            TypeError: `other` is not a shape.
        """
        rest = as_shape(other)
        if self._dims is None or rest._dims is None:
            return shape_of(None)
        return shape_of(self._dims + rest._dims)

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Whether a tensor may have both shapes.

        Args:
            other: a TensorShape, or what `TensorShape` takes.

        Returns:
            False only if they are known to differ.

        Raises:
            TypeError: `other` is not a shape.
        """
        rest = as_shape(other)
        if self._dims is None or rest._dims is None:
            return True
        return len(self._dims) == len(rest._dims) and all(
            not (isinstance(a, int) and isinstance(b, int)) or a == b
            for a, b in zip(self._dims, rest._dims, strict=True)
        )

    @hides_frames
    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Raises an error unless a tensor may have both shapes.

        Args:
            other: a TensorShape, or what `TensorShape` takes.

        Raises:
            ShapeError (a ValueError): they are known to differ.
            TypeError: `other` is not a shape.
        """
        if not self.is_compatible_with(other):
            raise ShapeError(f"Shapes {self} and {as_shape(other)} are incompatible")

    @hides_frames
    def assert_is_fully_defined(self) -> None:
        """Raises an error unless every dimension is a known number.

        Raises:
            ShapeError (a ValueError): one is not.

        >>> import penstock as tf
        >>> tf.TensorShape([2, 3]).assert_is_fully_defined()
        """
        if self._dims is None or not all(isinstance(dim, int) for dim in self._dims):
            raise ShapeError(f"Shape {self} is not fully defined")

    @hides_frames
    def assert_has_rank(self, rank: int) -> None:
        """Raises an error unless the shape may have this rank.

        Args:
            rank: the number of dimensions.

        Raises:
            ShapeError (a ValueError): it has another one.

        >>> import penstock as tf
        >>> tf.TensorShape([2, 3]).assert_has_rank(2)
        """
        if self._dims is not None and len(self._dims) != rank:
            raise ShapeError(f"Shape {self} must have rank {rank}")

    @hides_frames
    def assert_same_rank(self, other: ShapeLike) -> None:
        """Raises an error unless a tensor of this shape may have the rank of another one.

        Args:
            other: a TensorShape, or what `TensorShape` takes.

        Raises:
            ShapeError (a ValueError): the ranks differ.
            TypeError: `other` is not a shape.

        >>> import penstock as tf
        >>> tf.TensorShape([2, 3]).assert_same_rank([None, None])
        """
        rest = as_shape(other)
        if self._dims is not None and rest._dims is not None and len(self._dims) != len(rest._dims):
            raise ShapeError(f"Shapes {self} and {rest} must have the same rank")

    @hides_frames
    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape, which must not be known to have a larger rank.

        Args:
            rank: the largest number of dimensions.

        Returns:
            This TensorShape.

        Raises:
            ShapeError (a ValueError): the rank is larger.

        >>> import penstock as tf
        >>> print(tf.TensorShape([2, 3]).with_rank_at_most(2))
        (2, 3)
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ShapeError(f"Shape must be at most rank {rank} but is rank {len(self._dims)}")
        return self

    @hides_frames
    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """What is known of a tensor that has this shape or another one.

        Args:
            other: a TensorShape, or what `TensorShape` takes.

        Returns:
            A TensorShape: sizes that differ are not known in it.

        Raises:
            TypeError: `other` is not a shape.

        >>> import penstock as tf
        >>> print(tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4]))
        (2, ?)
        """
        rest = as_shape(other)
        if self._dims is None or rest._dims is None or len(self._dims) != len(rest._dims):
            return TensorShape(None)
        pairs = zip(self._dims, rest._dims, strict=True)
        return TensorShape([a if a == b else None for a, b in pairs])

    @hides_frames
    def as_proto(self) -> Any:
        """The shape as a message.

        Returns:
            A `TensorShapeProto`, in which -1 is a size that is not known.

        >>> import penstock as tf
        >>> [dim.size for dim in tf.TensorShape([None, 3]).as_proto().dim]
        [-1, 3]
        """
        return hooks.shape_proto(self)

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: ShapeLike) -> TensorShape:
        return as_shape(other).concatenate(self)

    # ---- as a sequence ----------------------------------------------------------------------

    def _known_rank(self, what: str) -> tuple[Dim, ...]:
        if self._dims is None:
            raise ShapeError(f"{what} of a TensorShape of unknown rank; give the tensor a rank with set_shape first")
        return self._dims

    def __len__(self) -> int:
        return len(self._known_rank("len()"))

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Dimension]:
        return iter([Dimension(d) for d in self._known_rank("iteration")])

    @overload
    def __getitem__(self, key: SupportsIndex) -> Dimension: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @hides_frames
    def __getitem__(self, key: SupportsIndex | slice) -> Dimension | TensorShape:
        if isinstance(key, slice):
            if self._dims is None:
                return shape_of(None)
            bounds = slice(*(None if k is None else Dimension(k).__index__() if isinstance(k, Dimension) else k
                             for k in (key.start, key.stop, key.step)))  # fmt: skip
            return shape_of(self._dims[bounds])
        if self._dims is None:
            return unknown("the rank is not known")
        try:
            return Dimension(self._dims[key])
        except IndexError:
            raise IndexError(f"{self!r}[{key}]: the shape has rank {len(self._dims)}") from None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        if other is None or isinstance(other, (list, tuple)):
            if self._dims is None or other is None:
                return self._dims is other
            # In a list None means "not a number": [None, 3] reads as the printed (?, 3).
            return len(other) == len(self._dims) and all(
                (not isinstance(d, int)) if o is None else d == o for d, o in zip(self._dims, other, strict=True)
            )
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return "TensorShape(None)" if self._dims is None else f"TensorShape({self})"

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        return "(" + ", ".join(map(str, self._dims)) + (",)" if len(self._dims) == 1 else ")")

    def __reduce__(self) -> tuple[Any, ...]:
        # Anonymous symbols have no identity outside their process.
        names = (
            [d if isinstance(d, int) or d.is_named else None for d in self._dims] if self._dims is not None else None
        )
        return TensorShape, (names,)


ShapeLike: TypeAlias = TensorShape | Iterable[int | str | Dimension | None] | int | None

_SCALAR = TensorShape(())


def shape_of(dims: Iterable[Dim] | None) -> TensorShape:
    """A TensorShape of dimensions as shape rules use them; unlike `TensorShape` it checks nothing.

    Args:
        dims: ints for known sizes and Dimensions for others; None for unknown rank.

    Returns:
        A TensorShape.

    >>> from penstock.extend import Dimension, shape_of
    >>> print(shape_of([2, Dimension("n") * 2]))
    (2, 2*n)
    """
    shape = TensorShape.__new__(TensorShape)
    shape.why = None
    shape._dims = None if dims is None else tuple(dims)
    return shape


def scalar_shape() -> TensorShape:
    """The shape of a scalar."""
    return _SCALAR


def unknown_rank(reason: str, operand: Any = None) -> TensorShape:
    """A shape of unknown rank, which remembers why it is not known.

    Args:
        reason: what `why_unknown` will say.
        operand: the tensor where it will go on, if there is one.

    Returns:
        A TensorShape.

    >>> from penstock.extend import unknown_rank
    >>> print(unknown_rank("the rank is found by the run"))
    <unknown>
    """
    shape = shape_of(None)
    shape.why = (reason, operand)
    return shape


def unknown_dims(count: int, reason: str, operand: Any = None) -> TensorShape:
    """A shape of unknown dimensions, which remember why they are not known.

    Args:
        count: how many dimensions.
        reason: what `why_unknown` will say.
        operand: the tensor where it will go on, if there is one.

    Returns:
        A TensorShape.

    >>> from penstock.extend import unknown_dims
    >>> print(unknown_dims(2, "the sizes are found by the run"))
    (?, ?)
    """
    return shape_of(unknown(reason, operand) for _ in range(count))


def as_shape(value: ShapeLike) -> TensorShape:
    """`value` as a TensorShape."""
    return value if isinstance(value, TensorShape) else TensorShape(value)


def merge_shapes(a: TensorShape, b: TensorShape) -> TensorShape:
    """What is known of a tensor that has both shapes.

    Args:
        a, b: the shapes.

    Returns:
        A TensorShape.

    Raises:
        ShapeError (a ValueError): they contradict each other.

    >>> from penstock.extend import TensorShape, merge_shapes
    >>> print(merge_shapes(TensorShape([None, 3]), TensorShape([2, None])))
    (2, 3)
    """
    if a is b or b.raw is None:
        return a
    if a.raw is None:
        return b
    if len(a.raw) != len(b.raw):
        words = f"Shapes must be equal rank, but are {len(a.raw)} and {len(b.raw)}"
        raise ShapeError(words, code="shape/ranks-differ")
    for i, (x, y) in enumerate(zip(a.raw, b.raw, strict=True)):
        if isinstance(x, int) and isinstance(y, int) and x != y:  # before any dimension claims something
            words = f"Dimension {i} in both shapes must be equal, but are {x} and {y}."
            raise ShapeError(words, dim=i, detail=f" Shapes are {a} and {b}.", code="shape/dimensions-differ")
    return shape_of(map(merge_dims, a.raw, b.raw))


def refined(shape: TensorShape, said: TensorShape) -> tuple[TensorShape, list[SizeClaim]]:
    """`shape` with what `said` adds, and the claims in that; ShapeError where the two contradict each other.

    Of two different names the one of `shape` stays, and that they are equal is a claim.
    """
    merged, claims = claiming(merge_shapes, (shape, said))
    if shape.raw is None or said.raw is None or merged.raw is None:
        return merged, claims
    dims = list(merged.raw)
    for i, (ours, other) in enumerate(zip(shape.raw, said.raw, strict=True)):
        if isinstance(ours, int) or isinstance(other, int) or ours == other:
            continue
        if ours.is_named and other.is_named:
            claims.append((ours, other))
            dims[i] = ours
    return shape_of(dims), claims


def broadcast(a: TensorShape, b: TensorShape, operand: Any = None) -> TensorShape:
    """The shape of two operands that broadcast as in NumPy, as far as it is known; a size above 1 wins over an unknown
    one.

    Args:
        a, b: the shapes.
        operand: the tensor that `why_unknown` names where the result is not known.

    Returns:
        A TensorShape.

    Raises:
        ShapeError (a ValueError): two known sizes differ and neither is 1.

    >>> from penstock.extend import TensorShape, broadcast
    >>> print(broadcast(TensorShape(["n", 1]), TensorShape([3])))
    (n, 3)
    """
    if a is b:
        return a
    left, right = a.raw, b.raw
    if left is None or right is None:
        return unknown_rank("an operand of unknown rank is broadcast", operand)
    if left == right or not right:
        return a
    if not left:
        return b
    if len(left) < len(right):
        left = (1,) * (len(right) - len(left)) + left
    elif len(right) < len(left):
        right = (1,) * (len(left) - len(right)) + right
    # Dimensions are counted from the end here: that is how they line up.
    pairs = enumerate(zip(left, right, strict=True), start=-len(left))
    return shape_of(_broadcast_dim(x, y, i, a, b) for i, (x, y) in pairs)


def _broadcast_dim(x: Dim, y: Dim, i: int, a: TensorShape, b: TensorShape) -> Dim:
    if x == y or y == 1:
        return x
    if x == 1:
        return y
    if isinstance(x, int) and isinstance(y, int):
        raise ShapeError(
            f"Dimensions must be equal, but are {x} and {y}, with input shapes: {a}, {b}",
            cure="Sizes that differ broadcast only if one of them is 1.", dim=i, code="shape/dimensions-differ",
        )  # fmt: skip
    for size in (x, y):
        if isinstance(size, int) and size > 1:
            return size
    return unknown(f"{x} and {y} are broadcast against each other", sizes=(x, y))


def no_shape_rule(type: str) -> Callable[..., TensorShape]:
    """In place of the shape rule of an op that has none."""

    def rule(*args: Any) -> TensorShape:
        raise TypeError(f"the op {type!r} has no shape rule; its declaration needs a function under @....shape")

    return rule
