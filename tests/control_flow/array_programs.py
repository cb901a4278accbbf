"""Random programs of loops over TensorArrays: what recurrent programs of TensorFlow 1 look like, and near misses.

`ArrayProgram.build(tf)` builds the program with Penstock or TensorFlow. Arrays are read and written at the counter of
the loop or somewhere else; they have fixed, computed or growing sizes, are captured or loop variables, and go on into
further loops; gradients go back through all of it.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

WIDTH = 3
BATCH = 2


class ArrayProgram:
    """The program of one seed.

    hands_on: whether a loop variable may become another array, as no array does in TensorFlow 1, where a loop keeps the
        handle of the first one.

    Attributes:
        seed: the seed.
        steps: the number of rows in each run.
    """

    def __init__(self, seed: int, hands_on: bool = True) -> None:
        self.seed = seed
        self._hands_on = hands_on
        self._clears = False  # of the array that was written last: whether a read uses its element up
        rng = Random(seed)
        self._sized = rng.choice(("int", "int", "shape", "shape", "fed"))
        self._named = rng.choice(("all", "all", "steps", "none"))
        first = rng.choice((1, 2, 3, 4, 5, 17)) if rng.random() < 0.95 else 0
        self.steps = [first, first if self._sized == "int" else rng.choice((1, 2, 3, 6)), first]
        more = Random(seed + 2)  # its own numbers, so that programs of before keep theirs
        self._ends_by_values = more.random() < 0.2
        self._hides_rows = more.random() < 0.25
        self._attends = more.random() < 0.2

    def __str__(self) -> str:
        return f"ArrayProgram({self.seed}): {self.steps} steps, size by {self._sized}, shape: {self._named}"

    def feeds(self, run: int) -> dict[str, Any]:
        """The arrays of a run by the names of placeholders."""
        rng = np.random.default_rng([self.seed, run])
        found: dict[str, Any] = {"x": rng.standard_normal((self.steps[run], BATCH, WIDTH)).astype("f4")}
        if self._sized == "fed":
            found["n"] = np.array(self.steps[run], np.int32)
        return found

    def build(self, tf: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The placeholders and the fetches, by name."""
        rng = Random(self.seed + 1)
        steps = self.steps[0] if self._sized == "int" else None
        dims = {"all": [steps, BATCH, WIDTH], "steps": [steps, None, WIDTH], "none": [None, None, None]}[self._named]
        x = tf.placeholder(tf.float32, dims, name="x")
        fed = {"x": x}
        if self._sized == "fed":
            fed["n"] = n = tf.placeholder(tf.int32, [], name="n")
        else:
            n = self.steps[0] if self._sized == "int" else tf.shape(x)[0]
        weights = np.random.default_rng(self.seed).standard_normal((WIDTH, WIDTH)).astype("f4")
        w = tf.constant(weights * 0.5)
        fetches: dict[str, Any] = {}
        array, values = None, x
        for layer in range(rng.choice((1, 1, 2))):
            array, last, more = self._loop(tf, rng, layer, n, values, array, w)
            fetches[f"last{layer}"] = last
            fetches |= more
            values = None
        loss = tf.reduce_sum(last * last)
        ends = rng.sample(("stack", "read", "concat", "gather", "size", "halves"), rng.choice((1, 1, 2)))
        if "size" in ends and len(ends) == 1:
            ends.append("stack")
        if self._clears and len(ends) > 1:  # a second read would be an error, as it should be, now and then
            ends = ends[: 1 + (rng.random() < 0.1)]
        for end in ends:
            found = self._end(tf, rng, end, array, n)
            fetches[end] = found
            if end != "size":
                loss = loss + tf.reduce_sum(found * found * 0.5)
        if rng.random() < 0.7:
            slopes = tf.gradients(loss, [x, w])
            fetches |= {f"slope{i}": slope for i, slope in enumerate(slopes) if slope is not None}
            if rng.random() < 0.15 and slopes[1] is not None:
                second = tf.gradients(tf.reduce_sum(slopes[1] * slopes[1]), [w])[0]
                if second is not None:
                    fetches["second"] = second
        if rng.random() < 0.2:
            fetches.pop(rng.choice(sorted(fetches)))
        return fed, fetches or {"loss": loss}

    def _end(self, tf: Any, rng: Random, end: str, array: Any, n: Any) -> Any:
        if end == "read":
            return array.read(n - 1 if rng.random() < 0.7 else 0)
        if end == "gather":
            return array.gather(tf.range(n)[::-1] if rng.random() < 0.5 else [0])
        if end == "halves":
            return tf.stack([array.read(0), array.read(n - 1)])
        if end == "size":
            return array.size()
        return array.concat() if end == "concat" else array.stack()

    def _array(self, tf: Any, rng: Random, n: Any, clear: bool) -> Any:
        facts: dict[str, Any] = {"clear_after_read": clear}
        if rng.random() < 0.2:
            facts["element_shape"] = rng.choice(([BATCH, WIDTH], [None, WIDTH], [None, None]))
        if rng.random() < 0.15:
            facts["infer_shape"] = False
        if rng.random() < 0.25:
            return tf.TensorArray(tf.float32, size=0, dynamic_size=True, **facts)
        if rng.random() < 0.05:
            return tf.TensorArray(tf.float32, size=n + 1, **facts)
        return tf.TensorArray(tf.float32, size=n, **facts)

    def _loop(
        self, tf: Any, rng: Random, layer: int, n: Any, values: Any, given: Any, w: Any
    ) -> tuple[Any, Any, dict[str, Any]]:
        ins, clears = given, values is not None or self._clears
        if values is not None:
            clears = rng.random() < 0.5
            ins = self._array(tf, rng, n, clears)
            ins = ins.unstack(values) if rng.random() < 0.9 else ins.scatter(tf.range(n), values)
        self._clears = rng.random() < 0.6
        outs = [self._array(tf, rng, n, self._clears)]
        extra = rng.random() < 0.25
        if extra:
            outs.append(self._array(tf, rng, n, False))
        carried = rng.random() < 0.3
        backwards = rng.random() < 0.15
        early = rng.random() < 0.12
        start = 1 if rng.random() < 0.05 else 0
        at = rng.choice(("t", "t", "t", "t", "t", "t", "t", "back", "same"))
        reads = rng.random() < 0.9
        shape = [BATCH, WIDTH] if rng.random() < 0.8 else None
        h = tf.zeros([BATCH, WIDTH]) if shape else tf.fill(tf.stack([BATCH, WIDTH]), 0.25)
        if self._hides_rows:  # as many rows as another placeholder has, which a run alone knows
            h = tf.placeholder_with_default(h, [None, WIDTH])
        kind, both = rng.randrange(4), rng.random() < 0.2
        most = rng.random() < 0.15
        handed_on = carried and reads and not clears and rng.random() < 0.7 and self._hands_on

        memory = tf.tile(tf.expand_dims(w, 0), [BATCH, 1, 1])

        def cond(t: Any, h: Any, *rest: Any) -> Any:
            goes_on = tf.less(t, n) if kind % 2 else tf.greater(n, t)
            if self._ends_by_values:  # as a decoder: when each sequence has ended
                goes_on = tf.logical_not(tf.reduce_all(tf.greater_equal(t, tf.fill([BATCH], n))))
            return tf.logical_and(goes_on, tf.reduce_sum(h) < 1.0) if early else goes_on

        def body(t: Any, h: Any, *rest: Any) -> list[Any]:
            arrays = list(rest[: len(outs)])
            source = rest[len(outs)] if carried else ins
            back = n - 1 - t
            if handed_on:
                h = h + ins.read(t) * 0.5
            row = source.read(back if backwards else t) if reads else tf.cast(t, tf.float32) * tf.ones([BATCH, WIDTH])
            if kind == 0:
                after = tf.tanh(tf.matmul(h, w) + row)
            elif kind == 1:
                after = 0.5 * h + row * tf.sigmoid(row)
            elif kind == 2:
                after = tf.cond(tf.reduce_sum(row) > 0.0, lambda: tf.tanh(row + h), lambda: h - 0.5 * row)
            else:
                after = tf.tanh(tf.matmul(row, w)) + 0.25 * h
            if self._attends:
                weights = tf.nn.softmax(tf.matmul(tf.expand_dims(after, 1), memory, transpose_b=True))
                after = tf.tanh(after + tf.squeeze(tf.matmul(weights, memory), [1]))
            place = {"t": t, "back": back, "same": t}[at]
            arrays[0] = arrays[0].write(place, after if at != "same" else h + row)
            if extra:
                arrays[1] = arrays[1].write(t, tf.reduce_sum(after, 1) if both else after * 2.0)
            return [t + 1, after, *arrays, *([ins] if handed_on else rest[len(outs) :])]

        first = tf.TensorArray(tf.float32, n, clear_after_read=False).unstack(values * 0.5) if handed_on and (
            values is not None) else ins  # fmt: skip
        values = [tf.constant(start), h, *outs, *([first] if carried else [])]
        limits = {"maximum_iterations": n} if most else {}
        found = tf.while_loop(cond, body, values, **limits)
        more = {f"extra{layer}": found[3].stack()} if extra and rng.random() < 0.8 else {}
        if rng.random() < 0.3:
            more[f"count{layer}"] = found[0]
        return found[2], found[1], more
