"""The declaration of an op: `@op("Gather")` makes an `OpDef` of an annotated function without a body.

Rules are attached beside it; the docstring of `OpDef` lists them. Passes, tests and documentation ask an OpDef for its
facts instead of keeping lists of op names.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import wraps
from typing import Any, Generic, ParamSpec, Self, TypeAlias, TypeVar

import numpy as np

from ..common.hooks import hooks
from ..common.lazy_import import load
from ..common.near_names import did_you_mean
from ..common.quick_dataclass import dataclass
from ..common.tracebacks import cut, hides_frames
from ..shapes.dtypes import DType
from ..shapes.shape import no_shape_rule
from .batched import BatchedRule
from .boxes import BoxesRule
from .distribution import DistributionRule
from .effects import DRAWING, PURE, Effects, PreparedWrite, union
from .op_facts import ReductionRule, RowRule, facts_of
from .parameter_names import keyword_hint
from .parameters import bare, name_last, read_parameters, returned, tails
from .public_signature import PublicSignature
from .required_ranks import with_ranks
from .state_slots import StatePlaces

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])
D = TypeVar("D", bound="OpDef[Any, Any]")
Out: TypeAlias = str | DType | tuple[str | DType, ...] | Callable[..., Any]
GradientRule: TypeAlias = Callable[..., Any]
"""(ops, operation, *gradients of its outputs) -> what `OpDef.gradient` says."""


# ---- example calls, with which the generic tests call an op ------------------------------------


@dataclass(frozen=True)
class Sample:
    """One example call of an op, with which the generic tests call it.

    Args:
        args: the arguments: arrays, or lists of arrays, for operands, and Python values for attributes.
        kwargs: arguments by name.
        fixed: the names of operands that stay constants where the tests make placeholders of the others.

    >>> from penstock.extend import sample
    >>> sample([1.0, 2.0], axis=0, fixed=["x"])
    Sample(args=([1.0, 2.0],), kwargs={'axis': 0}, fixed=frozenset({'x'}))
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()


Samples: TypeAlias = Iterator[Sample]
"""What a rule of samples yields."""


def sample(*args: Any, fixed: Iterable[str] = (), **kwargs: Any) -> Sample:
    """A `Sample`, written like the call.

    Args:
        args: the arguments of the call by position.
        fixed: the names of operands that stay constants where the tests make placeholders of the others.
        kwargs: the arguments of the call by name.

    Returns:
        A `Sample`.

    >>> from penstock.extend import sample
    >>> sample([1.0, 2.0], axis=0).kwargs
    {'axis': 0}
    """
    return Sample(args, kwargs, frozenset(fixed))


# ---- declarations ------------------------------------------------------------------------------


def _attaching(slot: str) -> Callable[[Any, F], F]:
    """The method of `OpDef` that attaches a rule, as a decorator; the docstring of the class says what it does."""

    def attach(opdef: Any, rule: F) -> F:
        setattr(opdef, slot, rule)
        return rule

    attach.__doc__ = f"Attach the {slot.replace('_', ' ')}: see the table in the docstring of the class."
    return attach


class OpDef(Generic[P, R]):
    """One kind of operation: its signature, its facts (see `op`) and its rules. Calling it adds a node to a graph.

    The rules are attached by decorators. Each rule receives the arguments of a call in the order of the signature:

        shape       tensors -> the TensorShape of the result, or a list of shapes for several results
        kernel      array module, arrays -> the array that a run computes
        kernel_for  the same for one array module: "numpy" or "cupy"
        value       arrays -> array: what is known before a run, where that is not what the kernel computes; an op from
                    outside is evaluated while building only if it has one
        partial     tensors -> an int, a Dimension or None for each entry, where only some are known before a run
        prepare     arguments before their conversion -> arguments, or the result where no node is needed
        fails       arguments -> None where no run can fail, else why one may: see `graph.building.may_fail`
        mistake     arguments -> the error of every run, where constants show it; the call then warns, as it succeeds in
                    TensorFlow
        writes      value before, arguments -> the value after, of an op that writes a variable
        flops       arguments with shapes -> how many operations the op costs, where `op_cost` does not say it
        carries     arguments -> `StatePlaces`: where an op that holds graphs has room for variables
        draws       arrays, attributes -> how many random blocks the kernel uses: see `draws`
        walk        arrays, sizes -> the runs of the graphs that an op holds, one by one: `ops.control.graph_walks`
        fuses       arguments -> None, or why this use of an elementwise op does not work element by element
        lowers      a SubGraph -> what a plan holds for it, where that is not a plan of its own
        gradient    ops, operation, gradients of its outputs -> a gradient for each input
        batched     how a use on one element becomes one on many: see `graph.declare.batched`
        boxes       sizes of operands, values on the host -> which part of the result each operand is: see
                    `graph.declare.boxes`
        distributes operation, states of its inputs, dimension -> what shards of it give: see
                    `graph.declare.distribution`
        samples     random generator -> example calls for the generic tests

    >>> from penstock.extend import find_op
    >>> gather = find_op("Gather")
    >>> gather.type, gather.parameters, gather.bind([1, 2], indices=[0])
    ('Gather', ('params', 'indices'), ([1, 2], [0], None))
    """

    __signature__ = PublicSignature()

    def __init__(self, type: str, function: Callable[P, R], out: Out, facts: Mapping[str, Any]) -> None:
        hints = inspect.get_annotations(function, eval_str=True)  # 2 ms for all ops; typing.get_type_hints takes 7
        signature = inspect.signature(function)
        self.type = type
        self.function = function
        self.signature = signature
        self.out = out
        self.returns = returned(hints.get("return"))
        # An extension's kernels promise less than the package's.
        self.is_from_outside = not function.__module__.startswith("penstock.")
        try:
            read = read_parameters(signature, hints)
            self.facts = facts_of(facts, [o[:2] for o in read.operands], bool(read.bodies), not self.is_from_outside)
            if strangers := set(self.facts.ranks).difference(name for _, name, _ in read.operands):
                raise TypeError(f"ranks: {', '.join(sorted(strangers))} is no operand")
            if self.is_from_outside and self.facts.graphdef is not None:
                load("penstock.graph.declare.graphdef_form")
                from .graphdef_form import check_graphdef

                check_graphdef(type, self.facts.graphdef, read.names)
        except TypeError as error:
            raise TypeError(f"op({type!r}): {error}") from None
        self.calls_user_code = self.is_from_outside or self.facts.user_code
        self.parameters = read.names
        self.operands = read.operands
        self.attrs = read.attrs
        self.bodies = tuple([place for place, _ in read.bodies])  # the attributes that are graphs
        self.body_operands = read.bodies  # with the list of operands that each one's inputs stand for
        # A plain op's arguments are exactly its inputs: one tuple serves for both.
        self.is_plain = not read.attrs and not any(o.many or o.optional for _, _, o in read.operands)
        # Each operand is one tensor on the device: what an elementwise op must have to be fused.
        self.is_tensorwise = self.returns == "tensor" and not any(o.many or o.host for _, _, o in read.operands)
        self.out_is_variable = isinstance(out, str) and any(o.var == out for _, _, o in read.operands)
        self.is_pure = self.facts.effects == PURE  # no use of it has effects: the usual case, told by one attribute
        self.default_name: str = signature.parameters["name"].default or type
        self._tails = tails(signature)
        self._name_at = list(signature.parameters).index("name")
        is_last = self._name_at == len(self._tails) - 1  # but for parameters that TensorFlow added behind it
        self._arity = len(self._tails) if is_last else -1  # then each call goes through `bind`
        self.shape_rule: Callable[..., Any] = no_shape_rule(type)
        self.value_rule: Callable[..., Any] | None = None
        self.partial_rule: Callable[..., Any] | None = None
        self.prepare_rule: Callable[..., Any] | None = None
        self.in_place_rule: Callable[..., Any] | None = None
        self.in_place_operand: int | None = None
        self.prepared_rule: Callable[..., PreparedWrite | None] | None = None
        self.effects_rule: Callable[..., Effects] | None = None
        self.write_rule: Callable[..., Any] | None = None
        self.write_reads = False  # whether `write_rule` needs the value before
        self.carries_rule: Callable[..., StatePlaces] | None = None
        self.walk_rule: Callable[..., Any] | None = None
        # Where TensorFlow has nodes of their own for results, as "Merge{}": {} is "", "_1", ...: see `lookup`.
        self.result_names: tuple[str, ...] = ()
        self.fuse_rule: Callable[..., str | None] | None = None
        self.fails_rule: Callable[..., str | None] | str | None = None  # a reason: any run may fail
        self.mistake_rule: Callable[..., str | None] | None = None
        self.suspicion_rule: Callable[..., bool] | None = None  # whether a call that works is hardly meant: a trap
        self.lower_rule: Callable[..., Any] | None = None
        self.reduction: ReductionRule | None = None
        self.row_rule: RowRule | None = None
        self.boxes_rule: BoxesRule | None = None
        self.batched_rule: BatchedRule | None = None
        self.flops_rule: Callable[..., int] | None = None
        self.draws_rule: Callable[..., int] | None = None
        self.remembers_rule: Callable[..., Any] | None = None  # (kept, *arguments) -> kept after: `philox.Position`
        self.distribution_rule: DistributionRule | None = None
        self.gradient_rule: GradientRule | None = None
        self.gradient_words = ""
        """What `gradient_rule` computes, or why there is none; "" where the declaration says neither."""
        self.gradient_cure = ""  # what to do where there is none; "" for the usual advice
        self.takes_slices = False
        self.takes_wanted = False
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.own_kernel: Callable[..., Any] | None = None  # the declaration's, for building; None of one from outside
        self.sample_rule: Callable[[np.random.Generator], Iterable[Sample]] | None = None
        self.__doc__, self.__name__, self.__qualname__ = function.__doc__, function.__name__, function.__qualname__
        self.__module__, self.__wrapped__ = function.__module__, function

    # ---- the call ---------------------------------------------------------------------------

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = len(args)
            if not kwargs:
                if given == self._arity:
                    return hooks.build(self, args)  # type: ignore[no-any-return]  # what the signature promises
                tail = self._tails[given] if given < self._arity else None
                if tail is not None:
                    return hooks.build(self, args + tail)  # type: ignore[no-any-return]
            elif len(kwargs) == 1 and given < self._arity and "name" in kwargs:  # 0.3 us, and `bind` takes 9
                tail = self._tails[given]
                if tail is not None:
                    return hooks.build(self, (*args, *tail[:-1], kwargs["name"]))  # type: ignore[no-any-return]
            return hooks.build(self, self.bind(*args, **kwargs))  # type: ignore[no-any-return]
        except BaseException as error:
            cut(error)
            raise

    def bind(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The arguments of a call in the order of the signature, defaults included, but `name` comes last.

        Args:
            args: the arguments by position.
            kwargs: the arguments by name.

        Returns:
            A tuple with one value for each parameter.

        Raises:
            TypeError: the arguments do not fit the signature.
        """
        tail = self._tails[len(args)] if not kwargs and len(args) < len(self._tails) else None
        if tail is not None:  # 1 us, and binding takes 6
            return name_last(args + tail, self._name_at)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            hint = keyword_hint(self.__name__, list(self.signature.parameters), kwargs, self.facts.hint)
            raise TypeError(f"{self.__name__}{bare(self.signature)}: {error}{hint}") from None
        bound.apply_defaults()
        return name_last(tuple(bound.arguments.values()), self._name_at)

    # ---- attaching rules --------------------------------------------------------------------

    def shape(self, rule: F) -> F:
        """Attach the shape rule: see the table in the docstring of the class."""
        ranks = self.facts.ranks
        self.shape_rule = with_ranks(rule, ranks, self.parameters) if ranks else rule
        return rule

    value = _attaching("value_rule")
    partial = _attaching("partial_rule")
    prepare = _attaching("prepare_rule")
    flops = _attaching("flops_rule")
    carries = _attaching("carries_rule")
    distributes = _attaching("distribution_rule")
    boxes = _attaching("boxes_rule")
    batched = _attaching("batched_rule")
    walk = _attaching("walk_rule")
    fuses = _attaching("fuse_rule")
    fails = _attaching("fails_rule")
    mistake = _attaching("mistake_rule")
    lowers = _attaching("lower_rule")

    def effects_by(self, rule: F) -> F:
        """Attach (bound arguments) -> `Effects`, where the attributes of one use decide what it touches."""
        self.effects_rule = rule
        self.is_pure = False
        return rule

    def draws(self, rule: F) -> F:
        """Attach (arrays and attributes, as the kernel gets them) -> how many random blocks of 128 bits it uses.

        Such an op has attributes `seed` and `seed2`. Its kernel receives, after the array module, the `Position` in its
        stream at which they begin: see `ops.random.philox`. The session counts them. The op has the effect of drawing.

        Raises:
            TypeError: the op lacks an attribute `seed` or `seed2`.
        """
        if lacking := {"seed", "seed2"}.difference(attr.name for _, attr in self.attrs):
            raise TypeError(f"op({self.type!r}): an op that draws has attributes seed and seed2; this one lacks "
                            f"{', '.join(sorted(lacking))}")  # fmt: skip
        self.facts = replace(self.facts, effects=union([self.facts.effects, DRAWING]))
        self.is_pure = False
        self.draws_rule = rule
        return rule

    def writes(self, *, reads: bool) -> Callable[[F], F]:
        """Attach (emit, value before, *bound arguments) -> the value after, a tensor: see `runtime.passes.versions`.

        `emit(opdef, *arguments)` adds a node and gives its output. The value before is None unless `reads`. Where the
        result of the op is not the value that it writes, the rule returns both: (value after, result).
        """

        def attach(rule: F) -> F:
            self.write_rule = rule
            self.write_reads = reads
            return rule

        return attach

    def in_place(self, operand: str) -> Callable[[F], F]:
        """Attach the kernel that changes `operand` into the result, for the CPU, where nothing reads it afterwards."""

        def attach(rule: F) -> F:
            self.in_place_rule = rule
            self.in_place_operand = self.parameters.index(operand)
            return rule

        return attach

    def prepares(self, operand: str) -> Callable[[F], F]:
        """As `in_place`, for a rule that gives the change as a `PreparedWrite`, or None for no change.

        The rule itself checks everything and writes nothing. Only such an op may change the value of a variable.
        """

        def attach(rule: F) -> F:
            self.prepared_rule = rule
            at = self.parameters.index(operand)

            @wraps(rule)
            def at_once(xp: Any, *args: Any) -> Any:
                write = rule(xp, *args)
                if write is not None:
                    write.call()
                return args[at]

            self.in_place(operand)(at_once)
            return rule

        return attach

    def kernel(self, rule: F) -> F:
        """Attach the kernel that serves every array module; the first one is the op's own."""
        self.kernels["*"] = rule
        if self.own_kernel is None and not self.is_from_outside:
            self.own_kernel = rule
        return rule

    def kernel_for(self, backend: str) -> Callable[[F], F]:
        """Attach a kernel for one backend ("numpy", "cupy"), with the reason in a comment."""

        def attach(rule: F) -> F:
            self.kernels[backend] = rule
            return rule

        return attach

    def gradient(self, words: str, *, takes_slices: bool = False, takes_wanted: bool = False) -> Callable[[F], F]:
        """Attach the gradient rule, (ops, operation, *gradients) -> a list with a gradient for each input.

        A gradient of an output is None where nothing comes in. The rule gives for each input a tensor, an
        `IndexedSlices`, None where there is no derivative, or a function without arguments that builds one of these: it
        is called only where that gradient is asked for. A single result need not be a list. `ops` holds the public ops.

        Args:
            words: what the rule computes, a formula or a phrase, for documentation and `tf.explain_gradient`.
            takes_slices: whether incoming gradients may be `IndexedSlices`; otherwise they are made dense first.
            takes_wanted: whether the rule takes, as `wanted=`, the inputs whose gradients are asked for.

        Returns:
            A decorator, which gives the rule back.

        >>> import penstock as tf
        >>> tf.tanh.gradient_words
        'g * conj(1.0 - square(out))'
        """

        def attach(rule: F) -> F:
            self.gradient_rule = rule
            self.gradient_words = words
            self.takes_slices = takes_slices
            self.takes_wanted = takes_wanted
            return rule

        return attach

    def no_gradient(self, reason: str, cure: str = "") -> None:
        """States why the op has no derivative.

        Args:
            reason: a phrase such as "it is constant between whole numbers".
            cure: what `tf.explain_gradient` advises, a sentence; without it, to use another op.

        Raises:
            TypeError: it is not a string, or empty.

        >>> import penstock as tf
        >>> tf.floor.gradient_words
        'it is constant between whole numbers'
        """
        if not isinstance(reason, str) or not reason:
            raise TypeError(f"no_gradient({reason!r}): write why the op {self.type!r} has no derivative")
        self.gradient_words = reason
        self.gradient_cure = cure

    def samples(self, rule: Callable[[np.random.Generator], Iterable[Sample]]) -> Callable[..., Iterable[Sample]]:
        """Attach example calls."""
        self.sample_rule = rule
        return rule

    def __get__(self, instance: object, owner: type | None = None) -> Self:
        # With this `help` documents an op as it does a function; in a class it stays what it is, unbound.
        return self

    def __repr__(self) -> str:
        return f"<op {self.__name__}{bare(self.signature)}>"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return find_op, (self.type,)


OPS: dict[str, OpDef[Any, Any]] = {}
"""The ops of the modules that are imported so far, by type."""


def declared(type: str) -> OpDef[Any, Any] | None:
    """The op with a type, of a module that is not imported yet too; None if there is none."""
    if type not in OPS:
        hooks.declare_every_op()
    return OPS.get(type)


@hides_frames
def find_op(type: str) -> OpDef[Any, Any]:
    """The op with a type.

    Args:
        type: the type of the nodes, such as "Gather".

    Returns:
        The OpDef.

    Raises:
        KeyError: there is none.

    >>> import penstock as tf
    >>> from penstock.extend import find_op
    >>> find_op("Gather") is tf.gather
    True
    """
    if isinstance(type, str) and (found := declared(type)):
        return found
    hint = did_you_mean(type, OPS) if isinstance(type, str) else "; the type of an op is a text such as 'Gather'"
    raise KeyError(f"find_op({type!r}): there is no op of that type{hint}")


@hides_frames
def op(
    type: str,
    *,
    out: Out = "T",
    called: str | None = None,
    operator: str | None = None,
    numpy: Callable[..., Any] | tuple[Callable[..., Any], ...] = (),
    shape: Callable[..., Any] | None = None,
    fails: Callable[..., str | None] | str | None = None,
    distributes: DistributionRule | None = None,
    no_gradient: str = "",
    **facts: Any,
) -> Callable[[Callable[P, R]], OpDef[P, R]]:
    """Declares an op: a decorator for a function that consists of a signature and a docstring.

    Args:
        type: TensorFlow's name of the kind of node, unique.
        out: the dtype of the result: a dtype variable of the operands, a DType, the name of an attribute that holds a
            dtype, a tuple of these for several outputs, or a function of the bound arguments that gives one or more.
        called: its name in errors; by default the function's, without the `_op` of one behind a public function.
        operator: the Python operator it serves: "add" for `+`.
        numpy: the NumPy functions that build this op when called on a tensor.
        shape, distributes: rules that several ops share, which `OpDef.shape` and `OpDef.distributes` attach, too.
        fails: the same, or the reason why any run may fail.
        no_gradient: the reason that `OpDef.no_gradient` states.
        facts: what passes and runs rely on: the fields of `penstock.graph.declare.op_facts.OpFacts`, all optional, and
            the short forms below.

    Returns:
        A decorator, which makes an `OpDef` of the function.

    Raises:
        ValueError: the type is declared already.
        TypeError: a parameter is not annotated as an operand or an attribute, or there is no such fact.

    Facts that have a short form or a default of their own:

        pure        False: the result may differ each time
        stateful    True: the op changes the outside world
        views       the operand, or a list of them, with which results may share memory: `graph.declare.memory_sharing`
        fresh       whether nothing else refers to the memory of a result; by default False for ops from outside
        keeps       the operand, or a list of them, to which the kernel keeps a reference after it has run
        staged      True stands for all dtypes
        flops       the default of elementwise ops is 1
        replayable  the default of ops that are one function is True
    """
    if not isinstance(type, str):
        raise TypeError(f"op({type!r}): the type of the op comes first, as text: write @op('Interleave')")

    @hides_frames
    def declare(function: Callable[P, R]) -> OpDef[P, R]:
        opdef = register(OpDef(type, function, out, facts), operator=operator, numpy=numpy)
        if shape is not None:
            opdef.shape(shape)
        if fails is not None:
            opdef.fails_rule = fails
        if distributes is not None:
            opdef.distributes(distributes)
        if no_gradient:
            opdef.no_gradient(no_gradient)
        opdef.__name__ = called or (opdef.__name__ if opdef.is_from_outside else opdef.__name__.removesuffix("_op"))
        return opdef

    return declare


def register(opdef: D, operator: str | None = None, numpy: Any = ()) -> D:
    """Enter a finished OpDef into the tables; ValueError if its type is taken."""
    if opdef.is_from_outside:
        hooks.declare_every_op()
    if opdef.type in OPS:
        raise ValueError(f"the op {opdef.type!r} is declared already, in {OPS[opdef.type].__module__}")
    OPS[opdef.type] = opdef
    if operator is not None:
        hooks.operators[operator] = opdef
    for each in numpy if isinstance(numpy, tuple) else (numpy,):
        hooks.numpy_functions[each] = opdef
    return opdef
