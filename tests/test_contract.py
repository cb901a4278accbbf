"""The code keeps to the import contract. Every module under `penstock/` is read with `ast`, none is run.

    errors <- graph <- ops <- variables <- derivatives, control_flow <- interchange, runtime
        <- layers, losses, summary <- train
        <- show, compat, cli, demo, extend, lessons, testing

Imports point to the left only, those inside functions included; `interchange` and `runtime` do not know each other.
NumPy may be used everywhere; each other package comes in through one module. `__init__` files hold names; a docstring
says what is in a module. The rooms of the runtime stand in storeys (`STOREYS`).
"""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from .module_facts import Import, facts_of, is_for_type_checkers
from .package_modules import docstring_of, package_modules

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "penstock"
LAYERS = ("graph", "ops", "runtime")
OUTERMOST = 8
RANK = {
    "errors": 0, "printable_text": 0,
    "graph": 1, "ops": 2, "variables": 3, "derivatives": 4, "control_flow": 4,
    "interchange": 5, "runtime": 5,
    "layers": 6, "losses": 6, "recurrent": 6, "seq2seq": 6, "summary": 6, "cluster": 6, "data": 6, "queues": 6,
    "train": 7,
} | dict.fromkeys(
    ("__init__", "__main__", "api", "nn", "cli", "compat", "config", "contrib", "distributions", "initializers", "app",
     "debugging", "every_op", "extend", "flags", "gfile", "graph_util", "image", "io", "lessons", "logging", "lookup",
     "python_io", "random", "repro", "saved_model", "show", "sparse", "test", "testing",
     "bitwise", "dtype_names", "linalg", "manip", "math", "metrics", "signal", "spectral", "strings", "tf1"),
    OUTERMOST,
)
# Lowest rank at which a package may be imported; those listed in ONE_DOOR come in through one module only.
THIRD_PARTY = {
    "numpy": 0, "ml_dtypes": 1, "networkx": 1, "llvmlite": 5, "cupy": 5, "tqdm": 5, "safetensors": 5, "vl_convert": 8,
    "prompt_toolkit": 8, "dask": 6, "distributed": 6, "toolz": 6, "absl": 8,
    "threadpoolctl": 5, "PIL": 2, "scipy": 8,
}  # fmt: skip
ONE_DOOR = (
    "ml_dtypes", "networkx", "llvmlite", "cupy", "tqdm", "vl_convert", "safetensors", "prompt_toolkit", "dask",
    "distributed", "toolz", "absl", "threadpoolctl", "PIL", "scipy",
)  # fmt: skip
LAZY = ("llvmlite", "cupy", "tqdm", "vl_convert", "safetensors", "prompt_toolkit", "dask", "distributed", "toolz",
        "threadpoolctl", "PIL", "scipy")  # fmt: skip
LOADER = "penstock/graph/common/lazy_import.py"  # imports what it is told; its callers have the import statement too
LONGEST = 400
LARGEST_FOLDER = 30

STOREYS = (
    ("base", "memory", "llvm"),
    ("backends", "kernels"),
    ("ir",),
    ("passes", "planning", "numpy", "sharding"),
    ("arguments", "compiled"),
    ("nest",),
    ("cuda", "loops"),
    ("execution",),
    ("observe",),
    ("debugger",),
    ("session",),
)
"""The rooms of the runtime; a module imports from its own room and from storeys further up in this list."""

MODULES = sorted(path.relative_to(ROOT).as_posix() for path in package_modules())


def imports(module: str, source: str) -> tuple[Import, ...]:
    """All imports of a module, `from . import a, b` as one per name."""
    return facts_of(module, source).imports


def part_of(module: str) -> str:
    """The part a module belongs to: "ops" for `penstock/ops/cast.py`, "cli" for `penstock/cli.py`."""
    return module.removesuffix(".py").split("/")[1]


def judge_import(module: str, found: Import) -> str | None:
    """The rule that an import breaks, or None."""
    rank, top = RANK[part_of(module)], found.target[0] if found.target else ""
    if module == LOADER and top == "?":
        return None
    name = ".".join(found.target)
    if found.relative and top != "penstock":
        return "a relative import stays inside the package"
    if not found.relative and top == "penstock":
        return f"imports inside the package are relative, not {name}"
    if top == "penstock":
        # A name that is no part comes from penstock/__init__, which only the outermost parts may ask.
        needed = RANK.get(found.target[1], OUTERMOST)
        is_beside = {part_of(module), found.target[1]} == {"interchange", "runtime"}
        is_wrong = needed > rank or is_beside
        return f"{part_of(module)} may not import {name}: imports point downwards" if is_wrong else None
    if top in sys.stdlib_module_names:
        return None
    if top in LAYERS:
        return f"{name} is the link at the root; import it relatively, from penstock/{top}"
    top = "cupy" if top == "cupyx" else top
    if top not in THIRD_PARTY:
        return f"{name} is neither of the standard library nor in THIRD_PARTY"
    if rank < THIRD_PARTY[top]:
        return f"{part_of(module)} may not import {top}"
    if top == "ml_dtypes" and module != "penstock/graph/shapes/dtypes.py":
        return "ml_dtypes comes in through penstock/graph/shapes/dtypes.py"
    return f"{top} is imported inside a function" if top in LAZY and not found.lazy else None


def import_complaints(module: str, source: str) -> list[str]:
    if part_of(module) not in RANK:
        return [f"{module}: {part_of(module)} has no place in the order; give it one in RANK"]
    judged = ((found, judge_import(module, found)) for found in imports(module, source))
    return [f"{module}:{found.line}: {rule}" for found, rule in judged if rule]


def is_guard(module: str, node: ast.stmt) -> bool:
    """`if __name__ != "penstock.graph": raise ImportError(...)`, in the `__init__` of that layer."""
    layer = part_of(module)
    if layer not in LAYERS or not isinstance(node, ast.If) or node.orelse or len(node.body) != 1:
        return False
    test, refusal = ast.unparse(node.test), ast.unparse(node.body[0])
    return test == f"__name__ != 'penstock.{layer}'" and refusal.startswith("raise ImportError(")


def is_name_only(module: str, node: ast.stmt) -> bool:
    """Whether a top-level statement of an `__init__` is one of those that hold names."""
    if isinstance(node, ast.Import | ast.ImportFrom) or is_guard(module, node):
        return True
    if isinstance(node, ast.If) and is_for_type_checkers(node):
        return all(isinstance(one, ast.Import | ast.ImportFrom) for one in node.body)
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return all(ast.unparse(target) in ("__all__", "__version__") for target in targets)
    # The package itself also fills the hook table, by calls.
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return is_call and module == "penstock/__init__.py"


def init_complaints(module: str, source: str) -> list[str]:
    body = ast.parse(source).body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    rule = "an __init__ holds a docstring, imports and __all__ only"
    return [f"{module}:{node.lineno}: {rule}" for node in body if not is_name_only(module, node)]


def lines_of_parts(source: str) -> int:
    """The lines of docstrings below their summaries, which test_public_docstrings.py asks for: they are not counted."""
    found = 0
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not (text := ast.get_docstring(node, clean=False)):
            continue
        if any(part in text for part in ("Args:\n", "Attributes:\n", "Returns:\n", "Raises:\n", ">>> ")):
            found += text.count("\n")
    return found


def form_complaints(module: str, source: str) -> list[str]:
    complaints = []
    if not docstring_of(source):
        complaints.append(f"{module}: has no module docstring")
    lines = source.count("\n")
    if lines > LONGEST and (lines := lines - lines_of_parts(source)) > LONGEST:
        complaints.append(f"{module}: {lines} lines, at most {LONGEST}; find the seam")
    return complaints


def doors(package: str, sources: dict[str, str]) -> list[str]:
    """The modules that import a third-party package."""
    names = {package, "cupyx"} if package == "cupy" else {package}
    tops = {module: {found.target[0] for found in imports(module, text)} for module, text in sources.items()}
    return [module for module in sources if tops[module] & names]


def edges(modules: Iterable[str]) -> dict[str, set[str]]:
    """For each of the modules those of them that it imports, inside functions and for the type checker too."""
    known = set(modules)

    def file_of(target: tuple[str, ...]) -> str | None:
        path = "/".join(target)
        parent = "/".join(target[:-1])
        candidates = (f"{path}.py", f"{path}/__init__.py", f"{parent}.py", f"{parent}/__init__.py")
        return next((each for each in candidates if each in known), None)

    found = {each: {file_of(one.target) for one in imports(each, read(each))} for each in known}
    return {module: {each for each in targets if each and each != module} for module, targets in found.items()}


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """Modules of which each imports the one before, the first and last the same; [] if there is no such list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def room_complaints(module: str, source: str) -> list[str]:
    """The imports of a module of the runtime that point to a room of its storey, or of a later one."""
    storey = {room: number for number, rooms in enumerate(STOREYS) for room in rooms}
    own = module.split("/")[2]
    if own == "__init__.py":
        return []
    if own not in storey:
        return [f"{module}: {own} has no place in STOREYS"]
    complaints = []
    for found in imports(module, source):
        room = found.target[2] if found.target[:2] == ("penstock", "runtime") and len(found.target) > 2 else own
        if room != own and storey.get(room, 0) >= storey[own]:
            complaints.append(f"{module}:{found.line}: {own} may not import {room}")
    return complaints


def read(module: str) -> str:
    return (ROOT / module).read_text(encoding="utf-8")


def assert_all_pass(modules: Iterable[str], judge: Callable[[str, str], list[str]]) -> None:
    """No complaints; else all of them are told, each with its module."""
    complaints = [complaint for module in modules for complaint in judge(module, read(module))]
    assert not complaints, "\n".join(complaints)


def test_imports_point_downwards_and_name_known_packages() -> None:
    assert_all_pass(MODULES, import_complaints)


def test_the_rooms_of_the_runtime_import_those_of_lower_storeys() -> None:
    runtime = [module for module in MODULES if module.startswith("penstock/runtime/")]
    assert_all_pass(runtime, room_complaints)


def test_no_modules_import_each_other_in_a_circle() -> None:
    # `penstock/__init__` fills the hook tables, so the outermost parts import it and it imports them.
    assert cycle_in(edges(module for module in MODULES if module != "penstock/__init__.py")) == []


def test_an_init_file_holds_names_only() -> None:
    inits = [module for module in MODULES if module.endswith("/__init__.py")]
    assert_all_pass(inits, init_complaints)


def test_a_module_has_a_docstring_and_a_readable_length() -> None:
    assert_all_pass(MODULES, form_complaints)


def test_no_folder_holds_more_files_than_a_reader_takes_in() -> None:
    folders = [path for path in (PACKAGE, *PACKAGE.rglob("*")) if path.is_dir() and path.name != "__pycache__"]
    sizes = {path.relative_to(ROOT).as_posix(): sum(each.is_file() for each in path.iterdir()) for path in folders}
    assert {folder: size for folder, size in sizes.items() if size > LARGEST_FOLDER} == {}


def test_no_file_has_the_name_of_an_option() -> None:
    """As a mistyped command leaves them."""
    assert not [path.name for folder in (ROOT, PACKAGE, ROOT / "tests") for path in folder.glob("-*")]


def test_no_two_modules_have_one_name() -> None:
    stems = Counter(Path(module).stem for module in MODULES if not module.endswith(("/__init__.py", "/__main__.py")))
    assert [stem for stem, count in stems.items() if count > 1] == []


def test_a_third_party_package_comes_in_through_one_module() -> None:
    sources = {module: read(module) for module in MODULES}
    found = {package: doors(package, sources) for package in ONE_DOOR}
    assert {package: modules for package, modules in found.items() if len(modules) > 1} == {}


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("penstock/errors.py", "from .graph import Tensor", "errors may not import penstock.graph.Tensor"),
        ("penstock/graph/node.py", "def f():\n    from ..ops import x", "may not import penstock.ops.x"),
        ("penstock/graph/__init__.py", "from .. import runtime", "graph may not import penstock.runtime"),
        ("penstock/ops/cast.py", "from .. import Session", "ops may not import penstock.Session"),
        ("penstock/ops/cast.py", "from ..runtime import Plan", "ops may not import penstock.runtime"),
        ("penstock/runtime/planning/plan.py", "from ...show import text", "runtime may not import penstock.show"),
        ("penstock/runtime/ir/stage.py", "from ...interchange import tensorflow", "runtime may not import"),
        ("penstock/interchange/files.py", "from ..runtime import session", "interchange may not import"),
        ("penstock/ops/cast.py", "from penstock.graph import op", "relative, not penstock.graph"),
        ("penstock/ops/cast.py", "import penstock", "relative, not penstock"),
        ("penstock/cli.py", "from ops import cast", "ops.cast is the link at the root"),
        ("penstock/cli.py", "import graph", "graph is the link at the root"),
        ("penstock/ops/cast.py", "from ...elsewhere import f", "stays inside the package"),
        ("penstock/ops/cast.py", "import ml_dtypes", "ml_dtypes comes in through penstock/graph/shapes/dtypes.py"),
        ("penstock/graph/node.py", "import pandas.api", "pandas.api is neither"),
        ("penstock/graph/node.py", "def f():\n    import cupy", "graph may not import cupy"),
        ("penstock/runtime/gpu.py", "import cupy as cp", "cupy is imported inside a function"),
        ("penstock/runtime/gpu.py", "cp = import_module('cupyx')", "cupy is imported inside a function"),
        ("penstock/errors.py", "import networkx", "errors may not import networkx"),
        ("penstock/helpers.py", "import math", "helpers has no place in the order"),
    ],
)
def test_the_import_check_sees_a_violation(module: str, source: str, complaint: str) -> None:
    complaints = import_complaints(module, source)
    assert len(complaints) == 1
    assert complaint in complaints[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("penstock/graph/shapes/dtypes.py", "import numpy as np, ml_dtypes\nfrom ..errors import DTypeError"),
        ("penstock/ops/cast.py", "from ..graph import op\nfrom . import shape\nfrom .. import errors"),
        ("penstock/runtime/gpu.py", "def f():\n    import cupy\n    import cupyx"),
        ("penstock/runtime/gpu.py", "if TYPE_CHECKING:\n    import cupy"),
        ("penstock/cli.py", "from . import Session, demo\nfrom .runtime import Plan"),
    ],
)
def test_the_import_check_lets_lawful_imports_pass(module: str, source: str) -> None:
    assert import_complaints(module, source) == []


GUARD = 'if __name__ != "penstock.graph":\n    raise ImportError("import penstock.graph")'


@pytest.mark.parametrize(
    ("module", "source", "lines"),
    [
        ("penstock/graph/__init__.py", f'"""Names."""\n{GUARD}\nfrom .a import b\n__all__ = ["b"]', []),
        ("penstock/ops/__init__.py", GUARD, [1]),
        ("penstock/graph/__init__.py", f"{GUARD}\nelse:\n    pass", [1]),
        ("penstock/graph/__init__.py", "from .a import b\nb()\nc = 1\ndef f(): pass", [2, 3, 4]),
        ("penstock/__init__.py", "from .a import b\nb(x=1)\n__version__ = '1'\nc = 1", [4]),
    ],
)
def test_the_init_check_sees_logic_and_nothing_else(module: str, source: str, lines: list[int]) -> None:
    assert [int(complaint.split(":")[1]) for complaint in init_complaints(module, source)] == lines


def test_the_form_check_sees_a_missing_docstring_and_a_long_file() -> None:
    assert form_complaints("penstock/a.py", '"""Says why."""\n' * LONGEST) == []
    missing, long = form_complaints("penstock/a.py", "x = 1\n" * (LONGEST + 1))
    assert "no module docstring" in missing
    assert f"{LONGEST + 1} lines" in long


def test_the_parts_of_a_docstring_do_not_make_a_file_too_long() -> None:
    documented = 'def f(x):\n    """Does.\n\n    Args:\n        x: one.\n    """\n'
    told = 'def f(x):\n    """Does.\n\n    It does so\n    in this way.\n    """\n'
    head = '"""Says why."""\n' * (LONGEST - 2)
    assert form_complaints("penstock/a.py", head + documented) == []
    assert len(form_complaints("penstock/a.py", head + told)) == 1


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("penstock/runtime/ir/stage.py", "from ..planning.plan import Plan", "ir may not import planning"),
        ("penstock/runtime/passes/fold.py", "from ..planning.plan import Plan", "passes may not import planning"),
        ("penstock/runtime/observe/cost.py", "def f():\n    from ..session import session", "may not import session"),
        ("penstock/runtime/attic/old.py", "", "attic has no place in STOREYS"),
    ],
)
def test_the_check_of_rooms_sees_a_violation(module: str, source: str, complaint: str) -> None:
    (found,) = room_complaints(module, source)
    assert complaint in found


def test_the_check_of_rooms_lets_lawful_imports_pass() -> None:
    source = "from ..ir.stage import Stage\nfrom .plan import Plan\nfrom ...graph.nodes import Graph"
    assert room_complaints("penstock/runtime/planning/planner.py", source) == []


def test_the_check_for_cycles_sees_one() -> None:
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []
    assert set(cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}
    nodes, dtypes = "penstock/graph/model/nodes.py", "penstock/graph/shapes/dtypes.py"
    assert edges([nodes, dtypes])[nodes] == {dtypes}


def test_the_door_check_counts_modules_and_knows_companions() -> None:
    a, b, c = "penstock/a.py", "penstock/b.py", "penstock/c.py"
    sources = {a: "import cupy\nimport cupy.cuda", b: "from cupyx import jit", c: "import cupyish"}
    assert doors("cupy", sources) == [a, b]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_refuses_to_be_imported_from_the_root(layer: str) -> None:
    if not (PACKAGE / layer / "__init__.py").exists():
        return  # nothing there that could be imported by the wrong name
    # Where the links could not be made, the folder of the package offers the same wrong name.
    folder = ROOT if (ROOT / layer).exists() else PACKAGE
    command = [sys.executable, "-c", f"import {layer}"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert f"penstock.{layer}" in last
