"""Penstock in the place of TensorFlow: `import tensorflow` and every module path below it.

A finder in front of Python's own answers imports of `tensorflow` and of what stands below it. Each module is made when
it is imported or first used, and looks its names up in Penstock. An installed TensorFlow stays as it is: it is only not
asked while the stand-in is there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from types import ModuleType, TracebackType
from typing import Any, Final, Literal, Self

from ..api.name_table import instead_of, table
from ..errors import UseError
from ..graph.common.near_names import nearest
from ..graph.common.tracebacks import hides_frames
from ..recurrent.weights_of_scopes import WeightsOfScopes
from ..variables.variable_node import VariablesAsObjects
from .attributes_of_programs import refuse_attributes, take_attributes
from .module_paths import ROOT, ROOT_OF_0, namespaces_of, root_of, submodules_of
from .older_names import GONE

_VERSIONS: Final = {"0": "0.12.1", "1": "1.15.0"}
"""What `tf.__version__` says in each era: programs compare it."""


class StandInModule(ModuleType):
    """A module of TensorFlow's whose names are Penstock's."""

    def __init__(self, name: str, era: str) -> None:
        super().__init__(name)
        self._path = name[len(ROOT) + 1 :]
        self._era = era
        self._spaces = namespaces_of(self._path, era) or ()
        self.__path__: list[str] = []  # so that Python asks the finder for a name that is missing, and it can say why
        self.__doc__ = f"{name} as Penstock has it"
        if not self._path or self._path == "compat.v1":
            version = _VERSIONS["1" if self._path else era]
            self.__version__ = self.VERSION = version

    @hides_frames
    def __getattr__(self, name: str) -> Any:
        if name == "__all__":  # of `from ... import *`
            left = {*submodules_of(self._path), "print"}  # a program that prints goes on to print
            return [each for each in dir(self) if each not in left and each[0] != "_"]
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = self._found(name)
        setattr(self, name, found)
        return found

    def _found(self, name: str) -> Any:
        whole = f"{self._path}.{name}" if self._path else name
        if self._is_gone(name):
            raise AttributeError(
                f"{self.__name__} has no {name} since TensorFlow 1.0: write {GONE[self._plain(name)]}. A program for "
                "0.x runs with --era 0", name=None, obj=None,
            )  # fmt: skip
        module = find_module(f"{ROOT}.{whole}")
        if module is not None and (name in submodules_of(self._path) or namespaces_of(whole, self._era)):
            return module
        for space in self._spaces:
            if hasattr(space, name):
                return getattr(space, name)
        raise AttributeError(self._missing(name), name=None, obj=None)

    def _plain(self, name: str) -> str:
        _, path = root_of(self._path, self._era)
        return f"{path}.{name}" if path else name

    def _is_gone(self, name: str) -> bool:
        """Whether a name is one that TensorFlow 1.0 took away, in a namespace of 1.x."""
        space, _ = root_of(self._path, self._era)
        return space.__name__ != ROOT_OF_0 and self._plain(name) in GONE

    def _missing(self, name: str) -> str:
        _, path = root_of(self._path, self._era)
        whole = f"{path}.{name}" if path else name
        words = missing_words(whole, dir(self))
        return f"{self.__name__} has no {name} in Penstock{f': {words}' if words else ''}"

    def __dir__(self) -> list[str]:
        own = {name for name in vars(self) if not name.startswith("_")}
        known = own.union(submodules_of(self._path), *(dir(space) for space in self._spaces))
        return sorted(name for name in known if not self._is_gone(name))


class _Loader(Loader):
    def __init__(self, era: str) -> None:
        self._era = era

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return StandInModule(spec.name, self._era)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: names are found when they are used."""


class _Finder(MetaPathFinder):
    """Answers imports of `tensorflow` and of modules below it."""

    def __init__(self, era: str) -> None:
        self.era = era
        self._loader = _Loader(era)

    @hides_frames
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != ROOT and not fullname.startswith(f"{ROOT}."):
            return None
        below = fullname[len(ROOT) + 1 :]
        if namespaces_of(below, self.era) is not None:
            return ModuleSpec(fullname, self._loader, is_package=True)
        parent, _, name = below.rpartition(".")
        _, plain = root_of(below, self.era)
        known = {each for space in namespaces_of(parent, self.era) or () for each in dir(space)}
        words = missing_words(plain, known | submodules_of(parent))
        # The name of the error is not that of the module: Python would take it for one that may be missing.
        text = f"{ROOT}{'.' if parent else ''}{parent} has no {name} in Penstock{f': {words}' if words else ''}"
        raise ImportError(text, name=None, path=None)


def missing_words(path: str, known: Iterable[str]) -> str:
    """What to say of a name that is not there: its row of the table, a name that is near, the row of its namespace.

    >>> missing_words("nn.relo", ["relu", "elu"]), missing_words("nn.silu", ["relu"])
    ('did you mean relu?', 'write tf.nn.swish')
    """
    words = instead_of(path)
    is_own = path in table() or f"{path}.*" in table()
    near = None if is_own else nearest(path.rpartition(".")[2], known, 0.75)
    return words if near is None else f"did you mean {near}?"


def find_module(name: str) -> ModuleType | None:
    """The stand-in of a module, made if it is not yet; None if there is none of that name."""
    finder = next((each for each in sys.meta_path if isinstance(each, _Finder)), None)
    if finder is None or namespaces_of(name[len(ROOT) + 1 :], finder.era) is None:
        return None
    spec = None if name in sys.modules else finder.find_spec(name, None)
    if spec is not None:
        sys.modules[name] = module_from_spec(spec)
    return sys.modules[name]


class TensorFlowStandIn:
    """Penstock in the place of TensorFlow until `close`, or until the end of a `with` block.

    Attributes:
        era: "0" or "1": whose signatures the top namespace has.
    """

    def __init__(self, era: Literal["0", "1"]) -> None:
        self.era = era
        self._finder: _Finder | None = _Finder(era)
        WeightsOfScopes.are_on = era == "0"
        VariablesAsObjects.are_true = True
        take_attributes()
        sys.meta_path.insert(0, self._finder)

    def close(self) -> None:
        """Takes the stand-in away; the next `import tensorflow` finds what is installed.

        >>> import penstock
        >>> there = penstock.tensorflow_stand_in()
        >>> there.close()
        >>> there
        <TensorFlowStandIn: closed>
        """
        is_there = self._finder in sys.meta_path  # a second call of tensorflow_stand_in has taken its place otherwise
        if self._finder is not None and is_there:
            sys.meta_path.remove(self._finder)
            WeightsOfScopes.are_on = VariablesAsObjects.are_true = False
            refuse_attributes()
            for name in _imported():
                del sys.modules[name]
        self._finder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = f"import tensorflow is Penstock, with the signatures of {self.era}.x"
        return f"<TensorFlowStandIn: {'closed' if self._finder is None else state}>"


@hides_frames
def tensorflow_stand_in(era: Literal["0", "1"] = "1") -> TensorFlowStandIn:
    """Let `import tensorflow` be Penstock, from here on or in a `with` block.

    Args:
        era: "1" (the default) for the signatures of TensorFlow 1.x, "0" for those of 0.x.

    Returns:
        What takes it back: its `close`, or the end of a `with` block.

    Raises:
        ValueError: `era` is neither.
        UseError: TensorFlow itself is imported already, or the stand-in is there with the other era.

    >>> import penstock
    >>> with penstock.tensorflow_stand_in():
    ...     import tensorflow as tf
    ...     from tensorflow.python.ops import rnn_cell
    >>> tf.__version__, rnn_cell.BasicLSTMCell.__module__
    ('1.15.0', 'penstock.recurrent.lstm_cells')

    Source: none in TensorFlow; `penstock tf1 program.py` does the same for a whole program.
    """
    if era not in _VERSIONS:
        raise UseError(f"tensorflow_stand_in(era={era!r}): write era=\"1\" for TensorFlow 1.x or era=\"0\" for 0.x")
    old = next((each for each in sys.meta_path if isinstance(each, _Finder)), None)
    if old is not None:
        if old.era != era:
            raise UseError(f"tensorflow_stand_in(era={era!r}): the stand-in is there with era {old.era!r}; close that "
                           "one first")  # fmt: skip
        sys.meta_path.remove(old)
    elif _imported():
        raise UseError("tensorflow_stand_in: TensorFlow itself is imported already; call this before the first import "
                       "tensorflow, in a new process (in a notebook: restart the kernel)")  # fmt: skip
    return TensorFlowStandIn(era)


def _imported() -> list[str]:
    return [name for name in list(sys.modules) if name == ROOT or name.startswith(f"{ROOT}.")]
