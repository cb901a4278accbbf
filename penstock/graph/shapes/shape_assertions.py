"""What a `TensorShape` asserts and turns into, under TensorFlow's names: `TensorShape` inherits these methods."""

from __future__ import annotations

from typing import Any, Self

from ...errors import ShapeError
from ..common.hooks import hooks
from ..common.tracebacks import hides_frames
from .dimension import Dim


class ShapeAssertions:
    """The part of a `TensorShape` with TensorFlow's assertions."""

    __slots__ = ()
    _dims: tuple[Dim, ...] | None

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
    def assert_same_rank(self, other: Any) -> None:
        """Raises an error unless a tensor of this shape may have the rank of another one.

        Args:
            other: a TensorShape, or what `TensorShape` takes.

        Raises:
            ShapeError (a ValueError): the ranks differ.
            TypeError: `other` is not a shape.

        >>> import penstock as tf
        >>> tf.TensorShape([2, 3]).assert_same_rank([None, None])
        """
        rest: Any = type(self)(other)  # type: ignore[call-arg]  # of TensorShape
        if self._dims is not None and rest._dims is not None and len(self._dims) != len(rest._dims):
            raise ShapeError(f"Shapes {self} and {rest} must have the same rank")

    @hides_frames
    def with_rank_at_most(self, rank: int) -> Self:
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
    def most_specific_compatible_shape(self, other: Any) -> Self:
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
        make: Any = type(self)
        rest = make(other)
        if self._dims is None or rest._dims is None or len(self._dims) != len(rest._dims):
            return make(None)  # type: ignore[no-any-return]  # a TensorShape
        pairs = zip(self._dims, rest._dims, strict=True)
        return make([a if a == b else None for a, b in pairs])  # type: ignore[no-any-return]  # the same

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
