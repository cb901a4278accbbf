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
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from . import tier
from .array_head import DATA
from .block_driver_code import CHOICES, COUNTS, NAMES, driver_text
from .capsule_functions import SEVERAL_ARGUMENTS, CapsuleFunctions, checked, imports
from .native_calls import Address, Addresses, Array, NativeCall, Numbers, loop_call
from .promotion import Meter, Promotion
from .toolchain import Library
from .ufunc_loops import numpy_loop

DENSE: Final = 0x101
"""NumPy's flags of a contiguous (0x1) and aligned (0x100) array."""
WRITABLE: Final = 0x501
"""The flags of one that may be written, too (0x400)."""

class CannotWrite(Exception):
    """A call has an argument that a program cannot hold."""


Place: TypeAlias = Callable[[int], "tuple[int, int] | None"]
"""An address -> (number of the argument of `bind`, offset); None if the address stays what it is."""


def _nowhere(address: int) -> None:
    """The place of an address in a program that is written."""


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

    def let_go(self, starts: Sequence[int], release: bool) -> None:
        """Whether the pieces that begin at these words let other threads run Python, in frames made from now on."""
        for start in starts:
            self.words[start + 1] = int(release)

    def end(self) -> None:
        """Forget where things are: the program is written, and what knows the places may hold arrays."""
        self._place = _nowhere
        self._arrays.clear()

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


class BlockDriver:
    """Makes frames."""

    def __init__(self, library: Library) -> None:
        self._binds = CapsuleFunctions(library, "penstock_bind", SEVERAL_ARGUMENTS)
        self._drives = CapsuleFunctions(library, "penstock_drive_block")
        self.copy = library["penstock_copy"]
        self.choices = {size: library[name] for size, name in CHOICES.items()}

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
        drives = [tuple([self._drives(base + 8 * at) for at in each]) for each in (pieces, writes)]
        kept = (words, moves, rows, head, [check.dtype for check in checks])
        return BlockFrame(self._binds(head.ctypes.data), drives[0], drives[1], kept)


def source() -> tier.ModuleSource:
    """The source of the driver."""
    objects = {"true": id(True), "false": id(False), "ndarray": id(np.ndarray)}
    memmove = ctypes.cast(ctypes.memmove, ctypes.c_void_p).value or 0
    return tier.ModuleSource(driver_text(), NAMES, imports() | objects | {"memmove": memmove})


def _works(driver: BlockDriver) -> bool:
    """True if the driver adds numbers, copies rows, and refuses arrays of other kinds."""
    loop = numpy_loop("add", "ff->f")
    if loop is None:
        return False
    stand_in, out = np.zeros((2, 4), np.float32), np.zeros(16, np.float32)
    start, end = stand_in.ctypes.data, out.ctypes.data
    text = BlockText(lambda address: (1, address - end) if end <= address < end + 64 else (0, address - start))
    call = loop_call(loop, (start, start, end), (8,), (4, 4, 4))
    copy = NativeCall(driver.copy, (out, stand_in, 32, 20, 16, 2, 12))
    at = text.add([call, copy], release=True)
    frame = driver.frame(text, [Check(WRITABLE, stand_in.dtype, (2, 4))], [at], [])
    x, y = np.arange(8, dtype=np.float32).reshape(2, 4), np.zeros(16, np.float32)
    others = (x.reshape(-1), x.astype(np.float64), x.reshape(4, 2).T, x.view(np.matrix), x.astype(np.int32))
    if any(frame.bind(other, y) for other in others) or not frame.bind(x, y):
        return False
    frame.pieces[0]()
    wanted = [*(x + x).reshape(-1), 0, 1, 2, 0, 0, 4, 5, 6]
    return y.tolist() == wanted


_meter: Final = Meter(0)
"""The cost of calls that the driver could make, over all plans."""

PROMOTION: Final = Promotion(_meter, source, checked(BlockDriver, _works), is_urgent=True)
"""The promotion of the driver, one per process."""


def block_driver(spent: float = 0.0) -> BlockDriver | None:
    """The driver; None if it is not compiled or the tier is off. spent: seconds just spent on calls it could make."""
    return PROMOTION.code_after(spent)
