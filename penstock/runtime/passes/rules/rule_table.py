"""The table of rewrite rules. At each node they are tried in this order; the first that fires is applied."""

from __future__ import annotations

from .arithmetic_identities import (
    CastCast,
    CastToSame,
    Identity,
    IdentityOfMany,
    Involution,
    KnownNumber,
    NeutralElement,
    SelectKnown,
)
from .broadcasts import BroadcastLater, ShapeEarlier
from .join_split import ConcatConcat, ConcatSplit, PackUnpack, SplitConcat, UnpackPack
from .movement import (
    IndexOfAll,
    PadByZero,
    ReverseReverse,
    SliceOfAll,
    TileOnce,
    TransposeInOrder,
    TransposeTranspose,
)
from .partition_pairs import GatherOfStitch, PartitionOfStitch
from .partition_stitch import StitchOfPartitions
from .reshapes import ReshapeReshape, ReshapeRoundTrip, SameShape
from .rule import Rule

RULES: tuple[Rule, ...] = (
    KnownNumber(),
    Identity(),
    IdentityOfMany(),
    TransposeTranspose(),
    TransposeInOrder(),
    ReverseReverse(),
    SliceOfAll(),
    IndexOfAll(),
    PadByZero(),
    TileOnce(),
    SameShape(),
    ReshapeRoundTrip(),
    ReshapeReshape(),
    PackUnpack(),
    UnpackPack(),
    ConcatSplit(),
    SplitConcat(),
    ConcatConcat(),
    CastToSame(),
    CastCast(),
    Involution(),
    NeutralElement(),
    SelectKnown(),
    PartitionOfStitch(),
    GatherOfStitch(),
    StitchOfPartitions(),
    ShapeEarlier(),
    BroadcastLater(),
)
