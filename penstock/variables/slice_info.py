"""Which part of a partitioned variable a variable is: for checkpoints, and for the initializer that makes its value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..graph.common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SaveSliceInfo:
    """Which part of a partitioned variable a variable is: `tf.Variable.SaveSliceInfo`.

    Attributes:
        full_name: the name of the whole.
        full_shape: its sizes.
        var_offset: where the part begins.
        var_shape: the sizes of the part.

    >>> import penstock as tf
    >>> tf.Variable.SaveSliceInfo("v", [10, 4], [5, 0], [5, 4]).spec
    '10 4 5,5:0,4'
    """

    full_name: str
    full_shape: Sequence[int]
    var_offset: Sequence[int]
    var_shape: Sequence[int]

    @property
    def spec(self) -> str:
        """The text that SaveV2 and RestoreV2 take for the part."""
        ranges = ":".join(f"{start},{size}" for start, size in zip(self.var_offset, self.var_shape, strict=True))
        return f"{' '.join(map(str, self.full_shape))} {ranges}"


@dataclass(frozen=True, slots=True)
class PartitionInfo:
    """What an initializer is told of the part whose value it makes: its argument `partition_info`.

    Attributes:
        full_shape: the sizes of the whole.
        var_offset: where the part begins.
    """

    full_shape: Sequence[int]
    var_offset: Sequence[int]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """The axis along which a part of that shape is less than the whole; None if it is the whole.

        Args:
            shape: the sizes of the part.
        """
        cut = [i for i, (part, whole) in enumerate(zip(shape, self.full_shape, strict=True)) if part != whole]
        return cut[0] if cut else None

    def single_offset(self, shape: Sequence[int]) -> int:
        """Where a part of that shape begins along the axis of the parts; 0 if it is the whole.

        Args:
            shape: the sizes of the part.
        """
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]


def parts_along(full_shape: Sequence[int], count: int, axis: int) -> Iterator[tuple[list[int], list[int]]]:
    """(offset, shape) of `count` parts along an axis; the first ones are longer by one where they cannot be equal."""
    each, longer = divmod(full_shape[axis], count)
    offset, shape = [0] * len(full_shape), list(full_shape)
    for i in range(count):
        shape[axis] = each + (i < longer)
        yield list(offset), list(shape)
        offset[axis] += shape[axis]
