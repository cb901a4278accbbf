"""Programs whose graphs TensorFlow writes with control flow: `record_foreign_graphs.py` records them.

Each program builds a graph and returns what to fetch. It runs in two eras, with TensorFlow's old control flow (Switch,
Merge, Enter, Exit, NextIteration) and with its new one (If, While and a library of functions), unless `ERAS` says
otherwise. `FEEDS` has the feeds of its runs; without an entry there is one run without feeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fetches = list[Any]
Program = Callable[[Any], Fetches]
BOTH = ("v1", "v2")


def _x(tf: Any, *shape: int | None) -> Any:
    return tf.placeholder(tf.float32, list(shape), name="x")


# ---- conditionals -------------------------------------------------------------------------------


def cond(tf: Any) -> Fetches:
    p, x = tf.placeholder(tf.bool, [], name="p"), _x(tf, None)
    return [tf.cond(p, lambda: x * 2.0 + 1.0, lambda: x - 3.0)]


def cond_of_several(tf: Any) -> Fetches:
    """Results of several dtypes; a result that is captured, and one that is a constant."""
    p, x = tf.placeholder(tf.bool, [], name="p"), _x(tf, 2)
    text = tf.constant("outside")
    yes = lambda: (x, tf.constant(1), tf.strings.join([text, "!"]))  # noqa: E731
    no = lambda: (tf.exp(x), tf.constant(2), tf.constant("no"))  # noqa: E731
    return list(tf.cond(p, yes, no))


def conds_inside(tf: Any) -> Fetches:
    x = tf.placeholder(tf.float32, [], name="x")
    inner = lambda: tf.cond(x > 20.0, lambda: x - 20.0, lambda: tf.cond(x > 15.0, lambda: -x, lambda: x * x))  # noqa: E731
    return [tf.cond(x > 10.0, inner, lambda: x + 0.5) * 2.0]


def conds_on_one_predicate(tf: Any) -> Fetches:
    """The second uses the first; the third is independent."""
    p, x = tf.placeholder(tf.bool, [], name="p"), _x(tf, 2)
    first = tf.cond(p, lambda: x + 1.0, lambda: x + 2.0, name="first")
    second = tf.cond(p, lambda: first * 10.0, lambda: first * 20.0, name="second")
    third = tf.cond(p, lambda: x, lambda: -x, name="third")
    return [first, second, third]


def conds_that_cross(tf: Any) -> Fetches:
    """One uses the other's result in one branch, so neither can be first as a whole."""
    p, q = tf.placeholder(tf.bool, [], name="p"), tf.placeholder(tf.bool, [], name="q")
    x = _x(tf, 2)
    a = tf.cond(p, lambda: x + 1.0, lambda: x + 2.0, name="a")
    b = tf.cond(q, lambda: a * 3.0, lambda: a * 4.0, name="b")
    c = tf.cond(p, lambda: b - 5.0, lambda: b - 6.0, name="c")
    d = tf.cond(q, lambda: c * 7.0, lambda: c * 8.0, name="d")
    return [a, b, c, d]


def case(tf: Any) -> Fetches:
    x = tf.placeholder(tf.float32, [], name="x")
    pairs = [(x < 0.0, lambda: x - 100.0), (x < 10.0, lambda: x * 2.0), (x < 20.0, lambda: x * x)]
    found = tf.case(pairs, default=lambda: tf.constant(-1.0), exclusive=False)
    return [found]


def exclusive_case(tf: Any) -> Fetches:
    x = tf.placeholder(tf.int32, [], name="x")
    pairs = {tf.equal(x, 1): lambda: x * 10, tf.equal(x, 2): lambda: x * 20}
    return [tf.case(pairs, default=lambda: x, exclusive=True)]


def switch_case(tf: Any) -> Fetches:
    index, x = tf.placeholder(tf.int32, [], name="index"), _x(tf, 2)
    return [tf.switch_case(index, [lambda: x, lambda: x * 2.0, lambda: tf.exp(x)], default=lambda: x - 1.0)]


def cond_of_operations(tf: Any) -> Fetches:
    """Branches that only have effects."""
    p = tf.placeholder(tf.bool, [], name="p")
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    done = tf.cond(p, lambda: tf.group(v.assign_add([10.0, 10.0])), lambda: tf.no_op())
    with tf.control_dependencies([done]):
        return [tf.identity(v.read_value(), name="after")]


def cond_with_assertion(tf: Any) -> Fetches:
    x = _x(tf, 2)

    def yes() -> Any:
        with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0.0), [x])]):
            return tf.log(x)

    return [tf.cond(tf.reduce_sum(x) > 0.0, yes, lambda: x)]


# ---- loops --------------------------------------------------------------------------------------


def count(tf: Any) -> Fetches:
    n = tf.placeholder(tf.int32, [], name="n")
    w = tf.constant([1.5, -0.5], name="w")
    i, a = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * w + 1.0), [tf.constant(0), tf.ones([2])])
    return [i, a]


def loops_inside(tf: Any) -> Fetches:
    n = tf.placeholder(tf.int32, [], name="n")

    def outer(i: Any, total: Any) -> Any:
        def inner(j: Any, sum_: Any) -> Any:
            _, deep = tf.while_loop(lambda k, _: k < j, lambda k, d: (k + 1, d + i), [0, sum_])
            return j + 1, deep

        _, total = tf.while_loop(lambda j, _: j < i, inner, [0, total])
        return i + 1, total

    return list(tf.while_loop(lambda i, _: i < n, outer, [0, 0]))


def loop_in_cond(tf: Any) -> Fetches:
    p, x = tf.placeholder(tf.bool, [], name="p"), _x(tf, 2)
    yes = lambda: tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1]  # noqa: E731
    return [tf.cond(p, yes, lambda: x - 1.0)]


def cond_in_loop(tf: Any) -> Fetches:
    """Collatz, with a loop inside a branch inside a loop."""
    n = tf.placeholder(tf.int32, [], name="n")

    def body(i: Any, steps: Any) -> Any:
        halved = lambda: tuple(tf.while_loop(lambda k, _: tf.equal(k % 2, 0), lambda k, s: (k // 2, s + 1), [i, steps]))  # noqa: E731
        i, steps = tf.cond(tf.equal(i % 2, 0), halved, lambda: (3 * i + 1, steps + 1))
        return i, steps

    return list(tf.while_loop(lambda i, _: i > 1, body, [n, tf.constant(0)]))


def growing(tf: Any) -> Fetches:
    n = tf.placeholder(tf.int32, [], name="n")
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 2])]
    body = lambda i, a: (i + 1, tf.concat([a, a[:1] + tf.cast(i, tf.float32)], 0))  # noqa: E731
    return list(tf.while_loop(lambda i, _: i < n, body, [0, tf.ones([1, 2])], shape_invariants=shapes))


def limited(tf: Any) -> Fetches:
    n = tf.placeholder(tf.int32, [], name="n")
    pair = {"a": tf.constant(1.0), "b": (tf.constant(2.0), tf.constant([3.0]))}
    body = lambda s, k: ({"a": s["a"] + s["b"][0], "b": (s["b"][0] * 2.0, s["b"][1] - 1.0)}, k + 1)  # noqa: E731
    limit = {"maximum_iterations": n, "parallel_iterations": 1}
    found, steps = tf.while_loop(lambda s, _: s["a"] < 1000.0, body, (pair, 0), **limit)
    return [found["a"], *found["b"], steps]


def two_loops(tf: Any) -> Fetches:
    """The second begins where the first ends; constants, strings and captured results in bodies."""
    n = tf.placeholder(tf.int32, [], name="n")
    _, text = tf.while_loop(lambda i, _: i < n, lambda i, s: (i + 1, tf.strings.join([s, "ab"])), [0, tf.constant("")])
    _, more = tf.while_loop(lambda i, _: i < 2, lambda i, s: (i + 1, tf.strings.join([s, text, "."])), [0, text])
    return [text, more]


def swapped(tf: Any) -> Fetches:
    """Loop variables that change places, and one that no body changes."""
    n = tf.placeholder(tf.int32, [], name="n")
    body = lambda i, a, b, c: (i + 1, b, a, c)  # noqa: E731
    return list(tf.while_loop(lambda i, *_: i < n, body, [0, tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)]))


def loop_of_variables(tf: Any) -> Fetches:
    n = tf.placeholder(tf.int32, [], name="n")
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    w = tf.get_variable("w", initializer=3.0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([v.assign_add(v.read_value() * w)]):
            return i + 1

    last = tf.while_loop(lambda i: i < n, body, [0])
    last = last[0] if isinstance(last, (list, tuple)) else last
    with tf.control_dependencies([last]):
        return [last, tf.identity(v.read_value(), name="after")]


def old_variables(tf: Any) -> Fetches:
    """Variables by reference, read in a loop and written in a branch."""
    p = tf.placeholder(tf.bool, [], name="p")
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    _, a = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a + v), [0, tf.zeros([2])])
    with tf.control_dependencies([a]):
        done = tf.cond(p, lambda: tf.identity(tf.assign_add(v, [5.0, 5.0])), lambda: tf.zeros([2]))
    with tf.control_dependencies([done]):
        return [a, done, tf.identity(v.read_value(), name="after")]


# ---- TensorArray, map_fn, scan ------------------------------------------------------------------


def array_write(tf: Any) -> Fetches:
    n, x = tf.placeholder(tf.int32, [], name="n"), _x(tf, 2)
    array = tf.TensorArray(tf.float32, size=n, element_shape=[2])
    body = lambda i, a: (i + 1, a.write(i, x * tf.cast(i, tf.float32)))  # noqa: E731
    _, array = tf.while_loop(lambda i, _: i < n, body, [0, array])
    return [array.stack(), array.size()]


def array_read(tf: Any) -> Fetches:
    x = _x(tf, None, 2)
    array = tf.TensorArray(tf.float32, size=tf.shape(x)[0], clear_after_read=False).unstack(x)
    body = lambda i, a: (i + 1, a + array.read(i) * array.read(0))  # noqa: E731
    _, total = tf.while_loop(lambda i, _: i < array.size(), body, [0, tf.zeros([2])])
    return [total, array.gather([1, 0])]


def array_parts(tf: Any) -> Fetches:
    x = _x(tf, None, 2)
    parts = tf.TensorArray(tf.float32, size=2, infer_shape=False, clear_after_read=False).split(x, [1, 2])
    spread = tf.TensorArray(tf.float32, size=3).scatter([2, 0, 1], x)
    return [parts.read(1), parts.concat(), spread.stack()]


def array_that_grows(tf: Any) -> Fetches:
    n = tf.placeholder(tf.int32, [], name="n")
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
    _, array = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, a.write(i, i * i)), [0, array])
    return [array.stack()]


def map_fn(tf: Any) -> Fetches:
    x = _x(tf, None, 3)
    pair = tf.map_fn(lambda row: (tf.reduce_sum(row), row * 2.0), x, dtype=(tf.float32, tf.float32))
    return [*pair, tf.map_fn(lambda row: row[0] * row, x)]


def scans(tf: Any) -> Fetches:
    x = _x(tf, None, 2)
    total = tf.scan(lambda a, row: a * 0.5 + row, x, initializer=tf.zeros([2]))
    back = tf.scan(lambda a, row: a + row, x, reverse=True)
    return [total, back, tf.foldl(lambda a, row: a + row, x), tf.foldr(lambda a, row: a * 2.0 - row, x)]


def rnn(tf: Any) -> Fetches:
    """A recurrent network over sequences of different lengths, as `dynamic_rnn` builds it."""
    x, lengths = tf.placeholder(tf.float32, [4, None, 3], name="x"), tf.placeholder(tf.int32, [None], name="lengths")
    w = tf.constant([[0.1 * i - 0.05 * j for j in range(2)] for i in range(5)], name="w")
    xs = tf.TensorArray(tf.float32, size=4).unstack(x)
    ys = tf.TensorArray(tf.float32, size=4)
    zero = tf.zeros([tf.shape(x)[1], 2])

    def step(t: Any, h: Any, ys: Any) -> Any:
        def run() -> Any:
            new = tf.tanh(tf.matmul(tf.concat([xs.read(t), h], 1), w))
            return tf.where(t < lengths, new, h), tf.where(t < lengths, new, tf.zeros_like(new))

        done = lambda: (h, tf.zeros_like(h))  # noqa: E731
        h, y = tf.cond(t < tf.reduce_max(lengths), run, done)
        return t + 1, h, ys.write(t, y)

    _, h, ys = tf.while_loop(lambda t, *_: t < 4, step, [0, zero, ys])
    return [ys.stack(), h]


# ---- gradients ----------------------------------------------------------------------------------


def gradient_of_cond(tf: Any) -> Fetches:
    p, x = tf.placeholder(tf.bool, [], name="p"), _x(tf, 2)
    y = tf.cond(p, lambda: tf.exp(x) * x, lambda: tf.square(x))
    return [y, *tf.gradients(tf.reduce_sum(y * y), [x])]


def gradient_of_conds_inside(tf: Any) -> Fetches:
    x, y = tf.placeholder(tf.float32, [], name="x"), tf.placeholder(tf.float32, [], name="y")
    inner = lambda: tf.cond(y > 0.0, lambda: tf.sin(x) * y, lambda: x * x)  # noqa: E731
    z = tf.cond(x > 0.0, inner, lambda: tf.exp(y))
    return [z, *tf.gradients(z * z, [x, y])]


def gradient_of_loop(tf: Any) -> Fetches:
    n, x = tf.placeholder(tf.int32, [], name="n"), _x(tf, 2)
    w = tf.constant([0.5, -1.5], name="w")
    body = lambda i, a: (i + 1, tf.tanh(a * w) + x)  # noqa: E731
    _, a = tf.while_loop(lambda i, _: i < n, body, [0, x])
    return [a, *tf.gradients(a, [x, w])]


def gradient_of_loops_inside(tf: Any) -> Fetches:
    n, x = tf.placeholder(tf.int32, [], name="n"), _x(tf, 2)

    def outer(i: Any, a: Any) -> Any:
        _, b = tf.while_loop(lambda j, _: j <= i, lambda j, b: (j + 1, tf.sin(b) * x), [0, a])
        return i + 1, b + a

    _, a = tf.while_loop(lambda i, _: i < n, outer, [0, x])
    return [a, *tf.gradients(a, [x])]


def gradient_of_cond_in_loop(tf: Any) -> Fetches:
    n, x = tf.placeholder(tf.int32, [], name="n"), _x(tf, 2)

    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.exp(-a) * x, lambda: a * a)

    _, a = tf.while_loop(lambda i, _: i < n, body, [0, x])
    return [a, *tf.gradients(a, [x])]


def gradient_of_loop_in_cond(tf: Any) -> Fetches:
    p, x = tf.placeholder(tf.bool, [], name="p"), _x(tf, 2)
    yes = lambda: tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1]  # noqa: E731
    y = tf.cond(p, yes, lambda: x * 3.0)
    return [y, *tf.gradients(y, [x])]


def gradient_of_map(tf: Any) -> Fetches:
    x = _x(tf, None, 2)
    w = tf.constant([2.0, 3.0], name="w")
    y = tf.map_fn(lambda row: tf.exp(row * w), x)
    return [y, *tf.gradients(y, [x, w])]


def gradient_of_scan(tf: Any) -> Fetches:
    x = _x(tf, None, 2)
    y = tf.scan(lambda a, row: tf.tanh(a) * row, x, initializer=tf.ones([2]))
    return [y, *tf.gradients(y, [x])]


def gradient_of_rnn(tf: Any) -> Fetches:
    ys, h = rnn(tf)
    graph = ys.graph
    x, w = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("w:0")
    return [ys, h, *tf.gradients(tf.reduce_sum(ys * ys) + tf.reduce_sum(h), [x, w])]


def second_derivative(tf: Any) -> Fetches:
    x = _x(tf, 2)
    _, a = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * tf.sin(x)), [0, x])
    (first,) = tf.gradients(a, [x])
    return [first, *tf.gradients(first, [x])]


def training(tf: Any) -> Fetches:
    """A step of gradient descent on a loop over a variable."""
    v = tf.get_variable("v", initializer=[0.5, -0.25])
    _, a = tf.while_loop(lambda i, _: i < 4, lambda i, a: (i + 1, tf.tanh(a * v) + 0.5), [0, tf.ones([2])])
    loss = tf.reduce_sum(tf.square(a))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.control_dependencies([step]):
        return [tf.identity(v.read_value(), name="after")]


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "descent": lambda tf: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.5),
    "adagrad_da": lambda tf: tf.train.AdagradDAOptimizer(0.5, tf.Variable(3, dtype=tf.int64), 0.2, 0.01, 0.1),
    "adadelta": lambda tf: tf.train.AdadeltaOptimizer(0.5, 0.9, 1e-3),
    "adam": lambda tf: tf.train.AdamOptimizer(0.1),
    "rms_prop": lambda tf: tf.train.RMSPropOptimizer(0.05, 0.8, 0.5),
    "centered": lambda tf: tf.train.RMSPropOptimizer(0.05, 0.8, 0.5, centered=True),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.01, l2_regularization_strength=0.1),
    "proximal": lambda tf: tf.train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.1),
    "proximal_adagrad": lambda tf: tf.train.ProximalAdagradOptimizer(0.5, 0.1, 0.01, 0.1),
}


def optimizers(tf: Any) -> Fetches:
    """A step of each optimizer, for a whole variable and for the rows that a gather gives a gradient."""
    steps, found = [], []
    for name, made in OPTIMIZERS.items():
        with tf.variable_scope(name):
            v = tf.get_variable("v", initializer=[[0.5, -0.25], [1.0, 2.0], [-1.5, 0.75]])
            w = tf.get_variable("w", initializer=[[0.5, -0.25], [1.0, 2.0], [-1.5, 0.75]])
            rows = tf.gather(w, [2, 0])
            loss = tf.reduce_sum(tf.square(v - [1.0, 2.0])) + tf.reduce_sum(tf.square(rows) * [1.0, 3.0])
            steps.append(made(tf).minimize(loss, name="step"))
            found += [tf.identity(v.read_value(), name="v_now"), tf.identity(w.read_value(), name="w_now")]
    tf.group(*steps, name="train")
    return found


# ---- functions ----------------------------------------------------------------------------------


def functions(tf: Any) -> Fetches:
    """Functions that call functions, with several results and captured tensors."""
    x = _x(tf, 2)

    inner = tf.function(lambda a, b: (a * b, a - b), autograph=False)

    def outer(a: Any) -> Any:
        first, second = inner(a, x)
        return inner(first, second)[1] + tf.cond(tf.reduce_sum(a) > 0.0, lambda: a, lambda: -first)

    return [tf.function(outer, autograph=False)(x + 1.0), *inner(x, x)]


def functions_of_variables(tf: Any) -> Fetches:
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)

    def step(a: Any) -> Any:
        v.assign_add(a)
        return v * 2.0

    first = tf.function(step, autograph=False)(tf.constant([1.0, 1.0]))
    with tf.control_dependencies([first]):
        return [first, tf.identity(v.read_value(), name="after")]


def all_programs() -> dict[str, Program]:
    """The programs by name."""
    skipped = {"all_programs", "_x"}
    return {name: f for name, f in globals().items()
            if callable(f) and getattr(f, "__module__", "") == __name__ and name not in skipped}  # fmt: skip


ERAS: dict[str, tuple[str, ...]] = {
    "old_variables": ("v1",),
    "second_derivative": ("v2",),
    "functions": ("v2",),
    "functions_of_variables": ("v2",),
}
"""Programs of which only one era has a form."""

_PAIR, _ROWS = [1.5, -0.5], [[1.0, 2.0], [-0.5, 0.25], [3.0, 1.0]]
_WHICH = [{"p": True, "x": _PAIR}, {"p": False, "x": _PAIR}]
_COUNTS = [{"n": 0}, {"n": 1}, {"n": 4}]
_STEPS = [{"n": n, "x": [0.5, -0.75]} for n in (0, 1, 3)]
_SEQUENCES = [{"x": [[[0.1 * (t + b + f) for f in range(3)] for b in range(2)] for t in range(4)], "lengths": lengths}
              for lengths in ([4, 2], [1, 3])]  # fmt: skip
FEEDS: dict[str, list[dict[str, Any]]] = {
    "cond": _WHICH,
    "cond_of_several": _WHICH,
    "conds_inside": [{"x": x} for x in (3.0, 12.0, 17.0, 25.0)],
    "conds_on_one_predicate": _WHICH,
    "conds_that_cross": [{"p": p, "q": q, "x": _PAIR} for p in (True, False) for q in (True, False)],
    "case": [{"x": x} for x in (-1.0, 5.0, 12.0, 30.0)],
    "exclusive_case": [{"x": x} for x in (1, 2, 3)],
    "switch_case": [{"index": i, "x": _PAIR} for i in (-1, 0, 1, 2, 3)],
    "cond_of_operations": [{"p": True}, {"p": False}],
    "cond_with_assertion": [{"x": [1.0, 2.0]}, {"x": [-1.0, -2.0]}],
    "count": _COUNTS,
    "loops_inside": _COUNTS,
    "loop_in_cond": _WHICH,
    "cond_in_loop": [{"n": n} for n in (1, 6, 7)],
    "growing": _COUNTS,
    "limited": [{"n": n} for n in (0, 3, 50)],
    "two_loops": _COUNTS,
    "swapped": _COUNTS,
    "loop_of_variables": _COUNTS,
    "old_variables": [{"p": True}, {"p": False}],
    "array_write": [{"n": n, "x": _PAIR} for n in (1, 3)],
    "array_read": [{"x": _ROWS}],
    "array_parts": [{"x": _ROWS}],
    "array_that_grows": [{"n": n} for n in (0, 4)],
    "map_fn": [{"x": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}],
    "scans": [{"x": _ROWS}],
    "rnn": _SEQUENCES,
    "gradient_of_cond": _WHICH,
    "gradient_of_conds_inside": [{"x": x, "y": y} for x in (1.0, -1.0) for y in (0.5, -0.5)],
    "gradient_of_loop": _STEPS,
    "gradient_of_loops_inside": _STEPS,
    "gradient_of_cond_in_loop": _STEPS,
    "gradient_of_loop_in_cond": _WHICH,
    "gradient_of_map": [{"x": _ROWS}],
    "gradient_of_scan": [{"x": _ROWS}],
    "gradient_of_rnn": _SEQUENCES,
    "second_derivative": [{"x": _PAIR}],
    "functions": [{"x": [1.0, 2.0]}, {"x": [-3.0, 1.0]}],
}
"""Program -> the feeds of its runs, by the names of the placeholders."""
