"""Which rules are there? Tried in this order at each node; the first that fires is applied."""

from __future__ import annotations

from .joining import ConcatConcat, ConcatSplit, PackUnpack, SplitConcat, UnpackPack
from .moving import (
    IndexOfAll,
    PadByNothing,
    ReverseReverse,
    SliceOfAll,
    TileOnce,
    TransposeInOrder,
    TransposeTranspose,
)
from .partitioned import StitchOfPartitions
from .rule import Rule
from .shaping import ReshapeReshape, SameShape, ThereAndBack
from .values import CastCast, CastToSame, Identity, Involution, KnownNumber, Neutral, SelectKnown

RULES: tuple[Rule, ...] = (
    KnownNumber(),
    Identity(),
    TransposeTranspose(),
    TransposeInOrder(),
    ReverseReverse(),
    SliceOfAll(),
    IndexOfAll(),
    PadByNothing(),
    TileOnce(),
    SameShape(),
    ThereAndBack(),
    ReshapeReshape(),
    PackUnpack(),
    UnpackPack(),
    ConcatSplit(),
    SplitConcat(),
    ConcatConcat(),
    CastToSame(),
    CastCast(),
    Involution(),
    Neutral(),
    SelectKnown(),
    StitchOfPartitions(),
)
