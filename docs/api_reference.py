"""The Sphinx extension behind docs/reference: autodoc's hooks, and lists of the public functions of modules.

`.. public-functions:: casting index/` lists the public functions that are defined in this module of `penstock/ops`, and
in those of this folder that no page names.
"""

from __future__ import annotations

import re
from typing import Any

from docstring_markup import restructured
from docutils import nodes
from docutils.statemachine import StringList
from public_names import INTERNAL_NAMES, SHORT, functions_of
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import penstock

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
        for module in self.arguments:
            if not functions_of([module]):
                raise self.error(f"no public function is defined in penstock/ops/{module}.py")
        text = [line for path in functions_of(self.arguments) for line in (f".. autofunction:: {path}", "")]
        return self.parse_text_to_nodes(StringList(text, source=self.env.doc2path(self.env.docname)))


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("public-functions", PublicFunctions)
    app.connect("autodoc-process-docstring", translate)
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
