"""The public names of Penstock, and which of them the pages in docs/reference describe.

The Sphinx extension makes links of these names; a test asks that each is described on a page.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import penstock
import penstock.app
import penstock.bitwise
import penstock.compat
import penstock.compat.nn_v1
import penstock.compat.v1
import penstock.contrib.contrib_distributions
import penstock.contrib.crf
import penstock.contrib.framework
import penstock.contrib.layers
import penstock.contrib.legacy_seq2seq
import penstock.contrib.predictor
import penstock.contrib.rnn
import penstock.contrib.seq2seq
import penstock.contrib.slim
import penstock.contrib.training
import penstock.contrib.training_steps.slim_learning
import penstock.data
import penstock.data.experimental
import penstock.debugging
import penstock.distributions
import penstock.extend
import penstock.flags
import penstock.gfile
import penstock.image
import penstock.initializers
import penstock.interchange.tensorflow
import penstock.layers
import penstock.linalg
import penstock.logging
import penstock.lookup
import penstock.losses
import penstock.math
import penstock.metrics
import penstock.nn
import penstock.python_io
import penstock.random
import penstock.repro
import penstock.show
import penstock.signal
import penstock.strings
import penstock.summary
import penstock.test
import penstock.testing
import penstock.train
from penstock.graph.declare.op_declaration import OpDef

DOCS = Path(__file__).resolve().parent
MODULES: tuple[ModuleType, ...] = (
    penstock,
    penstock.nn,
    penstock.config,
    penstock.errors,
    penstock.extend,
    penstock.testing,
    penstock.repro,
    penstock.show,
    penstock.summary,
    penstock.python_io,
    penstock.app,
    penstock.flags,
    penstock.logging,
    penstock.gfile,
    penstock.test,
    penstock.debugging,
    penstock.compat,
    penstock.train,
    penstock.data,
    penstock.data.experimental,
    penstock.contrib.layers,
    penstock.contrib.framework,
    penstock.contrib.slim,
    penstock.contrib.training,
    penstock.contrib.training_steps.slim_learning,
    penstock.contrib.crf,
    penstock.distributions,
    penstock.contrib.contrib_distributions,
    penstock.nn.rnn_cell,
    penstock.contrib.predictor,
    penstock.contrib.rnn,
    penstock.contrib.seq2seq,
    penstock.contrib.legacy_seq2seq,
    penstock.layers,
    penstock.losses,
    penstock.image,
    penstock.lookup,
    penstock.random,
    penstock.bitwise,
    penstock.linalg,
    penstock.math,
    penstock.metrics,
    penstock.signal,
    penstock.strings,
    penstock.initializers,
    penstock.interchange.tensorflow,
    penstock.compat.v1,
    penstock.compat.nn_v1,
)
"""The modules with public names. A name that several have is described in the first."""

def _public_surface() -> ModuleType:
    """`tests/public_surface.py`: methods that only the package calls, and classes that public calls return."""
    path = DOCS.parent / "tests" / "public_surface.py"
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
                path = "penstock.nn.rnn_cell" if module is penstock.nn.rnn_cell else module.__name__
                yield f"{path}.{_own_name(module, found, name)}", found


def _namespaces() -> Iterator[tuple[ModuleType, list[str]]]:
    for waiting in (penstock.compat.v1, penstock.train):
        for name in dir(waiting):
            getattr(waiting, name)  # some stand there only after their first use
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


def functions_of(places: list[str]) -> list[str]:
    """The full names of the public functions that modules of the ops define, but for those that a page names.

    Args:
        places: names of modules; "index/" means those of the folder that no page names.
    """
    pages = _pages()
    named = {word for word in " ".join(pages["public-functions"]).split() if not word.endswith("/")}
    each = [*pages["autofunction"], *pages["autoclass"]]
    elsewhere = {*each, *(path for path in PUBLIC if path.startswith(tuple(f"{m}." for m in pages["automodule"])))}
    paths = []
    for path, value in PUBLIC.items():
        *package, folder, module = value.__module__.split(".")
        is_meant = module in places or (f"{folder}/" in places and module not in named)
        if is_meant and package == ["penstock", "ops"] and path not in elsewhere:
            paths.append(path)
    return sorted(paths)


def described() -> list[str]:
    """The full names of what the pages in docs/reference describe."""
    pages = _pages()
    modules = tuple(f"{module}." for module in pages["automodule"])
    each = [path for words in pages["public-functions"] for path in functions_of(words.split())]
    return [*pages["autoclass"], *pages["autofunction"], *(path for path in PUBLIC if path.startswith(modules)), *each]


@cache
def _pages() -> dict[str, list[str]]:
    """Directive -> its arguments, each time that a page in docs/reference has it."""
    directives: dict[str, list[str]] = {}
    for page in sorted((DOCS / "reference").rglob("*.rst")):
        for directive, arguments in re.findall(r"^\.\. ([\w-]+):: (\S.*)$", page.read_text("utf-8"), re.MULTILINE):
            directives.setdefault(directive, []).append(arguments)
    return directives
