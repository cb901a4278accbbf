"""The block driver: hundreds of calls of compiled code in one call, without Python between them.

A *program* is memory of words. Each call is a row: the address of a C function, how many words it gets, the words:

    row    function | count | argument ...             a word is a number, or points to words of the program:
    data   address of an operand ...                   numbers, addresses of operands, or what stands for an array

Compiled code takes either addresses (NumPy's inner loops) or array objects, of which it reads the address of the data
(`array_head`). A word that holds an address stands for an array, if the code gets a pointer so far before it.

`bind` puts in the addresses of one run: those of its inputs, its results and its arena, each with an offset. It first
compares the inputs with what the program was written for: the class, dtype, shape and flags of each. 3 ns an input, 1
ns an address. `drive` makes the calls. It checks nothing, and no call may fail or call Python.

More words than a function takes do no harm in any calling convention of C: the caller removes them. So a handful of
counts serve all functions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from . import tier
from .array_head import DATA
from .native_calls import Address, Addresses, Array, NativeCall, Numbers, loop_call
from .native_driver import NO_ARGUMENTS, MethodDef
from .promotion import Meter, Promotion
from .toolchain import Library
from .ufunc_loops import numpy_loop

COUNTS: Final = (4, 6, 8, 12, 17, 24, 40)
"""The numbers of words that a row may have."""
DENSE: Final = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
WRITABLE: Final = 0x501
"""The flags of one that may be written, too (0x400)."""

_BIND: Final = f"""
@true = external global i8
@false = external global i8
@ndarray = external global i8
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
declare ptr @memmove(ptr, ptr, i64)

; head: number of checks, their address, number of moves, their address, address of the program
define ptr @penstock_bind(ptr %self, ptr %args, i64 %given) {{
entry:
  %head = call ptr @PyCapsule_GetPointer(ptr %self, ptr null)
  %checks = load i64, ptr %head
  %check.at = getelementptr i64, ptr %head, i64 1
  %check.first = load ptr, ptr %check.at
  %moves.at = getelementptr i64, ptr %head, i64 2
  %moves = load i64, ptr %moves.at
  %move.at = getelementptr i64, ptr %head, i64 3
  %move.first = load ptr, ptr %move.at
  %base.at = getelementptr i64, ptr %head, i64 4
  %base = load ptr, ptr %base.at
  br label %check
check:                                   ; a row: flags, dtype, rank, sizes ...
  %i = phi i64 [0, %entry], [%i.next, %fits]
  %row = phi ptr [%check.first, %entry], [%row.next, %fits]
  %checked = icmp eq i64 %i, %checks
  br i1 %checked, label %move, label %class
class:
  %arg.at = getelementptr ptr, ptr %args, i64 %i
  %x = load ptr, ptr %arg.at
  %type.at = getelementptr i8, ptr %x, i64 {DATA - 8}
  %type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %type, @ndarray
  br i1 %is.array, label %kind, label %no
kind:
  %wanted = load i64, ptr %row
  %flags.at = getelementptr i8, ptr %x, i64 {DATA + 48}
  %flags32 = load i32, ptr %flags.at
  %flags = zext i32 %flags32 to i64
  %common = and i64 %flags, %wanted
  %has.flags = icmp eq i64 %common, %wanted
  %dtype.at = getelementptr i64, ptr %row, i64 1
  %dtype = load ptr, ptr %dtype.at
  %own.at = getelementptr i8, ptr %x, i64 {DATA + 40}
  %own = load ptr, ptr %own.at
  %has.dtype = icmp eq ptr %own, %dtype
  %rank.at = getelementptr i64, ptr %row, i64 2
  %rank = load i64, ptr %rank.at
  %nd.at = getelementptr i8, ptr %x, i64 {DATA + 8}
  %nd32 = load i32, ptr %nd.at
  %nd = zext i32 %nd32 to i64
  %has.rank = icmp eq i64 %nd, %rank
  %a = and i1 %has.flags, %has.dtype
  %all = and i1 %a, %has.rank
  %sizes = getelementptr i64, ptr %row, i64 3
  %dims.at = getelementptr i8, ptr %x, i64 {DATA + 16}
  br i1 %all, label %begin, label %no
begin:
  %dims = load ptr, ptr %dims.at
  br label %size
size:
  %k = phi i64 [0, %begin], [%k.next, %same]
  %done = icmp eq i64 %k, %rank
  br i1 %done, label %fits, label %compare
compare:
  %size.at = getelementptr i64, ptr %sizes, i64 %k
  %expected = load i64, ptr %size.at
  %dim.at = getelementptr i64, ptr %dims, i64 %k
  %dim = load i64, ptr %dim.at
  %equal = icmp eq i64 %dim, %expected
  br i1 %equal, label %same, label %no
same:
  %k.next = add i64 %k, 1
  br label %size
fits:
  %row.next = getelementptr i64, ptr %sizes, i64 %rank
  %i.next = add i64 %i, 1
  br label %check
move:                                    ; a row: number of the argument, offset, place of the word
  %j = phi i64 [0, %check], [%j.next, %one]
  %from = phi ptr [%move.first, %check], [%from.next, %one]
  %moved = icmp eq i64 %j, %moves
  br i1 %moved, label %yes, label %one
one:
  %number = load i64, ptr %from
  %offset.at = getelementptr i64, ptr %from, i64 1
  %offset = load i64, ptr %offset.at
  %place.at = getelementptr i64, ptr %from, i64 2
  %place = load i64, ptr %place.at
  %y.at = getelementptr ptr, ptr %args, i64 %number
  %y = load ptr, ptr %y.at
  %data.at = getelementptr i8, ptr %y, i64 {DATA}
  %data = load ptr, ptr %data.at
  %address = getelementptr i8, ptr %data, i64 %offset
  %to = getelementptr i64, ptr %base, i64 %place
  store ptr %address, ptr %to
  %from.next = getelementptr i64, ptr %from, i64 3
  %j.next = add i64 %j, 1
  br label %move
yes:
  call void @Py_IncRef(ptr @true)
  ret ptr @true
no:
  call void @Py_IncRef(ptr @false)
  ret ptr @false
}}

; rows of bytes, one behind the other in each array
define i64 @penstock_copy(ptr %to, ptr %from, i64 %to.at, i64 %to.step, i64 %from.step, i64 %rows, i64 %bytes) {{
entry:
  %to.place = getelementptr i8, ptr %to, i64 {DATA}
  %to.data = load ptr, ptr %to.place
  %to.first = getelementptr i8, ptr %to.data, i64 %to.at
  %from.place = getelementptr i8, ptr %from, i64 {DATA}
  %from.first = load ptr, ptr %from.place
  br label %row
row:
  %i = phi i64 [0, %entry], [%next, %row]
  %d = phi ptr [%to.first, %entry], [%d.next, %row]
  %s = phi ptr [%from.first, %entry], [%s.next, %row]
  call ptr @memmove(ptr %d, ptr %s, i64 %bytes)
  %d.next = getelementptr i8, ptr %d, i64 %to.step
  %s.next = getelementptr i8, ptr %s, i64 %from.step
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %rows
  br i1 %more, label %row, label %done
done:
  ret i64 0
}}

; piece: bytes of rows, whether to let go of the GIL, then the rows
define ptr @penstock_drive_block(ptr %self, ptr %unused) {{
entry:
  %piece = call ptr @PyCapsule_GetPointer(ptr %self, ptr null)
  %length = load i64, ptr %piece
  %release.at = getelementptr i64, ptr %piece, i64 1
  %release = load i64, ptr %release.at
  %first = getelementptr i64, ptr %piece, i64 2
  %end = getelementptr i8, ptr %first, i64 %length
  %holds = icmp eq i64 %release, 0
  br i1 %holds, label %loop.start, label %let.go
let.go:
  %state = call ptr @PyEval_SaveThread()
  br label %loop.start
loop.start:
  %kept = phi ptr [null, %entry], [%state, %let.go]
  br label %loop
"""

_END: Final = """
bad:
  unreachable
stop:
  br i1 %holds, label %out, label %take.back
take.back:
  call void @PyEval_RestoreThread(ptr %kept)
  br label %out
out:
  call void @Py_IncRef(ptr @true)
  ret ptr @true
}
"""


def _loop() -> str:
    """The loop over rows: one call for each number of words."""
    rows = ", ".join([f"[%next{n}, %call{n}]" for n in COUNTS])
    cases = " ".join([f"i64 {n}, label %call{n}" for n in COUNTS])
    lines = ["loop:", f"  %row = phi ptr [%first, %loop.start], {rows}", "  %done = icmp eq ptr %row, %end",
             "  br i1 %done, label %stop, label %step", "step:", "  %f = load ptr, ptr %row",
             "  %count.at = getelementptr i64, ptr %row, i64 1", "  %count = load i64, ptr %count.at",
             f"  switch i64 %count, label %bad [{cases}]"]  # fmt: skip
    for n in COUNTS:
        lines.append(f"call{n}:")
        for i in range(n):
            lines += [f"  %p{n}.{i} = getelementptr i64, ptr %row, i64 {2 + i}",
                      f"  %w{n}.{i} = load i64, ptr %p{n}.{i}"]  # fmt: skip
        words = ", ".join([f"i64 %w{n}.{i}" for i in range(n)])
        lines += [f"  %r{n} = call i64 %f({words})", f"  %next{n} = getelementptr i64, ptr %row, i64 {2 + n}",
                  "  br label %loop"]  # fmt: skip
    return "\n".join(lines)


_NAMES: Final = ("penstock_bind", "penstock_drive_block", "penstock_copy")


class CannotWrite(Exception):
    """A call has an argument that a program cannot hold."""


Place: TypeAlias = Callable[[int], "tuple[int, int] | None"]
"""An address -> (number of the argument of `bind`, offset); None if the address stays what it is."""


class BlockText:
    """A program while it is written, and what frames are made of."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.words: list[int] = []
        self.inner: list[tuple[int, int, int]] = []
        """(word, word that it points to, bytes to add)."""
        self.moves: list[int] = []
        self._arrays: dict[int, int] = {}
        self._numbers: dict[tuple[int, ...], int] = {}

    def add(self, calls: Sequence[NativeCall], release: bool) -> int:
        """The number of the word with which a piece of the program begins."""
        rows: list[int] = []
        inner: list[tuple[int, int, int]] = []
        direct: list[tuple[int, tuple[int, int]]] = []
        for function, arguments in calls:
            count = next((n for n in COUNTS if n >= len(arguments)), 0)
            if not count:
                raise CannotWrite
            rows += (function, count)
            for each in arguments:
                if isinstance(each, Address):
                    place = self._place(each.of)
                    if place is not None:
                        direct.append((len(rows), place))
                    rows.append(each.of)
                    continue
                if isinstance(each, int):
                    rows.append(each)
                    continue
                inner.append((len(rows), *self._stored(each)))
                rows.append(0)
            rows += [0] * (count - len(arguments))
        start = len(self.words)
        self.words += (8 * len(rows), int(release), *rows)
        self.inner += [(start + 2 + word, target, more) for word, target, more in inner]
        for word, place in direct:
            self.moves += (*place, start + 2 + word)
        return start

    def _stored(self, argument: Addresses | Numbers | Array) -> tuple[int, int]:
        """The word to which an argument points, and the bytes to add."""
        if isinstance(argument, Numbers):
            at = self._numbers.get(argument.numbers)
            if at is None:
                at = self._numbers[argument.numbers] = len(self.words)
                self.words += argument.numbers
            return at, 0
        if isinstance(argument, Addresses):
            at = len(self.words)
            for address in argument.of:
                self._address(address)
            return at, 0
        address = argument.ctypes.data
        at = self._arrays.get(address)
        if at is None:
            at = self._arrays[address] = len(self.words)
            self._address(address)
        return at, -DATA

    def _address(self, address: int) -> None:
        place = self._place(address)
        if place is not None:
            self.moves += (*place, len(self.words))
        self.words.append(address if place is None else 0)


@dataclass(frozen=True, slots=True)
class BlockFrame:
    """A program in memory, for one run at a time.

    Attributes:
        bind: (arrays ...) -> False if an input is of another kind; else the addresses are put in.
        pieces: the calls, one after the other.
        writes: calls for the end of the run.
        kept: the memory.
    """

    bind: Callable[..., bool]
    pieces: tuple[Callable[[], Any], ...]
    writes: tuple[Callable[[], Any], ...]
    kept: tuple[Any, ...]


class Check(NamedTuple):
    """What `bind` expects of an input."""

    flags: int
    dtype: Any
    shape: tuple[int, ...]

    @property
    def words(self) -> tuple[int, ...]:
        """The row of the check."""
        return (self.flags, id(self.dtype), len(self.shape), *self.shape)


_FAST: Final = 0x80  # METH_FASTCALL


class BlockDriver:
    """Makes frames."""

    def __init__(self, library: Library) -> None:
        self._bind = MethodDef(b"bind", library["penstock_bind"], _FAST, None)
        self._drive = MethodDef(b"drive", library["penstock_drive_block"], NO_ARGUMENTS, None)
        self.copy = library["penstock_copy"]
        for each in (self._bind, self._drive):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))  # functions that point to it may live longer
        pointer, anything = ctypes.c_void_p, ctypes.py_object
        self._capsule = ctypes.PYFUNCTYPE(anything, *[pointer] * 3)(("PyCapsule_New", ctypes.pythonapi))
        new_function = ctypes.PYFUNCTYPE(anything, pointer, anything, pointer, pointer)
        self._function = new_function(("PyCMethod_New", ctypes.pythonapi))

    def frame(
        self, text: BlockText, checks: Sequence[Check], pieces: Sequence[int], writes: Sequence[int]
    ) -> BlockFrame:
        """A frame of a program.

        Args:
            text: the program.
            checks: what is expected of the first arrays that `bind` gets.
            pieces: where the pieces begin.
            writes: where those begin that are for the end of the run.
        """
        words = np.array(text.words or [0], np.int64)
        base = words.ctypes.data
        if text.inner:
            at, target, more = np.array(text.inner, np.int64).T
            words[at] = base + 8 * target + more
        moves = np.array(text.moves or [0], np.int64)
        rows = np.array([word for check in checks for word in check.words] or [0], np.int64)
        head = np.array([len(checks), rows.ctypes.data, len(text.moves) // 3, moves.ctypes.data, base], np.int64)
        drives = [tuple([self._made(self._drive, base + 8 * at) for at in each]) for each in (pieces, writes)]
        kept = (words, moves, rows, head, [check.dtype for check in checks])
        return BlockFrame(self._made(self._bind, head.ctypes.data), drives[0], drives[1], kept)

    def _made(self, definition: MethodDef, address: int) -> Any:
        return self._function(ctypes.addressof(definition), self._capsule(address, None, None), None, None)


def source() -> tier.ModuleSource:
    """The source of the driver."""
    names = ("PyCapsule_GetPointer", "PyEval_SaveThread", "PyEval_RestoreThread", "Py_IncRef")
    imports = {n: ctypes.cast(getattr(ctypes.pythonapi, n), ctypes.c_void_p).value or 0 for n in names}
    imports |= {"true": id(True), "false": id(False), "ndarray": id(np.ndarray)}
    imports["memmove"] = ctypes.cast(ctypes.memmove, ctypes.c_void_p).value or 0
    return tier.ModuleSource(_BIND + _loop() + _END, _NAMES, imports)


def _made(library: Library) -> BlockDriver:
    made = BlockDriver(library)
    if not _works(made):
        raise RuntimeError("the block driver's self-check failed")
    return made


def _works(made: BlockDriver) -> bool:
    """True if the driver adds numbers, copies rows, and refuses arrays of other kinds."""
    loop = numpy_loop("add", "ff->f")
    if loop is None:
        return False
    stand_in, out = np.zeros((2, 4), np.float32), np.zeros(16, np.float32)
    start, end = stand_in.ctypes.data, out.ctypes.data
    text = BlockText(lambda address: (1, address - end) if end <= address < end + 64 else (0, address - start))
    call = loop_call(loop, (start, start, end), (8,), (4, 4, 4))
    copy = NativeCall(made.copy, (out, stand_in, 32, 20, 16, 2, 12))
    at = text.add([call, copy], release=True)
    frame = made.frame(text, [Check(WRITABLE, stand_in.dtype, (2, 4))], [at], [])
    x, y = np.arange(8, dtype=np.float32).reshape(2, 4), np.zeros(16, np.float32)
    others = (x.reshape(-1), x.astype(np.float64), x.reshape(4, 2).T, x.view(np.matrix), x.astype(np.int32))
    if any(frame.bind(other, y) for other in others) or not frame.bind(x, y):
        return False
    frame.pieces[0]()
    wanted = [*(x + x).reshape(-1), 0, 1, 2, 0, 0, 4, 5, 6]
    return y.tolist() == wanted


_meter: Final = Meter(0)
"""The cost of calls that the driver could make, over all plans."""

PROMOTION: Final = Promotion(_meter, source, _made)
"""The promotion of the driver, one per process."""


def block_driver(spent: float = 0.0) -> BlockDriver | None:
    """The driver; None if it is not compiled or the tier is off. spent: seconds just spent on calls it could make."""
    if not tier.on():
        return None
    if PROMOTION.code is None:
        _meter.seconds += spent
        return PROMOTION.code_for(0.0)
    return PROMOTION.code
