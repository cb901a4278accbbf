"""Writers: one elementwise op computed into existing memory.

`writer(...)` gives a function `(out, *operands)`. It calls the op's own kernel or ufunc, alone or in a group, on whole
arrays or on tiles. 16-bit floats are computed in float32 and rounded after each op, as in compiled code. Functions
whose last bits depend on the layout of the operand (sinh of a strided float32 view differs in one element of five) get
contiguous memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OPS, OpDef
from ...graph.declare.op_facts import ReductionRule
from ...graph.shapes.dtypes import DType, bfloat16, float16, of_numpy
from ...graph.shapes.literal import normal_bools
from ...ops.declare.elementwise_decl import one_piece
from ..base.pending_writes import PendingWrites
from ..ir.fused_ir import Body, Instruction, Value, broadcast, shape_rule
from ..ir.kernel_protocol import Kernel
from ..ir.tiling import Shape
from ..memory.buffer_pool import POOL
from ..memory.pooled_numpy import XP

Writer = Callable[..., None]
HALVES = (float16, bfloat16)


def writer(
    opdef: OpDef[Any, Any], arguments: Callable[..., list[Any]] | None, dtypes: tuple[DType, ...], out: DType
) -> Writer:
    """The writer (out array, operand arrays ...) -> None of an op.

    Args:
        opdef: the op.
        arguments: inserts operands among attribute values in the order of the signature; None for operands only.
        dtypes: the dtypes of the operands.
        out: the dtype of the result.
    """
    kernel = opdef.kernels.get("numpy") or opdef.kernels["*"]
    short = out in HALVES or any(d in HALVES for d in dtypes)
    if opdef.facts.ufunc is not None and arguments is None and "numpy" not in opdef.kernels:
        ufunc = getattr(np, opdef.facts.ufunc)
        if short:
            return _ThroughFloat32(ufunc, out)
        return _Staged(ufunc) if is_staged(opdef, dtypes) else UfuncWriter(ufunc)
    if out.is_bool:  # a user's kernel may return a view of arbitrary bytes
        given, kernel = kernel, lambda *args: normal_bools(given(*args))
    if arguments is None:

        def call(result: Any, *operands: Any) -> None:
            result[...] = kernel(XP, *operands)

        return call

    def call_with_attributes(result: Any, *operands: Any) -> None:
        result[...] = kernel(XP, *arguments(*operands))

    return call_with_attributes


def is_staged(opdef: OpDef[Any, Any], dtypes: Sequence[DType]) -> bool:
    """True if operands of these dtypes must be contiguous for the op to give the same bits always."""
    return bool(opdef.facts.staged) and any(opdef.facts.staged & dtype.bit for dtype in dtypes)


class UfuncWriter:
    """A ufunc that writes into the memory of its result."""

    __slots__ = ("ufunc",)

    def __init__(self, ufunc: Any) -> None:
        self.ufunc = ufunc

    def __call__(self, result: Any, *operands: Any) -> None:
        self.ufunc(*operands, out=result)


class _Staged:
    """A ufunc whose last bits depend on the layout of its operands: it gets contiguous operands only."""

    __slots__ = ("ufunc",)

    def __init__(self, ufunc: Any) -> None:
        self.ufunc = ufunc

    def __call__(self, result: Any, *operands: Any) -> None:
        contiguous = list(map(one_piece, operands))
        if result.flags.c_contiguous:
            self.ufunc(*contiguous, out=result)
        else:
            result[...] = self.ufunc(*contiguous)


class _ThroughFloat32:
    """A function (float32 operands ..., out=) on 16-bit floats: widen, compute in float32, round once.

    The result is a 16-bit float, or not a float.
    """

    __slots__ = ("_law", "_rounds")

    def __init__(self, law: Callable[..., Any], out: DType) -> None:
        self._law = law
        self._rounds = out in HALVES

    def __call__(self, result: Any, *operands: Any) -> None:
        wide = [_widened(x) if of_numpy(x.dtype) in HALVES else x for x in operands]
        if self._rounds:
            total = POOL.empty(result.shape, np.float32)
            self._law(*wide, out=total)
            np.copyto(result, total, casting="unsafe")
        else:
            self._law(*wide, out=result)


def _widened(x: Any) -> Any:
    wide = POOL.empty(x.shape, np.float32)
    np.copyto(wide, x)
    return wide


def in_place(call: Writer) -> bool:
    """True if the result of `call` may overwrite an operand of the same shape and size."""
    return isinstance(call, UfuncWriter)


def ufunc_of(call: Writer) -> Any:
    """The ufunc that `call` calls on contiguous memory; None if it does more."""
    return call.ufunc if isinstance(call, UfuncWriter | _Staged) else None


def cost(opdef: OpDef[Any, Any], dtypes: tuple[DType, ...], out: DType) -> float:
    """A rough prediction of nanoseconds per element, to decide whether threads pay."""
    every = (*dtypes, out)
    if any(d in HALVES for d in every):
        return 1.0 + 1.2 * every.count(float16)  # NumPy converts float16 element by element
    if is_staged(opdef, dtypes):
        return 3.0
    if opdef.facts.ufunc is None:
        return 1.0
    return 0.03 * (out.size + sum([d.size for d in dtypes]))


def single_op_kernel(opdef: OpDef[Any, Any], out: DType) -> Kernel:
    """An elementwise op outside of any group: the same definition, its own result."""
    ufunc = getattr(np, opdef.facts.ufunc or "")
    writers: list[Writer] = []  # known when the first operands come: their dtypes are those of the step
    direct: list[bool] = []  # whether the ufunc itself is the definition
    price: list[float] = []  # seconds for an element

    def definition(operands: Sequence[Any]) -> Writer:
        new_writer = writer(opdef, None, tuple([of_numpy(x.dtype) for x in operands]), out)
        direct.append(isinstance(new_writer, UfuncWriter))  # before `writers`, which another thread tests
        writers.append(new_writer)
        return new_writer

    def write_into(result: Any, *operands: Any) -> Any:
        """`result` is flat memory of the right size."""
        write = writers[0] if writers else definition(operands)
        first = operands[0].shape
        same = all(x.shape == first for x in operands)
        result = result.reshape(first if same else np.broadcast_shapes(*[x.shape for x in operands]))
        write(result, *operands)
        return result

    def call(*operands: Any) -> Any:
        own_writer = writers[0] if writers else definition(operands)
        write = None if direct[0] else own_writer
        if write is None:
            for x in operands:
                if x.size >= POOLED:
                    break
            else:
                result = ufunc(*operands)
                return result if result.__class__ is np.ndarray else as_array(result, out)
        first = operands[0].shape
        same = all(x.shape == first for x in operands)
        result = POOL.empty(first if same else np.broadcast_shapes(*[x.shape for x in operands]), out.np)
        if write is None:
            ufunc(*operands, out=result)
        else:
            write(result, *operands)
        return result

    def over(writes: PendingWrites, places: Sequence[Any], *operands: Any) -> list[Any]:
        """The result in the place of an operand: one call of the ufunc."""
        if not writers:
            definition(operands)
        (place,) = places
        if not direct[0] or not all(x.size == 1 or x.flags.c_contiguous for x in operands):
            return [call(*operands)]
        if not price:
            price.append(1e-9 * cost(opdef, tuple([of_numpy(x.dtype) for x in operands]), out))
        if not writes.may_add(price[0] * place.size):
            return [call(*operands)]
        writes.calls.append(partial(ufunc, *operands, out=place))
        return [place]

    return Kernel(call, write_into, makes_arrays=True, over=over)


def as_array(result: Any, dtype: DType) -> Any:
    """The result of a kernel, which for rank 0 may be a NumPy scalar or bytes, as an array."""
    if result.__class__ is np.ndarray:
        return result
    array = np.empty(np.shape(result) if dtype.kind != "s" else (), dtype.np)
    array[...] = result
    return array


POOLED = 1 << 14
"""The fewest elements of a result whose memory comes from the pool."""

_SLOW_POSITIONAL = (np.maximum, np.minimum, np.fmax, np.fmin)
"""Binary ufuncs that warn about a third positional argument are slow to take it."""


def prepared_call(call: Writer, result: Any) -> tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]:
    """The fastest repeated call into `result`: the function, and its arguments before and after the operands."""
    if isinstance(call, UfuncWriter):
        if call.ufunc in _SLOW_POSITIONAL:
            return partial(call.ufunc, out=result), (), ()
        return call.ufunc, (), (result,)
    return call, (result,), ()


# ---- instructions of a group --------------------------------------------------------------------


class BoundInstruction(NamedTuple):
    """An instruction that is ready to run.

    Attributes:
        call: the writer.
        operands: the values it reads.
        value: the value it makes.
        in_place: True if the result may lie in the memory of an operand.
        cost: predicted nanoseconds per element.
        shape: the shape rule.
    """

    call: Writer
    operands: tuple[int, ...]
    value: int
    in_place: bool
    cost: float
    shape: Callable[..., Shape]


@dataclass(frozen=True, slots=True)
class TailReduction:
    """A reduction at the end of the group.

    Attributes:
        rule: the reduction.
        args: its attributes.
        operand: the value it reads.
        value: the value it makes.
    """

    rule: ReductionRule
    args: tuple[Any, ...]
    operand: int
    value: int


def bound_of(body: Body, dtypes: Sequence[DType]) -> list[BoundInstruction]:
    """The instructions of a body, ready to run; `dtypes` are those of all its values."""
    bits = [dtype.bit for dtype in dtypes]
    bound: list[BoundInstruction] = []
    new_tuple = tuple.__new__  # of a named tuple: 0.1 us, its own call takes 0.3
    for value, instruction in enumerate(body.instructions, len(body.inputs)):
        op, args = instruction[:2]  # 40 ns; attributes by name take 100
        operands = instruction.operands
        if operands is not args:
            bound.append(_with_attributes(instruction, operands, value, dtypes))
            continue
        # Most ops of a large graph have no attributes: their writers are cached.
        key = (op, bits[value], *[bits[v] for v in operands])
        call, price, same_place = _made.get(key) or _plain(key, instruction, [dtypes[v] for v in operands])
        bound.append(new_tuple(BoundInstruction, (call, operands, value, same_place, price, broadcast)))
    return bound


def _with_attributes(
    instruction: Instruction, operands: tuple[int, ...], value: int, dtypes: Sequence[DType]
) -> BoundInstruction:
    opdef = OPS[instruction.op]
    kinds = tuple([dtypes[v] for v in operands])
    call = writer(opdef, _arguments(instruction.args), kinds, instruction.dtype)
    price = cost(opdef, kinds, instruction.dtype)
    return BoundInstruction(call, operands, value, in_place(call), price, shape_rule(instruction))


_made: dict[tuple[Any, ...], tuple[Writer, float, bool]] = {}


def _plain(key: tuple[Any, ...], instruction: Instruction, dtypes: Sequence[DType]) -> tuple[Writer, float, bool]:
    """(writer, cost, in place?) of an op without attributes, shared by all its uses on these dtypes."""
    call = plain_writer(instruction.op, tuple(dtypes), instruction.dtype)
    found = _made[key] = (call, cost(OPS[instruction.op], tuple(dtypes), instruction.dtype), in_place(call))
    return found


def plain_writer(op: str, dtypes: tuple[DType, ...], out: DType) -> Writer:
    """The writer of an op without attributes."""
    return writer(OPS[op], None, dtypes, out)


def tail_of(body: Body, position: int, instruction: Instruction) -> TailReduction | None:
    """The instruction as a tail reduction; None if it is not a reduction."""
    rule = OPS[instruction.op].reduction
    if rule is None:
        return None
    return TailReduction(rule, instruction.args[1:], int(instruction.args[0]), len(body.inputs) + position)


def _arguments(args: tuple[Any, ...]) -> Callable[..., list[Any]]:
    places = [i for i, a in enumerate(args) if isinstance(a, Value)]

    def fill(*operands: Any) -> list[Any]:
        filled = list(args)
        for place, operand in zip(places, operands, strict=True):
            filled[place] = operand
        return filled

    return fill
