"""Facts of an op: what passes, the planner and the backends may rely on in every use of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, Literal, Protocol

from ..common.near_names import did_you_mean
from ..common.quick_dataclass import dataclass
from ..shapes.dtypes import ALL, DType, bits_of
from .distribution import How
from .effects import HOLDING, PURE, Effects, declared
from .memory_sharing import OWN, Sharing, sharing_of


@dataclass(frozen=True, slots=True)
class OpFacts:
    """Facts of one op. Passes ask for them instead of keeping lists of op names.

    Each has a default that promises nothing.

    Args:
        effects: what the op reads and writes besides its operands.
        sharing: the operands with which results may share memory, and what its kernel holds on to.
        elementwise: each element of the result depends on the elements of the operands at the same index.
        staged: dtypes, as bits, in which the last bits of the result depend on the memory layout of the operands, so
            these are made contiguous.
        unread: the operand of whose elements the kernel reads none, only the shape, which is that of another operand of
            its dtype in every use that succeeds; "" if there is none. See `UnreadOperand` among the rewrite rules.
        fills: each element of the result is the same number, whatever the operand of that shape holds.
        commutative: the order of the two operands does not matter.
        additive: of numbers: "sum" if the result is the sum of the operands, "linear" if that for sums of all operands
            is the sum of the results, f(a + b) = f(a) + f(b).
        moves: each element of a result is an element of an operand of its dtype, whatever its value.
        adds_axes: where its result has more dimensions than the operand, the call asks for them, as does `t[:, None]`.
        picks: of its data it reads only the elements that it returns, as gather does.
        reads_rows: the operand of which it reads one row after the other along the first dimension, each once, so that
            they need not all be there at a time; "" if there is none. See `runtime.planning.stream_joints`.
        in_pairs: if that is a vector, it sums elements in pairs, so that some must be there together.
        gives_rows: it makes the rows of its result along the first dimension in the same way.
        host_only: it runs on the CPU only.
        of_session: its kernel takes, after the array module, an `ObjectPlace`: the session's objects.
        makes_dataset: its result is a dataset, which is told the name of the node.
        element: of an op whose first operand is the handle of a queue: "taken" if its results are one element of it,
            "put" if its other operands become one.
        is_source: it takes its results out of an object of the session, so a run may begin with it.
        user_code: its kernel calls code of the program, on the caller's thread and in the caller's context.
        reads_shape_only: the result is on the host and needs only the shape of its operand.
        reads_fixed_width: the kernel also takes strings in arrays of fixed width, "S" and "U".
        is_constant: its first argument is its value.
        must_feed: a run without a feed is an error.
        has_default: in a run that does not feed its result, that is the first operand.
        state: how a use touches the variable that its attribute `resource` names: "holds" (its value at the start of a
            run), "reads", "follows" (its value after all writes made before), "writes" or "asks" (whether it has a
            value); "" for all other ops. See `runtime.passes.versions`.
        uses_up: where its attribute `clear` is true it uses up elements of its first operand: the name of the operand
            that says which, "all" for every one. See `runtime.passes.read_once_arrays`.
        replayable: on a GPU it starts kernels and nothing else, so that a run may be captured and replayed.
        flops: operations for each element of the result; see `graph.declare.op_cost`.
        can_fail: of an elementwise op: the dtypes, as bits, of the first operand of which some value is an error of the
            run, such as ints divided by zero.
        zero_fails: where that error is a zero in one operand, the position of the operand in the signature.
        branches: of an elementwise op: the dtypes, as bits, of the first operand for which its kernel looks at values,
            to sum a series until it converges or to tell cases apart, so that it becomes no machine code.
        ufunc: the name of the function of an array module that is the whole kernel.
        extends: its attribute `extends` names operations that one use computes too: see `runtime.passes.extended`.
        repeats: its graphs may run more than once: what is inside is addressed by iteration.
        closing: how many results stay the last ones where an extended copy has more results.
        graphdef: the node of a GraphDef that every use is, as `graph.declare.graphdef_form` reads it; None where a use
            may be another node, or several.
        gradient_note: why differences of results give another gradient; "" if they do not.
        ranks: the ranks that operands must have, by their names.
        hint: what the error of a call with wrong arguments adds, such as where another signature is found.
    """

    effects: Effects = PURE
    sharing: Sharing = OWN
    elementwise: bool = False
    staged: int = 0
    unread: str = ""
    fills: bool = False
    commutative: bool = False
    additive: Literal["", "sum", "linear"] = ""
    moves: bool = False
    adds_axes: bool = False
    picks: bool = False
    reads_rows: str = ""
    in_pairs: bool = False
    gives_rows: bool = False
    host_only: bool = False
    of_session: bool = False
    makes_dataset: bool = False
    element: Literal["", "taken", "put"] = ""
    is_source: bool = False
    user_code: bool = False
    reads_shape_only: bool = False
    reads_fixed_width: bool = False
    is_constant: bool = False
    must_feed: bool = False
    has_default: bool = False
    state: Literal["", "holds", "reads", "follows", "writes", "asks"] = ""
    uses_up: str = ""
    replayable: bool = False
    flops: int = 0
    can_fail: int = 0
    zero_fails: int | None = None
    branches: int = 0
    ufunc: str | None = None
    extends: bool = False
    repeats: bool = False
    closing: int = 0
    graphdef: str | None = None
    gradient_note: str = ""
    ranks: Mapping[str, int] = field(default_factory=dict)
    hint: str = ""


_NAMES = frozenset(each.name for each in fields(OpFacts))


def facts_of(
    keywords: Mapping[str, Any], operands: Sequence[tuple[int, str]], holds_bodies: bool, is_own: bool
) -> OpFacts:
    """The facts that a declaration states.

    Args:
        keywords: the facts by name, with their short forms: `pure` and `stateful` for effects; `views`, `fresh` and
            `keeps` for sharing; True for all dtypes of `staged`.
        operands: (place in the signature, name) of each operand.
        holds_bodies: whether an attribute is a graph.
        is_own: whether the op is one of the package's.

    Raises:
        TypeError: there is no such fact, or one is stated twice.
    """
    facts = dict(keywords)
    effects = declared(facts)
    if holds_bodies:
        effects = HOLDING if effects == PURE else effects
        facts.setdefault("host_only", True)
        facts.setdefault("views", [name for _, name in operands])  # results may be operands, or lie in them
    sharing = sharing_of(facts, operands, is_own)
    if facts.get("staged") is True:
        facts["staged"] = bits_of(*ALL)
    if facts.get("elementwise"):
        facts.setdefault("flops", 1)
        facts.setdefault("replayable", facts.get("ufunc") is not None)
    unknown = [name for name in facts if name not in _NAMES]
    if unknown:
        raise TypeError(f"no such fact: {', '.join(unknown)}{did_you_mean(unknown[0], _NAMES)}")
    if (unread := facts.get("unread", "")) and all(name != unread for _, name in operands):
        raise TypeError(f"unread: there is no operand {unread}")
    return OpFacts(effects, sharing, **facts)


@dataclass(frozen=True, slots=True, eq=False)
class ReductionRule:
    """How an op combines elements, for what executes groups; `ops.declare.reduction_order` defines the order.

    Args:
        ufunc: the binary function of NumPy.
        axes: from the rank and the bound arguments after the operand to the sorted axes.
        keepdims: from the same to whether reduced axes stay.
        how: how the results for parts of the elements are combined into that for all.
        wide: the dtype in which elements of a dtype are combined.
        finish: from totals, number of elements of each and dtype of the result to the results; None: the totals are the
            results.
    """

    ufunc: Any
    axes: Callable[..., tuple[int, ...]]
    keepdims: Callable[..., bool]
    how: How
    wide: Callable[[DType], DType] = lambda dtype: dtype
    finish: Callable[[Any, int, DType], Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RowRule:
    """How an op computes rows, along the last axis, each from the same row of its operands.

    Args:
        function: from tensors and attributes, in the order of the signature, to the results: elementwise ops and
            reductions along the last axis, which give the bits of the op's kernel. An operand with one axis less has
            one number for each row; the function gets it with a last axis of size 1.
        applies: from the same arguments, each operand as its sizes and an operand on the host as its value, to whether
            `function` computes what the op does. A size is an int, or a Dimension where it is not known.
        succeeds: from the same arguments as `applies`, but the operand `checked` as an array, to whether the
            op does not fail for its values; None if it never fails.
        checked: the place of that operand in the signature.
        takes_places: whether `function` takes, as last argument, the places in a row: 0, 1, 2 ... as int32.
    """

    function: Callable[..., Any]
    applies: Callable[..., bool]
    succeeds: Callable[..., bool] | None = None
    checked: int = 0
    takes_places: bool = False

    @property
    def may_join(self) -> bool:
        """Whether a fused group may contain the op: nothing depends on values or sizes of a run."""
        return self.succeeds is None and not self.takes_places


class Combining(Protocol):
    """What `combines_rows` asks of an op."""

    reduction: ReductionRule | None
    row_rule: RowRule | None


def combines_rows(opdef: Combining) -> bool:
    """True for reductions and for ops such as softmax: an element of a result depends on whole rows."""
    return opdef.reduction is not None or opdef.row_rule is not None
