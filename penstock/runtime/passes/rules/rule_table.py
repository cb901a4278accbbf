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
    SelectKnown,
)
from .broadcasts import BroadcastLater, ShapeEarlier
from .cuts import ConcatOfCuts, CutOfConcat, CutOfPlaced
from .empty_reductions import ReduceNothing
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
    PadByZero,
    ReverseReverse,
    ReverseSequenceTwice,
    RollBack,
    SliceOfAll,
    TileOnce,
    TransposeInOrder,
    TransposeTranspose,
)
from .partition_pairs import GatherOfStitch, PartitionOfStitch
from .partition_stitch import StitchOfPartitions
from .reshapes import ReshapeReshape, ReshapeRoundTrip, SameShape
from .rule import Rule
from .two_summands import SumOfTwo

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
    SumOfTwo(),
)
