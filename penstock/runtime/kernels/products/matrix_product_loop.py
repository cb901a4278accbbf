"""The loop of matrix products: tiles of the result are summed up in registers, straight from both matrices.

    out[i, j] = a[i, 0] * b[0, j], then + a[i, k] * b[k, j] for each further k, each with one rounding (fma)

A tile is up to 12 rows times two vectors of columns. For each k it loads two vectors of b, and multiplies them by one
number of a for each row. Nothing is packed: b is row-major, and the columns of b that one tile reads stay in the second
cache for the rows that follow; a may have any strides, so a transposed one costs the same.

A library for large matrices packs both operands first, which products of few rows cannot make up for. GFLOP/s of
NumPy's BLAS (OpenBLAS 0.3.30) and of this loop, float32, one thread of a Zen 5 server: 32x784x256 141 and 241,
32x256x256 158 and 242, 128x784x256 216 and 264, 784x128x256 with a transposed a 242 and 266, 64x256x512 196 and 258.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ...llvm.toolchain import features
from ..convolution.vector_code import Int, Machine, Values, VectorCode
from ..loops.loop_template import template

MOST_ROWS: Final = 12
"""Rows of the largest tile: 24 sums, two vectors of b and one number of a fit into 32 registers."""
_MACHINE: Final = Machine(64, 32, has_fma=True)
_ARRAYS: Final = ("%o", "%a", "%b", "%c", "%d")
_NUMBERS: Final = ("%row", "%tiles", "%larger", "%columns", "%from", "%to", "%ar", "%ac", "%br", "%or", "%cr", "%how")
_PREFETCH: Final = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n"


@template("matrix_product", "aaaaaiiiiiiiiiiii", saves=3e-12)  # the work is the multiplications
def matrix_product_loop(kind: str, rows: int, rest: int) -> tuple[str, str]:
    """loop(out, a, b, c, d, row, tiles, larger, columns, from, to, a_row, a_col, b_row, out_row, c_row, how) -> 0.

    With s, the sum of products of k in [from, to), it writes to `tiles` tiles of rows of `out` from `row` on: s if
    `how` is 1, c + s if it is 0, and c - s * d, d being one number, if it is 2. c may be `out`, or one row for all
    (c_row is 0). Strides are in elements.

    kind: "f4" or "f8". rows: of a tile; the first `larger` tiles have one more. rest: the columns beyond whole panels
    of two vectors.
    """
    e, panel = VectorCode(kind, _MACHINE), panel_of(kind)
    depth, number, whole = e.sub("%to", "%from"), e.spread("%d"), e.sub("%columns", rest)
    a = e.at("%a", e.add(e.mul("%from", "%ac"), e.mul("%row", "%ar")))
    b, o, c = (e.at(base, e.mul(*step)) for base, *step in (
        ("%b", "%from", "%br"), ("%o", "%row", "%or"), ("%c", "%row", "%cr")))  # fmt: skip

    def panel_at(width: int, j: Int, _: Values) -> None:
        """All tiles of a few columns, one below the other."""
        b_j, o_j, c_j = (e.at(base, j) for base in (b, o, c))

        def tile_at(i: Int, _: Values) -> None:
            first = e.add(e.mul(i, rows), e.min(i, "%larger"))
            a_i, o_i, c_i = (e.at(base, e.mul(first, step)) for base, step in ((a, "%ar"), (o_j, "%or"), (c_j, "%cr")))
            tile = partial(_tile, e, width, (a_i, b_j, o_i, c_i), depth, number)
            e.when(e.is_less(i, "%larger"), partial(tile, rows + 1), partial(tile, rows))

        e.loop(0, "%tiles", tile_at)

    e.loop(0, whole, partial(panel_at, panel), step=panel)
    if rest:
        panel_at(rest, whole, [])
    text = e.module("matrix_product", _ARRAYS, _NUMBERS, may_overlap=True, is_final=False)
    return _PREFETCH + text, "matrix_product"


def tiles_of(rows: int) -> tuple[int, int, int]:
    """How so many rows are divided: the number of tiles, the rows of a tile, and how many tiles have one row more.

    Where all are equal, all are said to have one more: 156 rows, which are 13 tiles of 12, share the code of 128.
    """
    tiles = -(-rows // MOST_ROWS)
    each = (rows - 1) // tiles
    return tiles, each, rows - tiles * each


def has_tiles() -> bool:
    """Whether tiles of this size fit into the vector registers: 32 of 64 bytes."""
    return "avx512f" in features()


def panel_of(kind: str) -> int:
    """The columns of a panel."""
    return 2 * _MACHINE.lanes(kind)


def _tile(e: VectorCode, width: int, places: tuple[str, str, str, str], depth: Int, number: str, height: int) -> None:
    """A tile: the sums stay in registers until all k are added.

    places: where its rows begin in a, its columns in b, and the tile in the result and in what is added.
    """
    a, b, o, c = places
    masks = [e.mask(width - at) if width - at < e.lanes else None for at in range(0, width, e.lanes)]
    vectors = list(enumerate(masks))
    rows, outs, olds = ([e.at(base, e.mul(step, r)) for r in range(height)]
                        for base, step in ((a, "%ar"), (o, "%or"), (c, "%cr")))  # fmt: skip

    def fetch() -> None:
        # What is added comes from memory while the sums are computed: the processor does not fetch 12 pieces of 128
        # bytes ahead. 50 products of 32x128x512, each with another matrix of 64 KiB, in a loop: 2.5 ms instead of 2.8.
        for old in olds:
            for v, _ in vectors:
                e.do(f"call void @llvm.prefetch.p0(ptr {e.at(old, v * e.lanes)}, i32 0, i32 3, i32 1)")

    def add(k: Int, sums: Values) -> Values:
        here = e.at(b, e.mul(k, "%br"))
        factors = [e.load(e.at(here, v * e.lanes), mask) for v, mask in vectors]
        numbers = [e.spread(e.at(row, e.mul(k, "%ac"))) for row in rows]
        products = [(x, factor) for x in numbers for factor in factors]
        return [e.plus_product(x, factor, total) for (x, factor), total in zip(products, sums, strict=True)]

    def store(how: str) -> None:
        """how: "" for the sum, "fadd" for what is there plus the sum, "fsub" for it minus the sum times the number."""
        for r in range(height):
            for v, mask in vectors:
                total = e.plus(sums[r * len(masks) + v], "zeroinitializer")  # BLAS adds to zeros: no -0.0
                if how == "fsub":
                    total = e.value(f"fmul {e.vector} {total}, {number}")
                if how:
                    total = e.value(f"{how} {e.vector} {e.load(e.at(olds[r], v * e.lanes), mask)}, {total}")
                e.store(total, e.at(outs[r], v * e.lanes), mask)

    is_new = e.value("icmp eq i64 %how, 1")
    e.when(is_new, lambda: None, fetch)
    sums = e.loop(0, depth, add, ["zeroinitializer"] * (height * len(masks)))
    is_less = e.value("icmp eq i64 %how, 2")
    e.when(is_new, partial(store, ""), lambda: e.when(is_less, partial(store, "fsub"), partial(store, "fadd")))
