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
    NonzeroDivisor,
    ReduceNothing,
    SelectKnown,
    SumOfFew,
)
from .broadcasts import BroadcastLater, ShapeEarlier
from .cuts import ConcatOfCuts, CutOfConcat, CutOfPlaced
from .join_split import (
    ConcatConcat,
    ConcatSplit,
    ConcatSplitSizes,
    PackUnpack,
    SplitConcat,
    SplitSizesConcat,
    UnpackPack,
)
from .movement import (
    DiagonalOfDiagonal,
    IndexOfAll,
    KeptAxes,
    PadByZero,
    ReshapeReshape,
    ReshapeRoundTrip,
    ReverseReverse,
    ReverseSequenceTwice,
    RollBack,
    SameShape,
    SliceOfAll,
    TileOnce,
    TransposeInOrder,
    TransposeTranspose,
)
from .partition_stitch import GatherOfStitch, PartitionOfStitch, StitchOfPartitions
from .rule import Rule

RULES: tuple[Rule, ...] = (
    KnownNumber(),
    Identity(),
    IdentityOfMany(),
    TransposeTranspose(),
    TransposeInOrder(),
    ReverseReverse(),
    ReverseSequenceTwice(),
    RollBack(),
    DiagonalOfDiagonal(),
    SliceOfAll(),
    IndexOfAll(),
    PadByZero(),
    CutOfPlaced(),
    CutOfConcat(),
    TileOnce(),
    SameShape(),
    ReshapeRoundTrip(),
    ReshapeReshape(),
    KeptAxes(),
    PackUnpack(),
    UnpackPack(),
    ConcatSplit(),
    SplitConcat(),
    ConcatSplitSizes(),
    SplitSizesConcat(),
    ConcatOfCuts(),
    ConcatConcat(),
    CastToSame(),
    CastCast(),
    Involution(),
    NeutralElement(),
    NonzeroDivisor(),
    SelectKnown(),
    ReduceNothing(),
    PartitionOfStitch(),
    GatherOfStitch(),
    StitchOfPartitions(),
    ShapeEarlier(),
    BroadcastLater(),
    SumOfFew(),
)
