"""A saved run as the code of a small program, for graphs without loops, branches and variables."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from ..api import api_0x as own_names
from ..api import api_common as shared_names
from ..api import nn_common as shared_nn
from ..graph.declare.op_declaration import OpDef
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.subgraph import bodies_of
from ..graph.serial.loaded_origins import RecordedOrigin
from ..graph.shapes.dtypes import DType, of_numpy
from ..graph.shapes.literal import Array
from ..graph.shapes.shape import TensorShape
from .run_parts import is_placeholder
from .saved_run import SavedRun, choices_as_data

_PLAIN = re.compile(r"\W+")
_MOST = 64
"""The most elements of an array that are written out."""


def program_text(saved: SavedRun) -> str | None:
    """A program that builds the graph and runs it; None where the graph has what code does not show: loops and
    branches, variables, functions, control inputs, large arrays."""
    graph = saved.graph()
    operations = graph.get_operations()
    arrays = [*saved.feeds.values(), *[op.args[0] for op in operations if op.opdef.facts.is_constant]]
    if any(array.size > _MOST for array in arrays) or not all(map(_can_be_code, operations)):
        return None
    if _has_set_shapes(saved, graph):
        return None
    names = _names(op for op in operations)
    lines = ["import numpy as np", "", "import penstock as tf"]
    if any(_call(op).startswith("find_op") for op in operations):
        lines.append("from penstock.extend import find_op")
    lines += ["", "with tf.Graph().as_default() as graph:"]
    lines += [f"    {_line(op, names)}" for op in operations]
    fed = ", ".join([f"{_tensor(graph, name, names)}: {array_text(array)}" for name, array in saved.feeds.items()])
    fetches = [_tensor(graph, name, names) for name in saved.fetches]
    asked = fetches[0] if len(fetches) == 1 else f"[{', '.join(fetches)}]"
    config = [f"{key}={value!r}" for key, value in choices_as_data(saved.config).items() if not isinstance(value, dict)]
    given = f", config=tf.SessionConfig({', '.join(config)})" if config else ""
    lines += ["", f"with tf.Session(graph=graph{given}) as session:"]
    return "\n".join([*lines, f"    print(session.run({asked}{f', {{{fed}}}' if fed else ''}))", ""])


def _has_set_shapes(saved: SavedRun, graph: Graph) -> bool:
    """Whether the program set shapes; a minified run says none."""
    computed = [node for node in saved.document["nodes"] if not is_placeholder(node)]
    return bool(graph.pinned) and any(shape is not None for node in computed for _, shape in node.get("outputs", []))


def _can_be_code(op: Operation) -> bool:
    facts = op.opdef.facts
    if bodies_of(op) or op.control_inputs or facts.state or op.opdef.draws_rule is not None:
        return False
    values = [op.args[position] for position, _ in op.opdef.attrs]
    return all(map(_is_plain, values))


def _is_plain(value: Any) -> bool:
    """Whether the value of an attribute has a form as code."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes, DType, TensorShape, np.ndarray))


@cache
def functions() -> dict[str, str]:
    """By op type, how a program calls it."""
    found: dict[str, str] = {}
    for prefix, module in (("tf.nn.", shared_nn), ("tf.", shared_names), ("tf.", own_names)):
        found |= {value.type: prefix + name for name, value in vars(module).items() if isinstance(value, OpDef)}
    return found


def _names(operations: Iterable[Operation]) -> dict[str, str]:
    """A name in the program for each operation."""
    found: dict[str, str] = {}
    taken = {"tf", "np", "find_op", "graph", "session", "print"}
    for op in operations:
        name = _PLAIN.sub("_", op.name).strip("_") or "node"
        name = f"_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
        whole, number = name, 1
        while whole in taken:
            number += 1
            whole = f"{name}_{number}"
        taken.add(whole)
        found[op.name] = whole
    return found


def _line(op: Operation, names: dict[str, str]) -> str:
    arguments = list(_arguments(op, names))
    call = _call(op)
    made = f"  # {op.origin.place}" if isinstance(op.origin, RecordedOrigin) and not op.opdef.facts.must_feed else ""
    return f"{names[op.name]} = {call}({', '.join(arguments)}){made}"


def _call(op: Operation) -> str:
    """The function that a program calls for an operation."""
    if op.opdef.facts.is_constant:
        return "tf.constant"
    return functions().get(op.type) or f"find_op({op.type!r})"


def _arguments(op: Operation, names: dict[str, str]) -> Iterator[str]:
    operands = {position for position, _, _ in op.opdef.operands}
    if op.opdef.facts.is_constant:
        yield array_text(op.args[0])
    else:
        for position, parameter in enumerate(op.opdef.parameters):
            value = op.args[position]
            if position in operands:
                yield f"{parameter}={_operand(value, names)}"
            else:
                yield f"{parameter}={_value_text(value)}"
    yield f"name={op.name!r}"


def _operand(value: Any, names: dict[str, str]) -> str:
    if value is None:
        return "None"
    if isinstance(value, tuple):
        return f"[{', '.join([_of(each, names) for each in value])}]"
    return _of(value, names)


def _of(tensor: Tensor, names: dict[str, str]) -> str:
    name = names[tensor.op.name]
    return name if len(tensor.op.outputs) == 1 else f"{name}[{tensor.value_index}]"


def _tensor(graph: Graph, name: str, names: dict[str, str]) -> str:
    element = graph.as_graph_element(name)
    if isinstance(element, Tensor):
        return _of(element, names)
    return f"{_of(element.outputs[0], names)}.op" if element.outputs else names[element.name]


def _value_text(value: Any) -> str:
    if isinstance(value, DType):
        return f"tf.{value.name}"
    if isinstance(value, TensorShape):
        return _shape_text(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return array_text(np.asarray(value))
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value_text, value))}]"
    return repr(value)


def _shape_text(shape: TensorShape) -> str:
    if shape.raw is None:
        return "None"
    sizes = [str(size) if isinstance(size, int) else repr(str(size)) if str(size).isidentifier() else "None"
             for size in shape.raw]  # fmt: skip
    return f"[{', '.join(sizes)}]"


def array_text(array: Array) -> str:
    """An array as code."""
    dtype = of_numpy(array.dtype)
    if dtype.is_string:
        return repr(array.tolist()) if array.size else f"np.empty({array.shape}, object)"
    name = {"bool": "np.bool_"}.get(dtype.name, f"np.{dtype.name}")
    if dtype.name == "bfloat16":
        name = "tf.bfloat16.as_numpy_dtype"
    if not array.size:
        return f"np.zeros({array.shape}, {name})"
    listed = array.astype(np.float64).tolist() if dtype.name == "bfloat16" else array.tolist()
    text = re.sub(r"\b(nan|inf)\b", r"np.\1", _nested(listed))
    return f"np.array({text}, {name})"


def _nested(value: Any) -> str:
    """Nested lists of numbers as code."""
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    return f"complex({value.real!r}, {value.imag!r})" if isinstance(value, complex) else repr(value)
