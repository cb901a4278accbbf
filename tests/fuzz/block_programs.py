"""Random models and their training: products, sums, activations, splits and concatenations of matrices.

A program is drawn from its seed: values of a few widths, variables, a loss of some of them, an optimizer. Some steps
stay in Python (indices, cumulative sums, a branch that gives its operand), so that a plan has several blocks. Some
programs are of classes: their labels are checked before each run, and are wrong in some.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import penstock as tf

Array = np.ndarray[Any, Any]
WIDTHS: Final = (1, 2, 3, 8, 16, 33, 64, 120)
ROWS: Final = (1, 2, 5, 12, 32, 100)
OPTIMIZERS: Final[tuple[Callable[[], Any], ...]] = (
    lambda: tf.train.GradientDescentOptimizer(0.01),
    lambda: tf.train.MomentumOptimizer(0.01, 0.9),
    lambda: tf.train.AdamOptimizer(0.01),
    lambda: tf.train.RMSPropOptimizer(0.01),
)
ACTIVATIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    tf.nn.relu, tf.tanh, tf.sigmoid, tf.nn.elu, tf.square, tf.nn.softmax, tf.nn.log_softmax,
    lambda x: x * 0.5 + 0.25, lambda x: tf.abs(x) - x,
)  # fmt: skip


class BlockProgram:
    """One program.

    Attributes:
        graph: its graph.
        runs: (fetches, feeds) of each run.
        initializer: what gives the variables their values.
        variables: the variables.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([seed, 77])
        self._of_classes = np.random.default_rng([seed, 78])  # the rest of a program is the same with and without them
        self.dtype = "float32" if self.rng.random() < 0.8 else "float64"
        self.rows = int(self.rng.choice(ROWS))
        self.graph = tf.Graph()
        self._variables: dict[tuple[int, ...], list[Any]] = {}
        with self.graph.as_default():
            self._build()
            self.variables = tf.global_variables()
            self.initializer = tf.global_variables_initializer()

    def _build(self) -> None:
        rng = self.rng
        is_sized = rng.random() < 0.7
        self._fed = {
            tf.placeholder(self.dtype, [self.rows if is_sized else None, width]): width
            for width in map(int, rng.choice(WIDTHS, 2))
        }
        self._index = tf.placeholder(tf.int32, [self.rows])
        self._chosen = tf.placeholder(tf.bool, [])
        values: list[Any] = list(self._fed)
        for _ in range(int(rng.integers(3, 16))):
            made = self._step(values)
            values += [each for each in made if each.shape.as_list()[-1] is not None]
        weighed = [values[int(i)] for i in rng.choice(len(values), min(3, len(values)), replace=False)]
        losses = [self._reduce(tf.tanh(each)) for each in weighed]
        self._labels: tuple[Any, int] | None = None
        if self._of_classes.random() < 0.4:
            losses.append(self._loss_of_classes(values))
        loss = tf.add_n(losses)
        step = None
        used = [each for each in tf.trainable_variables() if tf.gradients(loss, each)[0] is not None]
        used = [used[int(i)] for i in rng.permutation(len(used))]
        if used and rng.random() < 0.85:
            step = OPTIMIZERS[int(rng.integers(len(OPTIMIZERS)))]().minimize(loss, var_list=used)
        kept = [values[int(i)] for i in rng.choice(len(values), int(rng.integers(0, 3)))]
        fetches = [loss, *kept, *([] if step is None else [step])]
        middle = values[int(rng.integers(len(values)))]
        self.runs = []
        for number in range(7):
            feeds = self._feeds()
            if number == 5 and middle not in feeds:
                feeds[middle] = self._numbers(self.rows, middle.shape.as_list()[-1])
            self.runs.append((fetches, feeds))

    def _feeds(self) -> dict[Any, Any]:
        rng = self.rng
        feeds: dict[Any, Any] = {}
        for x, width in self._fed.items():
            made = self._numbers(self.rows, width)
            if rng.random() < 0.1:
                made = np.asfortranarray(made)
            elif rng.random() < 0.1:
                made = np.repeat(made, 2, 0)[::2]
            feeds[x] = made
        arrays = list(feeds.values())
        if rng.random() < 0.2 and arrays[0].shape == arrays[1].shape:
            feeds[list(feeds)[1]] = arrays[0]
        feeds[self._index] = rng.integers(0, self.rows, self.rows).astype("i4")
        feeds[self._chosen] = bool(rng.random() < 0.5)
        if self._labels is not None:
            labels, classes = self._labels
            feeds[labels] = self._drawn_labels(labels, classes)
        return feeds

    def _loss_of_classes(self, values: list[Any]) -> Any:
        """A cross entropy with labels: a feed, a view of one, a part of one, or a cast."""
        rng = self._of_classes
        logits = values[int(rng.integers(len(values)))]
        dtype = tf.int64 if rng.random() < 0.5 else tf.int32
        form = int(rng.integers(5))
        shape = {1: [self.rows, 1], 2: [self.rows, 2]}.get(form, [self.rows])
        fed = labels = tf.placeholder(dtype, shape)
        if form == 1:
            labels = tf.reshape(fed, [-1])
        elif form == 2:
            labels = tf.slice(fed, [0, 1], [self.rows, 1])[:, 0]
        elif form == 3:
            labels = tf.cast(fed, tf.int64)
        elif form == 4:
            labels = tf.reverse(fed, [True])
        self._labels = fed, logits.shape.as_list()[-1]
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(logits, labels)
        return self._reduce(losses) if rng.random() < 0.7 else tf.reduce_sum(losses * self._variable(self.rows))

    def _drawn_labels(self, labels: Any, classes: int) -> Any:
        rng = self._of_classes
        made = rng.integers(0, classes, labels.shape.as_list()).astype(labels.dtype.as_numpy_dtype)
        if rng.random() < 0.2:
            wrong = [-1, classes, 2**31 - 1, *([2**32, -(2**62)] if labels.dtype == tf.int64 else [])]
            made.flat[int(rng.integers(made.size))] = wrong[int(rng.integers(len(wrong)))]
        return np.repeat(made, 2, 0)[::2] if rng.random() < 0.1 else made

    def _numbers(self, rows: int, columns: int) -> Any:
        made = self.rng.normal(size=(rows, columns)).astype(self.dtype)
        made[self.rng.random(made.shape) < 0.05] = -0.0
        return made

    def _variable(self, *shape: int) -> Any:
        """A new variable, or one that is there."""
        known = self._variables.setdefault(shape, [])
        if not known or self.rng.random() < 0.5:
            known.append(tf.Variable((self.rng.normal(size=shape) * 0.3).astype(self.dtype)))
        return known[int(self.rng.integers(len(known)))]

    @property
    def _reduce(self) -> Callable[..., Any]:
        return tf.reduce_mean if self.rows % 5 == 2 else tf.reduce_sum

    def _step(self, values: list[Any]) -> list[Any]:
        rng = self.rng
        x = values[int(rng.integers(len(values)))]
        width = x.shape.as_list()[-1]
        kind = int(rng.integers(15))
        if kind == 14:  # factors: the gradient of each is a product with the other
            wide = WIDTHS[-1]  # so large that the updates are parts of the products
            factors = tf.matmul(self._variable(wide, wide), self._variable(wide, wide))
            return [tf.matmul(tf.matmul(x, self._variable(width, wide)), factors)]
        if kind <= 3:  # a layer
            wide = int(rng.choice(WIDTHS))
            turned = bool(rng.random() < 0.3)
            w = self._variable(wide, width) if turned else self._variable(width, wide)
            y = tf.matmul(x, w, transpose_b=turned)
            return [y + self._variable(wide)] if rng.random() < 0.7 else [y]
        if kind <= 6:
            return [ACTIVATIONS[int(rng.integers(len(ACTIVATIONS)))](x)]
        if kind == 7 and width % 2 == 0:
            return list(tf.split(1, 2, x))
        if kind == 8:
            return [tf.concat(1, [x, values[int(rng.integers(len(values)))]])]
        if kind == 9:
            return [x * tf.reduce_sum(x, 0), x - self._reduce(x, 1, keep_dims=True)]
        if kind == 10:
            alike = [each for each in values if each.shape.as_list()[-1] == width]
            return [(x + alike[int(rng.integers(len(alike)))]) * self._variable(1, width)]
        if kind == 11:
            return [tf.gather(x, self._index) if rng.random() < 0.5 else tf.cumsum(x, 0) * 0.1]
        if kind == 12:
            other = tf.constant(self._numbers(self.rows, width)) if rng.random() < 0.5 else x * 0.5
            made = tf.cond(self._chosen, lambda: x, lambda: tf.identity(other))
            made.set_shape([self.rows, width])
            return [made + x * 0.1]
        y = tf.matmul(x, x, transpose_a=True)
        return [tf.matmul(x, y) * 0.01, tf.matmul(tf.matmul(x, x, transpose_b=True), x) * 0.01]
