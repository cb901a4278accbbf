"""Random programs with nested branches, loops, maps, scans, folds and TensorArrays, as text of a seed.

The text uses functions that TensorFlow 1, Penstock and the NumPy namespace of `plain_loops` all have under one
signature, so each of them runs the same lines. A value has a dtype and a shape; the size "n" is that of the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Size = int | str
Shape = tuple[Size, ...]
SIZES = (3, 1, 5)
"""The sizes "n" of the runs of a program."""

FORMS: dict[str, tuple[str, ...]] = {
    "float": ("tf.tanh({a})", "tf.sin({a}) + {b}", "{a} * 0.5 + {b}", "{a} * tf.sigmoid({b})", "{a} - {b}",
              "tf.maximum({a}, {b})", "tf.where({a} > {b}, {a} * 2.0, {b})", "tf.square(tf.tanh({a}))", "-{a}",
              "tf.abs({a} - {b})", "tf.stop_gradient({a}) + {b}", "tf.identity({a})", "{a} / (2.0 + tf.abs({b}))"),
    "int": ("({a} + {b}) % 23", "({a} * {b}) % 19", "{a} - {b} % 5", "tf.maximum({a}, {b}) % 31", "tf.abs({a}) % 7",
            "tf.where({a} > {b}, {a} % 11, {b} % 13)", "{a} // (tf.abs({b}) % 4 + 1)", "-{a} % 9"),
    "bool": ("tf.logical_not({a})", "tf.logical_and({a}, {b})", "tf.logical_or({a}, {b})", "tf.not_equal({a}, {b})"),
}  # fmt: skip
"""Expressions of two values of one dtype and shape."""


@dataclass(frozen=True, slots=True)
class Named:
    """A value of the program."""

    name: str
    dtype: str
    shape: Shape


@dataclass
class ControlProgram:
    """Lines that build a graph.

    Attributes:
        lines: assignments, one for each value.
        inputs: the placeholders.
        fetched: what is fetched, by name.
        slopes: the names of gradients, which NumPy does not know.
        middle: values that the last run feeds.
    """

    seed: int
    lines: list[str] = field(default_factory=list)
    inputs: list[Named] = field(default_factory=list)
    values: list[Named] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    slopes: list[str] = field(default_factory=list)
    middle: list[Named] = field(default_factory=list)

    def feeds(self, run: int) -> dict[str, Any]:
        """What run number `run` feeds, by name; the last one feeds values in the middle too."""
        rng = np.random.default_rng([self.seed, run])
        size = SIZES[run % len(SIZES)]
        fed = [*self.inputs, *(self.middle if run == len(SIZES) else [])]
        return {each.name: array_of(rng, each, size) for each in fed}

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(SIZES) + bool(self.middle)

    def build(self, tf: Any) -> dict[str, Any]:
        """The values by name, in a graph of `tf` that is the default one."""
        namespace: dict[str, Any] = {"tf": tf, "np": np}
        exec("\n".join([*(placeholder(each) for each in self.inputs), *self.lines]), namespace)
        return namespace

    def __str__(self) -> str:
        lines = [*(placeholder(each) for each in self.inputs), *self.lines]
        said = [f"# seed {self.seed}", *lines, f"fetches = [{', '.join([*self.fetched, *self.slopes])}]"]
        return "\n".join([*said, f"# fed in the middle in the last run: {[each.name for each in self.middle]}"])


def placeholder(value: Named) -> str:
    """The line that makes an input."""
    known = [None if size == "n" else size for size in value.shape]
    return f"{value.name} = tf.placeholder({value.dtype!r}, {known})"


def array_of(rng: np.random.Generator, value: Named, size: int) -> Any:
    """An array for a value."""
    shape = tuple(size if each == "n" else int(each) for each in value.shape)
    if value.dtype == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    if value.dtype == "int32":
        return np.asarray(rng.integers(-6, 12, shape)).astype("int32")
    return np.asarray(rng.integers(-20, 21, shape) / 8 + rng.integers(1, 9) / 1024).astype(value.dtype)


def kind(dtype: str) -> str:
    """The key of FORMS."""
    return "float" if dtype.startswith("float") else "int" if dtype.startswith("int") else "bool"


class ControlWriter:
    """Writes expressions of a dtype and a shape over the values that are in scope.

    Args:
        rng: what decides.
        with_arrays: whether TensorArrays are written.
        more_forms: expressions of any dtype, besides those of FORMS.
    """

    def __init__(
        self, rng: np.random.Generator, with_arrays: bool = True, more_forms: tuple[str, ...] = ()
    ) -> None:
        self.rng = rng
        self.with_arrays = with_arrays
        self.more_forms = more_forms
        self.count = 0
        self.budget = 60

    def one_of(self, options: Sequence[Any]) -> Any:
        """One of `options`."""
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return bool(self.rng.random() < probability)

    def name(self, letter: str = "v") -> str:
        """A new name."""
        self.count += 1
        return f"{letter}{self.count}"

    # ---- expressions ----------------------------------------------------------------------------

    def expression(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int) -> str:
        """An expression of a dtype and a shape, with up to `depth` more levels of bodies."""
        self.budget -= 1
        choice = self.rng.random()
        if self.budget < 0 or choice < 0.22:
            return self.leaf(scope, dtype, shape)
        if choice < 0.55 or not depth:
            return self.plain(scope, dtype, shape, depth)
        if choice < 0.68:
            return self.moved(scope, dtype, shape, depth)
        if choice < 0.8:
            return self.cond(scope, dtype, shape, depth)
        if choice < 0.92:
            return self.loop(scope, dtype, shape, depth)
        return self.over_rows(scope, dtype, shape, depth)

    def leaf(self, scope: Sequence[Named], dtype: str, shape: Shape) -> str:
        """A value of the scope, or what becomes one of the shape by broadcasting or indexing."""
        fit = [each.name for each in scope if each.dtype == dtype and each.shape == shape]
        if fit:
            return str(fit[max(int(self.rng.integers(len(fit))) for _ in range(2))])
        rows = [each for each in scope if each.dtype == dtype and each.shape[1:] == shape and each.shape]
        if rows and self.chance(0.7):
            row = self.one_of(rows)
            return f"tf.gather({row.name}, {self.index(scope, row)})"
        if dtype == "bool" and not shape:
            numbers = [each for each in scope if each.dtype != "bool" and not each.shape]
            if numbers:
                number = self.one_of(numbers)
                return f"({number.name} > {'2' if number.dtype == 'int32' else '0.26'})"
        return self.filled(scope, dtype, shape)

    def filled(self, scope: Sequence[Named], dtype: str, shape: Shape) -> str:
        """A constant of the shape."""
        value = {"float": f"{int(self.rng.integers(-9, 10)) / 4 + 0.125}", "int": f"{int(self.rng.integers(1, 6))}",
                 "bool": self.one_of(["True", "False"])}[kind(dtype)]  # fmt: skip
        scalar = f"tf.constant({value}, {dtype!r})"
        if not shape:
            return scalar
        return f"tf.fill({self.sizes(scope, shape)}, {scalar})"

    def sizes(self, scope: Sequence[Named], shape: Shape) -> str:
        """The sizes of a shape as an expression."""
        if "n" not in shape:
            return f"{list(shape)}"
        whole = next(each for each in scope if "n" in each.shape)
        n = f"tf.shape({whole.name})[{whole.shape.index('n')}]"
        return f"tf.stack([{', '.join(n if size == 'n' else str(size) for size in shape)}])"

    def index(self, scope: Sequence[Named], whole: Named) -> str:
        """A row number of `whole`."""
        numbers = [each.name for each in scope if each.dtype == "int32" and not each.shape]
        number = self.one_of(numbers) if numbers else "1"
        return f"({number} % tf.shape({whole.name})[0])" if numbers else "0"

    def plain(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int) -> str:
        """An expression of ops on values of the same dtype and shape."""
        if dtype == "bool" and self.chance(0.5):
            of = self.one_of(["int32", *[each.dtype for each in scope if each.dtype.startswith("float")][:1]])
            a = self.expression(scope, of, shape, depth)
            return f"({a} {self.one_of(['>', '<', '>='])} {self.expression(scope, of, shape, depth)})"
        form = str(self.one_of((*FORMS[kind(dtype)], *self.more_forms)))
        a, b = self.let(self.expression(scope, dtype, shape, depth)), self.expression(scope, dtype, shape, depth)
        if form.count("{a}") > 1 or form.count("{b}") > 1:
            one, other = self.name(), self.name()
            return f"(lambda {one}, {other}: {form.format(a=one, b=other)})({a}, {b})"
        return f"({form.format(a=a, b=b)})"

    def let(self, expression: str) -> str:
        """The expression in brackets."""
        return f"({expression})"

    def moved(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int) -> str:
        """A view, an update of a row, a partition and stitch, or a reduction of a value of the shape."""
        x, name = self.expression(scope, dtype, shape, depth), self.name()
        if not shape:
            whole: Shape = (self.one_of(["n", 2, 3]),)
            rows = self.expression([*scope], dtype, whole if self._has_n(scope) else (3,), depth)
            if kind(dtype) == "float":
                return f"tf.reduce_sum({rows})"
            return f"tf.reduce_max({rows})" if dtype == "int32" else f"tf.reduce_any({rows})"
        row = self.expression(scope, dtype, shape[1:], depth)
        label = self.name()
        forms = [f"{name}[::-1]", f"tf.gather({name}, tf.range(tf.shape({name})[0]) // 2)",
                 f"tf.tensor_scatter_nd_update({name}, [[{self.index(scope, Named(name, dtype, shape))}]], "
                 f"tf.expand_dims({row}, 0))"]  # fmt: skip
        if dtype != "bool":
            forms.append(f"tf.cumsum({name}) * {'0.5' if kind(dtype) == 'float' else '1 % 17'}")
        if len(shape) == 2:
            forms.append(f"tf.transpose(tf.transpose({name}))")
            forms.append(f"tf.reshape(tf.reshape({name}, [-1]), tf.shape({name}))")
        if len(shape) == 1 and dtype != "bool":
            rows = f"tf.dynamic_partition(tf.range(tf.size({name})), {label}, 2)"
            forms.append(f"(lambda {label}: tf.reshape(tf.dynamic_stitch({rows}, "
                         f"tf.dynamic_partition({name}, {label}, 2)), tf.shape({name})))"
                         f"(tf.cast({name} > {name}[0], 'int32'))")  # fmt: skip
        return f"(lambda {name}: {self.one_of(forms)})({x})"

    @staticmethod
    def _has_n(scope: Sequence[Named]) -> bool:
        return any("n" in each.shape for each in scope)

    # ---- bodies ---------------------------------------------------------------------------------

    def cond(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int) -> str:
        """A branch, a case or a switch_case."""
        branches = [f"lambda: tf.identity({self.expression(scope, dtype, shape, depth - 1)})" for _ in range(3)]
        choice = self.rng.random()
        if choice < 0.7:
            return f"tf.cond({self.predicate(scope, depth)}, {branches[0]}, {branches[1]})"
        if choice < 0.85:
            pairs = ", ".join(f"({self.predicate(scope, 0)}, {branch})" for branch in branches[:2])
            return f"tf.case([{pairs}], default={branches[2]})"
        index = self.expression(scope, "int32", (), 0)
        return f"tf.switch_case(tf.abs({index}) % 4, [{', '.join(branches)}])"

    def predicate(self, scope: Sequence[Named], depth: int) -> str:
        """A scalar bool tensor."""
        return f"tf.identity({self.expression(scope, 'bool', (), depth - 1 if depth > 1 else 0)})"

    def loop(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int) -> str:
        """A while_loop over a counter, a value of the shape, and others."""
        others = [self.one_of([each for each in scope if self._settled(each)] or [Named("", dtype, shape)])
                  for _ in range(int(self.rng.integers(3)))]  # fmt: skip
        others = [each for each in others if each.name]
        i, arguments = self.name("i"), [Named(self.name(), dtype, shape)]
        arguments += [Named(self.name(), each.dtype, each.shape) for each in others]
        inner = [*scope, Named(i, "int32", ()), *arguments]
        parameters = ", ".join([i, *[each.name for each in arguments]])
        steps = [f"tf.identity({self.expression(inner, a.dtype, a.shape, depth - 1)})" for a in arguments]
        if len(steps) > 2 and arguments[1].dtype == arguments[2].dtype and arguments[1].shape == arguments[2].shape:
            steps[1:3] = [arguments[2].name, arguments[1].name]  # swapped
        starts = ", ".join(["0", self.expression(scope, dtype, shape, depth - 1), *[each.name for each in others]])
        goes_on = self.one_of([f"{i} < {int(self.rng.integers(0, 5))}",
                               f"{i} < tf.abs({self.expression(scope, 'int32', (), 0)}) % 4",
                               f"tf.logical_and({i} < 3, {self.expression(inner, 'bool', (), 0)})"])  # fmt: skip
        options = ", maximum_iterations=2" if self.chance(0.15) else ""
        return (f"tf.while_loop(lambda {parameters}: {goes_on}, lambda {parameters}: ({i} + 1, {', '.join(steps)}), "
                f"[{starts}]{options})[1]")  # fmt: skip

    @staticmethod
    def _settled(value: Named) -> bool:
        """Whether it may be a loop variable whatever the body gives: TensorFlow forgets some sizes in bodies."""
        return "n" not in value.shape

    def over_rows(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int) -> str:
        """A map, scan or fold over rows, or a TensorArray that a loop writes."""
        if not shape or self.chance(0.4):
            return self.fold(scope, dtype, shape, depth)
        rows = self.expression(scope, dtype, shape, depth - 1)
        row, total = self.name("r"), self.name("a")
        inner = [*scope, Named(row, dtype, shape[1:])]
        if self.with_arrays and self.chance(0.35):
            return self.written(scope, dtype, shape, depth, rows)
        if self.chance(0.5):
            step = self.expression(inner, dtype, shape[1:], depth - 1)
            return f"tf.map_fn(lambda {row}: tf.identity({step}), {rows})"
        inner.append(Named(total, dtype, shape[1:]))
        step = self.expression(inner, dtype, shape[1:], depth - 1)
        start = self.one_of(["", f", initializer={self.expression(scope, dtype, shape[1:], 0)}"])
        reverse = self.one_of(["", "", ", reverse=True"])
        return f"tf.scan(lambda {total}, {row}: tf.identity({step}), {rows}{start}{reverse})"

    def fold(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int) -> str:
        """A fold over rows of a value of the scope."""
        rows = [each for each in scope if each.shape]
        if not rows:
            return self.leaf(scope, dtype, shape)
        whole = self.one_of(rows)
        row, total = self.name("r"), self.name("a")
        inner = [*scope, Named(row, whole.dtype, whole.shape[1:]), Named(total, dtype, shape)]
        step = self.expression(inner, dtype, shape, depth - 1)
        start = self.expression(scope, dtype, shape, 0)
        return (f"tf.{self.one_of(['foldl', 'foldr'])}(lambda {total}, {row}: tf.identity({step}), {whole.name}, "
                f"initializer={start})")  # fmt: skip

    def written(self, scope: Sequence[Named], dtype: str, shape: Shape, depth: int, rows: str) -> str:
        """A loop that reads rows from one TensorArray and writes another, from either end."""
        i, source, sink, n, x = (self.name(letter) for letter in "iqpnw")
        row = self.name("r")
        inner = [*scope, Named(i, "int32", ()), Named(row, dtype, shape[1:])]
        step = self.expression(inner, dtype, shape[1:], depth - 1)
        place = self.one_of([i, f"{n} - 1 - {i}"])
        made = f"tf.TensorArray({dtype!r}, {n}, clear_after_read=False)"
        body = f"(lambda {row}: ({i} + 1, {sink}.write({place}, {step})))({source}.read({i}))"
        loop = f"tf.while_loop(lambda {i}, {sink}: {i} < {n}, lambda {i}, {sink}: {body}, [0, {made}])[1].stack()"
        given = f"*(lambda {x}: ({x}, tf.shape({x})[0]))({rows})"
        return f"(lambda {x}, {n}: (lambda {source}: {loop})({made}.unstack({x})))({given})"


def control_program(seed: int, slopes: bool = True, with_arrays: bool = True) -> ControlProgram:
    """The program of a seed."""
    rng, feeding = np.random.default_rng([seed, 16]), np.random.default_rng([seed, 27])
    writer = ControlWriter(rng, with_arrays)
    program = ControlProgram(seed)
    real = str(writer.one_of(["float64", "float64", "float32"]))
    leaves: list[tuple[str, Shape]] = [(real, ("n",)), (real, (2, 3)), (real, ()), ("int32", ()), ("int32", (4,)),
                                       ("bool", ())]  # fmt: skip
    for dtype, shape in leaves:
        if writer.chance(0.8) or dtype == real:
            program.inputs.append(Named(writer.name("x"), dtype, shape))
    program.values = list(program.inputs)
    for _ in range(int(rng.integers(1, 4))):
        writer.budget = int(rng.integers(5, 40))
        dtype = str(writer.one_of([real, real, "int32"]))
        shapes: list[Shape] = [("n",), (2, 3), (), (), (3,), ("n", 2)] if dtype == real else [(), (4,)]
        shape = writer.one_of(shapes)
        make = writer.one_of([writer.cond, writer.loop, writer.loop, writer.over_rows])
        value = Named(writer.name("t"), dtype, shape)
        made_of = make(program.values, dtype, shape, int(rng.integers(1, 4)))
        # A result of a branch or a loop itself, where it is one: a run may feed it.
        is_result = made_of.startswith("tf.") and bool(feeding.random() < 0.6)
        program.lines.append(f"{value.name} = {made_of if is_result else f'tf.identity({made_of})'}")
        program.values.append(value)
        program.fetched.append(value.name)
    reals = [value for value in program.values if value.dtype == real]
    made = [value for value in reals if value.name.startswith("t")]
    if slopes and made:
        xs = [value.name for value in reals if value.name not in {made[-1].name}]
        program.lines.append(f"g = tf.gradients({made[-1].name}, [{', '.join(xs)}])")
        program.slopes = [f"g[{place}]" for place in range(len(xs))]
        if writer.chance(0.3):
            program.lines.append(f"h = [None if each is None else tf.gradients(each, {xs[0]})[0] for each in g]")
            program.slopes += [f"h[{place}]" for place in range(len(xs))]
    if feeding.random() < 0.6:
        program.middle = [value for value in made if feeding.random() < 0.6]
    return program
