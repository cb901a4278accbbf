"""Cases recorded from real systems, and their comparison with Penstock.

Reads the recorded cases (`golden/README.md`, `golden_extra/README.md` describe the format), replays one, and says what
differs. A complaint names its aspect: `kind` (error or not, at build or at run), `class`, `fragment` (of the message),
`static` (shape known before the run), `value`.
"""

import base64
import json
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.shape import TensorShape

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
EXTRA = HERE / "golden_extra"

Array = np.ndarray[Any, np.dtype[Any]]
Json = dict[str, Any]

_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_COMPLEX = ("complex64", "complex128")
_FLOATS = ("float16", "bfloat16", "float32", "float64")


# ---- reading ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded case."""

    id: str
    op: str
    data: Json

    @property
    def tags(self) -> Sequence[str]:
        """What is special about it; the README explains the words."""
        found: Sequence[str] = self.data.get("tags", ())
        return found

    @property
    def expect(self) -> Json:
        """What the real system did, or what the reference page says where that contradicts."""
        if "seed_conflict" in self.tags:
            return {"status": "build_error", "class": "TypeError", "fragment": ""}
        found: Json = self.data["expect"]
        return found


def files(folder: Path, kind: str = "op") -> list[str]:
    """The names of the files of one kind, without their suffix."""
    found = {path.stem: read(path) for path in sorted(folder.glob("*.json"))}
    # What tests of one module read has its own form.
    return [name for name, data in found.items() if isinstance(data, dict) and data.get("kind") == kind]


def cases(folder: Path, name: str) -> list[Case]:
    """The cases of one file."""
    found = read(folder / f"{name}.json")
    return [Case(c["id"], c.get("op", name), c) for c in found["cases"]]


@cache
def read(path: Path) -> Json:
    """A file of recorded cases; read once."""
    found: Json = json.loads(path.read_text(encoding="utf-8"))
    return found


def decode(tensor: Json) -> Array:
    """The array that a recorded tensor stands for."""
    dtype, shape, values = tensor["dtype"], tensor["shape"], tensor["values"]
    if dtype == "string":
        strings = np.empty(len(values), object)
        strings[:] = [v.encode() if isinstance(v, str) else base64.b64decode(v["b64"]) for v in values]
        return strings.reshape(shape)
    if dtype in _COMPLEX:
        pairs = [complex(_number(re), _number(im)) for re, im in values]
        return np.array(pairs, np.complex128).astype(dtype).reshape(shape)
    if dtype in _FLOATS:
        with np.errstate(all="ignore"):
            wide = np.array([_number(v) for v in values], np.float64)
            return wide.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype).reshape(shape)
    return np.array(values, dtype).reshape(shape)


def _number(value: Any) -> float:
    return _SPECIAL[value] if isinstance(value, str) else value


# ---- building -----------------------------------------------------------------------------------

_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "matmul": operator.matmul,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "and": operator.and_,
    "or": operator.or_, "xor": operator.xor, "invert": operator.invert, "neg": operator.neg, "abs": abs,
}  # fmt: skip


def function_of(op: str) -> Callable[..., Any]:
    """The function that a recorded op name means."""
    if op.startswith("op_"):
        apply = _OPERATORS[op.removeprefix("op_")]
        return lambda **kwargs: apply(*kwargs.values())
    if op == "getitem":
        return lambda tensor, index: tensor[index]
    if op == "einsum":
        return lambda equation, inputs: tf.einsum(equation, *inputs)
    found: Callable[..., Any] = getattr(tf, op)
    return found


def value_of(spec: Json, nodes: dict[str, Any]) -> Any:
    """The Python object that a value spec stands for."""
    match spec:
        case {"ref": name, "index": index}:
            return nodes[name][index]
        case {"ref": name}:
            return nodes[name]
        case {"const": tensor}:
            return tf.constant(decode(tensor), dtype=tensor["dtype"])
        case {"np": tensor}:
            return decode(tensor)
        case {"py": value}:
            return value
        case {"complex": [real, imaginary]}:
            return complex(real, imaginary)
        case {"dtype": name}:
            return tf.as_dtype(name)
        case {"list": items}:
            return [value_of(item, nodes) for item in items]
        case {"tuple": items}:
            return tuple(value_of(item, nodes) for item in items)
        case {"slice": bounds}:
            return slice(*(value_of(b, nodes) if isinstance(b, dict) else b for b in bounds))
        case {"ellipsis": True}:
            return ...
        case {"newaxis": True}:
            return None
        case {"sparse": parts}:
            return tf.SparseTensor(*(value_of(parts[k], nodes) for k in ("indices", "values", "dense_shape")))
    raise ValueError(f"not a value spec: {spec}")


def call(op: str, kwargs: Json, nodes: dict[str, Any]) -> Any:
    """Make the recorded call."""
    values = {name: value_of(spec, nodes) for name, spec in kwargs.items()}
    # The first set writes the slice a:b as a list.
    if op == "getitem" and isinstance(values["index"], list) and len(values["index"]) == 2:
        values["index"] = slice(*values["index"])
    return function_of(op)(**values)


def placeholders(data: Json, nodes: dict[str, Any]) -> dict[Tensor, Array]:
    """Make the placeholders of a case, enter them into `nodes`, and return what they are fed."""
    feeds = {}
    for p in data.get("placeholders", ()):
        nodes[p["name"]] = tensor = tf.placeholder(p["dtype"], shape=p["shape"], name=p["name"])
        if p.get("feed") is not None:
            feeds[tensor] = decode(p["feed"])
    return feeds


def outputs_of(result: Any) -> tuple[str, list[Tensor]]:
    """How a call returned, and its tensors."""
    if isinstance(result, (list, tuple)):
        return "list", list(result)
    if isinstance(result, Tensor):
        return "tensor", [result]
    return "sparse", [result.indices, result.values, result.dense_shape]


@dataclass(slots=True)
class Outcome:
    """What Penstock did: status is ok, build_error or run_error."""

    status: str = "ok"
    returns: str = ""
    tensors: list[Tensor] = field(default_factory=list)
    feeds: dict[Tensor, Array] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)
    error: Exception | None = None


def build(case: Case) -> Outcome:
    """Build a single-op case in the default graph."""
    nodes: dict[str, Any] = {}
    outcome = Outcome(feeds=placeholders(case.data, nodes))
    for node in case.data["pre"]:
        nodes[node["name"]] = call(node["op"], node["kwargs"], nodes)
    try:
        outcome.returns, outcome.tensors = outputs_of(call(case.op, case.data["kwargs"], nodes))
    except Exception as error:
        outcome.status, outcome.error = "build_error", error
        return outcome
    if case.data.get("feed") is not None:
        outcome.feeds[outcome.tensors[0]] = decode(case.data["feed"])
    return outcome


def execute(case: Case) -> Outcome:
    """Build a single-op case in a graph of its own and run it."""
    graph = tf.Graph()
    with graph.as_default():
        outcome = build(case)
    if outcome.status == "ok" and outcome.tensors:
        with tf.Session(graph=graph) as session:
            try:
                outcome.values = session.run(outcome.tensors, outcome.feeds)
            except Exception as error:
                outcome.status, outcome.error = "run_error", error
    return outcome


# ---- comparing ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Complaint:
    """One way in which a case came out differently."""

    case: str
    aspect: str
    text: str

    def __str__(self) -> str:
        return f"{self.case} {self.aspect}: {self.text}"


def complaints(case: Case) -> list[Complaint]:
    """Everything in which Penstock differs from what was recorded for a single-op case."""
    outcome = execute(case)
    return [Complaint(case.id, aspect, text) for aspect, text in _differences(case, outcome)]


def _differences(case: Case, outcome: Outcome) -> Iterator[tuple[str, str]]:
    expect = case.expect
    if outcome.status != expect["status"]:
        if "no_kernel" not in case.tags or not _refused_otherwise(outcome):
            yield "kind", f"{_told(outcome)}, want {expect['status']} {expect.get('message', '')}"
        return
    if expect["status"] != "build_error":
        yield from _static_differences(expect["outputs"], outcome.tensors)
        yield from _contradictions(outcome)
    if outcome.error is None:
        yield from _value_differences(case, outcome)
        return
    if not _is_a(outcome.error, expect["class"]):
        if "no_kernel" not in case.tags:
            yield "class", f"{_told(outcome)}, want {expect['class']} {expect.get('message', '')}"
    elif expect["fragment"].lower() not in str(outcome.error).lower() and "no_kernel" not in case.tags:
        yield "fragment", f"{_told(outcome)}, want {expect['fragment']!r}"


def _refused_otherwise(outcome: Outcome) -> bool:
    """For a dtype the real system has no kernel for: refusing it at build or computing it is as good."""
    return outcome.error is None or isinstance(outcome.error, TypeError)


def _is_a(error: Exception, name: str | None) -> bool:
    return name is None or name in [c.__name__ for c in type(error).__mro__]


def _told(outcome: Outcome) -> str:
    if outcome.error is None:
        return "no error"
    first = str(outcome.error).split("\n")[0]
    return f"{outcome.status} {type(outcome.error).__name__}: {first[:200]}"


def _static_differences(want: list[Json], tensors: list[Tensor]) -> Iterator[tuple[str, str]]:
    if len(want) != len(tensors):
        yield "static", f"{len(tensors)} outputs, want {len(want)}"
        return
    for i, (w, tensor) in enumerate(zip(want, tensors, strict=True)):
        if tensor.dtype.name != w["dtype"]:
            yield "static", f"output {i} is {tensor.dtype}, want {w['dtype']}"
        if not refines(tensor.shape, w["static_shape"]):
            yield "static", f"output {i} is {tensor.shape}, want {w['static_shape']}"


def refines(shape: TensorShape, recorded: Sequence[int | None] | None) -> bool:
    """Whether `shape` says at least what was recorded (None: unknown) and nothing against it."""
    if recorded is None:
        return True
    dims = shape.raw
    return dims is not None and len(dims) == len(recorded) and all(
        r is None or d == r for d, r in zip(dims, recorded, strict=True)
    )  # fmt: skip


def _contradictions(outcome: Outcome) -> Iterator[tuple[str, str]]:
    for tensor, value in zip(outcome.tensors, outcome.values, strict=bool(outcome.values)):
        if not tensor.shape.is_compatible_with(np.shape(value)):
            yield "static", f"{tensor.shape} contradicts the run's {np.shape(value)}"


def _value_differences(case: Case, outcome: Outcome) -> Iterator[tuple[str, str]]:
    expect = case.expect
    if outcome.returns != expect["returns"]:
        yield "value", f"returns a {outcome.returns}, want a {expect['returns']}"
    for i, (got, want) in enumerate(zip(outcome.values, expect["outputs"], strict=True)):
        ulps = 4 if "approx" in case.tags else 0
        denormal = "denormal" in case.tags
        difference = unlike(got, want["value"], want.get("dont_care", ()), ulps, denormal)
        if difference:
            yield "value", f"output {i}: {difference}"


def unlike(
    got: Any, want: Json, dont_care: Sequence[int] = (), ulps: int = 0, only_form: bool = False
) -> str | None:
    """In what a result differs from a recorded tensor, None if in nothing."""
    array = np.asarray(got, object) if isinstance(got, bytes) else np.asarray(got)
    dtype = tf.as_dtype(array.dtype).name
    if dtype != want["dtype"]:
        return f"dtype {dtype}, want {want['dtype']}"
    if list(array.shape) != want["shape"]:
        return f"shape {list(array.shape)}, want {want['shape']}"
    if only_form:
        return None
    same = _same_elements(array.reshape(-1), decode(want).reshape(-1), ulps)
    same[list(dont_care)] = True
    if same.all():
        return None
    first = int(np.flatnonzero(~same)[0])
    return f"element {first} is {array.reshape(-1)[first]!r}, want {want['values'][first]!r}"


def _same_elements(got: Array, want: Array, ulps: int) -> Array:
    if got.dtype.kind == "O":
        return np.array([type(g) is bytes and g == w for g, w in zip(got, want, strict=True)], bool)
    if got.dtype.kind == "c":
        parts = got.real.dtype
        both = got.view(parts), want.view(parts)
        # A complex result is as near as its larger part.
        size = np.repeat(np.abs(want).astype(parts), 2)
        return np.asarray(_near(*both, ulps, size).reshape(-1, 2).all(axis=1))
    if got.dtype.kind == "f" or got.dtype == ml_dtypes.bfloat16:
        return _near(got, want, ulps, np.abs(want))
    return np.asarray(got == want)


def _near(got: Array, want: Array, ulps: int, size: Array) -> Array:
    with np.errstate(all="ignore"):
        equal: Array = (got == want) | (np.isnan(got) & np.isnan(want))
        if not ulps:
            return equal
        unit = ml_dtypes.finfo(got.dtype).eps  # type: ignore[no-untyped-call]  # ml_dtypes has no annotations
        distance = np.abs(got.astype(np.float64) - want.astype(np.float64))
        return np.asarray(equal | (distance <= ulps * float(unit) * size.astype(np.float64)))


# ---- graphs of several nodes --------------------------------------------------------------------


def build_graph(case: Case) -> tuple[dict[str, Any], dict[Tensor, Array]]:
    """Build a case of several nodes in the default graph: its nodes by name, and what is fed."""
    nodes: dict[str, Any] = {}
    feeds = placeholders(case.data, nodes)
    for node in case.data["nodes"]:
        nodes[node["name"]] = call(node["op"], node["kwargs"], nodes)
    return nodes, feeds


def graph_complaints(case: Case) -> list[Complaint]:
    """Everything in which Penstock differs from what was recorded for a case of several nodes."""
    graph = tf.Graph()
    with graph.as_default():
        nodes, feeds = build_graph(case)
    found: list[Complaint] = []
    for node in case.data["nodes"]:
        tensors = outputs_of(nodes[node["name"]])[1]
        for aspect, text in _static_differences(node["expect"]["outputs"], tensors):
            found.append(Complaint(case.id, aspect, f"{node['name']} ({node['op']}): {text}"))
    fetched = [nodes[f["ref"]][f["index"]] if "index" in f else nodes[f["ref"]] for f in case.data["fetches"]]
    with tf.Session(graph=graph) as session:
        values = session.run(fetched, feeds)
    for fetch, tensor, value in zip(case.data["fetches"], fetched, values, strict=True):
        difference = unlike(value, fetch["value"])
        if difference:
            found.append(Complaint(case.id, "value", f"{tensor.name}: {difference}"))
        if not tensor.shape.is_compatible_with(np.shape(value)):
            found.append(Complaint(case.id, "static", f"{tensor} contradicts the run's {np.shape(value)}"))
    return found
