"""Golden files for graphs: a test compares a graph with a small text file beside it, which a reviewer can read.

    def test_the_model_is_built_as_before():
        assert_graph_matches(build().graph, "golden/model.txt")

The file has one line a node and nothing that depends on where or when the graph was built. `PENSTOCK_UPDATE_GOLDEN=1`
writes it anew.
"""

from __future__ import annotations

import difflib
import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..graph.model.nodes import Graph, Operation
from ..graph.shapes.dtypes import DType
from ..printable_text import printable

__all__ = ["assert_graph_matches", "graph_text"]

VARIABLE = "PENSTOCK_UPDATE_GOLDEN"
_SHOWN = 16


def graph_text(graph: Graph) -> str:
    """A graph as text, one node a line, in the order in which the nodes were made.

    Args:
        graph: the graph.

    Returns:
        The text. It does not depend on where or when the graph was built.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     y = tf.add(tf.placeholder(tf.float32, ["n"], name="x"), 1.0, name="y")
    >>> print(graph_text(g), end="")
    x = Placeholder(dtype=float32, shape=(n,))  float32 (n,)
    y/y = Const(value=1.0)  float32 ()
    y = Add(x:0, y/y:0)  float32 (n,)
    """
    return "".join(_line(op) + "\n" for op in graph.get_operations())


def assert_graph_matches(graph: Graph, file: str | os.PathLike[str]) -> None:
    """Checks that the text of a graph, as `graph_text` gives it, is that of a file.

    Args:
        graph: the graph.
        file: the path of the golden file. With PENSTOCK_UPDATE_GOLDEN=1 in the environment it is written instead.

    Raises:
        AssertionError: the text differs, with the lines that do; or there is no such file.

    >>> import penstock as tf, tempfile
    >>> with tempfile.NamedTemporaryFile("w+", suffix=".txt") as golden, tf.Graph().as_default() as g:
    ...     a = tf.constant(1.0, name="a")
    ...     _ = golden.write("a = Const(value=1.0)  float32 ()\\n"), golden.flush()
    ...     assert_graph_matches(g, golden.name)
    """
    path = Path(file)
    text = graph_text(graph)
    if os.environ.get(VARIABLE, "") not in ("", "0"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    if not path.exists():
        raise AssertionError(f"assert_graph_matches: there is no golden file {path}. Run with {VARIABLE}=1 to write it")
    expected = path.read_text(encoding="utf-8")
    if text == expected:
        return
    lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), str(path), "the graph", lineterm="", n=1)
    raise AssertionError(
        "assert_graph_matches: the graph is not what the golden file says:\n" + "\n".join(lines)
        + f"\nIf the change is meant, run once with {VARIABLE}=1 and look at the difference in the file."
    )  # fmt: skip


def _line(op: Operation) -> str:
    attributes = [f"{attr.name}={_value(op.args[i])}" for i, attr in op.opdef.attrs]
    inputs = [t.name for t in op.inputs] + ["^" + c.name for c in op.control_inputs]
    outputs = ", ".join(f"{t.dtype.name} {t.shape}" for t in op.outputs)
    device = f"  on {op.device}" if op.device else ""
    text = f"{op.name} = {op.type}({', '.join([*inputs, *attributes])})  {outputs}{device}".rstrip()
    return printable(text)


def _value(value: Any) -> str:
    if isinstance(value, DType):
        return value.name
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size <= _SHOWN:
        return str(value.tolist())
    content = repr(value.tolist()).encode() if value.dtype.hasobject else np.ascontiguousarray(value).tobytes()
    return f"<{value.size} elements, sha256 {hashlib.sha256(content).hexdigest()[:16]}>"
