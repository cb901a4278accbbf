"""The elements of a TensorArray in a run, and arrays of dtype `variant`.

An array of dtype `variant` holds one Python object in each element:

    an array          a wrapped value
    an `Elements`     a TensorArray: its elements by index
    None              nothing; as a gradient: zero

An `Elements` never changes: a write gives another one. All that came from one array by one write after the other share
a dictionary, the *log*, from an index to what was written there and when. Each sees what was written until its time:

    a = new(3)          time 0    log {}
    b = a.write(1, x)   time 1    log {1: (1, x)}
    c = b.write(2, y)   time 2    log {1: (1, x), 2: (2, y)}      b.read(2) finds nothing: 2 > 1

So a write takes the same time however many elements there are, and values that are older stay what they are. A second
write to `b` cannot go into the log, where time 2 is taken; it copies the log as `b` sees it.
Errors are those of TensorFlow's TensorArray.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, UnimplementedError
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.effects import Effects
from ...graph.shapes.dtypes import DType, of_numpy, variant
from ...graph.shapes.literal import Array
from ..declare.shape_checks import listed, possible, require_one, require_vector, sizes_of

Sizes: TypeAlias = tuple[int | None, ...]

IN_A_RUN = Effects(evaluable=False, foldable=False)
"""Of ops that make variants or read them: values of TensorArrays exist in runs only, not while building or planning."""


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """What all values of one TensorArray have in common.

    Attributes:
        dtype: of every element.
        dynamic: whether a write behind the last element makes the array longer.
        identical: whether all elements have one shape: that of the first one.
        sums: whether a further value for an element is added to it, as in gradients, and is no error.
        label: what errors call the TensorArray.
    """

    dtype: DType
    dynamic: bool = False
    identical: bool = False
    sums: bool = False
    label: str = ""


class Entry(NamedTuple):
    """What was written at an index.

    time: when. value: None where the element was read and cleared. before: what was there before, if anything.
    """

    time: int
    value: Array | None
    before: Entry | None


class Log:
    """What was written to the values of a TensorArray that follow one another.

    entries: index -> the last entry. free: the time after which nothing was written yet; it is taken out by the one
    write that may go on from there, in one step, so that two threads cannot both do it.
    """

    __slots__ = ("entries", "free")

    def __init__(self, entries: dict[int, Entry]) -> None:
        self.entries = entries
        self.free = {0: None}


class Elements:
    """One value of a TensorArray.

    Attributes:
        facts: what does not change.
        size: the number of elements.
        shape: the sizes of an element; None for a size that is not known, or for all of them.
    """

    __slots__ = ("_has_dropped", "_log", "_time", "facts", "shape", "size")

    def __init__(self, facts: ArrayFacts, size: int, shape: Sizes | None = None) -> None:
        self.facts = facts
        self.size = size
        self.shape = shape
        self._log = Log({})
        self._time = 0
        self._has_dropped = False
        """Whether the log may have entries behind the last element, which `without_last` left there."""

    def __repr__(self) -> str:
        return f"<{self.size} elements of {self.facts.dtype.name}, {len(dict(self.items()))} of them written>"

    def items(self) -> Iterator[tuple[int, Array | None]]:
        """(index, value) of the elements that were written, in the order of the first write; None where cleared."""
        for index in list(self._log.entries):
            entry = self._entry(index) if index < self.size else None
            if entry is not None:
                yield index, entry.value

    def history(self) -> Iterator[Array]:
        """All arrays that it keeps alive, those of indices that were written last first."""
        for index in reversed(self._log.entries):
            found: Entry | None = self._log.entries[index]
            while found is not None:
                if found.value is not None:
                    yield found.value
                found = found.before

    def _entry(self, index: int) -> Entry | None:
        entry = self._log.entries.get(index)
        while entry is not None and entry.time > self._time:
            entry = entry.before
        return entry

    # ---- writing ----------------------------------------------------------------------------

    def write(self, index: int, value: Array) -> Elements:
        """The array with `value`, an array that never changes, at `index`.

        Raises:
            InvalidArgumentError: the element may not be written, or not with this value.
        """
        return self.write_all(((index, value),))

    def write_all(self, values: Iterable[tuple[int, Array]]) -> Elements:
        """The array with several elements written.

        Raises:
            InvalidArgumentError: one of them may not be written.
        """
        if self._has_dropped:
            return self.resized(self.size).write_all(values)
        size, shape = self.size, self.shape
        added: dict[int, Entry] = {}
        time = self._time + 1
        for index, value in values:
            self.check_write(index, value, size, shape)
            before = added.get(index) or self._entry(index)
            if before is not None:
                value = self._second(index, before, value)
            added[index] = Entry(time, value, None if before is None else before if before.time < time else
                                 before.before)  # fmt: skip
            size = max(size, index + 1)
            if self.facts.identical:
                shape = value.shape
        return self._after(added, size, shape)

    def _second(self, index: int, before: Entry, value: Array) -> Array:
        """The sum of an element and a further value for it, where elements are sums."""
        if before.value is None and self.facts.sums:
            return value
        if before.value is None:
            raise self.error(f"Could not write to TensorArray index {index} because it has already been read.")
        if not self.facts.sums:
            raise self.error(f"Could not write to TensorArray index {index} because it has already been written to.")
        if value.shape != before.value.shape:
            raise self.error(
                f"Could not aggregate to TensorArray index {index} because the existing shape is "
                f"{listed(before.value.shape)} but the new input shape is {listed(value.shape)}."
            )
        return np.asarray(before.value + value)

    def _after(self, added: Mapping[int, Entry], size: int, shape: Sizes | None) -> Elements:
        """The next value, with these entries of the next time."""
        elements = Elements.__new__(Elements)
        elements.facts, elements.size, elements.shape = self.facts, size, shape
        elements._has_dropped = self._has_dropped
        log, time = self._log, self._time
        if log.free.pop(time, self) is self:  # a write went on from here before: the log belongs to it
            log, time = Log({index: Entry(0, value, None) for index, value in self.items()}), 0
            log.free.clear()
            added = {index: Entry(1, entry.value, log.entries.get(index)) for index, entry in added.items()}
        elements._log, elements._time = log, time + 1
        log.entries.update(added)
        log.free[time + 1] = None
        return elements

    def check_write(self, index: int, value: Array, size: int, shape: Sizes | None) -> None:
        """InvalidArgumentError unless an array of that size and element shape may hold `value` at `index`."""
        facts = self.facts
        if not (0 <= index < size or (facts.dynamic and index >= 0)):
            raise self.error(
                f"Tried to write to index {index} but array is {'' if facts.dynamic else 'not '}resizeable and size "
                f"is: {size}"
            )
        if value.dtype is not facts.dtype.np and value.dtype != facts.dtype.np:
            raise InvalidArgumentError(message=f"TensorArray dtype is {facts.dtype.tf_name} but Op is trying to write "
                                               f"dtype {of_numpy(value.dtype).tf_name}.")  # fmt: skip
        if not fits(value.shape, shape):
            raise self.error(
                f"Could not write to TensorArray index {index} because the value shape is {listed(value.shape)} which "
                f"is incompatible with the TensorArray's inferred element shape: {sizes_text(shape)} (consider setting "
                "infer_shape=False)."
            )

    def add_in_place(self, index: int, value: Array) -> None:
        """Add a value to an element of this very object, which nothing else refers to."""
        entries, entry = self._log.entries, self._log.entries.get(index)
        kept = None if entry is None else entry.value
        if (
            entry is None
            or kept is None
            or kept.shape != value.shape
            or kept.dtype is not value.dtype
            or self._time not in self._log.free
        ):
            self._become(self.write(index, value))
            return
        before = entry if entry.time < self._time else entry.before
        entries[index] = Entry(self._time, np.asarray(kept + value), before)

    def _become(self, other: Elements) -> None:
        for attribute in self.__slots__:
            setattr(self, attribute, getattr(other, attribute))

    # ---- reading ----------------------------------------------------------------------------

    def read(self, index: int, shape: tuple[int, ...] | None = None) -> Array:
        """One element; zeros if it was not written and its shape is known.

        Args:
            index: of the element.
            shape: the shape of all elements, where who reads knows it.

        Raises:
            InvalidArgumentError: there is no such element, it was cleared, or it was not written.
        """
        if not 0 <= index < self.size:
            raise InvalidArgumentError(message=f"Tried to read from index {index} but array size is: {self.size}")
        entry = self._entry(index)
        if entry is not None and entry.value is not None:
            return entry.value
        if entry is not None:
            raise self.read_twice(index)
        sizes = known_sizes(self.shape) if shape is None else shape
        if sizes is None:
            raise self.error(
                f"Could not read from TensorArray index {index}: it was not written, and the element shape is not "
                f"fully defined: {sizes_text(self.shape)}. With a full element_shape it would be zeros."
            )
        return zeros(sizes, self.facts.dtype.np)

    def found(self, index: int) -> Array | None:
        """One element, None where it was not written."""
        entry = self._entry(index) if index < self.size else None
        return None if entry is None else entry.value

    def cleared(self, indices: Iterable[int]) -> Elements:
        """The array without elements that were read: another use of them is an error."""
        time = self._time + 1
        return self._after({index: Entry(time, None, self._entry(index)) for index in indices}, self.size, self.shape)

    # ---- lists ------------------------------------------------------------------------------

    def replaced(self, index: int, value: Array) -> Elements:
        """The array with `value` at `index`, whatever was there: what lists of other programs do.

        Raises:
            InvalidArgumentError: there is no such element, or it cannot have this value.
        """
        self.check_write(index, value, self.size, self.shape)
        if index > self.size:
            return self.resized(index).replaced(index, value)
        added = {index: Entry(self._time + 1, value, self._entry(index))}
        return self._after(added, max(self.size, index + 1), value.shape if self.facts.identical else self.shape)

    def without_last(self) -> Elements:
        """The array without its last element.

        Raises:
            InvalidArgumentError: it has none.
        """
        if not self.size:
            raise self.error("Trying to pop from an empty list.")
        made = self._after({}, self.size - 1, self.shape)
        made._has_dropped = True
        return made

    def resized(self, size: int) -> Elements:
        """The array with another size; new elements are not written."""
        made = Elements(self.facts, size, self.shape)
        return made._after({index: Entry(1, value, None) for index, value in self.items() if index < size}, size,
                           self.shape)  # fmt: skip

    # ---- the rest ---------------------------------------------------------------------------

    def empty_shape(self) -> tuple[int, ...]:
        """The shape of an element, for a result with no elements; UnimplementedError if it is not known."""
        return shape_of_none(self.shape)

    # ---- errors -----------------------------------------------------------------------------

    def error(self, message: str) -> InvalidArgumentError:
        """The error about this array."""
        return InvalidArgumentError(message=f"TensorArray {self.facts.label}: {message}")

    def read_twice(self, index: int) -> InvalidArgumentError:
        """The error about an element that was cleared."""
        return self.error(f"Could not read index {index} twice because it was cleared after a previous read (perhaps "
                          "try setting clear_after_read = false?).")  # fmt: skip


def known_sizes(shape: Sizes | None) -> tuple[int, ...] | None:
    """The sizes, if all of them are known."""
    if shape is None:
        return None
    found = tuple([size for size in shape if size is not None])
    return found if len(found) == len(shape) else None


def shape_of_none(shape: Sizes | None) -> tuple[int, ...]:
    """The shape of an element, for a result with no elements; UnimplementedError if it is not known."""
    sizes = known_sizes(shape)
    if sizes is None:
        raise UnimplementedError(
            message=f"TensorArray has size zero, but element shape {sizes_text(shape)} is not fully defined. "
            "Currently only static shapes are supported when packing zero-size TensorArrays."
        )
    return sizes


def fits(sizes: tuple[int, ...], shape: Sizes | None) -> bool:
    """Whether an array of these sizes may be an element of the declared shape."""
    if shape is None or sizes == shape:
        return True
    return len(sizes) == len(shape) and all(b is None or a == b for a, b in zip(sizes, shape, strict=True))


def sizes_text(shape: Sizes | None) -> str:
    """`[2,?]` or `<unknown>`, as in TensorFlow's errors."""
    return "<unknown>" if shape is None else listed("?" if size is None else size for size in shape)


def zeros(sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros, empty strings, or variants that hold nothing."""
    if dtype == variant.np:  # a bfloat16 is of kind "V" too
        return np.empty(sizes, dtype)
    return np.full(sizes, b"", object) if dtype.kind == "O" else np.zeros(sizes, dtype)


def zeros_of(sizes: Array, dtype: np.dtype[Any]) -> Array:
    """`zeros` of the sizes that an operand holds; InvalidArgumentError if it is no vector of sizes."""
    require_vector(sizes, "sizes")
    return zeros(tuple(possible(sizes_of(sizes), dtype.itemsize)), dtype)


# ---- arrays of variants -------------------------------------------------------------------------


def boxed(content: Any) -> Array:
    """A scalar of dtype `variant` that holds `content`: an array, an `Elements`, None, or the source of a dataset."""
    box = np.empty((), variant.np)
    box[()] = (content,)
    return box


def content_of(box: Array) -> Any:
    """What a scalar of dtype `variant` holds; InvalidArgumentError if it has a rank."""
    if box.ndim:
        require_one(box, "the variant")
    return box.item()[0]


def elements_of(box: Array) -> Elements:
    """The elements that a scalar of dtype `variant` holds; InvalidArgumentError if it is no TensorArray."""
    content = box.item()[0] if not box.ndim else content_of(box)
    if content.__class__ is not Elements:
        require_elements(content)
    elements: Elements = content
    return elements


def require_elements(content: Any) -> None:
    """InvalidArgumentError unless what a variant holds is the elements of a TensorArray."""
    if content.__class__ is not Elements:
        raise InvalidArgumentError(message=f"the variant holds {described(content)}, not a TensorArray's elements")


def described(content: Any) -> str:
    """What a variant holds, in words."""
    if content is None:
        return "nothing"
    return f"an array of {content.dtype} {listed(content.shape)}" if isinstance(content, np.ndarray) else str(content)


def kind_of_contents(content: Any) -> str:
    """What kind of thing a variant holds: what a type says of other values.

    >>> kind_of_contents(None), kind_of_contents(np.zeros(3, np.int32))
    ('variant that holds nothing', 'variant that holds int32 (3,)')
    """
    if content.__class__ is Elements:
        return f"TensorArray ({content.size})"
    if isinstance(content, np.ndarray):
        return f"variant that holds {of_numpy(content.dtype).name} {content.shape}"
    return "variant that holds nothing" if content is None else "dataset"


def contents_text(content: Any) -> str:
    """What a variant holds at the moment: "2 of 4 float32 written", the kind of a dataset, the elements of an array."""
    if content.__class__ is Elements:
        return f"{len(dict(content.items()))} of {content.size} {content.facts.dtype.name} written"
    if isinstance(content, np.ndarray):
        return str(content).partition("\n")[0]
    return "" if content is None else content.label
