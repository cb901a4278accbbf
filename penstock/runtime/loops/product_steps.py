"""Products of matrices: by the loop of small products where that has the bits of BLAS, else by BLAS.

The loop of small products for code that calls it by its address: compiled loops, in which a product has no cost
but its own.

Which products the loop serves, and where it cuts their sums to have BLAS's bits, `small_products` knows.

Whether a product may read a transposed operand row-major: where BLAS then gives the same bits.

BLAS takes up to twice as long for a @ b.T as for a @ c where c is b.T in row-major order, if a has few rows. A loop
multiplies by the same b in each iteration, so one transpose at its beginning pays. A product of random numbers tells
whether the bits are the same: which kernel BLAS chooses, and in which order that adds, depends on the sizes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any, Final

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import float32, float64
from ..base.blas_threads import with_one_thread
from ..ir.scalar_ir import CannotLower
from ..ir.tiling import Shape
from ..kernels.loops.native_loops import find_at_once, native_call
from ..kernels.products.fast_matmul import product_of
from ..kernels.products.matrix_product_loop import panel_of, tiles_of
from ..kernels.products.small_products import Cut, is_served
from ..llvm.array_head import DATA
from ..llvm.jit_settings import SETTINGS
from .elementwise_steps import ElementwiseSteps
from .loop_code import PRODUCT, LoopCode
from .loop_values import InMemory, Known, Number, Pending, Value, dense, require_elements


class ProductSteps:
    """Writes products."""

    def __init__(self, code: LoopCode, elements: ElementwiseSteps) -> None:
        self._code = code
        self._elements = elements

    def matmul(self, place: str, a: Value, b: Value, *flags: bool) -> Value:
        """The product of two contiguous matrices of floats, or of batches of them.

        place: the address where it has to lie in the end, "" if that does not matter.
        """
        if len(a.shape) > 2 or len(b.shape) > 2:
            return self._batch(a, b, flags)
        made = self._product(a, b, None, flags, place)
        assert made is not None  # nothing is added
        return made[0]

    def _batch(self, a: Value, b: Value, flags: Sequence[bool]) -> Value:
        """The products of batches of matrices: one call of NumPy's loop, which goes over them."""
        (left, right), (m, n, p), strides, _ = self._operands(a, b, flags)
        batch = broadcast_batch(left.shape[:-2], right.shape[:-2])
        item = a.dtype.size
        made = self._code.intermediate(a.dtype, (*batch, m, p))
        steps = [0 if prod(each.shape[:-2]) == 1 else prod(each.shape[-2:]) * item for each in (left, right)]
        places = [(left.pointer, steps[0]), (right.pointer, steps[1]), (made.pointer, m * p * item)]
        self._code.call_numpy("matmul", [a.dtype] * 3, places, [prod(batch), m, n, p],
                              [*strides, p * item, item])  # fmt: skip
        return self._elements.number(made) if made.size == 1 else made

    def _operands(
        self, a: Value, b: Value, flags: Sequence[bool]
    ) -> tuple[tuple[InMemory, InMemory], tuple[int, int, int], list[int], tuple[bool, bool]]:
        """Two matrices, or batches of them; rows, sums and columns of their product; the strides of both as they are
        read; which of them are turned.
        """
        if a.dtype not in (float32, float64) or min(len(a.shape), len(b.shape)) < 2:
            raise CannotLower("a product of other values than matrices of floats")
        require_elements((*a.shape, *b.shape))
        left, right = self._elements.block(a), self._elements.block(b)
        if not (left.is_contiguous and right.is_contiguous):
            raise CannotLower("a product of matrices that are views")
        turns = bool(flags[0] or flags[2]), bool(flags[1] or flags[3])
        (m, n), strides = _turned(_matrix(left), turns[0])
        (k, p), more = _turned(_matrix(right), turns[1])
        if n != k:
            raise CannotLower("matrices whose sizes do not fit")
        return (left, right), (m, n, p), [*strides, *more], turns

    def matmul_plus(
        self, place: str, parts: int, more: Value, a: Value, b: Value, *flags: bool
    ) -> list[Value] | None:
        """The product plus a matrix or a row, added when a tile is stored; None where the loop does not serve it.

        place: the address where it has to lie in the end, "" if that does not matter.
        parts: into how many parts the columns are divided, each a contiguous matrix.
        """
        if isinstance(more, Pending | Known | Number) or not more.is_contiguous or more.dtype is not a.dtype:
            return None
        return self._product(a, b, more, flags, place, parts)

    def _product(
        self, a: Value, b: Value, plus: InMemory | None, flags: Sequence[bool], place: str, parts: int = 1
    ) -> list[Value] | None:
        if len(a.shape) != 2 or len(b.shape) != 2 or a.dtype not in (float32, float64):
            raise CannotLower("a product of other values than two matrices of floats")
        (left, right), (m, n, p), strides, (turns_a, turns_b) = self._operands(a, b, flags)
        turned = self._code.turned_capture(right) if turns_b else None
        can_be_tiles = turned is not None or not turns_b
        product = product_code(a.dtype.np, m, n, p, turns_a, turns_b) if can_be_tiles else None
        if plus is not None:
            if product is None or len(product.cut) > 2 or plus.shape not in ((m, p), (p,)):
                return None
            if p % parts or (p // parts) % product.panel:
                return None
        if turned is not None and (
            product is not None or has_the_same_bits(a.dtype.np.char, m, n, p, turns_a, turned.step)
        ):
            right = self._code.read_turned(right, turned)
            strides = [*strides[:2], *right.strides]
        how = ("NumPy" if product is None else "tiles") + (", and a sum" if plus is not None else "")
        self._code.text.add(f"product of {m}x{n} and {n}x{p} by {how}", deeper=1)
        if place and parts == 1:
            blocks = [dense(a.dtype, (m, p), place)]
        else:
            blocks = [self._code.intermediate(a.dtype, (m, p // parts)) for _ in range(parts)]
        if product is not None:
            self._by_tiles(product, (left, right), (n, p), blocks, strides[:2], plus)
        else:
            item = a.dtype.size
            self._code.call_numpy(
                "matmul", [a.dtype] * 3, [(left.pointer, 0), (right.pointer, 0), (blocks[0].pointer, 0)], [1, m, n, p],
                [*strides, p * item, item],
            )  # fmt: skip
        return [self._elements.number(block) if block.size == 1 else block for block in blocks]

    def _by_tiles(
        self, product: ProductCode, operands: tuple[InMemory, InMemory], sizes: Shape, parts: Sequence[InMemory],
        strides: Sequence[int], plus: InMemory | None,
    ) -> None:  # fmt: skip
        """Call the loop of small products, which takes array objects: memory with an address where theirs is."""
        code = self._code
        inner, columns = sizes
        item = operands[0].dtype.size
        code.parts.imports[product.name] = product.address
        takes = ", ".join(["ptr"] * 5 + ["i64"] * 12)
        code.declared[f"@{product.name}"] = f"declare i64 @{product.name}({takes})"
        a_row, a_column = (stride // item for stride in strides)
        b_row = operands[1].strides[0] // item
        heads = [code.cell(f"[{DATA + 8} x i8]") for _ in range(4)]
        self._point(heads[0], operands[0].pointer)
        for number, block in enumerate(parts):
            rows, width = block.shape
            code.spend(PRODUCT * rows * inner * width)
            skipped = number * width * item
            self._point(heads[1], code.offset(operands[1].pointer, skipped))
            self._point(heads[2], block.pointer)
            before, before_row = heads[2], width
            if plus is not None:
                before, before_row = heads[3], columns if len(plus.shape) == 2 else 0
                self._point(before, code.offset(plus.pointer, skipped))
            objects = ", ".join(f"ptr {head}" for head in (heads[2], *heads[:2], before, heads[2]))
            for section, (start, stop) in enumerate(pairwise(product.cut)):
                how = 1 if plus is None and not section else 0
                numbers = (0, product.tiles, product.larger, width, start, stop, a_row, a_column, b_row, width,
                           before_row, how)  # fmt: skip
                code.add(f"call i64 @{product.name}({objects}, {', '.join(f'i64 {n}' for n in numbers)})")

    def _point(self, head: str, pointer: str) -> None:
        self._code.add(f"store ptr {pointer}, ptr {self._code.offset(head, DATA)}")


def broadcast_batch(a: Shape, b: Shape) -> Shape:
    """The dimensions of the products of two batches, of which one is as large as both or a single matrix.

    Raises:
        CannotLower: the batches are repeated along some of several dimensions.
    """
    both = tuple(np.broadcast_shapes(a, b))
    if any(prod(each) not in (1, prod(both)) for each in (a, b)):
        raise CannotLower("a product of batches that are repeated along a dimension")
    return both


def _matrix(block: InMemory) -> InMemory:
    """The first matrix of a batch."""
    return dense(block.dtype, block.shape[-2:], block.pointer)


def _turned(block: InMemory, turns: bool) -> tuple[Shape, Shape]:
    block = dense(block.dtype, block.shape, block.pointer)
    return (block.shape[::-1], block.strides[::-1]) if turns else (block.shape, block.strides)


@dataclass(frozen=True, slots=True)
class ProductCode:
    """How code computes the products of one pair of shapes.

    Attributes:
        name: of the loop, for the module that calls it.
        address: of the loop.
        cut: where sums are cut.
        tiles: the number of tiles of rows.
        larger: how many of them have one row more.
        panel: the columns of a tile; the loop computes any number of such panels, and the rest that it is made for.
    """

    name: str
    address: int
    cut: Cut
    tiles: int
    larger: int
    panel: int


def product_code(dtype: Any, rows: int, inner: int, columns: int, turns_a: bool, turns_b: bool) -> ProductCode | None:
    """The loop for products of matrices of such sizes; None where BLAS is to compute them.

    turns_b: whether BLAS would read the right operand transposed, and has the bits that it then has. The loop gets a
        row-major copy.
    """
    if SETTINGS.why_off or not is_served((rows, inner, columns, turns_a, turns_b)):
        return None
    cut = product_of(dtype, (rows, inner), columns, turns_a, turns_b).cut_at_once()
    if not cut:
        return None
    kind, (tiles, each, larger) = f"f{dtype.itemsize}", tiles_of(rows)
    panel = panel_of(kind)
    rest = columns % panel
    loop = find_at_once("matrix_product", kind, each, rest)
    if loop is None:
        return None
    return ProductCode(f"product_{kind}_{each}_{rest}", native_call(loop).function, cut, tiles, larger, panel)


FEWEST: Final = 1 << 12
"""Multiplications below which nothing is gained."""


@lru_cache(maxsize=256)
def has_the_same_bits(kind: str, rows: int, inner: int, columns: int, turns_left: bool, step: int = 0) -> bool:
    """Whether a product with a transposed right operand has the bits of that with a row-major one.

    Args:
        kind: the dtype of the operands.
        rows: of the product.
        inner: the length of the sums.
        columns: of the product.
        turns_left: whether the left operand is transposed, too.
        step: from one row of the row-major operand to the next, in elements; 0 for the number of columns.
    """
    if rows * inner * columns < FEWEST or rows == 1 or columns == 1:
        return False  # one row or column is a product of a matrix and a vector, with kernels of its own
    random = np.random.default_rng(1)
    left = random.standard_normal((inner, rows) if turns_left else (rows, inner)).astype(kind)
    right = random.standard_normal((columns, inner)).astype(kind)
    a = left.T if turns_left else left
    turned = with_one_thread(np.matmul, a, right.T)
    wide = np.empty((inner, max(step, columns)), kind)
    wide[:, :columns] = right.T
    plain = with_one_thread(np.matmul, a, wide[:, :columns])
    return bool(turned.tobytes() == plain.tobytes())
