"""Random programs that reduce rows and compute from the reductions, so that they become nests.

A program has arrays of one shape, arrays that broadcast to it, reductions over its last axes, and elementwise ops of
all these. Arrays come in any layout and hold unusual numbers too.

One program in three differentiates something with respect to what is fed, so it has gradients of broadcasts and of
reductions, and in half of these nothing tells the graph a shape: only the plan for the shapes of a run knows them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

import penstock as tf

Array = np.ndarray[Any, Any]
Form = Literal["drawn", "known", "sizes", "nothing"]
"""What the placeholders tell: some sizes as the seed says, all of them, the rank alone, nothing."""
DTYPES = (
    *["float32"] * 5, *["float64"] * 3, "int32", "float16", "bfloat16", "complex64", "complex128", "int64", "uint8",
)  # fmt: skip
WIDTHS = (1, 2, 3, 7, 8, 9, 10, 13, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 511, 513, 1000, 2049, 32768, 40000)
LENGTHS = (1, 2, 3, 5, 7, 15, 16, 17, 33, 100)
LARGEST = 300_000
"""The most elements of an array, but for one program of fifty: its arrays may be larger than the caches."""
UNUSUAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0)
_REDUCTIONS = {"sum": tf.reduce_sum, "mean": tf.reduce_mean, "prod": tf.reduce_prod,
               "max": tf.reduce_max, "min": tf.reduce_min}  # fmt: skip
_FUNCTIONS = ("exp", "tanh", "square", "neg", "abs", "sigmoid", "sqrt", "log", "zeros_like", "sign", "floor")


class NestProgram:
    """The program of a seed: `graph`, `fetches`, `feeds`, and `others` of other sizes.

    `form`: what its placeholders tell, instead of what the seed says.
    """

    def __init__(self, seed: int, form: Form = "drawn") -> None:
        self.seed = seed
        self._form: Form = "nothing" if form == "drawn" and seed % 6 == 5 else form
        self._chance = random.Random(seed)
        self._rng = np.random.default_rng(seed)
        chance = self._chance
        self.dtype = chance.choice(DTYPES)
        self.axes = chance.choice((1, 1, 1, 2))
        rank = self.axes + chance.choice((1, 1, 1, 2))
        self.shape = [chance.choice(LENGTHS) for _ in range(rank - 1)] + [chance.choice(WIDTHS)]
        while np.prod(self.shape) > (LARGEST if seed % 50 else 12 * LARGEST):
            self.shape[int(np.argmax(self.shape[:-1]))] = 1
        if chance.random() < 0.03:
            self.shape[chance.randrange(rank)] = 0
        self._is_open = chance.random() < 0.3
        self.feeds: dict[Any, Array] = {}
        self._sizes: dict[Any, tuple[int, ...]] = {}
        self._labels: list[Any] = []
        self._values: dict[str, list[Any]] = {"full": [], "kept": [], "row": [], "side": []}
        with tf.Graph().as_default() as self.graph:
            made = self._build()
            slopes = self._gradients(made) if self.has_gradients(seed) else []
        some = chance.sample(made, min(len(made), chance.randint(1, 4)))
        self.fetches = list(dict.fromkeys([*some, made[-1], *slopes]))
        self.others = self._other_feeds()

    @staticmethod
    def has_gradients(seed: int) -> bool:
        """Whether the program of a seed differentiates something."""
        return seed % 3 == 2

    def __str__(self) -> str:
        nodes = "\n".join(f"    {op.type}({', '.join([t.name for t in op.inputs])}) {op.name}"
                          for op in self.graph.get_operations())  # fmt: skip
        fetched = ", ".join([t.name for t in self.fetches])
        return f"seed {self.seed}: {self.dtype} {self.shape}, {self.axes} axes\n{nodes}\n    fetch {fetched}"

    # ---- nodes --------------------------------------------------------------------------------

    def _build(self) -> list[Any]:
        chance, values = self._chance, self._values
        values["full"] = [self._fed(self.shape) for _ in range(chance.randint(1, 2))]
        for _ in range(chance.randint(0, 2)):
            shape = [1 if chance.random() < 0.5 else size for size in self.shape]
            values["side"].append(self._fed(shape[chance.randint(0, len(shape)) :]))
        made = []
        for _ in range(chance.randint(3, 12)):
            choice = chance.random()
            if choice < 0.3:
                made += self._reduction()
            elif choice < 0.38 and self.axes == 1 and self.dtype.startswith(("float", "bfloat")):
                made += self._op_of_rows()
            elif choice < 0.4 and values["row"]:
                made.append(self._of_rows())
            else:
                made.append(self._elementwise())
        return made

    def _reduction(self) -> list[Any]:
        """A reduction, now and then in two ways: as a sum and as a mean, with the reduced axes and without them."""
        chance = self._chance
        names = ("sum", "mean", "prod") if self.dtype.startswith("complex") else tuple(_REDUCTIONS)
        keep = chance.random() < 0.8
        of = self._values["kept" if self._values["kept"] and chance.random() < 0.1 else "full"]
        rank = len(self.shape)
        columns = chance.random() < 0.25
        reduced = range(rank - self.axes) if columns else range(rank - self.axes, rank)
        axes = [chance.choice((axis, axis - rank)) for axis in reduced]
        name, operand = chance.choice(names), chance.choice(of)
        made = [_REDUCTIONS[name](operand, axes, keepdims=keep)]
        kept = [1 if axis in reduced else size for axis, size in enumerate(self._sizes[operand])]
        left = [size for axis, size in enumerate(kept) if axis not in reduced]
        self._has_sizes(made[0], kept if keep else left)
        self._values["side" if columns else "kept" if keep else "row"] += made
        if chance.random() < 0.25:
            other = chance.choice({"sum": ("mean", "sum"), "mean": ("sum",)}.get(name, (name,)))
            made.append(_REDUCTIONS[other](operand, axes, keepdims=not keep if other == name else keep))
        return made

    def _op_of_rows(self) -> list[Any]:
        """An op that computes rows by itself, and its further results."""
        chance, values = self._chance, self._values
        x = chance.choice(values["full"])
        kind = chance.choice(("softmax", "log_softmax", "argmax", "entropy", "sparse"))
        if kind == "argmax":
            return [tf.argmax(x, chance.choice((-1, len(self.shape) - 1)))]
        is_matrix = len(self.shape) == 2 and x.dtype.size > 2  # 16-bit logits are cast by the call
        if kind == "sparse" and is_matrix:
            labels = tf.placeholder(tf.int32, self.shape[:1] if self._form == "known" else [None])
            self._labels.append(labels)
            self.feeds[labels] = self._classes(*self.shape)
            made = _results(tf.nn.sparse_softmax_cross_entropy_with_logits(x, labels))
        elif kind == "entropy" and is_matrix:
            made = _results(tf.nn.softmax_cross_entropy_with_logits(x, chance.choice(values["full"])))
        else:
            made = ((tf.nn.softmax if kind == "softmax" else tf.nn.log_softmax)(x),)
        if len(made) == 2:
            values["row"].append(self._has_sizes(made[0], self.shape[:-1]))
        values["full"].append(self._has_sizes(made[-1], self.shape))
        return list(made)

    def _of_rows(self) -> Any:
        """Something computed from numbers of rows without the reduced axes, or such a number with these axes again."""
        chance, values = self._chance, self._values
        x = chance.choice(values["row"])
        if chance.random() < 0.4:
            sizes = self._sizes[x]
            for _ in range(self.axes):
                x = tf.expand_dims(x, -1)
            values["kept"].append(self._has_sizes(x, [*sizes, *[1] * self.axes]))
            return x
        made = self._function(x) if chance.random() < 0.5 else tf.add(x, chance.choice(values["row"]))
        values["row"].append(self._has_sizes(made, self._sizes[x]))
        return made

    def _elementwise(self) -> Any:
        chance, values = self._chance, self._values
        every = values["full"] + values["kept"] + values["side"]
        x = chance.choice(values["full"] if values["kept"] and chance.random() < 0.6 else every)
        other = x
        if chance.random() < 0.35:
            made = self._function(x)
        elif chance.random() < 0.08 and x in values["full"] and self.dtype != "uint8":
            made = tf.cumsum(x, chance.randrange(len(self.shape)))  # in no group: what depends on it stays behind
        else:
            ops = [tf.add, tf.subtract, tf.multiply]
            if self.dtype.startswith(("float", "bfloat")):
                ops += [tf.maximum, tf.divide, tf.squared_difference, tf.pow if chance.random() < 0.05 else tf.add]
            other = chance.choice(values["kept"] if values["kept"] and chance.random() < 0.6 else every)
            made = chance.choice(ops)(x, other)
        self._sort_in(made, x, other)
        return made

    def _function(self, x: Any) -> Any:
        if self.dtype.startswith("complex"):
            return getattr(tf, self._chance.choice(("exp", "square", "neg")))(x)
        if not self.dtype.startswith(("float", "bfloat")):
            return getattr(tf, self._chance.choice(("square", "neg") if self.dtype != "uint8" else ("square",)))(x)
        return getattr(tf, self._chance.choice(_FUNCTIONS))(x)

    def _gradients(self, results: list[Any]) -> list[Any]:
        """Of something that depends on what is fed, with respect to all that it depends on."""
        if not self.dtype.startswith(("float", "bfloat")):
            return []
        others = random.Random(self.seed)  # the other draws, and so the programs of other seeds, stay as they are
        of = [others.choice(results), results[-1]]
        fed = [x for x in self.feeds if x not in self._labels]
        return [each for each in tf.gradients([y for y in of if y.dtype == self.dtype], fed) if each is not None]

    def _sort_in(self, made: Any, *operands: Any) -> None:
        self._sizes[made] = np.broadcast_shapes(*[self._sizes[each] for each in operands])
        known = made.shape.as_list() if self._form == "drawn" else list(self._sizes[made])
        if len(known) != len(self.shape):
            return
        outer = len(known) - self.axes
        if all(size in (None, real) for size, real in zip(known, self.shape, strict=True)):
            self._values["full"].append(made)
        elif all(size == 1 for size in known[outer:]):
            self._values["kept"].append(made)

    def _has_sizes(self, tensor: Any, sizes: Sequence[int]) -> Any:
        self._sizes[tensor] = tuple(sizes)
        return tensor

    # ---- feeds --------------------------------------------------------------------------------

    def _fed(self, shape: list[int]) -> Any:
        unknown = 1.0 if self._is_open else 0.3
        drawn = [None if self._chance.random() < unknown else size for size in shape]
        told: Any = {"drawn": drawn, "known": shape, "sizes": [None] * len(shape), "nothing": None}[self._form]
        tensor = tf.placeholder(self.dtype, told)
        self.feeds[tensor] = self._laid_out(self._numbers(shape))
        return self._has_sizes(tensor, shape)

    def _other_feeds(self) -> dict[Any, Array] | None:
        """Feeds of other sizes; None if the placeholders do not take any."""
        if not self._is_open or self._form == "known":
            return None
        sizes = {size: size if size <= 1 else self._chance.choice((2, 3, 8, 30)) for size in (*self.shape, 0, 1)}
        feeds = {x: self._laid_out(self._numbers([sizes[s] for s in value.shape])) for x, value in self.feeds.items()
                 if x not in self._labels}  # fmt: skip
        return feeds | {x: self._classes(*[sizes[s] for s in self.shape]) for x in self._labels}

    def _classes(self, rows: int, width: int) -> Array:
        return self._rng.integers(0, max(1, width), rows).astype("i4")

    def _numbers(self, shape: list[int]) -> Array:
        rng, kind = self._rng, tf.as_dtype(self.dtype).as_numpy_dtype
        if self.dtype in ("int32", "int64", "uint8"):
            return np.asarray(rng.integers(0 if self.dtype == "uint8" else -50, 50, shape)).astype(kind)
        x = np.asarray(rng.standard_normal(shape) * self._chance.choice((1, 3, 50)))
        if x.size and self._chance.random() < 0.3:
            flat = x.reshape(-1)
            places = rng.integers(0, flat.size, max(1, flat.size // 7))
            flat[places] = rng.choice(UNUSUAL, len(places))
        with np.errstate(all="ignore"):
            return x.astype(kind)

    def _laid_out(self, x: Array) -> Array:
        """The same numbers in some layout."""
        choice = self._chance.random()
        if not x.ndim:
            return x
        if choice < 0.15:
            return np.asfortranarray(x)
        if choice < 0.3:
            wide = np.zeros([2 * size for size in x.shape], x.dtype)
            wide[tuple([slice(0, 2 * size, 2) for size in x.shape])] = x
            return wide[tuple([slice(0, 2 * size, 2) for size in x.shape])]
        if choice < 0.4:
            return np.ascontiguousarray(x[..., ::-1])[..., ::-1]
        if choice < 0.5:
            wide = np.zeros((*x.shape[:-1], x.shape[-1] + 5), x.dtype)
            wide[..., 2 : 2 + x.shape[-1]] = x
            return wide[..., 2 : 2 + x.shape[-1]]
        if choice < 0.55 and x.dtype.kind in "fi" and x.dtype.itemsize > 2:
            return x.astype(x.dtype.newbyteorder())
        return x


def _results(loss: Any) -> tuple[Any, ...]:
    """The results of a cross entropy, behind the reshape that its call needs where it does not know the rank."""
    op = loss.op
    while len(op.outputs) == 1:
        op = op.inputs[0].op
    return tuple(op.outputs)
