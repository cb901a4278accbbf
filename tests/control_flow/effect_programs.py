"""Random programs of branches, loops, maps and scans in which some results write, assert or fail and others do not.

A program is data, and `build` makes it of Penstock or of TensorFlow. Each write adds 1 to a counter of its own, so the
counters after a run tell how often each write ran, whatever the order. A statement may wait for writes, assertions and
results made before it in its body; constants wait as well. Fetched are some results and first and second derivatives.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

Kind = Literal["op", "const", "write", "assert", "fail", "cond", "case", "while", "map", "scan"]
OPS = ("tanh", "sin", "scaled", "sum", "product", "shifted", "chosen")
COUNTERS = 16
SETS = 4


@dataclass
class Statement:
    """One statement; `bodies` are functions that become graphs.

    Attributes:
        kind: what it makes.
        what: the op.
        args: the places of its operands among the values in scope.
        waits: the places of what it waits for, among what its own body has made.
        number: a constant, a number of iterations, or a counter.
        results: how many values it gives.
        bodies: the functions.
    """

    kind: Kind
    what: str = ""
    args: list[int] = field(default_factory=list)
    waits: list[int] = field(default_factory=list)
    number: float = 0
    results: int = 1
    bodies: list[Function] = field(default_factory=list)


@dataclass
class Function:
    """Statements, and the places of the results among the values in scope then."""

    statements: list[Statement]
    results: list[int]


class EffectProgram:
    """The program of a seed.

    Attributes:
        top: its statements.
        of: the places of the values whose derivatives are taken.
        sets: what is fetched, run by run: places of values, or "g0", "g1" and "h" for derivatives.
        feeds: the two numbers that each run feeds.
    """

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.counters = 0
        self.seed = seed
        self.top = self._function(2, 2, rng.randint(2, 4), True)
        made = list(range(2, 2 + sum(each.results for each in self.top.statements)))
        self.of = rng.sample(made, min(len(made), rng.choice((1, 1, 2))))
        self.sets: list[list[int | str]] = []
        self.feeds: list[tuple[float, float]] = []
        for _ in range(SETS):
            slopes = rng.sample(["g0", "g1", "h"], rng.choice((0, 0, 1, 2)))
            values = rng.sample(made, rng.randint(0 if slopes else 1, min(2, len(made))))
            self.sets.append([*sorted(values), *sorted(slopes)])
            self.feeds.append((rng.choice((-0.75, 0.5, 1.25)), rng.choice((-0.5, 0.25))))

    def _function(self, scope: int, depth: int, size: int, is_top: bool = False) -> Function:
        own: list[int] = []  # places among what the body has made, of effects and values alike
        statements: list[Statement] = []
        values = scope
        for _ in range(size):
            made = self._statement(values, depth, len(own), is_top and not any(s.bodies for s in statements))
            statements.append(made)
            own += [len(own)] * (made.results or 1)
            values += made.results
        return Function(statements, [])

    def _statement(self, scope: int, depth: int, own: int, must_hold: bool) -> Statement:
        rng = self.rng
        args = [max(rng.randrange(scope), rng.randrange(scope)) for _ in range(2)]
        waits = rng.sample(range(own), min(own, rng.choice((0, 0, 1, 1, 2))))
        kind = rng.random()
        if must_hold or (kind < 0.3 and depth):
            return self._holder(scope, depth, waits)
        if kind < 0.5 and self.counters < COUNTERS:
            self.counters += 1
            return Statement("write", args=args, waits=waits, number=self.counters - 1, results=0)
        if kind < 0.56:
            return Statement("assert", rng.choice(("true", "true", "false")), args, waits, results=0)
        if kind < 0.6:
            return Statement("fail", "", args, waits)
        if kind < 0.7:
            return Statement("const", "", [], waits, rng.choice((0.5, -0.25, 2.0)))
        return Statement("op", rng.choice(OPS), args, waits, rng.choice((0.5, -0.25, 0.75)))

    def _holder(self, scope: int, depth: int, waits: list[int]) -> Statement:
        rng = self.rng
        kind: Kind = rng.choice(("cond", "cond", "case", "while", "while", "map", "scan"))
        results = 1 if kind == "case" else rng.randint(1, 3)
        given = {"while": results, "map": 1, "scan": results + 1}.get(kind, 0)
        args = [rng.randrange(scope) for _ in range(max(results, 2))]
        made = Statement(kind, "", args, waits, rng.randint(0, 3), results)
        for _ in range(2 if kind in ("cond", "case") else 1):
            body = self._function(scope + given, depth - 1, rng.randint(1, 4))
            values = scope + given + sum(each.results for each in body.statements)
            body.results = [rng.randrange(scope if rng.random() < 0.1 else scope + given, values)
                            if values > scope + given else rng.randrange(values) for _ in range(results)]  # fmt: skip
            made.bodies.append(body)
        return made

    def __str__(self) -> str:
        lines = [f"# seed {self.seed}"]
        _tell(self.top, 2, "", lines)
        return "\n".join([*lines, f"derivatives of {self.of}; fetched {self.sets}; fed {self.feeds}"])


def _tell(function: Function, scope: int, lead: str, lines: list[str]) -> None:
    for i, each in enumerate(function.statements):
        names = ", ".join(f"v{scope + k}" for k in range(each.results)) or "-"
        lines.append(f"{lead}#{i} {names} = {each.kind} {each.what} {each.args} {each.number} after {each.waits}")
        for body in each.bodies:
            given = {"while": each.results, "map": 1, "scan": each.results + 1}.get(each.kind, 0)
            _tell(body, scope + given, lead + "    ", lines)
            lines.append(f"{lead}    gives {body.results}")
        scope += each.results


class Built:
    """A program as a graph of `tf`: `penstock.compat.v1` or `tensorflow.compat.v1`."""

    def __init__(self, tf: Any, program: EffectProgram) -> None:
        self.tf = tf
        self.xs = [tf.placeholder("float64", [], name=f"x{i}") for i in range(2)]
        self.counters = [tf.Variable(0.0, name=f"c{i}", use_resource=True) for i in range(COUNTERS)]
        self.start = tf.global_variables_initializer()
        values = self._run(program.top, list(self.xs))
        self.fetches: dict[int | str, Any] = dict(enumerate(values))
        y = sum([values[place] for place in program.of[1:]], values[program.of[0]])
        slopes = tf.gradients(y, self.xs)
        self.fetches |= {f"g{i}": slope for i, slope in enumerate(slopes) if slope is not None}
        if slopes[0] is not None and any("h" in each for each in program.sets):
            (second,) = tf.gradients(slopes[0], self.xs[:1])
            if second is not None:
                self.fetches["h"] = second

    def _run(self, function: Function, scope: list[Any]) -> list[Any]:
        """The values in scope after the statements."""
        made: list[Any] = []
        for each in function.statements:
            with self.tf.control_dependencies([made[place] for place in each.waits]):
                found = self._made(each, scope)
            made += found
            if each.results:
                scope = [*scope, *found]
        return scope

    def _body(self, body: Function, scope: Sequence[Any], given: Sequence[Any]) -> list[Any]:
        values = self._run(body, [*scope, *given])
        return [self.tf.identity(values[place]) for place in body.results]

    def _made(self, each: Statement, scope: list[Any]) -> list[Any]:
        tf = self.tf
        if each.bodies:
            return self._held(each, scope)
        args = [scope[place] for place in each.args]
        if each.kind == "const":
            return [tf.constant(each.number, "float64")]
        if each.kind == "write":
            return [tf.assign_add(self.counters[int(each.number)], 1.0).op]
        if each.kind == "assert":
            return [tf.Assert(args[0] < (1e9 if each.what == "true" else -1e9), [args[0]])]
        if each.kind == "fail":
            return [tf.gather(tf.stack(args), tf.cast(tf.abs(args[0]), "int32") * 0 + 7)]
        a, b = args
        made = {
            "tanh": lambda: tf.tanh(a), "sin": lambda: tf.sin(a) * tf.constant(each.number, "float64"),
            "scaled": lambda: a * each.number, "sum": lambda: a + b, "product": lambda: tf.tanh(a) * tf.tanh(b),
            "shifted": lambda: a + each.number, "chosen": lambda: tf.where(a > b, a * each.number, b),
        }  # fmt: skip
        return [made[each.what]()]

    def _held(self, each: Statement, scope: list[Any]) -> list[Any]:
        tf, count = self.tf, each.results
        args = [scope[place] for place in each.args]
        if each.kind in ("cond", "case"):
            yes, no = [partial(self._body, body, scope, []) for body in each.bodies]
            if each.kind == "case":
                return [tf.case([(args[0] > 0.3, lambda: yes()[0])], default=lambda: no()[0])]
            found = tf.cond(args[0] > args[1], yes, no, strict=True)
            return list(found)
        (body,) = each.bodies
        if each.kind == "while":
            found = tf.while_loop(lambda i, *v: i < int(each.number),
                                  lambda i, *v: [i + 1, *self._body(body, scope, v)], [tf.constant(0), *args[:count]],
                                  parallel_iterations=1)  # fmt: skip
            return list(found[1:])
        rows = tf.stack([*args[:2], args[0] * 0.5])
        if each.kind == "map":
            stacks = tf.map_fn(lambda e: self._body(body, scope, [e]), rows, dtype=["float64"] * count,
                               parallel_iterations=1)  # fmt: skip
        else:
            stacks = tf.scan(lambda a, e: self._body(body, scope, [*a, e]), rows, [args[0]] * count,
                             parallel_iterations=1)  # fmt: skip
        return [tf.reduce_sum(stack) for stack in stacks]


def results(tf: Any, program: EffectProgram, session_of: Any) -> list[Any]:
    """For each run its values by name, and the counters after it; None for a run that fails."""
    with tf.Graph().as_default() as graph:
        built = Built(tf, program)
        found: list[Any] = []
        with session_of(graph) as session:
            for names, fed in zip(program.sets, program.feeds, strict=True):
                fetches = {str(name): built.fetches[name] for name in names if name in built.fetches}
                session.run(built.start)
                try:
                    values = session.run(fetches, dict(zip(built.xs, fed, strict=True)))
                except Exception as error:
                    if "InvalidArgument" not in type(error).__name__:
                        raise
                    found.append(None)
                    continue
                counted = [float(each) for each in session.run(built.counters)]
                found.append([{name: float(value) for name, value in values.items()}, counted])
    return found
