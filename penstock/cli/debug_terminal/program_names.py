"""The names of the program at the prompt: its variables, where it asked for the run, and expressions in them.

A name in an expression is a tensor of the run, by its name in the graph, or else a variable of the program. Where a
variable holds a tensor or a `tf.Variable`, it stands for the value in the run: `p w.mean()`.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any, TypeGuard

from ...errors import PenstockError
from ...graph.common.source_location import is_inside
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.tensor_source import TensorSource
from ...runtime.debugger.debugger import Debugger
from .command_words import CommandError

_FILE = "<prompt>"


def program_frame() -> FrameType:
    """The function of the program that asked for the run, or for the call in which it is."""
    frame = sys._getframe(1)
    while is_inside(frame.f_code) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def variables_here() -> dict[str, Any]:
    """The variables that the program sees where it asked for the run."""
    frame = program_frame()
    return {**frame.f_globals, **frame.f_locals}


def element_called(name: str) -> Tensor | Operation | None:
    """The tensor or operation that a variable of the program holds, or a part of one: `loss`, `grads[0][1]`,
    `self.cell`; None if it holds none."""
    variables = variables_here()
    held = variables.get(name)
    if held is None and _is_part(tree := parsed_expression(name)):
        try:
            held = eval(compile(tree, _FILE, "eval"), variables)
        except Exception:
            return None  # it is no part of them
    if isinstance(held, TensorSource):
        held = getattr(held, "element", held)
    return held if isinstance(held, (Tensor, Operation)) else None


def parsed_expression(text: str) -> ast.Expression | None:
    """A text as an expression of Python; None if it is none."""
    try:
        return ast.parse(text.strip(), _FILE, "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _is_part(tree: ast.Expression | None) -> TypeGuard[ast.Expression]:
    """Whether an expression only names a part of something: `a[0].b`."""
    parts = ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp, ast.USub, ast.Load
    return tree is not None and all(isinstance(node, parts) for node in ast.walk(tree))


def evaluated(dbg: Debugger, tree: ast.Expression, more: Mapping[str, Any] | None = None) -> Any:
    """The value of an expression.

    Args:
        dbg: the run.
        tree: the expression.
        more: further names, which come before all others.

    Raises:
        CommandError: a name has no value, or the expression fails.
    """
    values = variables_here()
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for name in names - bound - set(more or ()):
        values[name] = _value_called(dbg, name, values)
    values.update(more or {})
    try:
        return eval(compile(tree, _FILE, "eval"), values)
    except Exception as error:
        raise CommandError(f"{ast.unparse(tree)}: {type(error).__name__}: {error}") from None


def carry_out(statement: str) -> None:
    """A statement of Python, with the program's variables; those that it sets at the top of a module stay set.

    Raises:
        CommandError: it fails.
    """
    frame = program_frame()
    try:
        code = compile(statement, _FILE, "single")
        exec(code, frame.f_globals, frame.f_locals)
    except Exception as error:
        raise CommandError(f"{type(error).__name__}: {error}") from None


def _value_called(dbg: Debugger, name: str, variables: Mapping[str, Any]) -> Any:
    element = element_called(name)
    full = _full_name(dbg, name) or (element.name if isinstance(element, Tensor) else None)
    if full is not None:
        try:
            return dbg.value(full)
        except PenstockError as error:
            raise CommandError(f"{name} is {full}: {getattr(error, 'message', '') or error}") from None
    if name in variables:
        return variables[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise CommandError(f"{name} is neither a value of the run nor a variable of the program")


def _full_name(dbg: Debugger, name: str) -> str | None:
    try:
        return dbg.find(name)
    except PenstockError:
        return None
