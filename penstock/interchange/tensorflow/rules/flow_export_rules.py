"""Export rules of If and While: TensorFlow's functional nodes, whose graphs are functions of the library.

TensorFlow's While has loop variables only. What ours has besides becomes one of them, in this order:

    variables...   as they are
    counter        the number of iterations so far, an int64; where something needs it
    stacks...      TensorLists, which an iteration makes longer, or sets from the end where the loop goes backwards
    most           how many iterations there are, where rows or a limit say so
    rows...        whole tensors, of which the body gathers a row
    captures...    as they are

The condition and the body of the While are small functions around ours, which they call. `_penstock_cond` and
`_penstock_body` name ours, so that our reader gets back what was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.declare.effects import effects_of
from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import SubGraph
from ....graph.shapes.dtypes import bool_, int32, int64, of_numpy, variant
from ....graph.shapes.shape import TensorShape
from ..bodies.function_writer import body_function, named, types_of
from ..node_writer import ExportRule, NodeWriter, attr_value
from ..wire.messages import AttrEntry, AttrValue, ListValue, NodeProto
from ..wire.tensor_proto import dtype_number


def _if(w: NodeWriter, op: Operation) -> None:
    pred, operands, yes, no, *_ = op.args
    functions = [body_function(w, op, label, body, operands) for label, body in (("then", yes), ("else", no))]
    node = w.node(
        "StatelessIf" if effects_of(op).may_drop else "If",
        [w.ref(pred), *[w.ref(t) for t in operands]],
        Tcond=bool_,
        Tin=types_of(operands),
        Tout=types_of(op.outputs),
        then_branch=named(functions[0]),
        else_branch=named(functions[1]),
        _penstock_if=True,
        _penstock_extends=_texts(op.args[-1]),
    )
    assert node


def _while(w: NodeWriter, op: Operation) -> None:
    _WhileWriter(w, op).write()


class _Nodes:
    """The nodes of a small function around one of ours."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []

    def add(self, name: str, type: str, inputs: Sequence[str], **attrs: Any) -> str:
        """Add a node; its name."""
        entries = [AttrEntry(key, attr_value(value)) for key, value in sorted(attrs.items())]
        self.nodes.append(NodeProto(name, type, list(inputs), "", entries))
        return name

    def constant(self, name: str, value: Any) -> str:
        """Add a constant."""
        return self.add(name, "Const", (), value=value, dtype=of_numpy(value.dtype))

    def call(self, function: str, inputs: Sequence[str], types: AttrValue, results: AttrValue, pure: bool) -> str:
        """Add a call of a function."""
        type = "PartitionedCall" if pure else "StatefulPartitionedCall"
        return self.add("call", type, inputs, Tin=types, Tout=results, f=named(function))


class _WhileWriter:
    """The writing of one While."""

    def __init__(self, w: NodeWriter, op: Operation) -> None:
        limit, operands, cond, body, variables, rows, reverse, back_prop, *_ = op.args
        self._w = w
        self._op = op
        self._limit: Tensor | None = limit
        self._cond: SubGraph = cond
        self._body: SubGraph = body
        self._variables: tuple[Tensor, ...] = operands[:variables]
        self._rows: tuple[Tensor, ...] = operands[variables : variables + rows]
        self._captures: tuple[Tensor, ...] = operands[variables + rows :]
        self._operands: tuple[Tensor, ...] = operands
        self._reverse: bool = reverse
        self._back_prop: bool = back_prop
        self._stacked = body.outputs[variables:]
        self._bounded = limit is not None or bool(rows)
        self._pure = effects_of(op).may_drop

    def write(self) -> None:
        """Add the While, the functions, and what stands before and behind the While."""
        w, op = self._w, self._op
        self._check()
        self._own = [body_function(w, op, label, body, self._operands)
                     for label, body in (("cond", self._cond), ("body", self._body))]  # fmt: skip
        values = [w.ref(t) for t in self._variables]
        dtypes = [t.dtype for t in self._variables]
        values.append(w.constant("counter", np.array(0, np.int64)))
        dtypes.append(int64)
        most = self._most() if self._bounded else None
        for place, tensor in enumerate(self._stacked):
            values.append(self._new_list(place, tensor, most))
            dtypes.append(variant)
        if most is not None:
            values.append(most)
            dtypes.append(int64)
        values += [w.ref(t) for t in (*self._rows, *self._captures)]
        dtypes += [t.dtype for t in (*self._rows, *self._captures)]
        self._dtypes = dtypes
        types = AttrValue(list=ListValue(type=[dtype_number(each) for each in dtypes]))
        numbers = [len(self._variables), len(self._rows), int(self._reverse), int(self._back_prop),
                   len(self._stacked), int(self._bounded), int(self._limit is not None)]  # fmt: skip
        count = len(self._variables)
        stacks = range(count + 1, count + 1 + len(self._stacked))
        # Where ours gives stacks, the While gives lists: a node behind it has the name and the outputs of ours.
        own = {"_penstock_name": op.name} if self._stacked else {}
        waits = ["^" + w.name_of(each) for each in op.control_inputs] if self._stacked else []
        node = w.node(
            "StatelessWhile" if self._pure else "While",
            [*values, *waits],
            "loop" if self._stacked else "",
            T=types,
            cond=named(self._cond_step(types)),
            body=named(self._body_step(types)),
            parallel_iterations=10,
            output_shapes=AttrValue(list=ListValue()),
            _penstock_cond=named(self._own[0]),
            _penstock_body=named(self._own[1]),
            _penstock_while=tuple(numbers),
            _penstock_limit=w.ref(self._limit) if self._limit is not None else "",
            _penstock_extends=_texts(op.args[-1]),
            **own,
        )
        if self._stacked:
            made = [self._stack_of(i, t, f"{node}:{at}") for i, (t, at) in enumerate(zip(self._stacked, stacks,
                                                                                         strict=True))]  # fmt: skip
            outputs = [f"{node}:{i}" if i else node for i in range(count)]
            w.node("IdentityN", [*outputs, *made, f"{node}:{count}" if count else node], T=types_of(op.outputs),
                   _penstock_alias=len(op.outputs))  # fmt: skip

    def _check(self) -> None:
        """Raise GraphFormatError if the condition looks at rows: TensorFlow's would look behind the last one."""
        count = len(self._variables)
        rows = set(self._cond.inputs[count : count + len(self._rows)])
        used = [t for each in self._cond.operations for t in each.inputs] + list(self._cond.outputs)
        if rows and rows & set(used):
            raise GraphFormatError(f"the condition of the loop {self._op.name!r} depends on rows; TensorFlow's While "
                                   "has no rows. .json keeps it")  # fmt: skip

    # ---- outside ------------------------------------------------------------------------------

    def _most(self) -> str:
        """The number of iterations, if the loop does not end before."""
        w = self._w
        sizes = [] if self._limit is None else [w.ref(self._limit)]
        for place, rows in enumerate(self._rows[:1]):
            shape = w.node("Shape", [w.ref(rows)], f"rows_{place}/shape", T=rows.dtype, out_type=int64)
            at = w.constant(f"rows_{place}/at", np.array(0, np.int32))
            sizes.append(w.node("Gather", [shape, at], f"rows_{place}/count", Tparams=int64, Tindices=int32))
        return sizes[0] if len(sizes) == 1 else w.node("Minimum", sizes, "most", T=int64)

    def _new_list(self, place: int, tensor: Tensor, most: str | None) -> str:
        w = self._w
        sizes = w.constant(f"stack_{place}/element_shape", _sizes(tensor))
        if self._reverse and most is not None:
            count = w.node("Cast", [most], f"stack_{place}/size", SrcT=int64, DstT=int32)
            return w.node("TensorListReserve", [sizes, count], f"stack_{place}/list", element_dtype=tensor.dtype,
                          shape_type=int32)  # fmt: skip
        any_number = w.constant(f"stack_{place}/most", np.array(-1, np.int32))
        return w.node("EmptyTensorList", [sizes, any_number], f"stack_{place}/list", element_dtype=tensor.dtype,
                      shape_type=int32)  # fmt: skip

    def _stack_of(self, place: int, tensor: Tensor, array: str) -> str:
        sizes = self._w.constant(f"stack_{place}/row_shape", _sizes(tensor))
        return self._w.node("TensorListStack", [array, sizes], f"stack_{place}", element_dtype=tensor.dtype,
                            num_elements=-1, _penstock_alias=1)  # fmt: skip

    # ---- the functions around ours ------------------------------------------------------------

    def _names(self) -> tuple[list[str], str, list[str], str, list[str], list[str]]:
        """What the arguments of both functions are called: variables, counter, lists, most, rows, captures."""
        return (
            [f"variable_{i}" for i in range(len(self._variables))],
            "counter",
            [f"list_{i}" for i in range(len(self._stacked))],
            "most",
            [f"rows_{i}" for i in range(len(self._rows))],
            [f"capture_{i}" for i in range(len(self._captures))],
        )

    def _arguments(self) -> list[tuple[str, int]]:
        variables, counter, lists, most, rows, captures = self._names()
        names = [*variables, counter, *lists, *([most] if self._bounded else []), *rows, *captures]
        return [(name, dtype_number(dtype)) for name, dtype in zip(names, self._dtypes, strict=True)]

    def _cond_step(self, types: AttrValue) -> str:
        variables, counter, _, most, rows, captures = self._names()
        f = _Nodes()
        given = []
        for place, (tensor, name) in enumerate(zip(self._rows, rows, strict=True)):  # which ours does not look at
            given.append(f.add(f"row_{place}", "Identity", [name], T=tensor.dtype))
        result = AttrValue(list=ListValue(type=[dtype_number(bool_)]))
        found = f.call(self._own[0], [*variables, *given, *captures], types_of(self._operands), result, self._pure)
        if self._bounded:
            less = f.add("less", "Less", [counter, most], T=int64)
            found = f.add("goes_on", "LogicalAnd", [less, found])
        always = [] if self._pure else ["call"]
        pairs = [(found, dtype_number(bool_))]
        return str(self._w.library.add(f"{self._op.name}_cond_step", f.nodes, self._arguments(), pairs, always))

    def _body_step(self, types: AttrValue) -> str:
        variables, counter, lists, most, rows, captures = self._names()
        f = _Nodes()
        place = counter
        one = f.constant("one", np.array(1, np.int64))
        if self._reverse:
            place = f.add("place", "Sub", [f.add("last", "Sub", [most, one], T=int64), counter], T=int64)
        given = []
        if rows:
            axis = f.constant("axis", np.array(0, np.int32))
            for i, (tensor, name) in enumerate(zip(self._rows, rows, strict=True)):
                given.append(f.add(f"row_{i}", "GatherV2", [name, place, axis], Tparams=tensor.dtype, Tindices=int64,
                                   Taxis=int32, batch_dims=0))  # fmt: skip
        call = f.call(self._own[1], [*variables, *given, *captures], types_of(self._operands),
                      types_of(self._body.outputs), self._pure)  # fmt: skip
        made = [f"{call}:{i}" if i else call for i in range(len(self._body.outputs))]
        count = len(variables)
        results = [*made[:count], f.add("next", "AddV2", [counter, one], T=int64)]
        for i, (tensor, name) in enumerate(zip(self._stacked, lists, strict=True)):
            value = made[count + i]
            if self._reverse:
                at = f.add(f"at_{i}", "Cast", [place], SrcT=int64, DstT=int32)
                results.append(f.add(f"set_{i}", "TensorListSetItem", [name, at, value], element_dtype=tensor.dtype))
            else:
                results.append(f.add(f"push_{i}", "TensorListPushBack", [name, value], element_dtype=tensor.dtype))
        results += [*([most] if self._bounded else []), *rows, *captures]
        always = [] if self._pure else [call]
        pairs = [(text, dtype_number(dtype)) for text, dtype in zip(results, self._dtypes, strict=True)]
        return str(self._w.library.add(f"{self._op.name}_body_step", f.nodes, self._arguments(), pairs, always))


def _texts(names: Sequence[str]) -> AttrValue:
    return AttrValue(list=ListValue(s=[name.encode("utf-8", "surrogatepass") for name in names]))


def _sizes(tensor: Tensor) -> Any:
    """The shape of a tensor as TensorFlow's lists take it: -1 for what is not known."""
    shape: TensorShape = tensor.shape
    if shape.raw is None:
        return np.array(-1, np.int32)
    return np.array([each if isinstance(each, int) else -1 for each in shape.raw], np.int32)


OF_FLOW: dict[str, ExportRule] = {"If": _if, "While": _while}
"""Our op -> the rule that writes it."""
