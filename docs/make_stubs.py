"""Writes the stubs of the public names, from which editors and type checkers read signatures and docstrings of ops.

    python docs/make_stubs.py            says whether the stubs are up to date
    python docs/make_stubs.py --write    writes them

An op is an `OpDef`, and many are bound by a statement such as `exp = unary("exp", ...)`: an editor that reads only the
text would show a variable without a docstring. In a stub each op is a function, and so is each function whose docstring
is not where it is defined (`graph/declare/shared_docs.py`). All other import lines stay.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "penstock" / "api"
MODULES = ("api_common", "api_0x", "imported_later", "nn_common")
WIDEST = 120

HEAD = """{doc}

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

{used}
"""
USED = {
    "builtins": "import builtins",
    "int32": "from ..graph.shapes.dtypes import int32",
    "int64": "from ..graph.shapes.dtypes import int64",
    "Callable": "from collections.abc import Callable",
    "Iterable": "from collections.abc import Iterable",
    "Sequence": "from collections.abc import Sequence",
    "Any": "from typing import Any",
    "DTypeLike": "from ..graph.declare.signature import DTypeLike",
    "Dimension": "from ..graph.shapes.dimension import Dimension",
    "Operation": "from ..graph.model.nodes import Operation",
    "Partitioner": "from ..variables.partitioners import Partitioner",
    "SparseLike": "from ..ops.sparse.sparse_parts import SparseLike",
    "SparseTensor": "from ..graph.model.sparse_tensor import SparseTensor",
    "Tensor": "from ..graph.model.nodes import Tensor",
    "TensorLike": "from ..graph.declare.signature import TensorLike",
    "TensorShape": "from ..graph.shapes.shape import TensorShape",
}
"""The types in signatures of ops, and where they come from."""


def stub(module: str) -> str:
    """The text of the stub of a module of public names."""
    from penstock.graph.declare.op_declaration import OpDef

    values = vars(importlib.import_module(f"penstock.api.{module}"))
    tree = ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))
    lines, functions, seconds = [], [], []
    for statement in tree.body[1:]:
        name = (statement.names[0].asname or "") if isinstance(statement, ast.ImportFrom) else ""
        found = values.get(name)
        own = statement.names[0].name if isinstance(statement, ast.ImportFrom) else ""
        if isinstance(found, OpDef) or shares_its_docstring(found):
            functions.append(function(name, found))
        elif own != name and name in vars(importlib.import_module("penstock"))["__all__"]:
            seconds.append(f"{name} = {own}")  # a second name: in a stub, import lines export equal names only
        else:
            lines.append(ast.unparse(statement))
    text = "\n".join(functions)
    doc = f'"""{ast.get_docstring(tree)}"""'
    imported = {line.rpartition(" ")[2] for line in lines}
    heads = "\n".join(re.findall(r"^def [^\"]*", text, re.MULTILINE))  # docstrings name dtypes too
    used = [line for name, line in USED.items() if re.search(rf"\b{name}\b", heads) and name not in imported]
    return "\n".join([HEAD.format(doc=doc, used="\n".join(used)).rstrip(), *lines, *seconds, "", *functions])


def shares_its_docstring(found: Any) -> bool:
    """Whether a function is bound by a statement, or has a docstring that is not the one of its source."""
    if not inspect.isfunction(found) or not found.__module__.startswith("penstock."):
        return False
    code = inspect.unwrap(found).__code__
    return code.co_name != found.__name__ or found.__doc__ not in code.co_consts


def function(name: str, made: Any) -> str:
    """An op as a function of a stub, with the docstring of the declaration."""
    signature = inspect.signature(made)
    parameters = [parameter(each) for each in signature.parameters.values()]
    result = re.sub(r"\btuple\[", "builtins.tuple[", str(signature.return_annotation))  # tuple is a function there
    head = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(head) > WIDEST:
        head = "\n".join([f"def {name}(", *(f"    {each}," for each in parameters), f") -> {result}:"])
    text = inspect.getdoc(made) or ""
    assert '"""' not in text, name
    quote = 'r"""' if "\\" in text else '"""'
    body = "\n".join(f"    {line}".rstrip() for line in f'{quote}{text}\n"""'.split("\n"))
    return f"{head}\n{body}\n"


def parameter(each: inspect.Parameter) -> str:
    """A parameter with its type and default; `bool` is a dtype in this namespace."""
    kind = str(each.annotation)
    kind = " | ".join(f"builtins.{part}" if part == "bool" else part for part in kind.split(" | "))
    if each.default is each.empty:
        return f"{each.name}: {kind}"
    return f"{each.name}: {kind} = {repr(each.default).removeprefix('tf.')}"


def main() -> int:
    """0 if the stubs are up to date or were written."""
    out_of_date = 0
    for module in MODULES:
        path = FOLDER / f"{module}.pyi"
        text = stub(module)
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if "--write" in sys.argv[1:]:
            path.write_text(text, "utf-8")
            print(f"{path.relative_to(ROOT)} written")
        else:
            print(f"{path.relative_to(ROOT)} is out of date; run python docs/make_stubs.py --write")
            out_of_date = 1
    return out_of_date


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    raise SystemExit(main())
