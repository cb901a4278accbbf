"""The scalar IR: what a fused group computes for one element, in NumPy's primitives.

A `Scalar` is a program over single numbers in single-assignment form. Its steps are named after NumPy's functions and
are explicit: each cast, each rounding to 16 bits, the dtype of every constant. Code is generated from it:

    (%0 bfloat16) -> %3
    %1 = astype(%0)  float32
    %2 = maximum(%1, 0)  float32
    %3 = astype(%2)  bfloat16

No op is defined a second time for it. Each op's kernel is traced: it is called once with stand-ins for the arrays and
the array module, which record the calls. A kernel that depends on values cannot be traced, and the interpreter runs its
group.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OPS, OpDef
from ...graph.shapes.dtypes import DType, bfloat16, float16, float32, of_numpy
from .fused_ir import Body, Instruction, Value

HALVES = (float16, bfloat16)


class CannotLower(RuntimeError):
    """The group has no scalar program; the message says why."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: its dtype and its bytes, which distinguish 0.0 from -0.0."""

    dtype: DType
    data: bytes

    @property
    def value(self) -> Any:
        """The constant as a NumPy scalar."""
        return np.frombuffer(self.data, self.dtype.np)[0]

    def __str__(self) -> str:
        return str(self.value)


Argument: TypeAlias = Value | Literal


@dataclass(frozen=True, slots=True)
class ScalarStep:
    """One primitive: a NumPy function, its arguments, and the dtype of its result."""

    primitive: str
    args: tuple[Argument, ...]
    dtype: DType

    def __str__(self) -> str:
        return f"{self.primitive}({', '.join([f'{arg}' for arg in self.args])})  {self.dtype.name}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A program: the dtypes of its inputs, its steps (numbered after the inputs), and its results."""

    inputs: tuple[DType, ...]
    steps: tuple[ScalarStep, ...]
    outputs: tuple[Argument, ...]

    def dtype_of(self, argument: Argument) -> DType:
        """The dtype of a value or a constant."""
        if isinstance(argument, Literal):
            return argument.dtype
        count = len(self.inputs)
        return self.inputs[argument] if argument < count else self.steps[argument - count].dtype

    def __str__(self) -> str:
        inputs = ", ".join(f"{Value(i)} {d.name}" for i, d in enumerate(self.inputs))
        first = len(self.inputs)
        lines = [f"({inputs}) -> {', '.join(map(str, self.outputs))}"]
        return "\n".join(lines + [f"{Value(first + i)} = {step}" for i, step in enumerate(self.steps)])


def lower(body: Body, wanted: Sequence[tuple[int, DType]], zeros_are_found: bool = False) -> Scalar:
    """The scalar program of the elementwise part of `body`.

    Args:
        body: the group.
        wanted: (value, dtype) of each result.
        zeros_are_found: True if the caller checks integer divisors for zeros before it runs the program.

    Raises:
        CannotLower: an op has no scalar form.
    """
    trace = ScalarTrace(body.inputs)
    values: list[Traced | None] = [Traced(trace, Value(i), d.np) for i, d in enumerate(body.inputs)]
    for failing, divisor in body.failing():
        if not zeros_are_found or divisor is None:
            raise CannotLower(f"{failing.op} may fail for some values")
    for instruction in body.instructions:
        is_reduction = OPS[instruction.op].reduction is not None
        values.append(None if is_reduction else lowered(instruction, values))
    outputs = []
    for i, dtype in wanted:
        value = values[i]
        assert value is not None  # wanted values belong to the elementwise part
        outputs.append(value.astype(dtype.np).value)
    return needed(Scalar(body.inputs, tuple(trace.steps), tuple(outputs)))


def lower_function(function: Callable[..., Any], *dtypes: DType) -> Scalar:
    """The scalar program of a function of arrays of these dtypes.

    Raises:
        CannotLower: it has no scalar form.
    """
    trace = ScalarTrace(dtypes)
    try:
        made = function(*[Traced(trace, Value(i), dtype.np) for i, dtype in enumerate(dtypes)])
    except (TypeError, AttributeError, ValueError) as error:
        raise CannotLower(f"it does not take single numbers ({error})") from None
    if not isinstance(made, Traced):
        raise CannotLower(f"it returns a {type(made).__name__}")
    return needed(Scalar(dtypes, tuple(trace.steps), (made.value,)))


def lowered(instruction: Instruction, values: list[Traced | None]) -> Traced:
    opdef = OPS[instruction.op]
    args = [values[a] if isinstance(a, Value) else a for a in instruction.args]
    try:
        made = _by_ufunc(opdef, args, instruction.dtype) if opdef.facts.ufunc else _by_kernel(opdef, args)
    except CannotLower as error:
        raise CannotLower(f"{instruction.op}: {error}") from None
    except (TypeError, AttributeError, ValueError) as error:
        raise CannotLower(f"{instruction.op}: its kernel does not take single numbers ({error})") from None
    if not isinstance(made, Traced) or of_numpy(made.dtype) is not instruction.dtype:
        found = made.dtype if isinstance(made, Traced) else type(made).__name__
        raise CannotLower(f"{instruction.op}: its kernel returns {found}, but the node has {instruction.dtype.name}")
    return made


def _by_ufunc(opdef: OpDef[Any, Any], args: list[Any], out: DType) -> Any:
    """A NumPy function; 16-bit floats are computed in float32 and rounded once (see runtime.numpy.writers)."""
    wide = [a.astype(float32.np) if of_numpy(a.dtype) in HALVES else a for a in args]
    made = getattr(MODULE, opdef.facts.ufunc or "")(*wide)
    return made.astype(out.np) if out in HALVES else made


def _by_kernel(opdef: OpDef[Any, Any], args: list[Any]) -> Any:
    kernel = opdef.kernels.get("scalar") or opdef.kernels["*"]
    return kernel(MODULE, *args)


def needed(program: Scalar) -> Scalar:
    """The program without unused steps."""
    first = len(program.inputs)
    used = {o for o in program.outputs if isinstance(o, Value)}
    for i in reversed(range(len(program.steps))):
        if first + i in used:
            used.update([a for a in program.steps[i].args if isinstance(a, Value)])
    number = {Value(i): Value(i) for i in range(first)}
    steps: list[ScalarStep] = []
    for i, step in enumerate(program.steps):
        if first + i not in used:
            continue
        number[Value(first + i)] = Value(first + len(steps))
        args = tuple([number[a] if isinstance(a, Value) else a for a in step.args])
        steps.append(ScalarStep(step.primitive, args, step.dtype))
    outputs = tuple([number[o] if isinstance(o, Value) else o for o in program.outputs])
    return Scalar(program.inputs, tuple(steps), outputs)


# ---- the stand-ins ------------------------------------------------------------------------------


class ScalarTrace:
    """The steps recorded so far; a repeated step is recorded once."""

    def __init__(self, inputs: tuple[DType, ...]) -> None:
        self._first = len(inputs)
        self.steps: list[ScalarStep] = []
        self._known: dict[ScalarStep, Value] = {}

    def write(self, primitive: str, args: tuple[Argument, ...], dtype: Any) -> Traced:
        step = ScalarStep(primitive, args, of_numpy(dtype))
        value = self._known.get(step)
        if value is None:
            value = self._known[step] = Value(self._first + len(self.steps))
            self.steps.append(step)
        return Traced(self, value, step.dtype.np)


class _Flags:
    c_contiguous = True


class Traced:
    """A stand-in for an array while a kernel is traced: it has a dtype and operators, but no values."""

    __array_ufunc__ = None  # operators of NumPy scalars then call ours
    shape = ()
    ndim = 0
    flags = _Flags()

    def __init__(self, trace: ScalarTrace, value: Argument, dtype: Any) -> None:
        self.trace = trace
        self.value = value
        self.dtype = np.dtype(dtype)

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> Traced:
        """The value cast by the rules of `ops.elementwise.casting`."""
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        return self.trace.write("astype", (self.value,), dtype)

    def copy(self, order: str = "C") -> Traced:
        """The value itself: it has no memory that could be shared."""
        return self

    @property
    def real(self) -> Traced:
        """The first part of a complex number."""
        return self._part("real")

    @property
    def imag(self) -> Traced:
        """The second part of a complex number."""
        return self._part("imag")

    def _part(self, name: str) -> Traced:
        if self.dtype.kind != "c":
            raise CannotLower(f"its kernel reads the {name} part of {self.dtype}")
        return self.trace.write(name, (self.value,), of_numpy(self.dtype).real_dtype.np)

    def __bool__(self) -> bool:
        raise CannotLower("its kernel branches on values")

    def __getattr__(self, name: str) -> Any:
        raise CannotLower(f"its kernel reads .{name} of an array, which a single number does not have")


def _operator(name: str, swapped: bool = False) -> Callable[..., Any]:
    def call(x: Traced, y: Any = None) -> Any:
        args = (x,) if y is None else (y, x) if swapped else (x, y)
        return getattr(MODULE, name)(*args)

    return call


for _name, _function in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "left_shift", "rshift": "right_shift",
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}.items():  # fmt: skip
    setattr(Traced, f"__{_name}__", _operator(_function))
    if hasattr(operator, f"i{_name}"):
        setattr(Traced, f"__r{_name}__", _operator(_function, swapped=True))
for _name, _function in {"neg": "negative", "abs": "absolute", "invert": "invert"}.items():
    setattr(Traced, f"__{_name}__", _operator(_function))


class _Module:
    """A stand-in for the array module: a call of one of its functions records a step."""

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """`numpy.where`."""
        trace = _trace_of(condition, x, y)
        dtype = np.result_type(*[_dtype_or_number_type(a) for a in (x, y)])
        args = [_argument(a, d) for a, d in ((condition, np.dtype(bool)), (x, dtype), (y, dtype))]
        return trace.write("where", tuple(args), dtype)

    def complex(self, real: Traced, imag: Any) -> Traced:
        """A complex number made of its two parts."""
        dtype = np.result_type(real.dtype, np.complex64)
        return real.trace.write("complex", (real.value, _argument(imag, real.dtype)), dtype)

    def primitive(self, name: str, *args: Any) -> Any:
        """A primitive that is not a NumPy function; its result and its arguments have the dtype of the first one."""
        dtype = args[0].dtype
        return args[0].trace.write(name, tuple([_argument(x, dtype) for x in args]), dtype)

    def filled(self, like: Traced, number: int, dtype: DType | None) -> Traced:
        """A number, as an element of a tensor with the shape of another one; its dtype too unless `dtype` is given."""
        kind = like.dtype if dtype is None else dtype.np
        return Traced(like.trace, Literal(of_numpy(kind), np.asarray(number).astype(kind).tobytes()), kind)

    def asarray(self, value: Any, dtype: Any = None) -> Any:
        """A constant of a dtype, or a value cast to it."""
        if isinstance(value, Traced):
            return value if dtype is None else value.astype(dtype)
        return np.asarray(value, dtype)[()]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):  # special names that Python looks up on any object
            raise AttributeError(name)
        ufunc = getattr(np, name, None)
        if not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
            raise CannotLower(f"its kernel calls {name}, which is not a primitive")
        return lambda *args: _apply(name, ufunc, args)


MODULE = _Module()

_IN_FLOAT32 = frozenset((
    "add", "subtract", "multiply", "true_divide", "square", "reciprocal", "sqrt", "negative", "absolute", "floor",
    "ceil", "rint", "sign", "isnan", "isinf", "isfinite", "equal", "not_equal", "less", "less_equal", "greater",
    "greater_equal",
))  # fmt: skip
"""Functions whose loops for 16-bit floats compute in float32 and round once; others have special loops."""


def _apply(name: str, ufunc: np.ufunc, args: tuple[Any, ...]) -> Traced:
    if name == "divide":
        name = "true_divide"
    trace = _trace_of(*args)
    *dtypes, out = ufunc.resolve_dtypes((*[_dtype_or_number_type(a) for a in args], None))
    if not any(of_numpy(d) in HALVES for d in dtypes):
        return trace.write(name, tuple([_argument(a, d) for a, d in zip(args, dtypes, strict=True)]), out)
    if name not in _IN_FLOAT32:
        raise CannotLower(f"NumPy's {name} has a special loop for 16-bit floats")
    wide = [_as_traced(trace, a, d).astype(float32.np) for a, d in zip(args, dtypes, strict=True)]
    made = _apply(name, ufunc, tuple(wide))
    if name == "sign" and of_numpy(out) is bfloat16:
        made = _apply("copysign", np.copysign, (made, wide[0]))  # ml_dtypes: the sign of -0.0 is -0.0
    return made if of_numpy(out).is_bool else made.astype(out)


def _trace_of(*args: Any) -> ScalarTrace:
    found = next((a.trace for a in args if isinstance(a, Traced)), None)
    if found is None:
        raise CannotLower("its kernel uses constants only")
    return found


def _dtype_or_number_type(arg: Any) -> Any:
    """The dtype of an argument; for a Python number its type, which adapts to the other operand."""
    if isinstance(arg, (Traced, np.generic)):
        return arg.dtype
    if type(arg) in (int, float, complex):
        return type(arg)
    raise CannotLower(f"its kernel uses a {type(arg).__name__} as a number")


def _argument(arg: Any, dtype: Any) -> Argument:
    """The argument as a value of the dtype in which the function computes."""
    if isinstance(arg, Traced):
        return arg.astype(dtype).value
    return Literal(of_numpy(dtype), np.asarray(arg).astype(dtype).tobytes())


def _as_traced(trace: ScalarTrace, arg: Any, dtype: Any) -> Traced:
    return Traced(trace, _argument(arg, dtype), dtype)
