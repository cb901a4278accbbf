"""The loop of small products for code that calls it by its address: compiled loops, in which a product has no cost
but its own.

Which products the loop serves, and where it cuts their sums to have BLAS's bits, `small_products` knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...llvm.jit_settings import SETTINGS
from ..loops.native_loops import find_at_once, native_call
from .fast_matmul import product_of
from .matrix_product_loop import MOST_ROWS, panel_of
from .small_products import Cut, is_served


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
    kind, tiles = f"f{dtype.itemsize}", -(-rows // MOST_ROWS)
    each, larger = divmod(rows, tiles)
    panel = panel_of(kind)
    rest = columns % panel
    loop = find_at_once("matrix_product", kind, each, rest)
    if loop is None:
        return None
    return ProductCode(f"product_{kind}_{each}_{rest}", native_call(loop).function, cut, tiles, larger, panel)
