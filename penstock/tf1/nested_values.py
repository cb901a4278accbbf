"""`tensorflow.python.util.nest`: lists, tuples and dicts of values, taken apart and put together.

It has the functions that programs call; keys of dicts are taken in sorted order, as TensorFlow does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ValueRuleError

__all__ = [
    "assert_same_structure", "assert_shallow_structure", "flatten", "flatten_up_to", "is_sequence", "map_structure",
    "map_structure_up_to", "pack_sequence_as",
]  # fmt: skip


def is_sequence(seq: Any) -> bool:
    """Whether a value is a list, tuple or dict, and so has parts; arrays and strings have none.

    >>> is_sequence([1]), is_sequence("ab")
    (True, False)
    """
    return isinstance(seq, (list, tuple, Mapping))


def flatten(structure: Any) -> list[Any]:
    """The parts of nested lists, tuples and dicts, in order.

    >>> flatten({"b": (1, [2]), "a": 0})
    [0, 1, 2]
    """
    if not is_sequence(structure):
        return [structure]
    return [leaf for part in _parts(structure) for leaf in flatten(part)]


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """A structure like `structure` that holds the values of a flat list.

    Raises:
        ValueError: there are more values than parts, or fewer.

    >>> pack_sequence_as((0, [0, 0]), ["a", "b", "c"])
    ('a', ['b', 'c'])
    """
    values = list(flat_sequence)
    count = len(flatten(structure))
    if count != len(values):
        raise ValueRuleError(f"the structure has {count} parts, but the list has {len(values)} values")
    rest = iter(values)
    return _rebuilt(structure, lambda _: next(rest))


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """The structure of what `func` returns for each part; of several structures it takes one part each.

    Raises:
        ValueError: the structures differ.

    >>> map_structure(lambda a, b: a + b, (1, [2]), (10, [20]))
    (11, [22])
    """
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    columns = zip(*(flatten(each) for each in structure), strict=True)
    return pack_sequence_as(structure[0], [func(*column) for column in columns])


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Raises an error unless a value is nested like another one, or deeper.

    Args:
        shallow_tree: the structure that says how deep to look.
        input_tree: what may have parts where the other one has none.
        check_types: whether a list and a tuple of the same parts differ.

    Raises:
        TypeError: the shallow structure has parts where the other value has none, or their kinds differ.
        ValueError: they have different numbers of parts, or dicts have different keys.

    >>> assert_shallow_structure([0, (0,)], [[1, 2], ("a",)])
    """
    if not is_sequence(shallow_tree):
        return
    if not is_sequence(input_tree):
        raise TypeError(f"the structures differ: {type(shallow_tree).__name__} has parts, but {input_tree!r:.60} is "
                        "one value")  # fmt: skip
    if check_types and type(shallow_tree) is not type(input_tree):
        raise TypeError(f"the structures differ: {type(shallow_tree).__name__} and {type(input_tree).__name__}")
    if len(shallow_tree) != len(input_tree):
        raise ValueRuleError(f"the structures differ: one has {len(shallow_tree)} parts and the other "
                             f"{len(input_tree)}")  # fmt: skip
    if isinstance(shallow_tree, Mapping) and set(shallow_tree) != set(input_tree):
        raise ValueRuleError(f"the structures differ: the keys {sorted(shallow_tree)} and {sorted(input_tree)}")
    for shallow, deep in zip(_parts(shallow_tree), _parts(input_tree), strict=True):
        assert_shallow_structure(shallow, deep, check_types)


def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """The parts of a value, taken apart only as deep as another one has parts.

    Raises:
        TypeError, ValueError: as `assert_shallow_structure`.

    >>> flatten_up_to([0, (0,)], [[1, 2], ("a",)])
    [[1, 2], 'a']
    """
    assert_shallow_structure(shallow_tree, input_tree)
    if not is_sequence(shallow_tree):
        return [input_tree]
    pairs = zip(_parts(shallow_tree), _parts(input_tree), strict=True)
    return [leaf for shallow, deep in pairs for leaf in flatten_up_to(shallow, deep)]


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """The shallow structure, with what `func` returns for the parts that the inputs have in its places.

    Raises:
        ValueError: there is no input.
        TypeError, ValueError: as `assert_shallow_structure`.

    >>> map_structure_up_to([0, 0], sum, [[1, 2], (3, 4)])
    [3, 7]
    """
    if not inputs:
        raise ValueRuleError("map_structure_up_to: there is no input to take parts of")
    columns = zip(*(flatten_up_to(shallow_tree, each) for each in inputs), strict=True)
    return pack_sequence_as(shallow_tree, [func(*column) for column in columns])


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises an error unless two values are nested alike.

    Args:
        nest1: a structure.
        nest2: another one.
        check_types: whether a list and a tuple of the same parts differ.

    Raises:
        TypeError: the kinds of two structures differ.
        ValueError: one has parts where the other has none, or more of them.

    >>> assert_same_structure((1, [2]), (3, [4]))
    """
    if is_sequence(nest1) != is_sequence(nest2):
        raise ValueRuleError(f"the structures differ: {nest1!r} and {nest2!r}")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"the structures differ: {type(nest1).__name__} and {type(nest2).__name__}")
    if len(nest1) != len(nest2):
        raise ValueRuleError(f"the structures differ: one has {len(nest1)} parts and the other {len(nest2)}")
    for first, second in zip(_parts(nest1), _parts(nest2), strict=True):
        assert_same_structure(first, second, check_types)


def _parts(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    return list(structure)


def _rebuilt(structure: Any, leaf: Callable[[Any], Any]) -> Any:
    if not is_sequence(structure):
        return leaf(structure)
    parts = [_rebuilt(part, leaf) for part in _parts(structure)]
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted(structure), parts, strict=True))
        return type(structure)((key, by_key[key]) for key in structure)  # type: ignore[call-arg]  # dicts take pairs
    if hasattr(structure, "_fields"):
        return type(structure)(*parts)
    return type(structure)(parts)
