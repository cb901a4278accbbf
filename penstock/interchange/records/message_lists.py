"""The lists and maps that are fields of messages: they check what is put in, and tell their message of it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any, Generic, SupportsIndex, TypeVar

import numpy as np

from ...graph.common.tracebacks import hides_frames

M = TypeVar("M")


def as_int64(value: Any) -> int:
    """A number as an int of 64 bits.

    Raises:
        TypeError: it is no whole number, or a bool.
        ValueError: it has more than 64 bits.
    """
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"an Int64List holds ints; {value!r} is a bool. Write int({value!r})")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"an Int64List holds ints, not {value!r:.60} of type {type(value).__name__}") from None
    if not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"an Int64List holds ints of 64 bits; {number} is out of range")
    return number


def as_float32(value: Any) -> float:
    """A number as the nearest one that 32 bits hold.

    Raises:
        TypeError: it is no number.
    """
    if isinstance(value, (str, bytes)) or value is None or isinstance(value, (list, tuple)):
        raise TypeError(f"a FloatList holds floats, not {value!r:.60} of type {type(value).__name__}")
    with np.errstate(over="ignore"):
        return float(np.float32(float(value)))


def as_content(value: Any) -> bytes:
    """Bytes as they are.

    Raises:
        TypeError: it is something else, such as a str.
    """
    if not isinstance(value, bytes):
        cure = f"write {value!r:.30}.encode()" if isinstance(value, str) else "convert it to bytes first"
        raise TypeError(f"a BytesList holds bytes, not {value!r:.60} of type {type(value).__name__}; {cure}")
    return value


def checked_items(convert: Callable[[Any], Any], values: Any) -> list[Any]:
    """The items of an iterable, each converted; an array of numbers at once."""
    if not isinstance(values, Iterable):
        raise TypeError(f"a repeated field is set from a list, not {values!r:.60}")
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind != "O":
        kind = values.dtype.kind
        if convert is as_float32 and kind in "fiu":
            with np.errstate(over="ignore"):
                return list(values.astype(np.float32).tolist())
        if convert is as_int64 and (kind == "i" or (kind == "u" and values.dtype.itemsize < 8)):
            return list(values.tolist())
    return [convert(value) for value in values]


class Repeated(list[M]):
    """The items of a repeated field: a list that converts what is put in."""

    __slots__ = ("_convert", "_touch")

    def __init__(self, convert: Callable[[Any], M], touch: Callable[[], None]) -> None:
        super().__init__()
        self._convert = convert
        self._touch = touch

    def append(self, value: Any) -> None:
        """Adds one item."""
        super().append(self._convert(value))
        self._touch()

    def extend(self, values: Any) -> None:
        """Adds all items of an iterable."""
        items = checked_items(self._convert, values)
        super().extend(items)
        self._touch()

    def insert(self, index: SupportsIndex, value: Any) -> None:
        """Puts one item before that of an index."""
        super().insert(index, self._convert(value))
        self._touch()

    def MergeFrom(self, other: Iterable[Any]) -> None:
        """Adds the items of another repeated field."""
        self.extend(list(other))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(
            index, checked_items(self._convert, value) if isinstance(index, slice) else self._convert(value)
        )
        self._touch()

    def __iadd__(self, values: Any) -> Any:
        self.extend(values)
        return self

    def __add__(self, other: Any) -> Any:
        raise TypeError("a repeated field is not added to; write list(field) + [...], or field.extend([...])")

    def __reduce__(self) -> Any:
        return list, (list(self),)

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError(f"unhashable type: {type(self).__name__!r}")


class RepeatedMessages(Repeated[M]):
    """The messages of a repeated field; what is put in is copied."""

    __slots__ = ("_kind",)

    def __init__(self, kind: type[M], touch: Callable[[], None]) -> None:
        super().__init__(self._copied, touch)
        self._kind = kind

    def _copied(self, value: Any) -> M:
        if isinstance(value, dict):
            return self._kind(**value)
        if not isinstance(value, self._kind):
            raise TypeError(f"this repeated field holds messages of class {self._kind.__name__}, not {value!r:.60}")
        copy: Any = self._kind()
        copy.MergeFrom(value)
        return copy  # type: ignore[no-any-return]

    @hides_frames
    def add(self, **values: Any) -> M:
        """Appends a new message with these fields, and returns it."""
        message = self._kind(**values)
        list.append(self, message)
        self._touch()
        return message


class MessageMap(MutableMapping[str, M], Generic[M]):
    """A map from names to messages. Looking up a name that is not there makes an empty message, as in protobuf."""

    __slots__ = ("_entries", "_kind", "_touch")

    def __init__(self, kind: type[M], touch: Callable[[], None]) -> None:
        self._entries: dict[str, M] = {}
        self._kind = kind
        self._touch = touch

    def __getitem__(self, key: str | bytes) -> M:
        entry = self._entries.get(key)  # type: ignore[arg-type]
        if entry is None:
            name = as_name(key)
            entry = self._entries.get(name)
            if entry is None:
                entry = self._entries[name] = self._kind()
                self._touch()
        return entry

    get_or_create = __getitem__

    def __setitem__(self, key: str, value: M) -> None:
        raise ValueError(f"messages are not assigned to a map; write field[{key!r:.40}].CopyFrom(message)")

    def __delitem__(self, key: str) -> None:
        del self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str, default: Any = None) -> Any:
        """The message of a name; `default` if there is none, and nothing is made."""
        return self._entries.get(key, default)

    def put(self, name: str, message: M) -> None:
        """Sets an entry to a message of its own."""
        self._entries[name] = message
        self._touch()

    def clear(self) -> None:
        """Removes all entries."""
        self._entries.clear()

    def MergeFrom(self, other: MessageMap[M]) -> None:
        """Copies the entries of another map; they replace those of the same names."""
        for name, message in other.items():
            copy: Any = self._kind()
            copy.MergeFrom(message)
            self.put(name, copy)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MessageMap):
            return self._entries == other._entries
        return self._entries == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._entries)


def as_name(key: Any) -> str:
    """A key of a map as a str.

    Raises:
        TypeError: it is neither a str nor bytes.
        ValueError: the bytes are not UTF-8.
    """
    if isinstance(key, str):
        key.encode()  # a lone surrogate has no bytes
        return key
    if isinstance(key, bytes):
        return key.decode()
    raise TypeError(f"a name in this map is a str, not {key!r:.60} of type {type(key).__name__}")
