"""Random nests with operands in random layouts, and their definition: NumPy's functions in the order of a GPU.

A step has NumPy's bits on a GPU, so that a nest has them too once its totals are combined in the order of the kernel:
each lane its own elements one after the other, then lanes in halves, then warps, then pieces of a row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from penstock.graph.shapes.dtypes import DType, as_dtype
from penstock.runtime.ir.fused_ir import Value
from penstock.runtime.ir.nest_ir import ELEMENT, ROW, Load, Nest, Node, RowReduction, Store
from penstock.runtime.ir.nest_verifier import verify_nest
from penstock.runtime.ir.scalar_ir import HALVES, Literal, ScalarStep

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3e9, 1e20, 0.5, -2.5, 1e-40, 65520.0, 300.0]
DTYPES = ("float32", "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "uint32", "int64",
          "uint64", "bool", "complex64", "complex128")  # fmt: skip
_FLOAT = ("add", "subtract", "multiply", "true_divide", "maximum", "minimum")
_FLOAT_ONE = ("negative", "absolute", "sqrt", "square", "floor", "isnan", "sign")
_INT = ("add", "subtract", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_xor")
_BOOL = ("logical_and", "logical_or", "logical_xor")
_COMPLEX = ("add", "subtract", "multiply", "true_divide")
_COMPARED = ("equal", "not_equal", "less", "greater_equal")
SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 16, 33)


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Any:
    """Random numbers, the special ones among them."""
    if dtype.is_bool:
        return rng.random(shape) > 0.5
    if dtype.is_integer:
        wide = rng.integers(dtype.min, dtype.max, shape, dtype.np, endpoint=True)
        return wide if rng.random() < 0.5 else (wide % 7).astype(dtype.np)
    if dtype.is_complex:
        z = np.empty(shape, dtype.np)
        z.real, z.imag = numbers(rng, shape, dtype.real_dtype), numbers(rng, shape, dtype.real_dtype)
        return z
    x = rng.standard_normal(shape) * 3
    if rng.random() < 0.5:
        x = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), x)
    with np.errstate(all="ignore"):
        return x.astype(dtype.np)


def as_on_a_card(x: Any) -> Any:
    """The array, in which zeros replace what a card takes for zero: CuPy compiles with -ftz=true, so that float32
    begins at 2**-126 there. float16 is computed in float32, which holds all of it."""
    if x.dtype == np.complex64:
        as_on_a_card(x.real)
        as_on_a_card(x.imag)
    elif x.dtype in (np.float32, as_dtype("bfloat16").np):
        with np.errstate(invalid="ignore"):
            x[...] = np.where(np.abs(x) < np.finfo("f4").tiny, np.copysign(np.zeros((), x.dtype), x), x)
    return x


def laid_out(rng: np.random.Generator, x: Any) -> Any:
    """The same numbers: contiguous, as every second one, reversed, with axes turned, or off the grid of 16 bytes."""
    how = rng.integers(6)
    if how == 0 and x.ndim:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if how == 1 and x.ndim:
        axis = int(rng.integers(x.ndim))
        return np.flip(np.flip(x, axis).copy(), axis)
    if how == 2:
        return x.T.copy().T
    if how == 3:
        flat = np.empty(x.size + 1, x.dtype)
        flat[1:] = x.reshape(-1)
        return flat[1:].reshape(x.shape)
    return x


@dataclass
class RandomNest:
    """A nest and arrays for its loads.

    Attributes:
        whole: the shape of its elements.
        axes: how many of the last axes make a row.
        nest: the nest.
        arrays: the operands.
        is_turned: it has no reductions, and most of its operands lie along another axis than its results.
    """

    seed: int
    is_turned: bool = False
    whole: tuple[int, ...] = ()
    axes: int = 0
    nest: Nest = field(default_factory=lambda: Nest((), ()))
    arrays: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = self.rng = np.random.default_rng(self.seed)
        outer, inner = int(rng.integers(4)), int(rng.integers(1, 4))
        self.whole = tuple(int(rng.choice(SIZES)) for _ in range(outer + inner))
        while prod(self.whole) > 20_000:
            self.whole = tuple(max(1, d // 2) for d in self.whole)
        shape = rng.integers(8)
        if shape == 0:  # few long rows
            self.whole, inner = (int(rng.integers(1, 4)), int(rng.integers(5_000, 30_000))), 1
        elif shape == 1:  # many short ones
            self.whole, inner = (int(rng.integers(2_200, 2_600)), int(rng.integers(1, 40))), 1
        elif shape == 2:
            self.whole, inner = (int(rng.integers(1, 9)), int(rng.integers(100, 900))), 1
        self.axes = inner
        self.nodes: list[Node] = []
        self.reduces = shape == 0 or rng.random() < 0.8
        self.has_one_level = bool(shape == 0 and rng.random() < 0.7)  # blocks share its rows
        if self.is_turned:
            self.whole, self.axes, self.reduces = tuple(rng.choice((2, 3, 7, 16, 33, 40), 1 + outer).tolist()), 1, False
            if outer > 2:
                self.whole = self.whole[:3]
        elif not self.reduces and rng.random() < 0.6:
            self.whole, self.axes = (int(rng.integers(1, 3_000)),), 1
        self._loads()
        self._steps(int(rng.integers(2, 9)))
        if self.reduces:
            for _ in range(1 if self.has_one_level else int(rng.integers(1, 4))):
                self._reduction()
                self._steps(0 if self.has_one_level else int(rng.integers(1, 6)))
        self.nest = Nest(tuple(self.nodes), self._stores())
        verify_nest(self.nest)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return prod(self.whole[: len(self.whole) - self.axes])

    @property
    def count(self) -> int:
        """The elements of a row."""
        return prod(self.whole[len(self.whole) - self.axes :])

    def _loads(self) -> None:
        rng, outer = self.rng, len(self.whole) - self.axes
        pool = [as_dtype(str(rng.choice(DTYPES))) for _ in range(int(rng.integers(1, 3)))]
        for k in range(int(rng.integers(1, 5))):
            axes = str(rng.choice(["ij", "ij", "i", "j", ""])) if k else "ij"
            axes = axes if self.reduces else "ij"
            shape = [d if (ROW if i < outer else ELEMENT) in axes else 1 for i, d in enumerate(self.whole)]
            if k and axes == "ij" and rng.random() < 0.3:
                shape[int(rng.integers(len(shape)))] = 1
            dtype = pool[int(rng.integers(len(pool)))]
            self.nodes.append(Load(k, axes, dtype, len(self.whole)))
            x = numbers(rng, tuple(shape), dtype)
            turn = self.is_turned and k != 1
            self.arrays.append(x.swapaxes(0, -1).copy().swapaxes(0, -1) if turn else laid_out(rng, x))

    def _values(self, wanted: Any) -> list[Value]:
        nest = Nest(tuple(self.nodes), ())
        return [Value(v) for v in range(len(self.nodes)) if wanted(nest.nodes[v].dtype)]

    def _pick(self, values: list[Value]) -> Value:
        late = values[-3:] if self.rng.random() < 0.6 else values
        return late[int(self.rng.integers(len(late)))]

    def _steps(self, count: int) -> None:
        for _ in range(count):
            self._step()

    def _step(self) -> None:
        rng = self.rng
        x = self._pick(self._values(lambda d: True))
        dtype = self.nodes[x].dtype
        if dtype in HALVES:
            self.nodes.append(ScalarStep("astype", (x,), as_dtype("float32")))
            return
        same = [*self._values(lambda d: d is dtype)]
        y: Any = self._pick(same)
        if rng.random() < 0.2:
            y = Literal(dtype, numbers(rng, (1,), dtype).tobytes())
        kind = rng.random()
        if kind < 0.15 and not dtype.is_complex and not dtype.is_bool:
            self.nodes.append(ScalarStep(str(rng.choice(_COMPARED)), (x, y), as_dtype("bool")))
        elif kind < 0.3 and self._values(lambda d: d.is_bool):
            self.nodes.append(ScalarStep("where", (self._pick(self._values(lambda d: d.is_bool)), x, y), dtype))
        elif kind < 0.4 and not dtype.is_complex:
            target = as_dtype(str(rng.choice(["float32", "float64", "bool", "float16"])))
            if target is not dtype and (target is not as_dtype("float16") or dtype is as_dtype("float32")):
                self.nodes.append(ScalarStep("astype", (x,), target))
        elif dtype.is_bool:
            self.nodes.append(ScalarStep(str(rng.choice(_BOOL)), (x, y), dtype))
        elif dtype.is_integer:
            self.nodes.append(ScalarStep(str(rng.choice(_INT)), (x, y), dtype))
        elif dtype.is_complex and kind < 0.6:
            self.nodes.append(ScalarStep(str(rng.choice(["real", "imag"])), (x,), dtype.real_dtype))
        elif dtype.is_complex:
            self.nodes.append(ScalarStep(str(rng.choice(_COMPLEX)), (x, y), dtype))
        elif kind < 0.6:
            name = str(rng.choice(_FLOAT_ONE))
            self.nodes.append(ScalarStep(name, (x,), as_dtype("bool") if name == "isnan" else dtype))
        else:
            self.nodes.append(ScalarStep(str(rng.choice(_FLOAT)), (x, y), dtype))

    def _reduction(self) -> None:
        axes = Nest(tuple(self.nodes), ()).axes()
        values = [v for v in self._values(lambda d: d not in HALVES and not d.is_complex) if ELEMENT in axes[v]]
        if not values:  # the first load lies along both axes
            dtype = self.nodes[0].dtype
            name, kind = ("real", dtype.real_dtype) if dtype.is_complex else ("astype", as_dtype("float32"))
            self.nodes.append(ScalarStep(name, (Value(0),), kind))
            values = [Value(len(self.nodes) - 1)]
        x = self._pick(values)
        dtype = self.nodes[x].dtype
        names = _BOOL[:2] if dtype.is_bool else ("add", "maximum", "minimum", "multiply")
        self.nodes.append(RowReduction(str(self.rng.choice(names)), x, ELEMENT, dtype))

    def _stores(self) -> tuple[Store, ...]:
        axes = Nest(tuple(self.nodes), ()).axes()
        last = list(range(len(self.nodes)))[-4:]
        chosen = sorted(set(self.rng.choice(last, min(len(last), int(self.rng.integers(1, 4)))).tolist()))
        if not self.reduces:
            return tuple([Store(k, "ij", Value(v)) for k, v in enumerate(chosen)])
        reductions = [v for v, node in enumerate(self.nodes) if isinstance(node, RowReduction)]
        chosen = sorted({*chosen, *([] if any(isinstance(self.nodes[v], RowReduction) for v in chosen)
                                    else reductions[-1:])})  # fmt: skip
        return tuple([
            Store(k, "ij" if ELEMENT in axes[v] or self.rng.random() < 0.2 else "i", Value(v))
            for k, v in enumerate(chosen)
        ])  # fmt: skip

    def operands(self) -> list[Any]:
        """The operands as `by_numpy` takes them."""
        outer, found = len(self.whole) - self.axes, []
        for node, x in zip(self.nodes, self.arrays, strict=False):
            assert isinstance(node, Load)  # the loads are first
            rows = self.whole[:outer] if ROW in node.axes else (1,) * outer
            inner = self.whole[outer:] if ELEMENT in node.axes else (1,) * self.axes
            shape = [n for axis, n in ((ROW, self.rows), (ELEMENT, self.count)) if axis in node.axes]
            found.append(np.broadcast_to(x, rows + inner).reshape(shape))
        return found


def in_the_order_of_a_gpu(ufunc: Any, table: Any, first: Any, lanes: int, width: int, pieces: int) -> Any:
    """Each row of a table combined as a kernel does: with so many lanes, elements at a time and pieces of a row."""
    count = table.shape[1]
    if pieces == 1:
        return _total(ufunc, _lanes(ufunc, table, first, lanes, width), lanes)[:, None]
    unit = lanes * width
    span = -(-count // (unit * pieces)) * unit
    parts = [_total(ufunc, _lanes(ufunc, table[:, k * span : (k + 1) * span], first, lanes, width), lanes)
             for k in range(pieces)]  # fmt: skip
    return _total(ufunc, _lanes(ufunc, np.stack(parts, 1), first, lanes, 1), lanes)[:, None]


def _lanes(ufunc: Any, table: Any, first: Any, lanes: int, width: int) -> Any:
    """The totals that the lanes of each row have."""
    rows, count = table.shape
    totals = np.full((rows, lanes), first, table.dtype)
    for start in range(0, count, lanes * width):
        for e in range(width):
            own = table[:, start + e : start + lanes * width : width]
            totals[:, : own.shape[1]] = ufunc(totals[:, : own.shape[1]], own)
    return totals


def _total(ufunc: Any, totals: Any, lanes: int) -> Any:
    """The lanes of a warp in halves, then the warps one after the other."""
    by = min(32, lanes) // 2
    warps = totals.reshape(len(totals), -1, min(32, lanes)).copy()
    while by:
        warps[:, :, :by] = ufunc(warps[:, :, :by], warps[:, :, by : 2 * by])
        by //= 2
    found = warps[:, 0, 0]
    for w in range(1, warps.shape[1]):
        found = ufunc(found, warps[:, w, 0])
    return found
