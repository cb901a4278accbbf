"""What checks of the source ask of each module: its imports, its classes and its vague names, from one parse.

To parse the thousand modules takes two seconds, and as long again to visit their nodes. So the results are kept, and
expressions are visited only in functions that bind a vague name, and in modules that import what a variable says.
"""

from __future__ import annotations

import ast
import gc
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .kept_results import kept

VAGUE_NAMES = {"found", "given", "made", "told"}
"""They do not say what was found."""
NEAR = 10
"""So many lines after its first line a variable must not stand under such a name."""

DYNAMIC = ("import_module", "__import__")

BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""The fields of statements that hold statements, in their order."""


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name; `target` starts with "penstock" where it points into the package."""

    target: tuple[str, ...]
    line: int
    lazy: bool  # inside a function, or only for the type checker
    relative: bool


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """Of one module. vague: the complaints of names that are vague."""

    imports: tuple[Import, ...]
    classes: tuple[str, ...]
    vague: tuple[str, ...]


@cache  # several tests ask for those of all modules
@kept
def facts_of(module: str, source: str) -> ModuleFacts:
    """The facts of a source; module: its path from the root, such as "penstock/ops/cast.py"."""
    collects = gc.isenabled()
    gc.disable()  # a tree is no garbage, and has no circles: to walk it again and again took a third of the time
    try:
        tree = ast.parse(source)
        classes = tuple([node.name for node in statements(tree) if isinstance(node, ast.ClassDef)])
        return ModuleFacts(tuple(_imports(module, source, tree)), classes, tuple(_vague_names(source, tree)))
    finally:
        if collects:
            gc.enable()


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements, which alone hold definitions, and what stands between them, line by line."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _statements_in(node)[::-1]


def _statements_in(node: ast.AST) -> list[ast.AST]:
    """Those that a statement, a handler or a case holds, in their order."""
    return [child for field in BLOCKS if field in node._fields for child in getattr(node, field)]


def is_for_type_checkers(node: ast.AST) -> bool:
    """Whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and last_name(node.test) == "TYPE_CHECKING"


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`, "" of what is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _imports(module: str, source: str, tree: ast.AST) -> Iterator[Import]:
    """All imports, `from . import a, b` as one per name."""
    package = Path(module).parent.parts
    is_dynamic = any(name in source for name in DYNAMIC)  # only such a call is an import inside an expression
    waiting = [(tree, False)]
    while waiting:
        node, lazy = waiting.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(tuple(alias.name.split(".")), node.lineno, lazy, relative=False)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            target = (*base, *(node.module.split(".") if node.module else ()))
            for alias in node.names:
                yield Import((*target, alias.name), node.lineno, lazy, relative=node.level > 0)
        elif isinstance(node, ast.Call) and last_name(node.func) in DYNAMIC and node.args:
            name = node.args[0].value if isinstance(node.args[0], ast.Constant) else "?"
            yield Import(tuple(str(name).split(".")), node.lineno, lazy, relative=False)
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        lazy = lazy or is_function or is_for_type_checkers(node)
        inside = list(ast.iter_child_nodes(node)) if is_dynamic else _statements_in(node)
        waiting += [(child, lazy) for child in inside[::-1]]


def _own_nodes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions inside it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
            waiting += ast.iter_child_nodes(node)


def _vague_names(source: str, tree: ast.AST) -> Iterator[str]:
    """Variables and parameters with a vague name that live `NEAR` lines or longer, and what to do."""
    bound = re.compile(rf"(?<!\.)\b(?:{'|'.join(VAGUE_NAMES)})(?:\s*[=:,)\]]| in\b)")
    rows = [source.count("\n", 0, match.start()) + 1 for match in bound.finditer(source)]
    for function in statements(tree) if rows else ():
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        last = function.end_lineno or function.lineno
        if not any(function.lineno <= row <= last for row in rows):
            continue
        lines = defaultdict(list)
        for node in _own_nodes(function):
            if isinstance(node, ast.Name) and node.id in VAGUE_NAMES:
                lines[node.id].append(node.lineno)
        for parameter in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
            if parameter.arg in VAGUE_NAMES:
                lines[parameter.arg] += [function.lineno, function.body[0].lineno]
        for name, at in lines.items():
            if max(at) - min(at) >= NEAR:
                yield (f"{min(at)}: `{name}` in {function.name} lives to line {max(at)}; rename it to a "
                       "noun of the data, such as `gradients`, `node` or `arguments`")  # fmt: skip
