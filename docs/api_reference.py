"""The Sphinx extension behind docs/reference: autodoc's hooks, and lists of the public functions of modules.

`.. public-functions:: transcendental casting` lists the functions of `penstock` that are defined in these modules of
`penstock/ops`. After the build a public name that no page describes is a warning.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from docstring_markup import restructured
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import penstock
import penstock.compat.v1
import penstock.extend
import penstock.interchange.tensorflow
import penstock.show
import penstock.testing
from penstock.graph.op_declaration import OpDef

MODULES: tuple[ModuleType, ...] = (
    penstock,
    penstock.config,
    penstock.errors,
    penstock.extend,
    penstock.testing,
    penstock.show,
    penstock.interchange.tensorflow,
    penstock.compat.v1,
)
"""The modules with public names. A name that several have is described in the first."""

log = logging.getLogger(__name__)


def _public_surface() -> ModuleType:
    """`tests/public_surface.py`: methods that only the package calls, and classes that public calls return."""
    path = Path(__file__).resolve().parents[1] / "tests" / "public_surface.py"
    spec = importlib.util.spec_from_file_location("public_surface", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SURFACE = _public_surface()
INTERNAL_NAMES = {name for names in SURFACE.INTERNAL.values() for name in names}


def public_objects() -> Iterator[tuple[str, Any]]:
    """Every public function and class with its full name, each once."""
    seen: set[int] = set()
    for module, names in _namespaces():
        for name in names:
            found = getattr(module, name)
            is_ours = str(getattr(found, "__module__", "")).startswith("penstock.")
            is_callable = inspect.isclass(found) or inspect.isfunction(found) or isinstance(found, OpDef)
            if is_ours and is_callable and id(found) not in seen:
                seen.add(id(found))
                yield f"{module.__name__}.{_own_name(module, found, name)}", found


def _namespaces() -> Iterator[tuple[ModuleType, list[str]]]:
    for module in MODULES:
        yield module, getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    for path, names in SURFACE.GIVEN.items():
        yield importlib.import_module(f"penstock.{path}"), names


def _own_name(module: ModuleType, found: Any, name: str) -> str:
    """The name that the object gives itself, where the module has it under that name too."""
    own = str(getattr(found, "__name__", name))
    return own if getattr(module, own, None) is found else name


PUBLIC = dict(public_objects())
SHORT = {path.rpartition(".")[2]: path for path in reversed(PUBLIC)}
"""The last part of a public name -> the whole name."""


# ---- autodoc's hooks ----------------------------------------------------------------------------


def path_of(code: str) -> str | None:
    """The full name of what is public under the name `code`, such as `Session` or `tf.add(x, y)`."""
    name = re.sub(r"\(.*\)$", "", code).removeprefix("tf.")
    if code == name and name.islower():
        return None  # `name`, `shape` and `size` are arguments, not functions
    return SHORT.get(name)


def translate(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Autodoc's hook for docstrings."""
    lines[:] = restructured(lines, path_of)
    aliases = sorted(alias for alias in dir(penstock) if getattr(penstock, alias) is found)
    others = [alias for alias in aliases if alias != name.rpartition(".")[2]]
    if what == "function" and name.startswith("penstock.") and others:
        lines += ["", "Also named " + ", ".join(f"``{alias}``" for alias in others) + "."]


def signature(app: Sphinx, what: str, name: str, found: Any, *told: Any) -> tuple[str, str] | None:
    """Autodoc's hook for signatures: a class that users are only given shows none."""
    is_given = what == "class" and re.search(r"^ *Attributes:$", found.__doc__ or "", re.MULTILINE)
    return ("", "") if is_given else None


def skip(app: Sphinx, what: str, name: str, found: Any, is_skipped: bool, options: Any) -> bool | None:
    """Autodoc's hook for members: it leaves out methods that only the package calls, and those of built-in classes."""
    function = getattr(found, "fget", found)
    module = getattr(function, "__module__", None) or getattr(getattr(function, "__objclass__", None), "__module__", "")
    is_foreign = what == "class" and bool(module) and not module.startswith("penstock")
    return True if is_foreign or (what == "class" and name in INTERNAL_NAMES) else None


# ---- lists of functions -------------------------------------------------------------------------


class PublicFunctions(SphinxDirective):
    """The public functions of modules of `penstock/ops`, in alphabetical order, each with its docstring."""

    required_arguments = 1
    optional_arguments = 100

    def run(self) -> list[nodes.Node]:
        modules = {f"penstock.ops.{name}" for name in self.arguments}
        listed = {path: found for path, found in PUBLIC.items() if found.__module__ in modules}
        if missing := modules - {found.__module__ for found in listed.values()}:
            raise self.error(f"no public function is defined in {', '.join(sorted(missing))}")
        text = [line for path in sorted(listed) if _is_at_top(path) for line in (f".. autofunction:: {path}", "")]
        return self.parse_text_to_nodes(StringList(text, source=self.env.doc2path(self.env.docname)))


def _is_at_top(path: str) -> bool:
    return path.count(".") == 1


def check_complete(app: Sphinx, env: BuildEnvironment) -> None:
    """Warns about a public name that no page of the reference describes."""
    described = {name.rpartition(".")[2] for name in env.domains.python_domain.objects}
    for path in PUBLIC:
        if path.rpartition(".")[2] not in described:
            log.warning("%s is public, and no page in docs/reference describes it", path)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("public-functions", PublicFunctions)
    app.connect("autodoc-process-docstring", translate)
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-skip-member", skip)
    app.connect("env-check-consistency", check_complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
