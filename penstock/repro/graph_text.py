"""A graph as the text of a Python program that builds it again: `graph.export("g.py")`.

    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(dtype=tf.float32, shape=[], name="x")  # model.py:3
        Const = tf.constant(np.array(0, np.int32), name="halving/Const")

        def halving_cond(value, count):
            y = tf.constant(np.array(1.0, np.float32), name="Greater/y")
            Greater = tf.greater(x=value, y=y, name="Greater")
            return [Greater]

        halving = node("While", ..., cond=body(halving_cond, [x, Const], "halving/cond", inputs=[...]), name="halving")

An operation is a call of a public function where that makes exactly this node, else of `penstock.extend.node`. Graphs
inside operations are functions. Operations with the same control inputs and device share a `with` block.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from ..api import api_0x as own_names
from ..api import api_common as shared_names
from ..api import nn_common as shared_nn
from ..errors import GraphFormatError, PenstockError
from ..graph.building.builder import infer
from ..graph.common.function_attribute import PythonFunction
from ..graph.declare.op_declaration import OPS, OpDef
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.subgraph import SubGraph
from ..graph.serial.subgraph_data import names_apart
from ..graph.shapes.dimension import Dimension, Symbol
from ..graph.shapes.shape import TensorShape
from ..variables.variable import Variable
from .values_as_code import constant_text, quoted, shape_text, value_text

_NO_WORD = re.compile(r"\W+")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")
_HELPERS = ("body", "claim_shape", "node", "record", "standing_variable")
_TAKEN = (*_HELPERS, "tf", "np", "zlib", "base64", "graph", "session", "print", "complex", "float", "object", "scope")
_STEP = "    "


@cache
def functions() -> dict[str, str]:
    """By op type, how a program calls it: only functions that make this node of what they are given."""
    found: dict[str, str] = {}
    for prefix, module in (("tf.nn.", shared_nn), ("tf.", shared_names), ("tf.", own_names)):
        for name, value in vars(module).items():
            if isinstance(value, OpDef) and OPS.get(value.type) is value and value.prepare_rule is None:
                found[value.type] = prefix + name
    return found


def graph_text(graph: Graph) -> str:
    """The text of a program that builds the graph again, as `graph`.

    Raises:
        GraphFormatError: a node has what code does not show, such as a function of Python; the message names it.
    """
    writer = GraphWriter(graph)
    lines = [*writer.lines(), *writer.rest()]
    count = len(graph)
    head = f'"""A graph of {count} operation{"" if count == 1 else "s"}: this program builds it again, as `graph`."""'
    return re.sub(r"\n\n\n+", "\n\n", "\n".join([head, "", *imports(lines), *lines, ""]))


def imports(lines: Sequence[str]) -> list[str]:
    """The lines with which a program begins that has these others."""
    text = "\n".join(lines)
    packages = [f"import {name}" for name in ("base64", "zlib") if f"{name}." in text]
    found = [*packages, *([""] if packages else [])]
    found += [*(["import numpy as np", ""] if "np." in text else []), "import penstock as tf"]
    used = [name for name in _HELPERS if re.search(rf"\b{name}\(", text)]
    return [*found, *([f"from penstock.extend import {', '.join(used)}"] if used else []), ""]


class GraphWriter:
    """Writes one graph; `called` gives the expression of a tensor or an operation afterwards."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._pinned = set(graph.pinned)
        self._names: dict[Operation, str] = {}
        self._functions: set[str] = set()
        self._renamed: dict[Operation, str] = {}
        self._differing_in_case: set[Operation] = set()  # from the name of an operation before, and in nothing else
        self._sizes: dict[Symbol, str] = {}  # unknown sizes that tensors of the lines so far have
        self._free_sizes: dict[Symbol, str] = {}  # those that are made before all nodes

    def lines(self) -> Iterator[str]:
        """The lines that build the nodes."""
        operations = self._graph.get_operations()
        self._give_names(operations, "", set(_TAKEN))
        yield from ("graph = tf.Graph()", "with graph.as_default():")
        made = list(self._block(operations, "", _STEP))
        yield from [f"{_STEP}{name} = tf.Dimension(None)" for name in self._free_sizes.values()]
        yield from made or [f"{_STEP}pass"]

    def rest(self) -> Iterator[str]:
        """The lines for scopes and collections; they follow those of the nodes."""
        graph = self._graph
        scopes, _ = graph.names.reserved(op.name for op in graph.get_operations())
        scopes = [scope for scope in scopes if _PLAIN_NAME.fullmatch(scope)]
        yield from self._collections()
        if scopes:
            yield f"{_STEP}for scope in {value_text(scopes)}:"
            yield from (f"{_STEP * 2}with tf.name_scope(scope):", f"{_STEP * 3}pass")
        if graph.scope_shows:
            shows = ", ".join(f"{quoted(name)}: {quoted(show)}" for name, show in graph.scope_shows.items())
            yield f"{_STEP}graph.scope_shows.update({{{shows}}})"
        if graph.seed is not None:
            yield f"{_STEP}tf.set_random_seed({graph.seed!r})"

    def called(self, element: Tensor | Operation) -> str:
        """What the program calls a tensor or an operation."""
        if isinstance(element, Tensor):
            name, returns = self._names[element.op], element.op.opdef.returns
            if element.op.opdef.facts.must_feed or returns == "tensor":
                return name
            return f"{name}[{element.value_index}]" if returns in ("list", "tuple") else \
                f"{name}.outputs[{element.value_index}]"  # fmt: skip
        name, returns = self._names[element], element.opdef.returns
        if returns == "tensor":
            return f"{name}.op"
        return f"{name}[0].op" if returns in ("list", "tuple") and element.outputs else name

    def _give_names(self, operations: Iterable[Operation], scope: str, taken: set[str]) -> None:
        """Choose what the program calls the operations of one graph."""
        before: set[str] = set()
        for op in operations:
            small = self._written_name(op).lower()
            if small in before:
                self._differing_in_case.add(op)
            before.add(small)
            name = _NO_WORD.sub("_", op.name.removeprefix(scope)).strip("_") or "value"
            name = f"_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
            whole, number = name, 1
            while whole in taken:
                number += 1
                whole = f"{name}_{number}"
            taken.add(whole)
            self._names[op] = whole

    # ---- nodes ----------------------------------------------------------------------------------

    def _block(self, operations: Sequence[Operation], scope: str, indent: str) -> Iterator[str]:
        """The lines of operations, in `with` blocks where they wait for others or have a device."""
        for (controls, device), group in groupby(operations, lambda op: (op.control_inputs, op.device)):
            around = []
            if device:
                around.append(f"tf.device({quoted(device)})")
            if controls:
                around.append(f"tf.control_dependencies([{', '.join(map(self.called, controls))}])")
            for number, op in enumerate(group):
                before, line, after = self._statement(op, scope, indent)
                yield from before
                if around and (number == 0 or before):
                    yield f"{indent}with {', '.join(around)}:"
                inner = indent + _STEP if around else indent
                yield f"{inner}{line}"
                yield from [f"{inner}{each}" for each in after]

    def _statement(self, op: Operation, scope: str, indent: str) -> tuple[list[str], str, list[str]]:
        """The functions that come before an operation, its line, and the lines about its shapes."""
        try:
            before: list[str] = []
            texts: dict[int, str] = {}
            for position, operands in op.opdef.body_operands:
                lines, texts[position] = self._body(op.args[position], op.args[operands], indent)
                before += lines
            made = "" if op.opdef.facts.must_feed or not op.origin.line else f"  # {op.origin.place}"
            line, after = f"{self._names[op]} = {self._call(op, scope, texts)}{made}", list(self._shapes(op))
            self._note_sizes(op.outputs)
            return before, line, after
        except GraphFormatError as error:
            raise GraphFormatError(f"the node {op.name!r} ({op.type}): {error}", code=error.code) from None

    def _call(self, op: Operation, scope: str, bodies: dict[int, str]) -> str:
        name = self._written_name(op)
        inside = name.removeprefix(scope)
        is_plain = op not in self._differing_in_case and name.startswith(scope)
        is_plain = is_plain and _PLAIN_NAME.fullmatch(inside) is not None and not inside.endswith("/")
        if op.opdef.facts.is_constant and is_plain:
            return f"tf.constant({constant_text(op.args[0])}, name={quoted(inside)})"
        public = functions().get(op.type) if is_plain and not op.opdef.is_from_outside else None
        arguments = list(self._arguments(op, bodies, public is not None))
        if public is not None:
            return f"{public}({', '.join([*arguments, f'name={quoted(inside)}'])})"
        return f"node({', '.join([quoted(op.type), *arguments, f'name={quoted(name)}'])})"

    def _arguments(self, op: Operation, bodies: dict[int, str], has_defaults: bool) -> Iterator[str]:
        """The arguments of a call; `has_defaults`: those that the function takes without being told are left out."""
        operands = {position for position, _, _ in op.opdef.operands}
        for position, parameter in enumerate(op.opdef.parameters):
            value = op.args[position]
            if position in bodies:
                yield f"{parameter}={bodies[position]}"
            elif position in operands:
                yield f"{parameter}={self._operand(value)}"
            elif has_defaults and _is_default(value, op.opdef.signature.parameters[parameter].default):
                continue
            elif op.opdef.facts.must_feed and isinstance(value, TensorShape):
                yield f"{parameter}={shape_text(value, self._sizes.get)}"
            elif isinstance(value, PythonFunction):
                raise GraphFormatError("a function of Python has no form as text; build the node by hand")
            else:
                yield f"{parameter}={value_text(value, self._size)}"

    def _operand(self, value: Any) -> str:
        if value is None:
            return "None"
        return f"[{', '.join(map(self.called, value))}]" if isinstance(value, tuple) else self.called(value)

    def _shapes(self, op: Operation) -> Iterator[str]:
        """What the program said of shapes, or what is known of them besides that which the rules find."""
        try:
            found = [shape for _, shape in infer(op.opdef, list(op.args))[1]]
        except PenstockError:  # the rules know less of constants than the program did
            return
        for tensor, shape in zip(op.outputs, found, strict=True):
            said, known = shape_text(tensor.shape, self._sizes.get), shape_text(shape, self._sizes.get)
            if (tensor in self._pinned or tensor.shape.raw != shape.raw) and said not in ("None", known):
                called = self.called(tensor)
                yield f"claim_shape({called}, {said})" if ".shape[" in said else f"{called}.set_shape({said})"

    def _note_sizes(self, tensors: Iterable[Tensor]) -> None:
        """From here on the program can ask these tensors for the unknown sizes that they have alone."""
        for tensor in tensors:
            for place, dim in enumerate(tensor.shape.raw or ()):
                if isinstance(dim, Dimension) and dim.symbol is not None and dim.symbol.name is None:
                    self._sizes.setdefault(dim.symbol, f"{self.called(tensor)}.shape[{place}]")

    def _size(self, symbol: Symbol) -> str:
        """What an unknown size is called; one that no tensor has yet is made before all nodes."""
        found = self._sizes.get(symbol)
        return found or self._free_sizes.setdefault(symbol, f"size_{len(self._free_sizes)}_")

    # ---- graphs inside --------------------------------------------------------------------------

    def _body(self, held: SubGraph, operands: Sequence[Tensor], indent: str) -> tuple[list[str], str]:
        """The lines of the function that builds a body, and the expression that is the body."""
        if not isinstance(held, SubGraph):
            raise GraphFormatError("a group that a pass made has no form as text; write the session's graph")
        self._pinned.update(held.pinned)
        function = self._function_name(held)
        scope = f"{held.name}/"
        inner = [t.op for t in held.inputs]
        self._renamed |= names_apart([*inner, *held.operations])
        self._give_names([*inner, *held.operations], scope, set(_TAKEN))
        lines = ["", f"{indent}def {function}({', '.join(self._names[op] for op in inner)}):"]
        shapes = [None if t.shape.raw == operand.shape.raw else shape_text(t.shape, self._size)
                  for t, operand in zip(held.inputs, operands, strict=True)]  # fmt: skip
        around = dict(self._sizes)
        self._note_sizes(held.inputs)
        lines += self._block(held.operations, scope, indent + _STEP)
        self._sizes = around
        results = f"[{', '.join(map(self.called, held.outputs))}]"
        targets = f", [{', '.join(map(self.called, held.targets))}]" if held.targets else ""
        lines += [f"{indent}{_STEP}return {results}{targets}", ""]
        names = ", ".join(quoted(self._written_name(op)) for op in inner)
        given = [function, f"[{', '.join(map(self.called, operands))}]", quoted(held.name), f"inputs=[{names}]"]
        if any(shapes):
            given.append(f"shapes=[{', '.join('None' if s is None else f'tf.TensorShape({s})' for s in shapes)}]")
        if held.captures:
            given.append(f"captures={len(held.captures)}")
        return lines, f"body({', '.join(given)})"

    def _written_name(self, op: Operation) -> str:
        return self._renamed.get(op, op.name)

    def _function_name(self, held: SubGraph) -> str:
        name = _NO_WORD.sub("_", held.name).strip("_") or "inside"
        name = f"_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
        whole, number = name, 1
        while whole in self._functions or whole in self._names.values() or whole in _TAKEN:
            number += 1
            whole = f"{name}_{number}"
        self._functions.add(whole)
        return whole

    # ---- collections ----------------------------------------------------------------------------

    def _collections(self) -> Iterator[str]:
        """The lines that fill the collections with what is in this graph, and with values."""
        variables: dict[Variable, list[str]] = {}
        for key in self._graph.get_all_collection_keys():
            for item in self._graph.get_collection(key) if isinstance(key, str) else ():
                if isinstance(item, Variable):
                    if item.graph is self._graph:
                        variables.setdefault(item, []).append(key)
                elif isinstance(item, (Tensor, Operation)):
                    if item.graph is self._graph:
                        yield f"{_STEP}graph.add_to_collection({quoted(key)}, {self.called(item)})"
                else:
                    try:
                        yield f"{_STEP}graph.add_to_collection({quoted(key)}, {value_text(item)})"
                    except GraphFormatError:
                        continue
        for variable, keys in variables.items():
            first = variable._initializer
            known = first is not None and first in self._names
            initializer = self.called(first) if first is not None and known else "None"
            kept = "" if variable.trainable else ", trainable=False"
            yield (f"{_STEP}standing_variable({self.called(variable.op.outputs[0])}, {initializer}{kept}, "
                   f"collections={value_text(keys)})")  # fmt: skip


def _is_default(value: Any, default: Any) -> bool:
    """Whether an attribute has the value that a call gives it where nothing is said."""
    is_plain = isinstance(value, (bool, int, str)) and type(value) is type(default)
    return value is default or (is_plain and bool(value == default))
