"""The elements of a TensorArray in a run, and arrays of dtype `variant`.

An array of dtype `variant` holds one Python object in each element:

    an array          a wrapped value
    an `Elements`     a TensorArray: its elements by index
    None              nothing; as a gradient: zero

`Elements` is a dictionary, so memory and time go with the elements that were written, not with the size. An array that
lies in it never changes, so a copy of the dictionary is an independent TensorArray, and values may be read without a
copy. Errors are those of TensorFlow's TensorArray.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from ..errors import InvalidArgumentError, UnimplementedError
from ..graph.dtypes import DType, of_numpy, variant
from ..graph.effects import Effects
from ..graph.literal import Array
from .shape_checks import listed

Sizes: TypeAlias = tuple[int | None, ...]

IN_A_RUN = Effects(evaluable=False, foldable=False)
"""Of ops that give variants: these are no constants of a plan, since a constant could not be updated in place."""


class Elements:
    """The elements of one TensorArray.

    Attributes:
        dtype: of every element.
        size: the number of elements.
        shape: the sizes of an element; None for a size that is not known, or for all of them.
        dynamic: whether a write behind the last element makes the array longer.
        identical: whether all elements have one shape: that of the first one.
        sums: whether a further value for an element is added to it, as in gradients, and is no error.
        label: what errors call the TensorArray.
        found: index -> value of the elements that were written; None where it was read and cleared.
    """

    __slots__ = ("dtype", "dynamic", "found", "identical", "label", "shape", "size", "sums")

    def __init__(
        self, dtype: DType, size: int, shape: Sizes | None = None, dynamic: bool = False, identical: bool = False,
        sums: bool = False, label: str = ""
    ) -> None:  # fmt: skip
        self.dtype = dtype
        self.size = size
        self.shape = shape
        self.dynamic = dynamic
        self.identical = identical
        self.sums = sums
        self.label = label
        self.found: dict[int, Array | None] = {}

    def copy(self) -> Elements:
        """An independent TensorArray with the same elements."""
        made = Elements(self.dtype, self.size, self.shape, self.dynamic, self.identical, self.sums, self.label)
        made.found = self.found.copy()
        return made

    def __repr__(self) -> str:
        return f"<{self.size} elements of {self.dtype.name}, {len(self.found)} of them written>"

    # ---- writing ----------------------------------------------------------------------------

    def write(self, index: int, value: Array) -> None:
        """Set one element to `value`, an array that never changes.

        Raises:
            InvalidArgumentError: the element may not be written, or not with this value; nothing has changed.
        """
        self.check_write(index, value)
        before = self.found.get(index)
        if before is not None:
            value = np.asarray(before + value)
        self.found[index] = value
        self.size = max(self.size, index + 1)
        if self.identical:
            self.shape = value.shape

    def check_write(self, index: int, value: Array) -> None:
        """InvalidArgumentError unless the element may be written with `value`."""
        if not (0 <= index < self.size or (self.dynamic and index >= 0)):
            raise self.error(
                f"Tried to write to index {index} but array is {'' if self.dynamic else 'not '}resizeable and size is: "
                f"{self.size}"
            )
        if value.dtype is not self.dtype.np and value.dtype != self.dtype.np:
            raise InvalidArgumentError(message=f"TensorArray dtype is {self.dtype.tf_name} but Op is trying to write "
                                               f"dtype {of_numpy(value.dtype).tf_name}.")  # fmt: skip
        if not fits(value.shape, self.shape):
            raise self.error(
                f"Could not write to TensorArray index {index} because the value shape is {listed(value.shape)} which "
                f"is incompatible with the TensorArray's inferred element shape: {sizes_text(self.shape)} (consider "
                "setting infer_shape=False)."
            )
        if index in self.found:
            if self.found[index] is None:
                raise self.error(f"Could not write to TensorArray index {index} because it has already been read.")
            if not self.sums:
                raise self.error(
                    f"Could not write to TensorArray index {index} because it has already been written to."
                )

    # ---- reading ----------------------------------------------------------------------------

    def read(self, index: int) -> Array:
        """One element; zeros if it was not written and its shape is known.

        Raises:
            InvalidArgumentError: there is no such element, it was cleared, or it was not written.
        """
        value = self.found.get(index)
        if value is not None:
            return value
        if not 0 <= index < self.size:
            raise InvalidArgumentError(message=f"Tried to read from index {index} but array size is: {self.size}")
        if index in self.found:
            raise self.error(
                f"Could not read index {index} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)."
            )
        sizes = known_sizes(self.shape)
        if sizes is None:
            raise self.error(
                f"Could not read from TensorArray index {index}: it was not written, and the element shape is not "
                f"fully defined: {sizes_text(self.shape)}. With a full element_shape it would be zeros."
            )
        return zeros(sizes, self.dtype.np)

    def clear(self, indices: Iterable[int]) -> None:
        """Drop elements that were read: another use of them is an error."""
        for index in indices:
            self.found[index] = None

    def empty_shape(self) -> tuple[int, ...]:
        """The shape of an element, for a result with no elements; UnimplementedError if it is not known."""
        sizes = known_sizes(self.shape)
        if sizes is None:
            raise UnimplementedError(
                message=f"TensorArray has size zero, but element shape {sizes_text(self.shape)} is not fully defined. "
                "Currently only static shapes are supported when packing zero-size TensorArrays."
            )
        return sizes

    def error(self, message: str) -> InvalidArgumentError:
        """The error about this array."""
        return InvalidArgumentError(message=f"TensorArray {self.label}: {message}")


def known_sizes(shape: Sizes | None) -> tuple[int, ...] | None:
    """The sizes, if all of them are known."""
    if shape is None:
        return None
    found = tuple([size for size in shape if size is not None])
    return found if len(found) == len(shape) else None


def fits(sizes: tuple[int, ...], shape: Sizes | None) -> bool:
    """Whether an array of these sizes may be an element of the declared shape."""
    if shape is None or sizes == shape:
        return True
    return len(sizes) == len(shape) and all(b is None or a == b for a, b in zip(sizes, shape, strict=True))


def sizes_text(shape: Sizes | None) -> str:
    """`[2,?]` or `<unknown>`, as in TensorFlow's errors."""
    return "<unknown>" if shape is None else listed("?" if size is None else size for size in shape)


def zeros(sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros, or empty strings."""
    return np.full(sizes, b"", object) if dtype.kind == "O" else np.zeros(sizes, dtype)


# ---- arrays of variants -------------------------------------------------------------------------


def boxed(content: Array | Elements | None) -> Array:
    """A scalar of dtype `variant` that holds `content`."""
    box = np.empty((), variant.np)
    box[()] = (content,)
    return box


def content_of(box: Array) -> Any:
    """What a scalar of dtype `variant` holds."""
    return box.item()[0]


def elements_of(box: Array) -> Elements:
    """The elements that a scalar of dtype `variant` holds; InvalidArgumentError if it is no TensorArray."""
    content = box.item()[0] if not box.ndim else box
    if content.__class__ is not Elements:
        raise InvalidArgumentError(message=f"the variant holds {_described(content)}, not a TensorArray's elements")
    elements: Elements = content
    return elements


def _described(content: Any) -> str:
    if content is None:
        return "nothing"
    return f"an array of {content.dtype} {listed(content.shape)}" if isinstance(content, np.ndarray) else str(content)
