"""Stand-ins for the sizes of shapes: what does not depend on sizes is worked out on them, once for all batch sizes.

0 and 1 stay what they are, every other size becomes a number from 2 on, equal sizes the same number:

    (1000, 8), (8,), (1000, 1)  ->  (2, 3), (3,), (2, 1)    sizes: 0, 1, 1000, 8

Stand-ins are equal exactly where the sizes are, so they broadcast, reduce and compare as the shapes do; a product of
them is 0 or 1 exactly where that of the sizes is. Nothing else about a product may be asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from .tiling import Shape


def stand_ins(shapes: Sequence[Shape]) -> tuple[tuple[Shape, ...], list[int]]:
    """The shapes in stand-ins, and the size that each stands for."""
    sizes = [0, 1]
    number = {0: 0, 1: 1}
    found: list[Shape] = []
    for shape in shapes:
        own: list[int] = []
        for size in shape:
            one = number.get(size)
            if one is None:
                one = number[size] = len(sizes)
                sizes.append(size)
            own.append(one)
        found.append(tuple(own))
    return tuple(found), sizes


def sized(shape: Shape, sizes: Sequence[int]) -> Shape:
    """The shape that stand-ins stand for."""
    return tuple([sizes[one] for one in shape])


def sized_all(shapes: Sequence[Shape], sizes: Sequence[int]) -> list[Shape]:
    """The same for many; equal ones are made once."""
    real = {shape: sized(shape, sizes) for shape in set(shapes)}
    return [real[shape] for shape in shapes]
