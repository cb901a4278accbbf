"""Which rules are there? Tried in this order at each node; the first that fires is applied."""

from __future__ import annotations

from .arithmetic_identities import CastCast, CastToSame, Identity, Involution, KnownNumber, Neutral, SelectKnown
from .join_split import ConcatConcat, ConcatSplit, PackUnpack, SplitConcat, UnpackPack
from .movement import (
    IndexOfAll,
    PadByNothing,
    ReverseReverse,
    SliceOfAll,
    TileOnce,
    TransposeInOrder,
    TransposeTranspose,
)
from .partition_stitch import StitchOfPartitions
from .reshapes import ReshapeReshape, SameShape, ThereAndBack
from .rule import Rule

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
