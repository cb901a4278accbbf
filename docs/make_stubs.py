"""Writes the stubs of the public names, from which editors and type checkers read signatures and docstrings of ops.

    python docs/make_stubs.py            says whether the stubs are up to date
    python docs/make_stubs.py --write    writes them

An op is an `OpDef`, and many are bound by a statement such as `exp = unary("exp", ...)`: an editor that reads only the
text would show a variable without a docstring. In a stub each op is a function, and so is each function whose docstring
is not where it is defined (`graph/declare/shared_docs.py`). All other import lines stay; names that are imported at
their first use (`public_names`) become import lines.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "penstock"
MODULES = (
    "api/api_common", "api/api_0x", "api/imported_later", "api/nn_common", "layers/__init__", "metrics/__init__",
    "train/__init__",
)  # fmt: skip
WIDEST = 120

HEAD = """{doc}

# Made by `python docs/make_stubs.py --write`: the ops as functions, for editors and type checkers.

{used}
"""
USED = {
    "builtins": "import builtins",
    "Activation": "from .layer import Activation",
    "MetricPair": "from .streaming import MetricPair",
    "Window": "from .layer import Window",
    "int32": "from ..graph.shapes.dtypes import int32",
    "int64": "from ..graph.shapes.dtypes import int64",
    "Callable": "from collections.abc import Callable",
    "FIFOQueue": "from ..queues.queue_classes import FIFOQueue",
    "Ints": "from ..ops.convolution.convolution_arguments import Ints",
    "Iterable": "from collections.abc import Iterable",
    "Sequence": "from collections.abc import Sequence",
    "Any": "from typing import Any",
    "DTypeLike": "from ..graph.declare.signature import DTypeLike",
    "Dimension": "from ..graph.shapes.dimension import Dimension",
    "Operation": "from ..graph.model.nodes import Operation",
    "PaddingLike": "from ..ops.convolution.convolution_arguments import PaddingLike",
    "Path": "from ..train.checkpoints.checkpoint_files import Path",
    "Partitioner": "from ..variables.partitioners import Partitioner",
    "SparseLike": "from ..ops.sparse.sparse_parts import SparseLike",
    "SparseTensor": "from ..graph.model.sparse_tensor import SparseTensor",
    "Tensor": "from ..graph.model.nodes import Tensor",
    "TensorLike": "from ..graph.declare.signature import TensorLike",
    "TensorShape": "from ..graph.shapes.shape import TensorShape",
}
"""The types in signatures of ops, and where they come from."""


OF_ITS_OWN = ("compat", "nn")
"""Modules that `penstock.compat.v1` does not share."""
LATER_DOC = "What `api_common` imports at its first use: see `public_names`."


def stub(module: str) -> str:
    """The text of the stub of a module of public names."""
    from penstock.graph.declare.op_declaration import OpDef

    tree = source_of(module)
    later = imported_later(module)
    lines, functions, seconds = [], [], []
    for statement in (*names_apart(tree.body[1:]), *later):
        if not isinstance(statement, ast.ImportFrom) or not statement.level:
            lines.append(ast.unparse(statement))
            continue
        own, name = statement.names[0].name, statement.names[0].asname or ""
        value = value_of(module, statement)
        if isinstance(value, OpDef) or shares_its_docstring(value):
            functions.append(function(name, value))
        elif own == name or name.startswith("_"):
            lines.append(ast.unparse(statement))
        elif isinstance(value, ModuleType):
            lines.append(f"from ..{statement.module or ''} import {own} as _{own}")
            seconds.append(f"{name} = _{own}")
        else:
            seconds.append(f"{name} = {own}")  # a second name: in a stub, import lines export equal names only
    text = "\n".join(functions)
    doc = f'"""{ast.get_docstring(tree)}"""'
    imported = {line.rpartition(" ")[2] for line in lines}
    heads = "\n".join(re.findall(r"^def [^\"]*", text, re.MULTILINE))  # docstrings name dtypes too
    used = [line for name, line in USED.items() if re.search(rf"\b{name}\b", heads) and name not in imported]
    return "\n".join([HEAD.format(doc=doc, used="\n".join(used)).rstrip(), *lines, *seconds, "", *functions])


def names_apart(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, but an import line of the package for each name; a name as itself is public in a stub.

    A module that is imported for what it does is left out.
    """
    for statement in statements:
        if not isinstance(statement, ast.ImportFrom) or not statement.level:
            yield statement
            continue
        for each in statement.names:
            name = each.asname or each.name
            if statement.module or not name.startswith("_"):
                own = each if name == "*" else ast.alias(each.name, name)
                yield ast.ImportFrom(statement.module, [own], statement.level)


def source_of(module: str) -> ast.Module:
    """The module's import lines; what is imported later has a stub only."""
    path = FOLDER / f"{module}.py"
    return ast.parse(path.read_text("utf-8") if path.exists() else f'"""{LATER_DOC}"""')


def imported_later(module: str) -> list[ast.ImportFrom]:
    """An import line for each name of the tables of `public_names` that the stub has, in the order of modules."""
    from penstock.api import public_names as tables
    from penstock.graph.common.lazy_import import LATER

    if later := LATER.get(f"penstock.{module.removesuffix('/__init__')}"):
        paths = [(path.removeprefix("penstock."), name) for name, path in later.items()]
        return [ast.ImportFrom(path, [ast.alias(name, name)], 2) for path, name in paths]
    if module == "api/imported_later":
        shared = [each for each in tables.LAZY_MODULES if each not in OF_ITS_OWN]
        modules, names = {each: each for each in shared} | tables.RENAMED_MODULES, tables.LAZY_NAMES
    elif module == "api/nn_common":
        modules, names = tables.LAZY_NN_MODULES, tables.LAZY_NN_NAMES
    else:
        return []
    folders = {name: path.rpartition(".")[::2] for name, path in modules.items()} | dict(names)
    return [
        ast.ImportFrom(folder or None, [ast.alias(own, name)], 2)
        for name, (folder, own) in sorted(folders.items(), key=lambda item: (*item[1], item[0]))
    ]


def value_of(stub_of: str, statement: ast.ImportFrom) -> Any:
    """What a line such as `from ..ops import gather` of a module imports."""
    folder = stub_of.partition("/")[0] if statement.level == 1 else ""
    path = ".".join(filter(None, ["penstock", folder, statement.module]))
    module, name = importlib.import_module(path), statement.names[0].name
    return getattr(module, name) if hasattr(module, name) else importlib.import_module(f"{path}.{name}")


def shares_its_docstring(found: Any) -> bool:
    """Whether a function is bound by a statement, or has a docstring or a signature that its source does not have."""
    if not inspect.isfunction(found) or not found.__module__.startswith("penstock."):
        return False
    if hasattr(found, "__signature__"):
        return True
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
